//! The code of an object file: instructions by place, and what calls, jumps and addresses refer to.

use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget, SectionKind, SymbolKind,
};
use std::collections::BTreeMap;

/// A place in the code: index of the section, address in it.
pub type Place = (usize, u64);

/// Where a call or jump goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Inside the object.
    Inside(Place),
    /// A function that is defined elsewhere.
    Outside(String),
}

/// The code of an object file.
#[derive(Debug)]
pub struct Image {
    sections: BTreeMap<usize, Section>,
    functions: BTreeMap<String, Place>,
    /// The names of its global functions.
    pub exported: Vec<String>,
}

#[derive(Debug)]
struct Section {
    /// The address of its first byte in the file's terms: 0 before linking.
    address: u64,
    /// What is added to such an address so that no two sections overlap.
    offset: u64,
    /// Empty unless it holds instructions.
    code: Vec<u8>,
    /// Empty unless it holds data that nobody writes.
    constants: Vec<u8>,
    /// What the fields at these addresses refer to.
    relocations: BTreeMap<u64, Relocation>,
}

#[derive(Debug)]
struct Relocation {
    /// The symbol, its addend included.
    to: Destination,
    /// Whether the field holds the distance from its own address.
    relative: bool,
}

/// The size of the widest field that a linker fills in, in bytes.
const WIDEST_FIELD: u64 = 8;

impl Section {
    /// The address of its first byte, in the terms of [`Image::address`].
    fn first(&self) -> u64 {
        self.offset.wrapping_add(self.address)
    }
}

/// Where sections lie that have not been given an address.
const UNLINKED: u64 = 0x40_0000;

impl Image {
    /// Reads an object file of x86-64.
    ///
    /// # Errors
    /// What is wrong with the file.
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
        let mut free = UNLINKED;
        for section in file.sections() {
            let offset = if section.address() == 0 { free } else { 0 };
            if section.address() == 0 {
                free += section.size().next_multiple_of(0x1000);
            }
            let mut read = Section {
                address: section.address(),
                offset,
                code: Vec::new(),
                constants: Vec::new(),
                relocations: BTreeMap::new(),
            };
            let bytes = || section.data().map(<[u8]>::to_vec).map_err(|error| error.to_string());
            match section.kind() {
                SectionKind::Text => read.code = bytes()?,
                SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => {
                    read.constants = bytes()?;
                }
                _ => {}
            }
            for (address, relocation) in section.relocations() {
                if let Some(relocation) = resolved(&file, &relocation) {
                    read.relocations.insert(address, relocation);
                }
            }
            sections.insert(section.index().0, read);
        }
        Ok(Image { sections, functions, exported })
    }

    /// Where a function starts.
    pub fn function(&self, name: &str) -> Option<Place> {
        self.functions.get(name).copied()
    }

    /// The names of all functions, those that are not exported included.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// Where the next function of the same section starts, or the section ends.
    pub fn end(&self, (section, address): Place) -> u64 {
        let starts = self.functions.values().filter(|(s, a)| *s == section && *a > address);
        let next = starts.map(|(_, start)| *start).min();
        let last = self.sections.get(&section).map(|s| s.address + s.code.len() as u64);
        next.or(last).unwrap_or(address)
    }

    /// The instruction at a place, if there is one.
    pub fn instruction(&self, (section, address): Place) -> Option<Instruction> {
        let section = self.sections.get(&section)?;
        let at = usize::try_from(address.checked_sub(section.address)?).ok()?;
        let mut decoder =
            Decoder::with_ip(64, section.code.get(at..)?, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    /// Where a direct call or jump in this section goes.
    pub fn destination(&self, section: usize, instruction: &Instruction) -> Destination {
        match self.relocated(section, instruction) {
            Some(destination) => destination,
            None => Destination::Inside((section, instruction.near_branch_target())),
        }
    }

    /// The address that a field of an instruction in this section was left open for, if there is one: where a program
    /// keeps its constants, in the terms of [`Image::address`].
    pub fn constant_address(&self, section: usize, instruction: &Instruction) -> Option<u64> {
        match self.relocated(section, instruction)? {
            Destination::Inside(place) => Some(self.address(place)),
            Destination::Outside(_) => None,
        }
    }

    /// The bytes at an address, in the terms of [`Image::address`], if all of them are constants of this object that don't
    /// depend on where anything lies.
    pub fn constants(&self, address: u64, size: usize) -> Option<&[u8]> {
        let holds = |section: &&Section| {
            let end = section.first() + section.constants.len() as u64;
            (section.first()..end).contains(&address)
        };
        let section = self.sections.values().find(holds)?;
        let at = (address - section.first()) as usize;
        let bytes = section.constants.get(at..at.checked_add(size)?)?;
        let first = address - section.offset;
        let fields = first.saturating_sub(WIDEST_FIELD - 1)..first + size as u64;
        section.relocations.range(fields).next().is_none().then_some(bytes)
    }

    /// A place as one number; no two places have the same.
    pub fn address(&self, (section, address): Place) -> u64 {
        self.sections.get(&section).map_or(0, |section| section.offset).wrapping_add(address)
    }

    fn relocated(&self, section: usize, instruction: &Instruction) -> Option<Destination> {
        let fields = instruction.ip()..instruction.next_ip();
        let (field, found) = self.sections.get(&section)?.relocations.range(fields).next()?;
        // The CPU counts from the end of the instruction, the relocation from its field.
        let rest = if found.relative { instruction.next_ip() - field } else { 0 };
        Some(match &found.to {
            Destination::Inside((section, at)) => {
                Destination::Inside((*section, at.wrapping_add(rest)))
            }
            outside => outside.clone(),
        })
    }
}

/// What a relocated field refers to.
fn resolved(file: &object::File, relocation: &object::Relocation) -> Option<Relocation> {
    let RelocationTarget::Symbol(index) = relocation.target() else { return None };
    let symbol = file.symbol_by_index(index).ok()?;
    use RelocationKind::{Absolute, PltRelative, Relative};
    // Others refer to tables of the linker's.
    let is_direct = matches!(relocation.kind(), Absolute | Relative | PltRelative);
    let to = match symbol.section_index().filter(|_| is_direct) {
        Some(section) => {
            let address = symbol.address().wrapping_add_signed(relocation.addend());
            Destination::Inside((section.0, address))
        }
        None => Destination::Outside(symbol.name().unwrap_or("?").to_string()),
    };
    let relative = relocation.kind() != Absolute;
    Some(Relocation { to, relative })
}
