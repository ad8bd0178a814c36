//! Calls of nodes, tables and permutations.

use super::fields::Builtin;
use super::values::Value;
use super::{Atom, Elaborator};
use crate::check::instances::{elements, Instance, Meaning};
use crate::check::outcome::{fail, Fault, Outcome};
use crate::check::select::plural;
use crate::check::signature::{is_nat, names, Declared, Signature};
use crate::core::{Dir, Op, Type, Width};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AExp, Def, Exp, ExpKind, Ident};
use crate::syntax::{foreign, Dialect};
use std::rc::Rc;

/// What the parameters of a callee stand for in one call.
struct Binding {
    dirs: Vec<Option<Dir>>,
    widths: Vec<Option<Width>>,
}

impl Binding {
    fn new(signature: &Signature) -> Binding {
        let scope = &signature.scope;
        Binding { dirs: vec![None; scope.dirs.len()], widths: vec![None; scope.widths.len()] }
    }

    fn dir(&self, dir: Dir) -> Option<Dir> {
        match dir {
            Dir::Fixed(_) => Some(dir),
            Dir::Param(p) => self.dirs[usize::from(p)],
        }
    }

    fn width(&self, width: Width) -> Option<Width> {
        match width {
            Width::Bits(_) | Width::Row(..) | Width::Field(_) => Some(width),
            Width::Param(p) => self.widths[usize::from(p)],
        }
    }

    /// Binds the parameters of a type that are still free.
    fn bind(&mut self, formal: Type, actual: Type) {
        if let Dir::Param(p) = formal.dir {
            self.dirs[usize::from(p)].get_or_insert(actual.dir);
        }
        if let Width::Param(p) = formal.width {
            self.widths[usize::from(p)].get_or_insert(actual.width);
        }
    }

    /// The caller's type; what is free is as in `like`.
    fn apply(&self, formal: Type, like: Type) -> Type {
        Type {
            dir: self.dir(formal.dir).unwrap_or(like.dir),
            width: self.width(formal.width).unwrap_or(like.width),
        }
    }
}

