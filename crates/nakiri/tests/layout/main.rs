//! Transpositions: the networks against the places of bits that define them, and the C against the networks.

mod cases;
mod compiled;
mod counters;
mod images;
mod metrics;
mod networks;
