//! The levels of the clocks of a design in a simulation.

use nakiri::verilog::netlist::Netlist;
use nakiri::verilog::Edge;
use std::fmt::Write;

/// What the clocks of a design do in a tick, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waveform {
    /// The inputs that are clocks.
    pub names: Vec<String>,
    /// One instant after another, with the clocks that change there: the number of each, and whether it rises.
    pub instants: Vec<Vec<(usize, bool)>>,
}

impl Waveform {
    /// One clock, which rises.
    pub fn one(name: &str) -> Waveform {
        Waveform { names: vec![name.to_string()], instants: vec![vec![(0, true)]] }
    }

    /// The clocks of a netlist, with their edges at each instant.
    pub fn of(netlist: &Netlist, instants: &[Vec<Edge>]) -> Waveform {
        let mut ports: Vec<usize> = instants.iter().flatten().map(|edge| edge.port).collect();
        ports.sort_unstable();
        ports.dedup();
        let number = |port: usize| ports.iter().position(|other| *other == port).unwrap_or(0);
        let change = |edge: &Edge| (number(edge.port), edge.rises);
        let instants = instants.iter().map(|edges| edges.iter().map(change).collect()).collect();
        let names = ports.iter().map(|port| netlist.ports[*port].name.clone()).collect();
        Waveform { names, instants }
    }

    /// The level of each clock where a tick begins: what its first change is not.
    pub(crate) fn beginning(&self) -> Vec<bool> {
        let first =
            |clock: usize| self.instants.iter().flatten().find(|(other, _)| *other == clock);
        (0..self.names.len()).map(|clock| first(clock).is_some_and(|(_, rises)| !rises)).collect()
    }

    /// Levels as a number of the language, the first clock's lowest. A design without clocks has a bit of it nevertheless.
    pub(crate) fn number(&self, levels: &[bool]) -> String {
        let digits = levels.iter().rev().map(|level| if *level { '1' } else { '0' });
        match levels.len() {
            0 => "1'b0".to_string(),
            count => format!("{count}'b{}", digits.collect::<String>()),
        }
    }

    /// The statements of a tick, so many time units apart. Those that change at one instant do so in one assignment. A clock
    /// that changes the same way again has gone back before, at which no register acts.
    pub(crate) fn statements(&self, apart: u32) -> String {
        let beginning = self.beginning();
        let mut levels = beginning.clone();
        let mut text = String::new();
        let mut assign = |levels: &[bool]| {
            let _ = writeln!(text, "            #{apart} clocks = {};", self.number(levels));
        };
        for instant in &self.instants {
            let before = levels.clone();
            instant.iter().for_each(|&(clock, rises)| levels[clock] = !rises);
            if levels != before {
                assign(&levels);
            }
            instant.iter().for_each(|&(clock, rises)| levels[clock] = rises);
            assign(&levels);
        }
        if levels != beginning {
            assign(&beginning);
        }
        text
    }
}
