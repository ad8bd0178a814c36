//! The order of a node's items: textual wherever that is legal, loops kept together wherever they can be.

mod dependencies;
mod loops;

use super::elaborate::Elaborated;
use super::instances::Instance;
use super::{definedness, Checker};
pub(super) use dependencies::resolve_slots;
use dependencies::Dependencies;

/// The items in an order in which each comes after what it needs; stores of replaced versions are left out.
/// `None` if the node has errors, which have been reported.
pub(super) fn order(
    checker: &mut Checker,
    instance: &Instance,
    node: &Elaborated,
) -> Option<Vec<u32>> {
    if !definedness::check(checker, instance, node) {
        return None;
    }
    let dependencies = match Dependencies::new(node) {
        Ok(dependencies) => dependencies,
        Err(cycle) => {
            checker.report(cycle);
            return None;
        }
    };
    if node.refused > 0 {
        return None;
    }
    if dependencies.textual_order_is_legal() {
        return Some(dependencies.textual());
    }
    Some(loops::keeping_loops(node, &dependencies).unwrap_or(dependencies.order))
}
