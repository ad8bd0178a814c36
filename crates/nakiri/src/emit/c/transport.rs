//! The C functions that bring blocks into registers and back, and keys into images.

use crate::core::Port;
use crate::layout::{self, c, image, Counter, Machine};
use crate::target::Target;

/// The name of the function that brings the blocks of a port from memory into registers, `NAME(REG *r, const uint8_t *in)`, as C.
///
/// # Errors
/// If the target can't hold the port.
pub fn load(target: &Target, port: &Port, name: &str, prefix: &str) -> Result<String, String> {
    let (width, count) = (port.ty.bits(), port.count());
    let network =
        layout::load(Machine::from(target), port.ty.direction(), width, count, &port.layout)?;
    Ok(function(target, &network, name, prefix))
}

/// The function that brings registers back into memory, `NAME(uint8_t *out, const REG *r)`, as C.
///
/// # Errors
/// If the target can't hold the port.
pub fn store(target: &Target, port: &Port, name: &str, prefix: &str) -> Result<String, String> {
    let (width, count) = (port.ty.bits(), port.count());
    let network =
        layout::store(Machine::from(target), port.ty.direction(), width, count, &port.layout)?;
    Ok(function(target, &network, name, prefix))
}

/// The name of the function that adds registers to a text, `NAME(uint8_t *out, const uint8_t *in, const REG *r)`, as C.
///
/// # Errors
/// If the target can't hold the port.
pub fn add(target: &Target, port: &Port, name: &str, prefix: &str) -> Result<String, String> {
    let (width, count) = (port.ty.bits(), port.count());
    let network =
        layout::store(Machine::from(target), port.ty.direction(), width, count, &port.layout)?;
    Ok(function(target, &network.adding(), name, prefix))
}

/// The functions that make a port's registers from counters; see [`layout::counters`].
pub struct CounterTexts {
    /// `NAME(REG *low, const uint8_t *number)` with the number of registers that it makes, if there are any.
    pub low: Option<(String, u32)>,
    /// `NAME(REG *r, const uint8_t *blocks, const REG *low)`, without the last parameter if there is no `low`.
    pub batch: String,
    /// The size of a block with what is read behind it, in bytes.
    pub stride: usize,
}

/// The functions that make a port's registers from counters, as C.
///
/// # Errors
/// If the target can't hold the port.
pub fn counters(
    target: &Target,
    port: &Port,
    counter: &Counter,
    name: &str,
    prefix: &str,
) -> Result<CounterTexts, String> {
    let (direction, width, count) = (port.ty.direction(), port.ty.bits(), port.count());
    let machine = Machine::from(target);
    let made = layout::counters(machine, direction, width, count, &port.layout, counter)?;
    let text = |network| function(target, network, name, prefix);
    Ok(CounterTexts {
        low: made.low.as_ref().map(|low| (text(low), low.registers)),
        batch: text(&made.batch),
        stride: made.stride,
    })
}

fn function(
    target: &Target,
    network: &layout::network::Network,
    name: &str,
    prefix: &str,
) -> String {
    c::function(network, c::Function { name, target, prefix })
}

/// The function that makes the images of a constant port, `NAME(uint8_t *images, const uint8_t *memory)`, as C.
///
/// # Errors
/// If the layout doesn't fit the port.
pub fn images(port: &Port, name: &str, clear: &str) -> Result<String, String> {
    let (width, count) = (port.ty.bits(), port.count());
    let (words, atoms) = (format!("{name}_words"), format!("{name}_atoms"));
    let total = image::natural_words(width) * count as usize;
    Ok(format!(
        "{}\n{}\nstatic void {name}(uint8_t *images, const uint8_t *memory)\n{{\n    \
         uint64_t words[{total}];\n    {words}(words, memory);\n    {atoms}(images, words, {count});\n    \
         {clear}(words);\n}}\n",
        image::words_c(&words, None, &port.layout, width, count)?,
        image::image_c(&atoms, port.ty.direction(), width),
    ))
}
