//! The machine model of a name or a file, and that of the CPU that this program runs on.

use super::files::FILES;
use super::{all, parse, Machine};
use nakiri::diagnostic::instead_of;
use nakiri_verify::exec;
use std::path::Path;

/// Why there is no machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No model has this name, and no file: what to say to the user.
    Unknown(String),
    /// A file can't be read: what to say to the user.
    Unreadable(String),
    /// A file is wrong.
    Wrong(Vec<parse::Error>),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Error::Unknown(message) | Error::Unreadable(message) => f.write_str(message),
            Error::Wrong(errors) => {
                let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

/// The model of this name, or in this file; `host` is the CPU that this program runs on.
///
/// # Errors
/// See [`Error`].
pub fn find(name: &str) -> Result<Machine, Error> {
    if let Some(machine) = all().iter().find(|machine| machine.name == name) {
        return Ok(machine.clone());
    }
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    if name == "host" {
        return host().cloned().ok_or_else(|| {
            Error::Unknown(format!(
                "no machine model fits this CPU; `nakiri calibrate -o FILE` measures one, and --machine takes the \
                 file, or one of {}",
                names.join(", ")
            ))
        });
    }
    let path = Path::new(name);
    if !path.exists() {
        return Err(Error::Unknown(format!(
            "there is no machine model and no file `{name}`; {}",
            instead_of(name, &[&["host"], &names[..]].concat())
        )));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::Unreadable(format!("can't read `{name}`: {error}")))?;
    Machine::parse(&text, name).map_err(Error::Wrong)
}

/// The first model that fits the CPU that this program runs on, if there is one.
pub fn host() -> Option<&'static Machine> {
    let (vendor, family, model) = cpu()?;
    let fits = |cpu: &super::Cpu| cpu.fits(&vendor, family, model, &exec::has_feature);
    all().iter().find(|machine| machine.cpu.iter().any(fits))
}

/// Vendor, family and model as `cpuid` says them, the extended parts included.
#[cfg(target_arch = "x86_64")]
pub fn cpu() -> Option<(String, u32, u32)> {
    use std::arch::x86_64::__cpuid;
    let name = __cpuid(0);
    let letters = [name.ebx, name.edx, name.ecx].map(u32::to_le_bytes).concat();
    let signature = __cpuid(1).eax;
    let (base, extended) = (signature >> 8 & 0xf, signature >> 20 & 0xff);
    let family = if base == 0xf { base + extended } else { base };
    let model = (signature >> 4 & 0xf) | (signature >> 16 & 0xf) << 4;
    Some((String::from_utf8_lossy(&letters).into_owned(), family, model))
}

/// Other architectures have no `cpuid`.
#[cfg(not(target_arch = "x86_64"))]
pub fn cpu() -> Option<(String, u32, u32)> {
    None
}
