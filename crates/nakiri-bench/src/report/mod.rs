//! Figures and the page that shows them. Each figure is a function from data to a [`Drawing`].

pub mod svg;

pub use svg::Drawing;
