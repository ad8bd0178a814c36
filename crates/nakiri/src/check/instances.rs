//! Definitions for given `nat` arguments: each is elaborated once and becomes one function of the core.

use super::elaborate::Elaborated;
use super::modes::Outline;
use super::outcome::{fail, Fault, Outcome};
use super::scheme;
use super::signature::{check_nat, is_nat, names, Signature};
use super::{emit, fields, Checked, Checker, NodeInfo};
use crate::core::{self, FuncId, Op, Program};
use crate::diagnostic::{has_errors, Diagnostic};
use crate::pass::interleave::Interleave;
use crate::source::{FileId, Span};
use crate::syntax::ast::{Def, DefKind, OptKind};
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a call of an instance becomes.
#[derive(Clone)]
pub(super) enum Meaning {
    /// A call of a function.
    Func(FuncId),
    /// An application of a table.
    Table(Op),
    /// Atoms renamed: output i is input `[i]`.
    Perm(Rc<Vec<usize>>),
}

/// A definition with its `nat` parameters and its element fixed.
#[derive(Clone)]
pub(super) struct Instance<'a> {
    /// The index of the definition.
    pub definition: usize,
    pub def: &'a Def,
    pub element: usize,
    pub name: String,
    pub signature: Rc<Signature<'a>>,
    pub meaning: Meaning,
}

impl Instance<'_> {
    /// Whether it is the node that takes the blocks of a mode, or of one of its streams.
    fn is_absorb(&self, mode: &str) -> bool {
        let section = self.name.strip_prefix(mode).and_then(|rest| rest.strip_prefix(".absorb"));
        section.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Orders candidates for the entry: the last element of the last definition of the root file wins.
    fn place(&self, root: FileId) -> (bool, usize, usize) {
        (self.def.span.file == root, self.definition, self.element)
    }
}

impl<'a> Instances<'a> {
    /// The instances behind the functions, in the order of these.
    pub fn of_functions(&self) -> impl Iterator<Item = &Instance<'a>> {
        self.of_func.iter().map(|&instance| &*self.all[instance])
    }

    /// The functions; empty ones stand for those that have not been elaborated.
    fn take_functions(&mut self) -> Vec<core::Func> {
        let funcs = std::mem::take(&mut self.funcs);
        let functions = funcs.into_iter().zip(self.of_functions());
        functions.map(|(func, instance)| func.unwrap_or_else(|| emit::empty(instance))).collect()
    }

    /// A function that has been elaborated, unless it has errors.
    pub fn sound(&self, number: usize) -> Option<&core::Func> {
        self.funcs[number].as_ref().filter(|_| !self.faulty[number])
    }
}

type Key = (usize, usize, Vec<i128>);

/// All instances so far.
#[derive(Default)]
pub(super) struct Instances<'a> {
    all: Vec<Rc<Instance<'a>>>,
    /// `None` for instances that have been refused.
    index: FxHashMap<Key, Option<usize>>,
    /// The functions, in the order of their numbers; those not elaborated yet are empty.
    funcs: Vec<Option<core::Func>>,
    /// The instances behind the functions.
    of_func: Vec<usize>,
    /// How many functions have been elaborated.
    elaborated: usize,
    /// Whether each of these has errors.
    faulty: Vec<bool>,
    used: Vec<bool>,
}

impl<'a> Checker<'a> {
    /// Elaborates every definition and everything it calls. In the order that is given each comes after those.
    pub fn run(&mut self, order: &[usize]) {
        self.instances.used = vec![false; self.definitions.all.len()];
        for &index in order {
            if self.definitions.all[index].is_computed() || self.definitions.is_constant(index) {
                self.check_computed(index);
            }
        }
        for index in 0..self.definitions.all.len() {
            let def = self.definitions.all[index];
            if def.is_faulty {
                continue;
            }
            self.check_head(def);
            let generic = names(&def.params).any(|(_, g)| is_nat(g));
            if generic || self.definitions.is_replaced(index) {
                continue;
            }
            for element in 0..elements(def) {
                if let Err(fault) = self.instance(index, element, Vec::new()) {
                    self.report(fault);
                }
            }
            self.elaborate_pending();
        }
        self.report_uncalled();
    }

    /// Computes a constant, or a table that is not listed, before it is asked for, so that one is not computed inside another.
    fn check_computed(&mut self, index: usize) {
        let def = self.definitions.all[index];
        let generic = names(&def.params).any(|(_, g)| is_nat(g));
        if def.is_faulty || generic || self.definitions.is_replaced(index) {
            return;
        }
        if self.definitions.is_constant(index) {
            if let Err(fault) = self.compute(index) {
                self.report(fault);
            }
            return;
        }
        for element in 0..elements(def) {
            if let Err(fault) = self.instance(index, element, Vec::new()) {
                self.report(fault);
            }
        }
    }

