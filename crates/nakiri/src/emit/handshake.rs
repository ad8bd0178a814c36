//! Handshakes: the ports by which a step function begins a job, takes its words and ends it.

use crate::core::{Port, Width};
use crate::source::Span;
use std::collections::BTreeMap;

/// What a port of one bit says about the job of its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// An input: 1 in the first tick of a job. Without it a job begins with a reset of its lane.
    Start,
    /// An output: 1 when the job has ended and its outputs are there; what it says in a tick with `Start` is of the job
    /// before. Without it a job ends in the tick after the one that takes its last word.
    Done,
    /// An input: 1 when there is a word. Without it all inputs are there from the start.
    Valid,
    /// An output: 1 when a word is taken. Without it every word is taken at once.
    Ready,
    /// An output: 1 when the outputs are a word of the answer. Without it they are, in each tick that takes a word.
    OutValid,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 5] = [Role::Start, Role::Done, Role::Valid, Role::Ready, Role::OutValid];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Role::Start => "start",
            Role::Done => "done",
            Role::Valid => "valid",
            Role::Ready => "ready",
            Role::OutValid => "out-valid",
        }
    }

    /// Whether it is an input.
    pub fn is_input(self) -> bool {
        matches!(self, Role::Start | Role::Valid)
    }
}

/// The ports by which a step function works off jobs, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handshake(pub BTreeMap<Role, String>);

/// Why ports are no handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The role that does not fit, if it is one.
    pub role: Option<Role>,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub help: String,
    /// Where the port is declared, if there is one.
    pub port: Option<Span>,
}

impl Handshake {
    /// The port of a role.
    pub fn port(&self, role: Role) -> Option<&str> {
        self.0.get(&role).map(String::as_str)
    }

    /// Whether a role has a port.
    pub fn has(&self, role: Role) -> bool {
        self.0.contains_key(&role)
    }

    /// Refuses roles without which jobs would not end, ports that are not there, are no inputs or outputs, have several
    /// bits, or two roles, and inputs that would be the same in all jobs.
    ///
    /// # Errors
    /// The first misfit.
    pub fn check(&self, inputs: &[Port], outputs: &[Port]) -> Result<(), Misfit> {
        let misfit = |role, message: &str, help: &str| Misfit {
            role,
            message: message.to_string(),
            help: help.to_string(),
            port: None,
        };
        if !self.has(Role::Done) && !self.has(Role::Valid) {
            let help =
                "name the output that says so with `done`, or the input for words with `valid`";
            return Err(misfit(None, "nothing says when a job ends", help));
        }
        if self.has(Role::Ready) && !self.has(Role::Valid) {
            let help = "name the input that says that a word is there with `valid`";
            return Err(misfit(
                Some(Role::Ready),
                "`ready` says that words are taken, and there are none",
                help,
            ));
        }
        if let Some(port) = inputs.iter().find(|port| port.constant) {
            return Err(Misfit {
                role: None,
                message: format!("all jobs would have the same `{}`", port.name),
                help: "leave its `const` out: then each job brings its own".to_string(),
                port: Some(port.span),
            });
        }
        self.0.iter().try_for_each(|(role, name)| self.check_port(inputs, outputs, *role, name))
    }

    fn check_port(
        &self,
        inputs: &[Port],
        outputs: &[Port],
        role: Role,
        name: &str,
    ) -> Result<(), Misfit> {
        let (own, others, kind, other_kind) = match role.is_input() {
            true => (inputs, outputs, "input", "output"),
            false => (outputs, inputs, "output", "input"),
        };
        let misfit = |message, help, port: Option<&Port>| {
            Err(Misfit { role: Some(role), message, help, port: port.map(|port| port.span) })
        };
        let is_bit = |port: &&Port| port.count() == 1 && port.ty.width == Width::Bits(1);
        let Some(port) = own.iter().find(|port| port.name == name) else {
            let bits: Vec<&str> = own.iter().filter(is_bit).map(|p| p.name.as_str()).collect();
            let help = match bits.is_empty() {
                true => format!("no {kind} has one bit"),
                false => format!("the {kind}s of one bit are `{}`", bits.join("`, `")),
            };
            let other = others.iter().find(|port| port.name == name);
            let message = match other {
                Some(_) => format!("`{name}` is an {other_kind}; `{}` is an {kind}", role.name()),
                None => format!("there is no {kind} `{name}`"),
            };
            return misfit(message, help, other);
        };
        if !is_bit(&port) {
            let message = format!("`{name}` has several bits; `{}` is one", role.name());
            let help = "let the design have a port of its own that says it".to_string();
            return misfit(message, help, Some(port));
        }
        match self.0.iter().find(|(other, port)| **other < role && *port == name) {
            Some((other, _)) => {
                let message = format!("`{name}` is `{}` and `{}`", other.name(), role.name());
                misfit(message, "each has its own port".to_string(), Some(port))
            }
            None => Ok(()),
        }
    }
}