impl<'a> Elaborator<'_, 'a> {
    pub(super) fn call(
        &mut self,
        name: &Ident,
        element: Option<&AExp>,
        args: &[Exp],
        expected: Option<&[Type]>,
        span: Span,
    ) -> Outcome<Value> {
        if let Some(field) = self.scope.fields().find(&name.name) {
            return self.elements_of(field, args, span);
        }
        if self.scope.fields().is_refused(&name.name) {
            return Err(Fault::Told);
        }
        let Some(index) = self.checker.definitions.find(&name.name) else {
            if let (Some(builtin), None) = (Builtin::named(&name.name), element) {
                return self.builtin(builtin, args, span);
            }
            if name.name == "refresh" && element.is_none() {
                return self.refresh(args, expected, span);
            }
            return match self.checker.definitions.is_partial {
                true => Err(Fault::Told),
                false => fail(self.unknown(name, args)),
            };
        };
        let def = self.checker.definitions.all[index];
        if def.is_faulty {
            return Err(Fault::Told);
        }
        if self.checker.definitions.is_constant(index) {
            let name = &name.name;
            return fail(
                Diagnostic::error(
                    "E0103",
                    span,
                    format!("there is no node, table or perm `{name}`"),
                )
                .label("a constant is not called")
                .also(def.name.span, "defined here")
                .help(format!("write `{name}`")),
            );
        }
        let element = self.element(def, name, element)?;
        let (nats, args) = self.split_arguments(def, args, span)?;
        let instance = self.checker.instance(index, element, nats)?;
        let mut binding = Binding::new(&instance.signature);
        let atoms = self.arguments(&instance, &args, &mut binding, span)?;
        self.apply(&instance, atoms, binding, expected, span)
    }

    /// `refresh(x)`: the identity where published sources have it; code that only looks masked is refused.
    fn refresh(&mut self, args: &[Exp], expected: Option<&[Type]>, span: Span) -> Outcome<Value> {
        match args {
            [arg] if self.dialect() == Dialect::Usubac => self.value(arg, expected),
            [_] => fail(
                Diagnostic::error("E0212", span, "`refresh` is for masked code, which this is not")
                    .label("nothing would be refreshed here")
                    .help("without it the code computes the same"),
            ),
            _ => fail(
                Diagnostic::error("E0211", span, "`refresh` takes one argument")
                    .label(format!("{} given", args.len())),
            ),
        }
    }

    fn unknown(&self, name: &Ident, args: &[Exp]) -> Diagnostic {
        let mut error = Diagnostic::error(
            "E0103",
            name.span,
            format!("there is no node, table or perm `{}`", name.name),
        )
        .label("not defined in this file or an included one");
        let of_mode = format!("{}.absorb", name.name);
        error.help = Some(match self.checker.definitions.near(&name.name) {
            _ if self.checker.definitions.find(&of_mode).is_some() => {
                "it is a mode: what takes messages is called by programs, not by nodes".into()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None if foreign::function(&name.name).is_some() => self.in_usuba(name, args),
            None => {
                "`include` the file that defines it, or define it; the order doesn't matter".into()
            }
        });
        error
    }

    /// What Usuba has in place of a function of other languages.
    fn in_usuba(&self, name: &Ident, args: &[Exp]) -> String {
        let Some(row) = foreign::function(&name.name) else { return String::new() };
        let Some(instead) = row.instead else { return row.advice.to_string() };
        let mut line = instead.to_string();
        for (k, argument) in args.iter().enumerate() {
            let text = self.checker.sources.text(argument.span);
            let is_operand = !matches!(argument.kind, ExpKind::Bin(..) | ExpKind::Shift(..));
            let text = if is_operand { text.to_string() } else { format!("({text})") };
            line = line.replace(&format!("${}", k + 1), &text);
        }
        match line.contains('$') || line.contains('\n') {
            true => {
                format!("write `{}`: {}", instead.replace("$1", "x").replace("$2", "n"), row.advice)
            }
            false => format!("write `{line}`: {}", row.advice),
        }
    }

    /// Which element of a definition is called.
    fn element(&self, def: &Def, name: &Ident, element: Option<&AExp>) -> Outcome<usize> {
        let count = elements(def);
        let Some(e) = element else {
            return match def.is_array {
                false => Ok(0),
                true => fail(
                    Diagnostic::error(
                        "E0156",
                        name.span,
                        format!("which `{}` is meant?", name.name),
                    )
                    .label(format!("an array of {count} definitions"))
                    .also(def.name.span, "defined here")
                    .help(format!("write the element: `{}<0>(…)`", name.name)),
                ),
            };
        };
        if !def.is_array {
            return fail(
                Diagnostic::error("E0157", e.span, format!("`{}` has no elements", name.name))
                    .label("only an array of definitions is indexed")
                    .also(def.name.span, "a single definition")
                    .help(format!("call it as `{}(…)`", name.name)),
            );
        }
        let i = self.statics.eval(e)?;
        match usize::try_from(i) {
            Ok(i) if i < count => Ok(i),
            _ => fail(
                Diagnostic::error("E0155", e.span, format!("`{}` has no element {i}", name.name))
                    .label(format!("this is {i}{}", self.statics.described()))
                    .also(def.name.span, format!("has {count} element{}", plural(count)))
                    .help(format!("elements are 0 to {}", count.saturating_sub(1))),
            ),
        }
    }

    /// The `nat` arguments, and the others.
    fn split_arguments<'e>(
        &self,
        def: &Def,
        args: &'e [Exp],
        span: Span,
    ) -> Outcome<(Vec<i128>, Vec<&'e Exp>)> {
        let static_params = names(&def.params).filter(|(_, g)| is_nat(g)).count();
        if static_params == 0 {
            return Ok((Vec::new(), args.iter().collect()));
        }
        let count = names(&def.params).count();
        if args.len() != count {
            let name = &def.name.name;
            return fail(
                Diagnostic::error("E0211", span, format!("`{name}` takes {count} arguments"))
                    .label(format!("{} given", args.len()))
                    .also(def.name.span, "defined here")
                    .help("a node with `nat` parameters needs one argument for each parameter"),
            );
        }
        let (mut nats, mut others) = (Vec::new(), Vec::new());
        for ((name, group), arg) in names(&def.params).zip(args) {
            if !is_nat(group) {
                others.push(arg);
                continue;
            }
            let n = self.statics.eval_number(arg)?;
            if n < 0 {
                let message = format!("the `nat` parameter `{}` can't be negative", name.name);
                return fail(
                    Diagnostic::error("E0132", arg.span, message)
                        .label(format!("this is {n}{}", self.statics.described())),
                );
            }
            nats.push(n);
        }
        Ok((nats, others))
    }

    /// The atoms of all arguments, matched with the parameters atom by atom.
    fn arguments(
        &mut self,
        instance: &Rc<Instance<'a>>,
        args: &[&Exp],
        binding: &mut Binding,
        span: Span,
    ) -> Outcome<Vec<Atom>> {
        let params = &instance.signature.params;
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match self.needs_type(arg) {
                true => None,
                false => Some(self.value(arg, None)?.atoms),
            });
        }
        let formals: Vec<Type> = params.iter().flat_map(|p| p.ty.atoms()).collect();
        let counts = argument_counts(&values, params, formals.len());
        if counts.iter().sum::<usize>() != formals.len() {
            return fail(self.wrong_count(instance, args, &counts, span));
        }
        let mut start = 0;
        for ((value, count), arg) in values.iter().zip(&counts).zip(args) {
            for (i, actual) in value.iter().flatten().enumerate() {
                self.bind(instance, binding, start + i, (formals[start + i], actual.ty), arg.span)?;
            }
            start += count;
        }
        let mut atoms: Vec<Atom> = Vec::with_capacity(formals.len());
        for ((value, count), arg) in values.into_iter().zip(&counts).zip(args) {
            if let Some(value) = value {
                atoms.extend(value);
                continue;
            }
            let wanted = &formals[atoms.len()..atoms.len() + count];
            let types = self.constant_types(wanted, binding, arg.span)?;
            let value = self.value(arg, Some(&types))?;
            self.same_types(&types, &value.atoms, (span, "what the call needs here"), arg.span)?;
            atoms.extend(value.atoms);
        }
        Ok(atoms)
    }

    /// The types of constants that stand for these atoms of parameters.
    fn constant_types(
        &mut self,
        wanted: &[Type],
        binding: &mut Binding,
        span: Span,
    ) -> Outcome<Vec<Type>> {
        let mut types = Vec::with_capacity(wanted.len());
        for &formal in wanted {
            let Some(width) = binding.width(formal.width) else {
                return fail(
                    Diagnostic::error("E0204", span, "nothing gives this constant a type")
                        .label("the word size of the parameter is generic")
                        .help("write the type after the number: `5:u16`, say"),
                );
            };
            let dir = match binding.dir(formal.dir) {
                Some(dir) => dir,
                None => self.scope.implicit_dir(span)?,
            };
            let ty = Type { dir, width };
            binding.bind(formal, ty);
            types.push(ty);
        }
        Ok(types)
    }

    /// Matches one atom of an argument with its parameter.
    fn bind(
        &self,
        instance: &Instance,
        binding: &mut Binding,
        position: usize,
        (formal, actual): (Type, Type),
        span: Span,
    ) -> Outcome<()> {
        binding.bind(formal, actual);
        let needed = binding.apply(formal, actual);
        if needed == actual {
            return Ok(());
        }
        let param = param_at(&instance.signature.params, position);
        let role = format!("in this call the parameter `{}`", param.map_or("", |p| &p.name.name));
        let place = param.map_or(instance.def.name.span, |p| p.name.span);
        fail(self.mismatch(needed, actual, (place, &role), span))
    }

    fn wrong_count(
        &self,
        instance: &Instance,
        args: &[&Exp],
        counts: &[usize],
        span: Span,
    ) -> Diagnostic {
        let params = &instance.signature.params;
        let name = &instance.def.name.name;
        let needed: usize = params.iter().map(|p| p.ty.count() as usize).sum();
        let given: usize = counts.iter().sum();
        let message = format!("`{name}` takes {needed} atom{}, {given} given", plural(needed));
        if args.len() == params.len() {
            let odd = params.iter().zip(counts).position(|(p, c)| p.ty.count() as usize != *c);
            if let Some(i) = odd {
                let (param, count) = (&params[i], counts[i]);
                let wanted = param.ty.count() as usize;
                return Diagnostic::error("E0211", args[i].span, message)
                    .label(format!("{count} atom{} for `{}`", plural(count), param.name.name))
                    .also(param.name.span, format!("needs {wanted} atom{}", plural(wanted)));
            }
        }
        let error = Diagnostic::error("E0211", span, message);
        match param_at(params, given) {
            Some(param) => error
                .label(format!("nothing left for `{}`", param.name.name))
                .also(param.name.span, "this parameter is not filled"),
            None => error
                .label(format!("{} atom{} too many", given - needed, plural(given - needed)))
                .also(instance.def.name.span, "defined here"),
        }
    }

    // ---- results ----

    fn apply(
        &mut self,
        instance: &Rc<Instance<'a>>,
        atoms: Vec<Atom>,
        mut binding: Binding,
        expected: Option<&[Type]>,
        span: Span,
    ) -> Outcome<Value> {
        let signature = &instance.signature;
        let formals: Vec<Type> = signature.results.iter().flat_map(|r| r.ty.atoms()).collect();
        for (&formal, &wanted) in formals.iter().zip(expected.unwrap_or_default()) {
            binding.bind(formal, wanted);
        }
        let (dirs, widths) = self.settle(instance, &mut binding, span)?;
        let like = Type { dir: Dir::Param(0), width: Width::Param(0) };
        let results: Vec<Type> = formals.iter().map(|&f| binding.apply(f, like)).collect();
        let list = match &signature.results[..] {
            [one] => !one.ty.shape.is_empty(),
            _ => true,
        };
        let atoms = match &instance.meaning {
            Meaning::Func(id) => self.push(Op::Call(*id, dirs, widths), &atoms, &results, span)?,
            Meaning::Table(op) => self.push(op.clone(), &atoms, &results, span)?,
            Meaning::Perm(picks) => picks.iter().map(|&i| atoms[i]).collect(),
        };
        Ok(Value { atoms, list })
    }

    /// What all parameters of the callee stand for.
    fn settle(
        &mut self,
        instance: &Instance,
        binding: &mut Binding,
        span: Span,
    ) -> Outcome<(Vec<Dir>, Vec<Width>)> {
        let mut dirs = Vec::new();
        for dir in &mut binding.dirs {
            let settled = match dir {
                Some(dir) => *dir,
                None => self.scope.implicit_dir(span)?,
            };
            *dir = Some(settled);
            dirs.push(settled);
        }
        let mut widths = Vec::new();
        for (width, name) in binding.widths.iter().zip(&instance.signature.scope.widths) {
            let Some(width) = width else {
                let callee = &instance.def.name.name;
                return fail(
                    Diagnostic::error(
                        "E0122",
                        span,
                        format!("the word size `{name}` can't be determined"),
                    )
                    .label(format!("no argument of `{callee}` has it"))
                    .help("assign the result to a variable with the wanted type first"),
                );
            };
            widths.push(*width);
        }
        Ok((dirs, widths))
    }
}

/// How many atoms each argument stands for. A constant stands for its parameter, or for an equal share of what
/// the others leave.
fn argument_counts(values: &[Option<Vec<Atom>>], params: &[Declared], total: usize) -> Vec<usize> {
    let known: usize = values.iter().flatten().map(Vec::len).sum();
    let open = values.iter().filter(|v| v.is_none()).count();
    let share = (total.saturating_sub(known)).checked_div(open).unwrap_or(0).max(1);
    let count = |(i, value): (usize, &Option<Vec<Atom>>)| match value {
        Some(atoms) => atoms.len(),
        None if values.len() == params.len() => params[i].ty.count() as usize,
        None => share,
    };
    values.iter().enumerate().map(count).collect()
}

/// The parameter that holds the atom at this position of the flat list.
fn param_at<'p, 'a>(params: &'p [Declared<'a>], position: usize) -> Option<&'p Declared<'a>> {
    let mut end = 0;
    params.iter().find(|p| {
        end += p.ty.count() as usize;
        position < end
    })
}