    /// Reports what is wrong with a definition whatever its `nat` parameters are.
    fn check_head(&mut self, def: &Def) {
        for option in &def.options {
            if let OptKind::Interleave(n) = &option.kind {
                if !n.to_u32().is_some_and(|n| (1..=Interleave::MOST).contains(&n)) {
                    self.report(
                        Diagnostic::error("E0110", option.span, "this factor makes no sense")
                            .label(format!("interleave 1 to {} batches", Interleave::MOST)),
                    );
                }
            }
        }
        for group in def.params.iter().filter(|g| is_nat(g)) {
            if let Err(fault) = check_nat(def, group) {
                self.report(fault);
            }
        }
    }

    /// Elaborates functions until no new ones are called.
    fn elaborate_pending(&mut self) {
        while self.instances.elaborated < self.instances.funcs.len() {
            let next = self.instances.elaborated;
            self.instances.elaborated += 1;
            self.elaborate_function(next);
        }
    }

    /// Elaborates a function and all that it calls, and says which these are.
    pub fn elaborate_reached(&mut self, root: FuncId) -> Vec<usize> {
        let (mut reached, mut next) = (vec![root.index()], 0);
        let mut seen = FxHashSet::from_iter(reached.iter().copied());
        while let Some(&number) = reached.get(next) {
            next += 1;
            self.elaborate_function(number);
            let callees = self.instances.funcs[number].iter().flat_map(emit::callees);
            reached.extend(callees.map(FuncId::index).filter(|callee| seen.insert(*callee)));
        }
        reached
    }

    fn elaborate_function(&mut self, number: usize) {
        if self.instances.funcs[number].is_some() {
            return;
        }
        let instance = self.instances.all[self.instances.of_func[number]].clone();
        let func = match self.exhausted() {
            true => None,
            false => self.elaborate(&instance),
        };
        self.instances.faulty[number] = func.is_none();
        self.instances.funcs[number] = Some(func.unwrap_or_else(|| emit::empty(&instance)));
    }

    /// Nodes of included files are for whoever includes them.
    fn report_uncalled(&mut self) {
        if self.definitions.is_partial || self.definitions.all.iter().any(|def| def.is_faulty) {
            return;
        }
        for index in 0..self.definitions.all.len() {
            let def = self.definitions.all[index];
            let generic = names(&def.params).any(|(_, g)| is_nat(g));
            let own = def.name.span.file == self.root;
            if own && generic && !self.instances.used[index] && !self.definitions.is_replaced(index)
            {
                let message =
                    format!("`{}` is never called and has not been checked", def.name.name);
                self.report(
                    Diagnostic::warning("E0240", def.name.span, message)
                        .label("its `nat` parameters are known only from a call"),
                );
            }
        }
    }

