//! What is timed: functions of shared objects.

use libloading::Library;
use std::path::Path;

/// A shared object that was compiled for this run.
#[derive(Debug)]
pub struct Object {
    library: Library,
}

impl Object {
    /// Loads a shared object.
    ///
    /// # Errors
    /// What the loader says.
    ///
    /// # Safety
    /// Loading runs its initializers: it must be one that was compiled for this process.
    pub unsafe fn load(path: &Path) -> Result<Object, String> {
        // SAFETY: the caller's promise.
        let library = unsafe { Library::new(path) };
        library
            .map(|library| Object { library })
            .map_err(|error| format!("can't load `{}`: {error}", path.display()))
    }

    /// A function of it.
    ///
    /// # Errors
    /// If there is none of this name.
    ///
    /// # Safety
    /// `F` must be the function's type, and the object must stay loaded while it is called.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.library.get::<F>(name.as_bytes()) };
        symbol.map(|symbol| *symbol).map_err(|error| format!("no function `{name}`: {error}"))
    }
}
