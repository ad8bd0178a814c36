//! Scalable vector graphics: elements as text, and the few shapes that the figures are made of.
//!
//! Colours are classes (`c0` to `c7` for series, `ink`, `soft`, `line`, `paper`, `mark`), defined once in [`STYLE`]; the
//! page gives them other values in the dark.

use std::fmt::Write;

/// The classes of a figure that stands alone.
pub const STYLE: &str = "\
text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:12px;fill:var(--ink,#1a1a1a)}\
text.small{font-size:10px}text.title{font-size:14px;font-weight:600}text.soft{fill:var(--soft,#5c5c5c)}\
text.mono{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}\
.line{stroke:var(--line,#c8c8c8);fill:none}.axis{stroke:var(--soft,#5c5c5c);fill:none}\
.ink{stroke:var(--ink,#1a1a1a);fill:none}.mark{stroke:var(--mark,#b3261e);fill:none;stroke-width:2}\
.paper{fill:var(--paper,#ffffff);stroke:var(--soft,#5c5c5c)}\
.c0{fill:var(--c0,#0072b2)}.c1{fill:var(--c1,#e69f00)}.c2{fill:var(--c2,#009e73)}.c3{fill:var(--c3,#cc79a7)}\
.c4{fill:var(--c4,#56b4e9)}.c5{fill:var(--c5,#d55e00)}.c6{fill:var(--c6,#b8a900)}.c7{fill:var(--c7,#888888)}\
.s0{stroke:var(--c0,#0072b2)}.s1{stroke:var(--c1,#e69f00)}.s2{stroke:var(--c2,#009e73)}.s3{stroke:var(--c3,#cc79a7)}\
.s4{stroke:var(--c4,#56b4e9)}.s5{stroke:var(--c5,#d55e00)}.s6{stroke:var(--c6,#b8a900)}.s7{stroke:var(--c7,#888888)}\
.s0,.s1,.s2,.s3,.s4,.s5,.s6,.s7{fill:none;stroke-width:2}";

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A drawing: its size in pixels, and its elements.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// What it shows, for those who can't see it.
    pub title: String,
    body: String,
}

impl Drawing {
    /// An empty drawing.
    pub fn new(width: f64, height: f64, title: &str) -> Drawing {
        Drawing { width, height, title: title.to_string(), body: String::new() }
    }

    /// A text on one line, of these classes.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y, text) = (number(x), number(y), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" text-anchor="{anchor}" class="{class}">{text}</text>"#
        );
    }

    /// A text that reads upwards, its middle at a point.
    pub fn upright_text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let (x, y, text) = (number(x), number(y), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text transform="translate({x} {y}) rotate(-90)" text-anchor="middle" class="{class}">{text}</text>"#
        );
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" class="{class}"/>"#
        );
    }

    /// A rectangle, with a text that shows when it is pointed at (none if empty).
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), class: &str, tip: &str) {
        let [x, y, w, h] = [corner.0, corner.1, size.0.max(0.0), size.1.max(0.0)].map(number);
        let tip =
            if tip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(tip)) };
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{w}" height="{h}" class="{class}">{tip}</rect>"#
        );
    }

    /// Connected lines through points; closed and filled if the class says so.
    pub fn path(&mut self, points: &[(f64, f64)], class: &str) {
        let mut text = String::new();
        for (k, (x, y)) in points.iter().enumerate() {
            let _ = write!(text, "{}{} {}", if k == 0 { "M" } else { "L" }, number(*x), number(*y));
        }
        let _ = writeln!(self.body, r#"<path d="{text}" class="{class}"/>"#);
    }

    /// A circle.
    pub fn circle(&mut self, centre: (f64, f64), radius: f64, class: &str) {
        let [x, y, r] = [centre.0, centre.1, radius].map(number);
        let _ = writeln!(self.body, r#"<circle cx="{x}" cy="{y}" r="{r}" class="{class}"/>"#);
    }

    /// Elements in a notation of one's own.
    pub fn raw(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// The element, for a page that defines the classes.
    pub fn inline(&self) -> String {
        self.element("")
    }

    /// A whole file.
    pub fn file(&self) -> String {
        self.element(&format!("<style>{STYLE}</style>\n"))
    }

    fn element(&self, style: &str) -> String {
        let [w, h] = [self.width, self.height].map(number);
        let title = escape(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n\
             <title>{title}</title>\n{style}{}</svg>\n",
            self.body
        )
    }
}

/// A number with at most two decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

/// A text in which nothing is markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_texts_are_escaped() {
        let all: Vec<String> = [0.0, -0.001, 1.5, 2.0, 10.128].map(number).to_vec();
        assert_eq!(all, ["0", "0", "1.5", "2", "10.13"]);
        assert_eq!(escape("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
    }
}
