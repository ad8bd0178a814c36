//! Which features of CPUs emitted C asks for, and how.

use crate::isa::{Capability, Target};

/// Features that compilers before clang 17 have no name for, and their bits of leaf 7 of `cpuid`: `others` is `ebx`, `features` is `ecx`.
const UNNAMED: [(&str, &str, u32); 2] = [("sha", "others", 29), ("vaes", "features", 9)];

/// Features that compilers of C call otherwise.
const RENAMED: [(&str, &str); 1] = [("pclmulqdq", "pclmul")];

/// Statements that return whether the CPU has the features of a target.
pub fn supported(target: &Target) -> String {
    let capabilities = target.architecture.capabilities.iter();
    let own: Vec<_> = capabilities.filter(|c| target.features.contains(&c.feature)).collect();
    if !own.is_empty() {
        return told(&own);
    }
    // Where compilers were told to use a feature, all of the file needs it.
    let features = target.features.iter().filter(|_| target.extension.is_none());
    let bit = |feature: &&str| UNNAMED.iter().find(|(name, ..)| name == feature);
    let all: Vec<String> = features
        .map(|feature| match bit(feature) {
            Some((_, register, bit)) => format!("({register} >> {bit} & 1)"),
            None => {
                let renamed = RENAMED.iter().find(|(name, _)| name == feature);
                let name = renamed.map_or(*feature, |(_, name)| name);
                format!("__builtin_cpu_supports(\"{name}\")")
            }
        })
        .collect();
    if all.is_empty() {
        return "        return 1;\n".to_string();
    }
    let returned = format!("return {};\n", all.join(" && "));
    let reads = |own: &str| target.features.iter().filter_map(bit).any(|b| b.1 == own);
    let (others, clobbered) = match reads("others") {
        true => (", others", "\"=b\"(others), "),
        false => ("", ""),
    };
    if !reads("features") && !reads("others") {
        return format!("        __builtin_cpu_init();\n        {returned}");
    }
    let lost = if clobbered.is_empty() { "\"ebx\", \"edx\"" } else { "\"edx\"" };
    // Those who have any of these features have leaf 7.
    format!(
        "        {{\n            unsigned leaf = 7, features = 0{others};\n            \
         __asm__(\"cpuid\" : \"+a\"(leaf), {clobbered}\"+c\"(features) : : {lost});\n            \
         __builtin_cpu_init();\n            {returned}        }}\n"
    )
}

/// The same where the system tells of them. Other systems have functions for it only where compilers use the features anyway.
fn told(capabilities: &[&Capability]) -> String {
    let macros = capabilities.iter().map(|c| format!("defined({})", c.macro_name));
    let known = macros.collect::<Vec<_>>().join(" && ");
    let bits = capabilities.iter().fold(0, |bits, c| bits | c.bits);
    format!(
        "#if {known}\n        return 1;\n#else\n        \
         return (getauxval(AT_HWCAP) & {bits:#x}) == {bits:#x};\n#endif\n"
    )
}
