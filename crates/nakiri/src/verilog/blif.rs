//! Netlists in BLIF ("Berkeley Logic Interchange Format", University of California, 1992), as Yosys' `write_blif` and ABC
//! write them.

use super::netlist::{Bit, Cell, Direction, Name, Netlist, Port, MOST_CELLS};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use rustc_hash::FxHashMap;

/// Reads the first model of a text.
///
/// # Errors
/// What is no BLIF, and what can't be compiled: subcircuits are gates and flip-flops of Yosys.
pub fn read(text: &str, file: FileId) -> Result<Netlist, Diagnostic> {
    let mut reader = Reader {
        file,
        netlist: Netlist {
            name: String::new(),
            span: Span::new(file, 0..0),
            ports: Vec::new(),
            cells: Vec::new(),
            roms: Vec::new(),
            names: Vec::new(),
        },
        nets: FxHashMap::default(),
        ports: FxHashMap::default(),
        next: 0,
        clock: None,
    };
    let mut lines = Lines { text, start: 0 }.peekable();
    while let Some(line) = lines.next().filter(|line| line.words[0] != ".end") {
        // The rows of a truth table belong to the line before them.
        let row = |row: &Line| !row.words[0].starts_with('.');
        let table: Vec<Line> = std::iter::from_fn(|| lines.next_if(row)).collect();
        reader.line(&line, &table)?;
        if reader.netlist.cells.len() > MOST_CELLS {
            let message = format!("more than {MOST_CELLS} cells, the most that can be compiled");
            return Err(wrong(line.span(file), message).help("give a smaller part of the design"));
        }
    }
    if reader.netlist.name.is_empty() {
        let span = Span::new(file, 0..text.len().min(1));
        return Err(wrong(span, "there is no `.model`").help("is this a file of BLIF?"));
    }
    reader.name_nets();
    Ok(reader.netlist)
}

/// A line without comments, continued ones joined.
struct Line<'t> {
    words: Vec<&'t str>,
    start: usize,
    end: usize,
}

impl Line<'_> {
    fn span(&self, file: FileId) -> Span {
        Span::new(file, self.start..self.end)
    }
}

/// The lines of a text that are not empty.
struct Lines<'t> {
    text: &'t str,
    /// Where the rest begins.
    start: usize,
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let mut line = Line { words: Vec::new(), start: 0, end: 0 };
        while let Some(raw) = self.text[self.start..].split_inclusive('\n').next() {
            let start = self.start;
            self.start += raw.len();
            let plain = raw.split('#').next().unwrap_or("").trim_end();
            let (plain, goes_on) = match plain.strip_suffix('\\') {
                Some(plain) => (plain, true),
                None => (plain, false),
            };
            if line.words.is_empty() {
                (line.start, line.end) = (start, start + plain.len());
            }
            line.words.extend(plain.split_whitespace());
            if !goes_on && !line.words.is_empty() {
                break;
            }
        }
        (!line.words.is_empty()).then_some(line)
    }
}

fn wrong(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0523", span, message)
}

