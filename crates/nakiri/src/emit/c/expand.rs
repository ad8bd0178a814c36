//! The functions that expand a key into the images of a kernel.

use super::batch::{Batches, NAME};
use crate::emit::identifier;
use crate::emit::keys::{Making, Part, Schedule};
use crate::isa::Target;
use std::fmt::Write;

/// The function `void f(uint8_t *out, const uint8_t *key)` that makes the images of a kernel, for CPUs that run a target.
pub fn part(prefix: &str, part: &Part, target: &'static Target, batches: &mut Batches) -> String {
    let mut body = String::new();
    let name = |what: &str, target: &Target| format!("{prefix}_{what}_{}", identifier(target.name));
    let Some(schedule) = &part.schedule else {
        makings(&mut body, &part.of_key, ("out", "key"), target, batches);
        return intern(&body, &name("expand", part.kernel.target), target.guard(), batches);
    };
    let Schedule { kernel, key, results: (places, size), of_results } = schedule;
    let inner = batches.kernel(&name("schedule", kernel.target), kernel, false);
    let clear = batches.clear();
    let _ = writeln!(body, "    uint8_t key_images[{key}];");
    let results = if of_results.is_empty() { "out" } else { "round_keys" };
    if !of_results.is_empty() {
        let _ = writeln!(body, "    uint8_t round_keys[{size}];");
    }
    makings(&mut body, &part.of_key, ("key_images", "key"), target, batches);
    let places: String = places.iter().map(|place| format!("{results} + {place}, ")).collect();
    let _ = writeln!(body, "    {inner}({places}key_images);");
    makings(&mut body, of_results, ("out", "round_keys"), target, batches);
    if !of_results.is_empty() {
        let _ = writeln!(body, "    {clear}(round_keys);");
    }
    let _ = writeln!(body, "    {clear}(key_images);");
    intern(&body, &name("expand", part.kernel.target), target.guard(), batches)
}

fn intern(body: &str, wish: &str, guard: Option<&'static str>, batches: &mut Batches) -> String {
    // A variant that stands under a condition may be the only one that calls it.
    let text = format!(
        "__attribute__((unused)) static void {NAME}(uint8_t *out, const uint8_t *key)\n{{\n{body}}}\n"
    );
    batches.intern(&text, wish, guard)
}

fn makings(
    body: &mut String,
    all: &[Making],
    (to, from): (&str, &str),
    target: &'static Target,
    batches: &mut Batches,
) {
    for making in all {
        let name = batches.images(making, target);
        let (to, from) = (format!("{to} + {}", making.to.0), format!("{from} + {}", making.from.0));
        let _ = writeln!(body, "    {name}({to}, {from});");
    }
}
