//! The code of an object file: instructions by place, and what calls and jumps refer to.

use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind};
use std::collections::BTreeMap;

/// A place in the code: index of the section, address in it.
pub(super) type Place = (usize, u64);

/// Where a call or jump goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Inside the object.
    Inside(Place),
    /// A function that is defined elsewhere.
    Outside(String),
}

/// The code of an object file.
pub(super) struct Image {
    sections: BTreeMap<usize, Section>,
    functions: BTreeMap<String, Place>,
    /// The names of its global functions.
    pub exported: Vec<String>,
}

struct Section {
    code: Vec<u8>,
    /// What the fields at these addresses refer to.
    relocations: BTreeMap<u64, Destination>,
}

impl Image {
    /// Reads an object file.
    pub fn read(bytes: &[u8]) -> Result<Image, String> {
        let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
        if file.architecture() != object::Architecture::X86_64 {
            return Err(format!("{:?} is not x86-64", file.architecture()));
        }
        let mut functions = BTreeMap::new();
        let mut exported = Vec::new();
        for symbol in file.symbols() {
            let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name()) else {
                continue;
            };
            if symbol.kind() == SymbolKind::Text && !name.is_empty() {
                functions.insert(name.to_string(), (section.0, symbol.address()));
                if symbol.is_global() {
                    exported.push(name.to_string());
                }
            }
        }
        let mut sections = BTreeMap::new();
        for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
            let code = section.data().map_err(|error| error.to_string())?.to_vec();
            let mut relocations = BTreeMap::new();
            for (address, relocation) in section.relocations() {
                if let Some(destination) = destination(&file, &relocation) {
                    relocations.insert(address, destination);
                }
            }
            sections.insert(section.index().0, Section { code, relocations });
        }
        Ok(Image { sections, functions, exported })
    }

    /// Where a function starts.
    pub fn function(&self, name: &str) -> Option<Place> {
        self.functions.get(name).copied()
    }

    /// The instruction at a place, if there is one.
    pub fn instruction(&self, (section, address): Place) -> Option<Instruction> {
        let code = &self.sections.get(&section)?.code;
        let rest = code.get(usize::try_from(address).ok()?..)?;
        let mut decoder = Decoder::with_ip(64, rest, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    /// Where a direct call or jump in this section goes.
    pub fn destination(&self, section: usize, instruction: &Instruction) -> Destination {
        let relocations = self.sections.get(&section).map(|s| &s.relocations);
        let fields = instruction.ip()..instruction.next_ip();
        match relocations.and_then(|r| r.range(fields).next()) {
            Some((_, destination)) => destination.clone(),
            None => Destination::Inside((section, instruction.near_branch_target())),
        }
    }
}

/// What a relocated call or jump refers to: the field is relative to its own end, 4 bytes on.
fn destination(file: &object::File, relocation: &object::Relocation) -> Option<Destination> {
    let RelocationTarget::Symbol(index) = relocation.target() else { return None };
    let symbol = file.symbol_by_index(index).ok()?;
    match symbol.section_index() {
        Some(section) => {
            let address = symbol.address() as i64 + relocation.addend() + 4;
            Some(Destination::Inside((section.0, address as u64)))
        }
        None => Some(Destination::Outside(symbol.name().unwrap_or("?").to_string())),
    }
}