struct Reader<'t> {
    file: FileId,
    netlist: Netlist,
    /// The number of each net.
    nets: FxHashMap<&'t str, u32>,
    /// The place of each port that is an output, or not.
    ports: FxHashMap<(&'t str, bool), usize>,
    next: u32,
    /// The clock of latches that name none.
    clock: Option<u32>,
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &Line<'t>, table: &[Line<'t>]) -> Result<(), Diagnostic> {
        let span = line.span(self.file);
        let rest = &line.words[1..];
        match line.words[0] {
            ".model" if self.netlist.name.is_empty() => {
                self.netlist.name = rest.first().unwrap_or(&"top").to_string();
                self.netlist.span = span;
            }
            ".model" => {
                return Err(wrong(span, "a second model")
                    .help("flatten the design: `yosys -p 'flatten; write_blif'`"))
            }
            ".inputs" => self.ports(rest, Direction::Input, span),
            ".outputs" => self.ports(rest, Direction::Output, span),
            ".names" => self.table(rest, table, span)?,
            ".latch" => self.latch(rest, span)?,
            ".gate" | ".subckt" => self.subcircuit(rest, span)?,
            ".conn" if rest.len() == 2 => {
                let (a, y) = (self.net(rest[0]), self.net(rest[1]));
                self.cell("$_BUF_", &[("A", a), ("Y", y)], span);
            }
            ".attr" | ".param" | ".cname" | ".clock" | ".barbuf" => {}
            other => {
                return Err(wrong(span, format!("`{other}` is not known here"))
                    .help("the lines of BLIF begin with .model, .inputs, .outputs, .names, .latch, .gate or .subckt"))
            }
        }
        Ok(())
    }

    fn net(&mut self, name: &'t str) -> Bit {
        match name {
            "$false" => return Bit::Zero,
            "$true" => return Bit::One,
            "$undef" => return Bit::Unknown,
            _ => {}
        }
        let next = &mut self.next;
        let net = self.nets.entry(name).or_insert_with(|| {
            *next += 1;
            *next - 1
        });
        Bit::Net(*net)
    }

    fn fresh(&mut self) -> Bit {
        self.next += 1;
        Bit::Net(self.next - 1)
    }

    fn cell(&mut self, kind: &str, pins: &[(&str, Bit)], span: Span) {
        let pins = pins.iter().map(|(pin, bit)| (pin.to_string(), vec![*bit])).collect();
        let name = format!("cell {}", self.netlist.cells.len());
        self.netlist.cells.push(Cell { kind: kind.to_string(), name, pins, span });
    }

    /// Bits that are called `name[0]`, `name[1]` are one port.
    fn ports(&mut self, names: &[&'t str], direction: Direction, span: Span) {
        for name in names {
            let bit = self.net(name);
            let (word, index) = split(name);
            let ports = &mut self.netlist.ports;
            let is_output = direction == Direction::Output;
            let known = self.ports.get(&(word, is_output)).map(|place| &mut ports[*place]);
            match known.filter(|port| index > 0 && port.bits.len() == index) {
                Some(port) => port.bits.push(bit),
                None => {
                    let name = if index == 0 { word } else { name };
                    let bits = vec![bit];
                    self.ports.entry((name, is_output)).or_insert(ports.len());
                    ports.push(Port { name: name.to_string(), direction, bits, span });
                }
            }
        }
    }

    /// A latch of BLIF is a flip-flop: `input output [type control] [initial value]`.
    fn latch(&mut self, words: &[&'t str], span: Span) -> Result<(), Diagnostic> {
        let (d, q, kind, control, init) = match *words {
            [d, q] => (d, q, "re", None, "3"),
            [d, q, init] => (d, q, "re", None, init),
            [d, q, kind, control] => (d, q, kind, Some(control), "3"),
            [d, q, kind, control, init] => (d, q, kind, Some(control), init),
            _ => return Err(wrong(span, "a `.latch` has an input and an output")),
        };
        let kind = match kind {
            "re" => "$_DFF_P_",
            "fe" => "$_DFF_N_",
            _ => "$_DLATCH_P_",
        };
        let clock = match control {
            Some("NIL") | None => self.common_clock(span),
            Some(control) => self.net(control),
        };
        let (d, bit) = (self.net(d), self.net(q));
        self.cell(kind, &[("C", clock), ("D", d), ("Q", bit)], span);
        if init == "1" {
            let init = vec![Some(true)];
            self.netlist.names.push(Name {
                name: q.to_string(),
                hidden: true,
                bits: vec![bit],
                init,
                span,
            });
        }
        Ok(())
    }

    fn common_clock(&mut self, span: Span) -> Bit {
        let net = *self.clock.get_or_insert_with(|| {
            self.next += 1;
            let bits = vec![Bit::Net(self.next - 1)];
            let port = Port { name: "clock".to_string(), direction: Direction::Input, bits, span };
            self.netlist.ports.push(port);
            self.next - 1
        });
        Bit::Net(net)
    }

    fn subcircuit(&mut self, words: &[&'t str], span: Span) -> Result<(), Diagnostic> {
        let Some((kind, pins)) = words.split_first() else {
            return Err(wrong(span, "a subcircuit has a name"));
        };
        let mut bits = Vec::new();
        for pin in pins {
            let Some((formal, actual)) = pin.split_once('=') else {
                return Err(wrong(span, format!("`{pin}` connects nothing")).help("write PIN=NET"));
            };
            bits.push((formal, self.net(actual)));
        }
        self.cell(kind, &bits, span);
        Ok(())
    }

    /// A truth table: its rows are products, their sum is the output or, if they end with 0, its complement.
    fn table(
        &mut self,
        names: &[&'t str],
        rows: &[Line<'t>],
        span: Span,
    ) -> Result<(), Diagnostic> {
        let Some((output, inputs)) = names.split_last() else {
            return Err(wrong(span, "a table has an output"));
        };
        if output.starts_with('$')
            && inputs.is_empty()
            && matches!(self.net(output), Bit::Zero | Bit::One | Bit::Unknown)
        {
            return Ok(());
        }
        let inputs: Vec<Bit> = inputs.iter().map(|name| self.net(name)).collect();
        let y = self.net(output);
        let mut sum = None;
        let mut value = None;
        for row in rows {
            let at = row.span(self.file);
            let (pattern, end) = match row.words[..] {
                [end] => ("", end),
                [pattern, end] => (pattern, end),
                _ => return Err(wrong(at, "a row has a pattern and a value")),
            };
            if pattern.len() != inputs.len() || !matches!(end, "0" | "1") {
                return Err(wrong(at, format!("a row for {} inputs is needed", inputs.len())));
            }
            if *value.get_or_insert(end) != end {
                return Err(wrong(at, "a table has rows for 1 or rows for 0"));
            }
            let product = self.product(&inputs, pattern, at)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.gate("$_OR_", sum, product, at),
            });
        }
        let kind = if value == Some("0") { "$_NOT_" } else { "$_BUF_" };
        self.cell(kind, &[("A", sum.unwrap_or(Bit::Zero)), ("Y", y)], span);
        Ok(())
    }

    fn product(&mut self, inputs: &[Bit], pattern: &str, span: Span) -> Result<Bit, Diagnostic> {
        let mut product = None;
        for (&input, literal) in inputs.iter().zip(pattern.chars()) {
            let factor = match literal {
                '1' => input,
                '0' => {
                    let not = self.fresh();
                    self.cell("$_NOT_", &[("A", input), ("Y", not)], span);
                    not
                }
                '-' => continue,
                other => return Err(wrong(span, format!("`{other}` is none of 0, 1 and -"))),
            };
            product = Some(match product {
                None => factor,
                Some(product) => self.gate("$_AND_", product, factor, span),
            });
        }
        Ok(product.unwrap_or(Bit::One))
    }

    fn gate(&mut self, kind: &str, a: Bit, b: Bit, span: Span) -> Bit {
        let y = self.fresh();
        self.cell(kind, &[("A", a), ("B", b), ("Y", y)], span);
        y
    }

    /// Gives the nets their names.
    fn name_nets(&mut self) {
        let mut nets: Vec<(&str, u32)> =
            self.nets.iter().map(|(name, net)| (*name, *net)).collect();
        nets.sort_by_key(|(_, net)| *net);
        let span = self.netlist.span;
        let names = nets.into_iter().map(|(name, net)| Name {
            name: name.to_string(),
            hidden: name.starts_with('$'),
            bits: vec![Bit::Net(net)],
            init: Vec::new(),
            span,
        });
        self.netlist.names.extend(names);
    }
}

/// A name and the index behind it; without one it is 0.
fn split(name: &str) -> (&str, usize) {
    let parts = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let parts = parts.and_then(|(word, index)| Some((word, index.parse().ok()?)));
    parts.unwrap_or((name, 0))
}
