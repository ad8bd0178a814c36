//! The memory of Python's objects: where it lies, for as long as it is used.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{ffi, PyTypeInfo};

/// The memory of an object that has the buffer protocol, which stays where it is as long as this lives.
#[pyclass(frozen, module = "nakiri._native")]
pub struct Buffer {
    memory: PyUntypedBuffer,
}

#[pymethods]
impl Buffer {
    /// That of an object; it must be writable if it is to be written, and without gaps.
    #[new]
    fn new(object: &Bound<'_, PyAny>, writable: bool) -> PyResult<Buffer> {
        let memory = PyUntypedBuffer::get(object)?;
        let refuse = |message: &str| Err(PyBufferError::new_err(message.to_string()));
        if !memory.is_c_contiguous() {
            return refuse("the buffer has gaps: a contiguous one is needed");
        }
        if writable && memory.readonly() {
            return refuse("the buffer can't be written");
        }
        Ok(Buffer { memory })
    }

    /// Where it begins.
    #[getter]
    fn address(&self) -> usize {
        self.memory.buf_ptr() as usize
    }

    /// Its size in bytes.
    fn __len__(&self) -> usize {
        self.memory.len_bytes()
    }
}

/// New bytes, which hold anything, and their memory: to be written before anyone else sees them.
#[pyfunction]
pub fn new_bytes(py: Python<'_>, count: usize) -> PyResult<(Bound<'_, PyBytes>, Buffer)> {
    let count = ffi::Py_ssize_t::try_from(count)?;
    // SAFETY: Python makes the object, or says why not; without a text to copy nothing is read.
    let made = unsafe {
        let made = ffi::PyBytes_FromStringAndSize(std::ptr::null(), count);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    debug_assert!(PyBytes::is_type_of(&made));
    let buffer = Buffer { memory: PyUntypedBuffer::get(&made)? };
    Ok((made.cast_into::<PyBytes>()?, buffer))
}
