//! Object code as `llvm-objdump` lists it.

use super::isa::Line;
use crate::cc::{self, Work};
use crate::image::{Image, Place};
use std::collections::BTreeMap;
use std::process::Command;

/// The names under which it is looked for.
const PROGRAMS: &[&str] =
    &["llvm-objdump-19", "llvm-objdump", "llvm-objdump-18", "llvm-objdump-17", "llvm-objdump-16"];

/// The package that has it.
const PACKAGE: &str = "llvm-19";

/// The disassembler.
///
/// # Errors
/// What to install.
pub fn disassembler() -> Result<&'static str, String> {
    let found = PROGRAMS.iter().copied().find(|program| cc::works(program));
    found.ok_or_else(|| format!("no llvm-objdump: on Debian, apt-get install {PACKAGE}"))
}

/// An instruction with its text and where the next one starts.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub line: Line,
    pub text: String,
    pub next: u64,
}

/// The instructions of an object, by place.
///
/// # Errors
/// What the disassembler says.
pub(super) fn list(object: &[u8], image: &Image) -> Result<BTreeMap<Place, Listed>, String> {
    let said = |error: crate::Error| error.to_string();
    let work = Work::new().map_err(said)?;
    let path = work.write("listed.o", object).map_err(said)?;
    let program = disassembler()?;
    let mut command = Command::new(program);
    let flags = ["-d", "--no-show-raw-insn", "--no-print-imm-hex"];
    command.args(flags).args(["-mllvm", "-ppc-asm-full-reg-names"]).arg(&path);
    let done = command.output().map_err(|error| format!("{program}: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let mut lines = BTreeMap::new();
    let mut section = None;
    let mut last: Option<Place> = None;
    for text in String::from_utf8_lossy(&done.stdout).lines() {
        if let Some(name) = text.strip_prefix("Disassembly of section ") {
            section = image.code_section(name.trim_end_matches(':'));
            last = None;
        }
        let (Some(section), Some((address, text))) = (section, text.split_once(':')) else {
            continue;
        };
        let Ok(address) = u64::from_str_radix(address.trim(), 16) else { continue };
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(before) = last.and_then(|place| lines.get_mut(&place)) {
            let before: &mut Listed = before;
            before.next = address;
        }
        last = Some((section, address));
        let (line, text) = (line(text, image), text.replace('\t', " "));
        lines.insert((section, address), Listed { line, text, next: address + 4 });
    }
    let mut begun = false;
    for (place, listed) in &mut lines {
        let calls = image.calls(place.0, place.1, listed.next);
        listed.line.linked = calls || begun;
        begun = calls && listed.line.mnemonic == "auipc";
    }
    Ok(lines)
}

/// The parts of an instruction's text.
fn line(text: &str, image: &Image) -> Line {
    let (text, comment) = match [" @", " //", " <", "\t<"].iter().filter_map(|m| text.find(m)).min()
    {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let text = text.trim_end();
    let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let operands = split(rest);
    let named = operands.last().and_then(|last| address(last.trim()));
    let in_comment = comment.trim_start().strip_prefix("@ 0x");
    let in_comment = in_comment.map(|rest| rest.split(' ').next().unwrap_or_default());
    let in_comment = in_comment.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let function = comment.trim().strip_prefix('<').and_then(|name| name.strip_suffix('>'));
    let function = function.and_then(|name| image.function(name)).map(|(_, at)| at);
    let address = in_comment.or(named).or(function);
    Line { mnemonic: mnemonic.to_string(), operands, address, linked: false }
}

/// An address: numbers that are none are written in decimal.
fn address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// What stands between commas that are in no brackets.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            _ => {}
        }
        match (c, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            (c, Some(last)) => last.push(c),
            _ => {}
        }
    }
    parts.iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}
