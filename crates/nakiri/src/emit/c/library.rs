//! Libraries: how their parts become two files.

use super::api::Api;
use super::batch::Batches;
use super::{head, probes, self_test};
use crate::emit::library::{Library, LibraryError};
use crate::emit::names::{self, Names};

/// The text of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CFiles {
    /// The source.
    pub c: String,
    /// The header, `NAME.h`.
    pub h: String,
}

/// Prints a library.
///
/// # Errors
/// If the parts of an instance don't fit together: see the fields of [`Instance`].
pub fn library(library: &Library) -> Result<CFiles, LibraryError> {
    print(library, &mut |_, _| String::new())
}

/// Prints the source of a library of one instance with entry points for measuring the first variant of its first
/// function; see [`super::probes`].
///
/// # Errors
/// Those of [`library`].
pub fn probed(library: &Library) -> Result<String, LibraryError> {
    let mut probes = |api: &Api, batches: &Batches| probes::definitions(api, batches);
    Ok(whole(library, print(library, &mut probes)?))
}

/// Prints the source of a library with a table of what can be called on messages, for a harness of measurements; see
/// [`super::timed`].
///
/// # Errors
/// Those of [`library`].
pub fn timed(library: &Library) -> Result<String, LibraryError> {
    let files = print(library, &mut |_, _| String::new())?;
    Ok(whole(library, files) + &super::timed::definitions(library)?)
}

/// A source that needs no header beside it.
fn whole(library: &Library, files: CFiles) -> String {
    let include = format!("#include \"{}.h\"\n", library.name);
    files.c.replacen(&include, &files.h, 1)
}

fn print(
    library: &Library,
    more: &mut dyn FnMut(&Api, &Batches) -> String,
) -> Result<CFiles, LibraryError> {
    let (mut body, mut declarations) = (String::new(), String::new());
    let mut batches = Batches::new(library.internal());
    let mut names = Names::of("C", names::OF_C.split_whitespace());
    for instance in &library.instances {
        let failed = |message| LibraryError { instance: instance.prefix.clone(), message };
        let api = Api::new(library, instance, &mut batches).map_err(failed)?;
        let tests = self_test::definitions(&api).map_err(failed)?;
        body.push_str(&api.definitions());
        body.push_str(&tests);
        body.push_str(&api.multikey());
        body.push_str(&more(&api, &batches));
        let own = api.declarations();
        names::declared(&own).try_for_each(|name| names.give(&instance.prefix, name))?;
        declarations.push_str(&own);
    }
    let head = head::comment(library);
    let parts = batches.text() + &body;
    let c = format!("{head}\n{}{parts}", head::prelude(library, &parts));
    Ok(CFiles { c, h: head::header(library, &declarations) })
}
