//! The code of an object file: instructions by place, and what calls, jumps and addresses refer to.

use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::{
    elf, Architecture, Endian, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable,
    RelocationKind, RelocationTarget, SectionIndex, SectionKind, SymbolKind,
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

/// How a machine stores words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The size of an address, in bytes.
    pub word: usize,
    /// Whether the first byte is the highest.
    pub big_endian: bool,
}

impl Order {
    /// Which byte of a value of so many bytes lies `at` bytes from its start, the lowest being 0.
    pub(crate) fn byte(self, at: usize, size: usize) -> usize {
        if self.big_endian {
            size - 1 - at
        } else {
            at
        }
    }

    /// The number that bytes are, if those beyond the lowest eight are 0.
    pub fn number(self, bytes: &[u8]) -> Option<u64> {
        let mut number = 0;
        for (at, byte) in bytes.iter().enumerate() {
            match self.byte(at, bytes.len()) {
                place @ 0..=7 => number |= u64::from(*byte) << (8 * place),
                _ if *byte != 0 => return None,
                _ => {}
            }
        }
        Some(number)
    }
}

/// The code of an object file.
#[derive(Debug)]
pub struct Image {
    /// The machine that it is for.
    pub architecture: Architecture,
    big_endian: bool,
    sections: BTreeMap<usize, Section>,
    functions: BTreeMap<String, Place>,
    /// The names of functions that are defined elsewhere.
    outside: Vec<String>,
    /// The names of its global functions.
    pub exported: Vec<String>,
    /// The names of functions of which one of several is taken when the code is loaded.
    pub resolved_later: Vec<String>,
    /// Where a library keeps the addresses of functions that are found when it is loaded.
    slots: BTreeMap<u64, Destination>,
}

#[derive(Debug)]
struct Section {
    name: String,
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

/// Where functions lie that are defined elsewhere.
const ELSEWHERE: u64 = 0x7000_0000;

/// Where sections lie that have not been given an address.
const UNLINKED: u64 = 0x40_0000;

impl Image {
    /// Reads an object file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(bytes: &[u8]) -> Result<Image, String> {
        let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
        let (architecture, big_endian) = (file.architecture(), file.endianness().is_big_endian());
        let mut functions = BTreeMap::new();
        let mut exported = Vec::new();
        let mut resolved_later = Vec::new();
        let symbols: Vec<object::Symbol> = match file.symbols().next() {
            Some(_) => file.symbols().collect(),
            // A library without its table of symbols still names what it exports and imports.
            None => file.dynamic_symbols().collect(),
        };
        let elsewhere = symbols.iter().filter(|symbol| symbol.is_undefined());
        let outside = elsewhere.filter_map(|symbol| Some(symbol.name().ok()?.to_string()));
        let outside = outside.filter(|name| !name.is_empty() && !name.starts_with('.')).collect();
        for symbol in &symbols {
            let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name()) else {
                continue;
            };
            if is_resolved(symbol) {
                resolved_later.push(name.to_string());
            } else if symbol.kind() == SymbolKind::Text && !name.is_empty() {
                functions.insert(name.to_string(), entry(&file, section, symbol.address()));
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
                name: section.name().unwrap_or_default().to_string(),
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
            let content = section.data().unwrap_or_default();
            for (address, relocation) in section.relocations() {
                if let Some(relocation) = resolved(&file, address, content, &relocation) {
                    read.relocations.insert(address, relocation);
                }
            }
            sections.insert(section.index().0, read);
        }
        let slots = slots(&file);
        Ok(Image {
            architecture,
            big_endian,
            sections,
            functions,
            outside,
            exported,
            resolved_later,
            slots,
        })
    }

    /// How the machine stores words.
    pub fn order(&self) -> Order {
        let size = self.architecture.address_size().map_or(8, |size| size.bytes());
        Order { word: size.into(), big_endian: self.big_endian }
    }

    /// Where a function starts.
    pub fn function(&self, name: &str) -> Option<Place> {
        self.functions.get(name).copied()
    }

    /// The names of all functions, those that are not exported included.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// The same with the places where they start.
    pub fn places(&self) -> impl Iterator<Item = (&str, Place)> {
        self.functions.iter().map(|(name, place)| (name.as_str(), *place))
    }

