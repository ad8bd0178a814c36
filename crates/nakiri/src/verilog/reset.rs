//! What a reset makes of the registers, and at which level it acts.

use super::cells::Logic;
use super::design::Design;
use super::evaluate::{Evaluation, Source};
use super::netlist::Direction;
use super::order::{Order, Step};
use crate::diagnostic::Diagnostic;

/// A reset that is no input: the module never sees it again.
#[derive(Debug)]
pub(super) struct Reset {
    /// Its port.
    pub(super) port: usize,
    /// The level at which it doesn't act.
    pub(super) idle: bool,
    /// What each register holds after it.
    pub(super) values: Vec<bool>,
    /// Whether that is so whatever it held before.
    pub(super) known: Vec<bool>,
}

/// How many ticks a reset is held at most. Registers that reset each other settle one after another.
const TICKS: usize = 256;

/// Holds a reset at either level, everything else unknown, until the registers don't change: it acts at the level at which
/// more of them become known. Those that stay unknown hold what they hold when power comes.
///
/// # Errors
/// If there is no such input, or both levels tell the same.
pub(super) fn find(design: &Design, order: &Order, name: &str) -> Result<Reset, Diagnostic> {
    let netlist = design.netlist;
    let mut inputs =
        netlist.ports.iter().enumerate().filter(|(_, port)| port.direction == Direction::Input);
    let Some((number, port)) = inputs.clone().find(|(_, port)| port.name == name) else {
        let names: Vec<&str> = inputs.by_ref().map(|(_, port)| port.name.as_str()).collect();
        let message = format!("there is no input `{name}`");
        return Err(Diagnostic::error("E0519", netlist.span, message)
            .help(format!("the inputs are `{}`", names.join("`, `"))));
    };
    let known = |values: &[Option<bool>]| values.iter().flatten().count();
    let [low, high] = [false, true].map(|level| held(design, order, number, level));
    let (idle, values) = match known(&low).cmp(&known(&high)) {
        std::cmp::Ordering::Less => (false, high),
        std::cmp::Ordering::Greater => (true, low),
        std::cmp::Ordering::Equal => {
            let message = format!("`{name}` resets no register");
            return Err(Diagnostic::error("E0521", port.span, message)
                .label("held at 0 or at 1, it brings as many registers to known values")
                .help("leave `--reset` out: then it is an input like others"));
        }
    };
    let power_up = |(value, register): (Option<bool>, &super::design::Register)| {
        value.or(register.init).unwrap_or(false)
    };
    Ok(Reset {
        port: number,
        idle,
        known: values.iter().map(Option::is_some).collect(),
        values: values.into_iter().zip(&design.registers).map(power_up).collect(),
    })
}

/// The registers after a reset has been held at a level.
fn held(design: &Design, order: &Order, port: usize, level: bool) -> Vec<Option<bool>> {
    let mut state = vec![None; design.registers.len()];
    for _ in 0..TICKS {
        let source = Unknown { design, port, level, state: &state };
        let mut tick = Evaluation::new(design, source);
        let mut next = state.clone();
        for step in &order.steps {
            match *step {
                Step::Net(net) => tick.net(net),
                Step::After { register, acts } => tick.after(register, acts),
                Step::Instant => tick.instant(),
                Step::Next { register, acts } => next[register] = tick.next(register, acts),
                Step::Output { .. } => {}
            }
        }
        if next == state {
            break;
        }
        state = next;
    }
    state
}

/// Logic in which bits may be unknown.
struct Unknown<'a> {
    design: &'a Design<'a>,
    port: usize,
    level: bool,
    state: &'a [Option<bool>],
}

impl Logic for Unknown<'_> {
    type Value = Option<bool>;

    fn constant(&mut self, value: bool) -> Option<bool> {
        Some(value)
    }

    fn not(&mut self, a: Option<bool>) -> Option<bool> {
        a.map(|a| !a)
    }

    fn and(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }
    }

    fn or(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    fn xor(&mut self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        a.zip(b).map(|(a, b)| a != b)
    }

    fn mux(&mut self, select: Option<bool>, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        match select {
            Some(true) => a,
            Some(false) => b,
            None => a.filter(|_| a == b),
        }
    }
}

impl Source for Unknown<'_> {
    fn input(&mut self, port: usize, _: usize) -> Option<bool> {
        (port == self.port).then_some(self.level)
    }

    fn stored(&mut self, register: usize) -> Option<bool> {
        self.state[register]
    }

    fn word(&mut self, rom: usize, address: &[Option<bool>]) -> Vec<Option<bool>> {
        let rom = &self.design.netlist.roms[rom];
        let mut bits = address.iter().rev();
        let at = bits.try_fold(0, |at, bit| bit.map(|bit| 2 * at + usize::from(bit)));
        let word = at.map(|at| rom.words[at]);
        (0..rom.data.len()).map(|bit| word.map(|word| word >> bit & 1 == 1)).collect()
    }
}