    /// The instance of a definition for an element and `nat` arguments, made if it is new.
    pub fn instance(
        &mut self,
        index: usize,
        element: usize,
        nats: Vec<i128>,
    ) -> Outcome<Rc<Instance<'a>>> {
        self.instances.used[index] = true;
        let key = (index, element, nats);
        if let Some(known) = self.instances.index.get(&key) {
            return known.map(|i| self.instances.all[i].clone()).ok_or(Fault::Told);
        }
        self.instances.index.insert(key.clone(), None);
        let mut made = Rc::new(self.make(&key)?);
        let place = self.instances.all.len();
        self.instances.all.push(made.clone());
        if made.def.is_tabulated() {
            let meaning = Meaning::Table(self.tabulate(&made)?);
            made = Rc::new(Instance { meaning, ..Instance::clone(&made) });
            self.instances.all[place] = made.clone();
        }
        self.instances.index.insert(key, Some(place));
        Ok(made)
    }

    fn make(&mut self, (index, element, nats): &Key) -> Outcome<Instance<'a>> {
        let def = self.definitions.all[*index];
        self.spend(1, def.name.span)?;
        let signature = Rc::new(self.signature(def, nats)?);
        let atoms: usize = (signature.params.iter().chain(&signature.results))
            .map(|d| d.ty.count() as usize)
            .sum();
        self.spend(atoms, def.name.span)?;
        let name = self.instance_name(*index, *element, nats);
        let meaning = match &def.kind {
            DefKind::Node(_) => {
                self.instances.funcs.push(None);
                self.instances.faulty.push(true);
                self.instances.of_func.push(self.instances.all.len());
                Meaning::Func(FuncId(self.instances.funcs.len() as u32 - 1))
            }
            DefKind::Table(tables) => {
                Meaning::Table(self.table(def, &tables[*element], name.clone(), &signature)?)
            }
            DefKind::Perm(perms) => {
                Meaning::Perm(Rc::new(self.perm(&perms[*element], &signature)?))
            }
        };
        Ok(Instance { definition: *index, def, element: *element, name, signature, meaning })
    }

    fn instance_name(&self, index: usize, element: usize, nats: &[i128]) -> String {
        let def = self.definitions.all[index];
        let mut name = def.name.name.clone();
        if def.is_array {
            name += &format!(".e{element}");
        }
        nats.iter().for_each(|n| name += &format!(".{n}"));
        name
    }

    /// The checked program with its modes; `None` and an error if there is no entry.
    pub fn finish(&mut self, modes: Vec<Outline>) -> Option<Checked> {
        let entry = match self.entry() {
            Ok(entry) => entry,
            Err(fault) => {
                self.report(fault);
                return None;
            }
        };
        let funcs = self.instances.take_functions();
        let tables = std::mem::take(&mut self.tables);
        let fields = self.fields.all().to_vec();
        let mut everything = Program { funcs, entry, tables, constants: Vec::new(), fields };
        if let Err(fault) = super::registers::hand_up(self, &mut everything) {
            self.report(fault);
            return None;
        }
        for instance in self.instances.all.clone() {
            if let Err(error) = super::instructions::check(&everything, &instance) {
                self.report(error);
            }
        }
        if has_errors(&self.diagnostics) {
            return None;
        }
        let whole = fields::check_entry(&everything).and_then(|()| super::runs::check(&everything));
        if let Err(error) = whole {
            self.report(error);
            return None;
        }
        for mode in &modes {
            if let Err(error) = mode.check(&everything) {
                self.report(error);
                return None;
            }
        }
        let nodes = scheme::describe(&everything, &self.described());
        let program = emit::pruned(&everything, entry);
        debug_assert_eq!(core::verify::verify(&everything), Ok(()));
        debug_assert_eq!(core::verify::verify(&program), Ok(()));
        Some(Checked { program, nodes, everything, modes })
    }

    /// What is known of the nodes, tables and permutations that neither have errors nor call what has.
    pub fn sound(&mut self) -> Vec<NodeInfo> {
        let funcs = self.instances.take_functions();
        let mut faulty = self.instances.faulty.clone();
        // None are left where what is made of all of them was refused.
        faulty.truncate(funcs.len());
        let calls: Vec<Vec<FuncId>> = funcs.iter().map(emit::callees).collect();
        let mut known = 0;
        while known != faulty.iter().filter(|faulty| **faulty).count() {
            known = faulty.iter().filter(|faulty| **faulty).count();
            for (caller, callees) in calls.iter().enumerate() {
                faulty[caller] |= callees.iter().any(|callee| faulty[callee.index()]);
            }
        }
        let is_sound = |instance: &&Rc<Instance>| match instance.meaning {
            Meaning::Func(id) => faulty.get(id.index()) == Some(&false),
            Meaning::Table(_) | Meaning::Perm(_) => true,
        };
        let sound: Vec<_> = self.described().iter().filter(is_sound).cloned().collect();
        let tables = std::mem::take(&mut self.tables);
        let fields = self.fields.all().to_vec();
        let program = Program { funcs, entry: FuncId(0), tables, constants: Vec::new(), fields };
        scheme::describe(&program, &sound)
    }

    /// The instances of what is called.
    fn described(&self) -> Vec<Rc<Instance<'a>>> {
        let all = self.instances.all.iter();
        all.filter(|i| !self.definitions.is_constant(i.definition)).cloned().collect()
    }

    fn entry(&self) -> Outcome<FuncId> {
        let chosen = self.options.entry.as_deref();
        let found = (self.instances.all.iter())
            .filter(|i| chosen.is_none_or(|name| i.name == name || i.is_absorb(name)))
            .filter(|i| names(&i.def.params).all(|(_, g)| !is_nat(g)))
            .filter(|i| !self.definitions.is_constant(i.definition))
            .filter_map(|i| match i.meaning {
                Meaning::Func(id) => Some((i.place(self.root), id)),
                _ => None,
            })
            .max();
        if let Some((_, id)) = found {
            return Ok(id);
        }
        let start = Span::new(self.root, 0..0);
        let Some(name) = chosen else {
            return fail(
                Diagnostic::error("E0108", start, "there is no node to start with")
                    .label("the entry is the last node without `nat` parameters"),
            );
        };
        let mut error = Diagnostic::error("E0108", start, format!("there is no node `{name}`"));
        error.help = Some(match self.definitions.near(name) {
            Some(near) if near == name => {
                "a table, a perm or a node with `nat` parameters is called by a node, which can be the entry".into()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => "the entry is a node without `nat` parameters".into(),
        });
        fail(error)
    }

    /// Elaborates the body of an instance; `None` if it has errors, which have been reported.
    fn elaborate(&mut self, instance: &Instance<'a>) -> Option<core::Func> {
        let elaborated: Elaborated = super::elaborate::node(self, instance)?;
        let ordered = super::order::order(self, instance, &elaborated)?;
        Some(emit::func(self, instance, &elaborated, &ordered))
    }
}

/// How many elements a definition has.
pub(super) fn elements(def: &Def) -> usize {
    match &def.kind {
        DefKind::Node(bodies) => bodies.len(),
        DefKind::Table(listings) | DefKind::Perm(listings) => listings.len(),
    }
}
