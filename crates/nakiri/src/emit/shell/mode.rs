//! Modes as functions: of a whole message, of one that comes in parts, and of many at once.
//!
//! | function | what it does |
//! |---|---|
//! | `whole`, `opened` | of a whole message, there and back |
//! | `batch`, `batch_opened` | of many messages, each in a lane of its own |
//! | `cut` | a block of a padded stream, by its number |
//! | `begin`, `step`, `take`, `end` | of a message that comes in parts, where a mode takes one stream |
//!
//! Where a mode has trees, see [`tree`](super::tree).

use super::block::Over;
use super::parts::{Parts, BLOCK};
use super::values::Lowering;
use super::{hmac, Input, Shell};
use crate::emit::library::Instance;

/// The most lanes of a batch: what they hold lies on the stack.
pub const MOST_LANES: usize = 64;
/// How many messages tests give a batch: they fill all lanes more than twice.
pub const TESTED: usize = 2 * MOST_LANES + 3;

/// The functions of an instance's mode, if it has one.
///
/// # Errors
/// If a part of its state can't lie in memory.
pub fn of(instance: &Instance) -> Result<Option<Shell>, String> {
    let Some(mode) = &instance.mode else { return Ok(None) };
    let lowering = Lowering::new(instance, mode, MOST_LANES);
    let inputs = lowering.inputs.iter().zip(&mode.shared);
    let inputs = inputs.map(|(value, &shared)| {
        let (name, size) = (value.given.clone(), value.size);
        Input { name, size, shared }
    });
    let mut shell = Shell {
        inputs: inputs.collect(),
        streams: lowering.streams.clone(),
        given: lowering.given.clone(),
        constants: lowering.constants()?,
        ..Shell::default()
    };
    let cut = mode.loops().filter(|each| !each.whole);
    let blocks = cut.filter_map(|each| Over::of(each, false));
    shell.functions.extend(blocks.map(|over| over.function(&lowering)));
    let hash = mode.hash().and_then(|hash| Some((hash, Over::of(hash.each, false)?)));
    if let Some((hash, over)) = hash {
        let values = lowering.state.iter().chain(&lowering.inputs);
        shell.context = values.map(|value| (value.name.clone(), value.size)).collect();
        shell.context.push((BLOCK.to_string(), mode.block_bytes()));
        let parts = Parts { lowering: &lowering, hash, over, block: mode.block_bytes() };
        shell.functions.extend(parts.functions());
    }
    if mode.has_trees() {
        shell.context = lowering.tree_context();
        shell.functions.extend(lowering.grown());
        shell.functions.extend(lowering.batch(false));
        return Ok(Some(shell));
    }
    for back in [false, true].into_iter().filter(|back| !back || mode.giving().is_some()) {
        shell.functions.extend(lowering.whole(back));
        shell.functions.extend(lowering.batch(back));
    }
    hmac::add(&mut shell, mode);
    Ok(Some(shell))
}
