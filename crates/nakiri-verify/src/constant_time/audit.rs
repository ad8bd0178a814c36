//! The check of whole files that others have made: each function of an object by itself.

use super::{Argument, Code, Entry, Reason, Report, Unreadable, Violation};
use crate::image::Place;
use object::read::archive::ArchiveFile;
use object::{Architecture, BinaryFormat};
use std::collections::BTreeSet;

/// An object, alone or as a member of an archive.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name in the archive.
    pub name: Option<String>,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What was found in the functions of an object.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The machine that it is for.
    pub architecture: &'static str,
    /// Each of the functions that were asked for.
    pub functions: Vec<Audited>,
    /// The functions that none of these calls: nothing is said about them.
    pub unreached: Vec<String>,
}

/// What was found in a function and in what it calls.
#[derive(Clone, Debug)]
pub struct Audited {
    /// Its symbol.
    pub name: String,
    /// How much was followed.
    pub report: Report,
    /// What is wrong, by address.
    pub found: Vec<Finding>,
}

/// A place that leaks or can't be followed.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong there.
    pub violation: Violation,
    /// The function in which the place is, and how far from its start; none for code of the linker's.
    pub within: Option<(String, u64)>,
}

impl Reason {
    /// Whether secret data can be told from time or addresses; otherwise the place is one that can't be followed.
    pub fn leaks(&self) -> bool {
        matches!(self, Reason::Branch | Reason::Address | Reason::Duration)
    }
}

/// The objects of a file: those of an archive, or the file itself.
///
/// # Errors
/// What is wrong with the archive.
pub fn members(file: &[u8]) -> Result<Vec<Member>, String> {
    let Ok(archive) = ArchiveFile::parse(file) else {
        return Ok(vec![Member { name: None, bytes: file.to_vec() }]);
    };
    if archive.is_thin() {
        return Err("a thin archive holds no code; name its members".to_string());
    }
    let member = |member: object::Result<object::read::archive::ArchiveMember>| {
        let member = member?;
        let name = Some(String::from_utf8_lossy(member.name()).into_owned());
        Ok(Member { name, bytes: member.data(file)?.to_vec() })
    };
    let members: object::Result<Vec<Member>> = archive.members().map(member).collect();
    members.map_err(|error| error.to_string())
}

/// Checks the functions of an object that are wanted; `None` stands for all that it exports, or all if it exports none. The
/// arguments of each are what `arguments` says.
///
/// # Errors
/// See [`Unreadable`].
pub fn audit(
    object: &[u8],
    wanted: Option<&[String]>,
    arguments: &dyn Fn(&str) -> Vec<Argument>,
) -> Result<Audit, Unreadable> {
    let format = object::File::parse(object).map(|file| file.format());
    match format {
        Ok(BinaryFormat::Elf) => {}
        Ok(other) => {
            return Err(Unreadable::File(format!("{other:?} is read by nothing here, only ELF is")))
        }
        Err(_) => return Err(Unreadable::File("this is no object file".to_string())),
    }
    let code = Code::read(object)?;
    let functions: Vec<(&str, Place)> = code.image.places().collect();
    let is_wanted = |name: &str| match wanted {
        Some(wanted) => wanted.iter().any(|known| known == name),
        None => {
            code.image.exported.is_empty() || code.image.exported.iter().any(|known| known == name)
        }
    };
    let mut followed = BTreeSet::new();
    let mut audited = Vec::new();
    for (name, place) in functions.iter().filter(|(name, _)| is_wanted(name)) {
        let entry = Entry { name, arguments: &arguments(name) };
        let checked = code.check(&[(&entry, *place)]);
        followed.extend(checked.followed);
        let found = checked.violations.into_iter().map(|(place, violation)| {
            let within = code.image.containing(place);
            let within = within.map(|(name, start)| (name.to_string(), place.1 - start));
            Finding { violation, within }
        });
        audited.push(Audited {
            name: (*name).to_string(),
            report: checked.report,
            found: found.collect(),
        });
    }
    let reached = |(name, place): &(&str, Place)| is_wanted(name) || followed.contains(place);
    let unreached = functions.iter().filter(|function| !reached(function)).map(|(name, _)| *name);
    let resolved_later = code.image.resolved_later.iter().map(String::as_str);
    Ok(Audit {
        architecture: named(code.image.architecture),
        functions: audited,
        unreached: unreached.chain(resolved_later).map(str::to_string).collect(),
    })
}

/// A machine as people call it.
fn named(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::X86_64 => "x86-64",
        Architecture::I386 => "i386",
        Architecture::Aarch64 => "AArch64",
        Architecture::Arm => "Arm",
        Architecture::Riscv64 | Architecture::Riscv32 => "RISC-V",
        Architecture::PowerPc64 => "Power",
        _ => "another machine",
    }
}
