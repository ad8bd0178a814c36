//! Registers: declared under `state`, read like inputs, given their next values by `next`.

use super::equations::Target;
use super::{Elaborator, Register, Role, Source, Variable};
use crate::check::outcome::{fail, Outcome};
use crate::check::select::select;
use crate::check::types::VarType;
use crate::core::Port;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Assign, Body, Exp, StateInit, Var};

impl<'a> Elaborator<'_, 'a> {
    /// Brings the registers into scope. Each is two variables: one that is read like an input, and a nameless one for its
    /// next value, which is defined like an output.
    pub(super) fn declare_registers(&mut self, body: &'a Body) -> Outcome<()> {
        for register in &body.state {
            let ty = self.scope.resolve(&register.ty, &self.statics)?;
            let (inputs, outputs) = (self.signature.params.len(), self.signature.results.len());
            let number = self.out.registers.len() as u32;
            let next = self.out.variables.len() + 1;
            let role = Role::Register { input: inputs as u32 + number, next };
            self.declare(&register.name, role, ty.clone())?;
            self.add_variable(Variable {
                name: format!("next {}", register.name.name),
                span: register.name.span,
                role: Role::Next(outputs as u32 + number),
                ty: ty.clone(),
                first: 0,
                poisoned: false,
            });
            let reset = self.reset_value(register, &ty).unwrap_or_else(|fault| {
                self.refuse(fault);
                Vec::new()
            });
            let port = Port {
                name: register.name.name.clone(),
                ty: ty.atom,
                shape: ty.shape,
                constant: false,
                layout: crate::core::Layout::Le,
                span: register.name.span,
            };
            self.out.registers.push(Register { port, reset });
        }
        Ok(())
    }

    fn reset_value(&mut self, register: &StateInit, ty: &VarType) -> Outcome<Vec<u128>> {
        let types: Vec<_> = ty.atoms();
        let Some(exp) = &register.init else { return Ok(vec![0; types.len()]) };
        let value = self.value(exp, Some(&types))?;
        let place = (register.name.span, "the register");
        self.same_types(&types, &value.atoms, place, exp.span)?;
        let constant = |source| match source {
            Source::Const(constant) => Some(self.out.constants[constant as usize].0),
            _ => None,
        };
        let values: Option<Vec<u128>> =
            value.atoms.iter().map(|atom| constant(atom.source)).collect();
        let name = &register.name.name;
        values.map_or_else(
            || {
                let message = format!("the reset value of `{name}` is not a constant");
                fail(
                    Diagnostic::error("E0226", exp.span, message)
                        .label("a number, or a tuple of numbers, is needed here")
                        .help("what is computed, or comes from an input, is stored by `next` in a tick"),
                )
            },
            Ok,
        )
    }

    /// `next var = exp`
    pub(super) fn next_equation(
        &mut self,
        var: &Var,
        exp: &Exp,
        span: crate::source::Span,
    ) -> Outcome<()> {
        self.checker.spend(1, span)?;
        let index = self.variable(var)?;
        let variable = &self.out.variables[index];
        let Role::Register { next, .. } = variable.role else {
            let name = &variable.name;
            return fail(
                Diagnostic::error("E0227", var.span, format!("`{name}` is not a register"))
                    .label("only a register has a next value")
                    .also(variable.span, "declared here")
                    .help(format!("declare it under `state`, or define it now: `{name} = …`")),
            );
        };
        let dialect = self.dialect();
        let selection = select(var, &self.out.variables[next].ty, &self.statics, dialect)?;
        self.checker.spend(selection.atoms.len(), var.span)?;
        let target = Target { variable: next, atoms: selection.atoms, span: var.span };
        self.assign(&[target], var.span, Assign::Define, exp, span)
    }
}
