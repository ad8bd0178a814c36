//! Waveforms as VCD (IEEE 1364-2005, 18), which the viewers show that hardware is debugged with.

use nakiri::core::Port;
use std::fmt::Write;

/// How long a tick is shown, in nanoseconds.
const TICK: usize = 10;

/// What a variable carries in one tick after another, from time 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; what stands before a dot is a scope.
    pub name: String,
    /// How many bits it has.
    pub bits: usize,
    /// Whether bit 0 stands on the left, as in lists of Usuba, and not on the right, as in vectors of Verilog.
    pub ascending: bool,
    /// For each tick its bits, bit 0 first; `None` is unknown.
    pub ticks: Vec<Vec<Option<bool>>>,
}

/// Variables that belong together: those of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Its name.
    pub name: String,
    /// What is in it, in the order in which it is shown.
    pub variables: Vec<Variable>,
}

/// The variables of a port of which the atoms are known in each tick: one of its bits if they are its atoms, else one of
/// each atom. `ascending` is how lists of bits are shown.
pub fn variables<'a>(
    port: &Port,
    ascending: bool,
    ticks: impl Iterator<Item = &'a Vec<u128>> + Clone,
) -> Vec<Variable> {
    let width = usize::from(port.ty.bits());
    let bits = |atom: u128| (0..width).map(move |bit| Some(atom >> bit & 1 == 1));
    if width == 1 {
        let ticks = ticks.map(|atoms| atoms.iter().flat_map(|atom| bits(*atom)).collect());
        let bits = port.count() as usize;
        return vec![Variable { name: port.name.clone(), bits, ascending, ticks: ticks.collect() }];
    }
    let atom = |at: usize| Variable {
        name: if port.shape.is_empty() {
            port.name.clone()
        } else {
            format!("{}[{at}]", port.name)
        },
        bits: width,
        ascending: false,
        ticks: ticks.clone().map(|atoms| bits(atoms[at]).collect()).collect(),
    };
    (0..port.count() as usize).map(atom).collect()
}

/// A waveform of all scopes.
pub fn text(scopes: &[Scope]) -> String {
    let mut text = format!("$version nakiri {} $end\n", env!("CARGO_PKG_VERSION"));
    text += "$comment A tick takes 10 ns: inputs, outputs and registers are shown as they are before its edge. $end\n";
    text += "$timescale 1 ns $end\n";
    let mut shown: Vec<(String, &Variable)> = Vec::new();
    for scope in scopes {
        let _ = writeln!(text, "$scope module {} $end", word(&scope.name));
        let variables = scope.variables.iter().map(|variable| {
            let path: Vec<String> = variable.name.split('.').map(word).collect();
            (path, variable)
        });
        let mut variables: Vec<(Vec<String>, &Variable)> = variables.collect();
        // Scopes inside are together, behind what is in no other scope.
        variables.sort_by(|(a, _), (b, _)| a[..a.len() - 1].cmp(&b[..b.len() - 1]));
        let mut open: Vec<String> = Vec::new();
        for (path, variable) in variables {
            let (inside, name) = (&path[..path.len() - 1], &path[path.len() - 1]);
            enter(&mut text, &mut open, inside);
            let id = identifier(shown.len());
            let range = match variable.bits {
                1 => String::new(),
                bits if variable.ascending => format!(" [0:{}]", bits - 1),
                bits => format!(" [{}:0]", bits - 1),
            };
            let _ = writeln!(text, "$var wire {} {id} {name}{range} $end", variable.bits);
            shown.push((id, variable));
        }
        enter(&mut text, &mut open, &[]);
        text += "$upscope $end\n";
    }
    text += "$enddefinitions $end\n";
    let ticks = shown.iter().map(|(_, variable)| variable.ticks.len()).max().unwrap_or(0);
    for tick in 0..ticks {
        let _ = writeln!(text, "#{}", tick * TICK);
        for (id, variable) in &shown {
            let Some(value) = variable.ticks.get(tick) else { continue };
            if tick == 0 || variable.ticks[tick - 1] != *value {
                text += &change(id, value, variable.ascending);
            }
        }
    }
    let _ = writeln!(text, "#{}", ticks * TICK);
    text
}

/// Leaves and enters scopes until those are open which are wanted.
fn enter(text: &mut String, open: &mut Vec<String>, wanted: &[String]) {
    let common = open.iter().zip(wanted).take_while(|(open, wanted)| open == wanted).count();
    for _ in common..open.len() {
        *text += "$upscope $end\n";
    }
    open.truncate(common);
    for name in &wanted[common..] {
        let _ = writeln!(text, "$scope module {name} $end");
        open.push(name.clone());
    }
}

/// The line that says what a variable carries from now on.
fn change(id: &str, bits: &[Option<bool>], ascending: bool) -> String {
    let digit = |bit: &Option<bool>| match bit {
        Some(value) => char::from(b'0' + u8::from(*value)),
        None => 'x',
    };
    match bits {
        [bit] => format!("{}{id}\n", digit(bit)),
        _ if ascending => format!("b{} {id}\n", bits.iter().map(digit).collect::<String>()),
        _ => format!("b{} {id}\n", bits.iter().rev().map(digit).collect::<String>()),
    }
}

/// A name as a word.
fn word(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_graphic() { c } else { '_' }).collect();
    if name.is_empty() {
        "_".to_string()
    } else {
        name
    }
}

/// The short name of the variable of this number: printable characters.
fn identifier(mut number: usize) -> String {
    const FIRST: u8 = b'!';
    const COUNT: usize = 94;
    let mut id = String::new();
    loop {
        id.push(char::from(FIRST + (number % COUNT) as u8));
        number /= COUNT;
        if number == 0 {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{identifier, text, Scope, Variable};
    use std::collections::BTreeSet;

    #[test]
    fn what_does_not_change_is_written_once() {
        let variable = |name: &str, ticks: &[&[Option<bool>]]| Variable {
            name: name.to_string(),
            bits: ticks[0].len(),
            ascending: name == "u.v.q",
            ticks: ticks.iter().map(|bits| bits.to_vec()).collect(),
        };
        let (o, l, x) = (Some(false), Some(true), None);
        let scope = Scope {
            name: "lane0".to_string(),
            variables: vec![
                variable("u.v.q", &[&[o, l], &[o, l], &[l, x]]),
                variable("a", &[&[o], &[l], &[l]]),
                variable("u.r", &[&[x], &[x], &[o]]),
            ],
        };
        let text = text(&[scope]);
        let (_, body) = text.split_once("$timescale 1 ns $end\n").expect("a head");
        let expected = "\
$scope module lane0 $end
$var wire 1 ! a $end
$scope module u $end
$var wire 1 \" r $end
$scope module v $end
$var wire 2 # q [0:1] $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
0!
x\"
b01 #
#10
1!
#20
0\"
b1x #
#30
";
        assert_eq!(body, expected);
    }

    #[test]
    fn short_names_are_distinct() {
        let names: BTreeSet<String> = (0..20_000).map(identifier).collect();
        assert_eq!(names.len(), 20_000);
    }
}
