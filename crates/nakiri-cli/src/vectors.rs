//! What a cipher computes on bytes ([`nakiri_library::vectors`]); what is wrong is reported.

use crate::manifest::{Folder, Instance};
use crate::session::{Failure, Session};
use nakiri::check::Checked;
pub use nakiri_library::vectors::*;

/// The programs of the nodes that an instance names.
///
/// # Errors
/// [`Failure::Reported`] if a node is missing or can't be called on bytes.
pub fn nodes(
    session: &Session,
    folder: &Folder,
    checked: &Checked,
    instance: &Instance,
) -> Result<Nodes, Failure> {
    let nodes = Nodes::find(&session.sources, folder, checked, instance);
    nodes.map_err(|problems| session.refuse(&problems))
}

/// Computes every vector of a folder by the interpreter, forwards and backwards.
///
/// # Errors
/// [`Failure::Reported`] for vectors that the nodes don't compute or that have another size.
pub fn check(session: &Session, folder: &Folder, checked: &Checked) -> Result<Agreed, Failure> {
    let agreed = nakiri_library::vectors::check(&session.sources, folder, checked);
    agreed.map_err(|problems| session.refuse(&problems))
}
