//! How a step function works off jobs: the ports that say so, from flags or a manifest.

use crate::session::{Failure, Session};
use nakiri::core::Func;
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::handshake::{Handshake, Role};
use nakiri::source::Span;

/// The flags. Any of them asks for a queue of jobs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(
    next_help_heading = "Jobs (C of step functions: each lane takes the next job when one has ended)"
)]
pub struct HandshakeArgs {
    /// The input that is 1 in the first tick of a job; without it a job begins with a reset of its lane
    #[arg(long, value_name = "INPUT")]
    pub start: Option<String>,
    /// The output that is 1 when a job has ended; without it that is in the tick after its last word was taken
    #[arg(long, value_name = "OUTPUT")]
    pub done: Option<String>,
    /// The input that is 1 when there is a word; without it a job has all its inputs from the start
    #[arg(long, value_name = "INPUT")]
    pub valid: Option<String>,
    /// The output that is 1 when a word is taken; without it each is taken at once
    #[arg(long, value_name = "OUTPUT")]
    pub ready: Option<String>,
    /// The output that is 1 when there is a word of the answer; without it there is one whenever a word is taken
    #[arg(long, value_name = "OUTPUT")]
    pub out_valid: Option<String>,
}

impl HandshakeArgs {
    fn ports(&self) -> impl Iterator<Item = (Role, &String)> {
        let ports = [&self.start, &self.done, &self.valid, &self.ready, &self.out_valid];
        Role::ALL.into_iter().zip(ports).filter_map(|(role, port)| Some((role, port.as_ref()?)))
    }

    /// What they say, if there are any.
    pub fn handshake(&self) -> Option<Handshake> {
        let ports = self.ports().map(|(role, port)| (role, port.clone()));
        Some(Handshake(ports.collect())).filter(|handshake| !handshake.0.is_empty())
    }

    /// The flags that were given, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        self.ports()
            .flat_map(|(role, port)| [format!("--{}", role.name()), port.to_string()])
            .collect()
    }
}

/// Refuses ports that are no handshake of a node or design; `place` is where they are named, if that is in a file.
///
/// # Errors
/// [`Failure::Reported`] with what does not fit.
pub fn check(
    session: &Session,
    handshake: &Handshake,
    func: &Func,
    place: Option<Span>,
) -> Result<(), Failure> {
    let refuse = |span: Span, message: String, help: String| {
        let refusal = Diagnostic::error("E0408", place.or(Some(span)).unwrap_or(span), message);
        let refusal = if place.is_some() { refusal.also(span, "here") } else { refusal };
        Err(session.refuse(&[refusal.help(help)]))
    };
    if func.resets.is_empty() {
        let help = "a node needs `state`, a design flip-flops".to_string();
        return refuse(
            func.span,
            format!("`{}` has no registers, and so no jobs", func.name),
            help,
        );
    }
    match handshake.check(func.inputs(), func.outputs()) {
        Ok(()) => Ok(()),
        Err(misfit) => refuse(misfit.port.unwrap_or(func.span), misfit.message, misfit.help),
    }
}
