//! Networks as C.