    /// The function in which a place is, and where that starts.
    pub fn containing(&self, (section, address): Place) -> Option<(&str, u64)> {
        let starts = self.functions.iter().filter(|(_, (s, a))| *s == section && *a <= address);
        let last = starts.max_by_key(|(_, (_, start))| *start)?;
        Some((last.0, last.1 .1))
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
        let bits = 8 * self.order().word as u32;
        let mut decoder =
            Decoder::with_ip(bits, section.code.get(at..)?, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        (!instruction.is_invalid()).then_some(instruction)
    }

    /// Where a direct call or jump in this section goes.
    pub fn destination(&self, section: usize, instruction: &Instruction) -> Destination {
        match self.relocated(section, instruction) {
            Some(destination) => destination,
            None => Destination::Inside(self.code_at(section, instruction.near_branch_target())),
        }
    }

    /// Where the code at an address is that code in a section names: in linked files, it may be in another section.
    pub fn code_at(&self, section: usize, address: u64) -> Place {
        let holds = |section: &Section| {
            let end = section.address + section.code.len() as u64;
            (section.address..end).contains(&address)
        };
        let own = self.sections.get(&section);
        let is_linked = own.is_some_and(|own| own.address != 0 && !holds(own));
        let mut others = self.sections.iter().filter(|(_, other)| is_linked && holds(other));
        (others.next().map_or(section, |(other, _)| *other), address)
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

    /// What the field of an instruction of another machine than x86 was left open for, or that of a constant beside the code.
    pub fn reference(&self, section: usize, from: u64, to: u64) -> Option<&Destination> {
        let fields = &self.sections.get(&section)?.relocations;
        fields.range(from..to).next().map(|(_, relocation)| &relocation.to)
    }

    /// Whether the field of an instruction was left open for a function.
    pub fn calls(&self, section: usize, from: u64, to: u64) -> bool {
        match self.reference(section, from, to) {
            Some(Destination::Inside(place)) => self.functions.values().any(|f| f == place),
            Some(Destination::Outside(_)) => true,
            None => false,
        }
    }

    /// Whether a field holds the distance from its own address.
    pub fn is_relative(&self, (section, address): Place) -> bool {
        let section = self.sections.get(&section);
        section.and_then(|s| s.relocations.get(&address)).is_some_and(|field| field.relative)
    }

    /// The function whose address is put at an address when a library is loaded.
    pub fn slot(&self, address: u64) -> Option<&Destination> {
        self.slots.get(&address)
    }

    /// A number for a function that is defined elsewhere, as its address: no place of the object has it.
    pub fn name(&self, name: &str) -> Option<u64> {
        let place = self.outside.iter().position(|known| known == name)?;
        Some(ELSEWHERE + 16 * place as u64)
    }

    /// The function of the object that starts at an address, in the terms of [`Image::address`]; one of Thumb code is odd.
    pub fn starting_at(&self, address: u64) -> Option<Place> {
        let address = match self.architecture {
            Architecture::Arm => address & !1,
            _ => address,
        };
        self.functions.values().copied().find(|place| self.address(*place) == address)
    }

    /// The function that is defined elsewhere and has this number.
    pub fn elsewhere(&self, number: u64) -> Option<&str> {
        let place = number.checked_sub(ELSEWHERE).filter(|at| at % 16 == 0)? / 16;
        self.outside.get(usize::try_from(place).ok()?).map(String::as_str)
    }

    /// What lies beside the code of a section: `size` bytes as a number.
    pub fn literal(&self, (section, address): Place, size: usize) -> Option<u64> {
        let section = self.sections.get(&section)?;
        let at = usize::try_from(address.checked_sub(section.address)?).ok()?;
        self.order().number(section.code.get(at..at.checked_add(size)?)?)
    }

    /// The sections that hold code, by name.
    pub fn code_section(&self, name: &str) -> Option<usize> {
        let named = |(_, section): &(&usize, &Section)| section.name == name;
        self.sections.iter().find(named).map(|(index, _)| *index)
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

/// The words of a library into which a loader puts addresses of functions.
fn slots(file: &object::File) -> BTreeMap<u64, Destination> {
    let filled = |(address, relocation): (u64, object::Relocation)| {
        let RelocationTarget::Symbol(index) = relocation.target() else { return None };
        if !fills_slot(file.architecture(), &relocation) {
            return None;
        }
        let symbol = file.dynamic_symbol_table()?.symbol_by_index(index).ok()?;
        let is_function = symbol.kind() == SymbolKind::Text && !is_resolved(&symbol);
        let to = match symbol.section_index().filter(|_| is_function) {
            Some(section) => Destination::Inside(entry(file, section, symbol.address())),
            None => Destination::Outside(symbol.name().ok()?.to_string()),
        };
        Some((address, to))
    };
    file.dynamic_relocations().into_iter().flatten().filter_map(filled).collect()
}

/// Whether a loader fills in a word of the table that only it writes, and not a variable of the program.
fn fills_slot(architecture: Architecture, relocation: &object::Relocation) -> bool {
    let object::RelocationFlags::Elf { r_type } = relocation.flags() else { return false };
    let types = match architecture {
        Architecture::X86_64 => [elf::R_X86_64_GLOB_DAT, elf::R_X86_64_JUMP_SLOT],
        Architecture::I386 => [elf::R_386_GLOB_DAT, elf::R_386_JMP_SLOT],
        Architecture::Aarch64 => [elf::R_AARCH64_GLOB_DAT, elf::R_AARCH64_JUMP_SLOT],
        Architecture::Arm => [elf::R_ARM_GLOB_DAT, elf::R_ARM_JUMP_SLOT],
        Architecture::PowerPc64 => [elf::R_PPC64_GLOB_DAT, elf::R_PPC64_JMP_SLOT],
        _ => return false,
    };
    types.contains(&r_type)
}

/// Where a function starts that a symbol names; symbols of Thumb code are odd.
fn entry(file: &object::File, section: SectionIndex, address: u64) -> Place {
    match file.architecture() {
        Architecture::Arm => (section.0, address & !1),
        _ => described(file, section, address),
    }
}

/// On some machines a symbol names a descriptor of a function, of which the first word is its address.
fn described(file: &object::File, section: SectionIndex, address: u64) -> Place {
    let descriptors = file.section_by_index(section).ok().filter(|s| s.name() == Ok(".opd"));
    let first = descriptors.and_then(|s| s.relocations().find(|(at, _)| *at == address));
    let code = first.and_then(|(_, relocation)| match relocation.target() {
        RelocationTarget::Symbol(symbol) => {
            let symbol = file.symbol_by_index(symbol).ok()?;
            let at = symbol.address().wrapping_add_signed(relocation.addend());
            Some((symbol.section_index()?.0, at))
        }
        _ => None,
    });
    code.unwrap_or((section.0, address))
}

/// What is added to a symbol, where that stands in the field and not beside it: in those that hold a whole address.
fn implicit(file: &object::File, field: u64, code: &[u8], relocation: &object::Relocation) -> i64 {
    let object::RelocationFlags::Elf { r_type } = relocation.flags() else { return 0 };
    let whole = match file.architecture() {
        Architecture::Arm => matches!(r_type, elf::R_ARM_ABS32 | elf::R_ARM_REL32),
        _ => true,
    };
    let bytes = usize::try_from(field).ok().and_then(|at| code.get(at..at + 4));
    match bytes.and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()) {
        Some(bytes) if whole => i32::from_le_bytes(bytes).into(),
        _ => 0,
    }
}

/// Whether what is named is the instruction with the upper half of an address, after which a register has all of it.
fn names_instruction(architecture: Architecture, relocation: &object::Relocation) -> bool {
    let object::RelocationFlags::Elf { r_type } = relocation.flags() else { return false };
    let lower = matches!(r_type, elf::R_RISCV_PCREL_LO12_I | elf::R_RISCV_PCREL_LO12_S);
    architecture == Architecture::Riscv64 && lower
}

/// Whether a symbol names what chooses a function when the code is loaded, and not the function.
fn is_resolved(symbol: &object::Symbol) -> bool {
    let object::SymbolFlags::Elf { st_info, .. } = symbol.flags() else { return false };
    st_info.st_type() == elf::STT_GNU_IFUNC
}

/// What the field at an address of a section with these bytes refers to.
fn resolved(
    file: &object::File,
    field: u64,
    bytes: &[u8],
    relocation: &object::Relocation,
) -> Option<Relocation> {
    let RelocationTarget::Symbol(index) = relocation.target() else { return None };
    if names_instruction(file.architecture(), relocation) {
        return None;
    }
    let symbol = file.symbol_by_index(index).ok()?;
    use RelocationKind::{Absolute, PltRelative, Relative};
    // Others refer to tables of the linker's, on this machine.
    let x86 = matches!(file.architecture(), Architecture::X86_64 | Architecture::I386);
    let is_direct = !x86 || matches!(relocation.kind(), Absolute | Relative | PltRelative);
    let addend = match relocation.has_implicit_addend() {
        true => implicit(file, field, bytes, relocation),
        false => relocation.addend(),
    };
    let to = match symbol.section_index().filter(|_| is_direct && !is_resolved(&symbol)) {
        Some(section) => {
            let address = symbol.address().wrapping_add_signed(addend);
            Destination::Inside(described(file, section, address))
        }
        None => Destination::Outside(symbol.name().unwrap_or("?").to_string()),
    };
    let relative = relocation.kind() != Absolute;
    Some(Relocation { to, relative })
}
