//! How findings are said, to people and to programs.

use super::parameters::{shown, Parameters};
use super::{Examined, Verdict};
use crate::output::counted;
use nakiri_verify::constant_time::{Argument, Audited, Finding, Reason};
use serde_json::{json, Value};
use std::fmt::Write;

/// How many functions are named at the most of those that were not reached.
const MOST_NAMES: usize = 8;

/// All of it as text.
pub fn human(examined: &[Examined], parameters: &Parameters, verdict: Verdict) -> String {
    let mut text = String::new();
    for object in examined {
        match &object.audit {
            Err(message) => drop(writeln!(text, "{}: can't be checked: {message}", object.place)),
            Ok(audit) => {
                let _ = writeln!(text, "{}: {}", object.place, audit.architecture);
                audit.functions.iter().for_each(|f| function(f, parameters, &mut text));
                if !audit.unreached.is_empty() {
                    let names = audit.unreached.iter().take(MOST_NAMES);
                    let names: Vec<&str> = names.map(String::as_str).collect();
                    let more = if audit.unreached.len() > MOST_NAMES { ", …" } else { "" };
                    let _ = writeln!(
                        text,
                        "  not reached: {}{more}; --function checks them",
                        names.join(", ")
                    );
                }
            }
        }
    }
    text + &summary(examined, verdict)
}

fn function(function: &Audited, parameters: &Parameters, text: &mut String) {
    let report = function.report;
    let _ = writeln!(
        text,
        "  {} ({}): {}, {} of {} followed, {}",
        function.name,
        described(&parameters.of(&function.name)),
        match function.found.len() {
            0 => Verdict::Clean.name().to_string(),
            count => counted(count, "finding"),
        },
        report.instructions,
        counted(report.reachable, "instruction"),
        match report.branches {
            1 => "1 branch".to_string(),
            count => format!("{count} branches"),
        },
    );
    for Finding { violation, within } in &function.found {
        let place = within.as_ref().map_or(String::new(), |(name, at)| format!("{name}+{at:#x} "));
        let instruction = match violation.instruction.is_empty() {
            true => "what is there",
            false => &violation.instruction,
        };
        let (address, reason) = (violation.address, &violation.reason);
        let _ = writeln!(text, "    {place}({address:#x}): {instruction}: {reason}");
    }
}

/// `all parameters public`, `public parameters: 1, 3 = 64`.
fn described(arguments: &[Argument]) -> String {
    if arguments.iter().all(|argument| *argument == Argument::Public) {
        return "all parameters public".to_string();
    }
    let told = arguments.iter().enumerate().filter_map(|(k, argument)| match argument {
        Argument::Secret => None,
        Argument::Public => Some((k + 1).to_string()),
        Argument::Number(number) => Some(format!("{} = {number}", k + 1)),
    });
    let told: Vec<String> = told.collect();
    match told.is_empty() {
        true => "all parameters secret".to_string(),
        false => format!("public parameters: {}", told.join(", ")),
    }
}

/// The last line.
fn summary(examined: &[Examined], verdict: Verdict) -> String {
    let functions: Vec<&Audited> = examined
        .iter()
        .filter_map(|o| o.audit.as_ref().ok())
        .flat_map(|audit| &audit.functions)
        .collect();
    let of = |wanted: Verdict| {
        functions.iter().filter(|function| Verdict::of(function) == wanted).count()
    };
    let all = counted(functions.len(), "function");
    match verdict {
        Verdict::Clean => format!(
            "nothing found in {all}: no branch, address or duration depends on secret data\n"
        ),
        Verdict::Leaks => format!(
            "leaks: {} of {all}, and {} could not be followed\n",
            of(Verdict::Leaks),
            of(Verdict::Open)
        ),
        Verdict::Open => {
            let unread = examined.iter().filter(|object| object.audit.is_err()).count();
            let unread = match unread {
                0 => String::new(),
                count => format!(", and {} could not be read", counted(count, "object")),
            };
            let open = of(Verdict::Open);
            format!("open: nothing leaks as far as the code was followed, but that was not all in {open} of {all}{unread}\n")
        }
    }
}

/// All of it for other programs.
pub fn json(examined: &[Examined], parameters: &Parameters, verdict: Verdict) -> Value {
    let objects = examined.iter().map(|object| match &object.audit {
        Err(message) => json!({ "file": object.place, "error": message }),
        Ok(audit) => json!({
            "file": object.place,
            "architecture": audit.architecture,
            "functions": audit.functions.iter().map(|f| of_function(f, parameters)).collect::<Vec<_>>(),
            "unreached": audit.unreached,
        }),
    });
    json!({ "verdict": verdict.name(), "files": objects.collect::<Vec<_>>() })
}

fn of_function(function: &Audited, parameters: &Parameters) -> Value {
    let arguments = parameters.of(&function.name);
    let findings = function.found.iter().map(|Finding { violation, within }| {
        json!({
            "kind": kind(&violation.reason),
            "leaks": violation.reason.leaks(),
            "address": violation.address,
            "function": within.as_ref().map(|(name, _)| name),
            "offset": within.as_ref().map(|(_, offset)| offset),
            "instruction": violation.instruction,
            "message": violation.reason.to_string(),
        })
    });
    json!({
        "name": function.name,
        "verdict": Verdict::of(function).name(),
        "parameters": arguments.into_iter().map(shown).collect::<Vec<_>>(),
        "instructions": function.report.instructions,
        "reachable": function.report.reachable,
        "branches": function.report.branches,
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn kind(reason: &Reason) -> &'static str {
    match reason {
        Reason::Branch => "branch",
        Reason::Address => "address",
        Reason::Duration => "duration",
        Reason::Indirect => "indirect",
        Reason::Call(_) => "call",
        Reason::Unknown => "unknown",
        Reason::Object(_) => "object",
    }
}
