//! What the Python package asks of the compiler: texts and data out of words of the command line, and the addresses of buffers. The
//! interface for people is in Python (`nakiri/`), which calls what a C compiler makes of these texts.

mod buffer;
mod described;

use nakiri::emit::c;
use nakiri_cli::commands::{build, check};
use nakiri_cli::listener::{listened, Said};
use nakiri_cli::session::Failure;
use nakiri_cli::{embedded, shelves};
use nakiri_verify::verdict;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use serde_json::{json, Value};

pyo3::create_exception!(
    _native,
    Refused,
    PyException,
    "What was asked can't be had; its argument is JSON."
);

/// What words behind `nakiri build` ask for, as JSON: the C, and what is in it. See `described.rs`.
#[pyfunction]
fn build_library(py: Python, words: Vec<String>, here: bool) -> PyResult<String> {
    answered(py, move || {
        let library = build::asked(&words, here)?;
        let wrong = |error: String| Failure::Wrong(error);
        let files = c::library(&library).map_err(|error| wrong(error.to_string()))?;
        described::library(&library, &files).map_err(wrong)
    })
}

/// What words behind `nakiri check` ask for, as JSON.
#[pyfunction]
fn check_program(py: Python, words: Vec<String>) -> PyResult<String> {
    answered(py, move || check::asked(&words))
}

/// The names of all that the package carries.
#[pyfunction]
fn carried() -> Vec<&'static str> {
    shelves::ALL.iter().flat_map(|shelf| embedded::names(shelf)).collect()
}

/// The folder of the user's cache, if there is one.
#[pyfunction]
fn cache_folder() -> Option<String> {
    verdict::cache_folder().map(|folder| folder.to_string_lossy().into_owned())
}

/// An answer with what was said meanwhile, without holding the interpreter.
fn answered(py: Python, ask: impl FnOnce() -> Result<Value, Failure> + Send) -> PyResult<String> {
    let (answer, said) = py.detach(|| listened(ask));
    let said: Vec<Value> = said.into_iter().map(told).collect();
    match answer {
        Ok(answer) => Ok(json!({ "answer": answer, "said": said }).to_string()),
        Err(failure) => {
            let refused = json!({ "message": failure.message(), "said": said });
            Err(Refused::new_err(refused.to_string()))
        }
    }
}

fn told(said: Said) -> Value {
    match said {
        Said::Line(text) => json!({ "text": text }),
        Said::Diagnostic(diagnostic, text) => json!({ "diagnostic": diagnostic, "text": text }),
    }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add("Refused", module.py().get_type::<Refused>())?;
    module.add_class::<buffer::Buffer>()?;
    module.add_function(wrap_pyfunction!(build_library, module)?)?;
    module.add_function(wrap_pyfunction!(check_program, module)?)?;
    module.add_function(wrap_pyfunction!(carried, module)?)?;
    module.add_function(wrap_pyfunction!(cache_folder, module)?)?;
    module.add_function(wrap_pyfunction!(buffer::new_bytes, module)?)
}
