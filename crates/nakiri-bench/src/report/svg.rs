//! Scalable vector graphics: elements as text, and the few shapes that the figures are made of. Colours and type are
//! classes of [`super::theme`].

use super::theme::{self, TYPE};
use std::fmt::Write;

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

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
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

    /// A text on one line, of these classes; the point is on its base line.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let (x, y, anchor, text) = (number(at.0), number(at.1), anchor.name(), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" text-anchor="{anchor}"{}>{text}</text>"#,
            attribute(class)
        );
    }

    /// A text that reads upwards.
    pub fn upright(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let (x, y, anchor, text) = (number(at.0), number(at.1), anchor.name(), escape(text));
        let _ = writeln!(
            self.body,
            r#"<text transform="translate({x} {y}) rotate(-90)" text-anchor="{anchor}"{}>{text}</text>"#,
            attribute(class)
        );
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.path(&[from, to], class);
    }

    /// A rectangle, with a text that shows when it is pointed at (none if empty).
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), class: &str, tip: &str) {
        let [x, y, w, h] = [corner.0, corner.1, size.0.max(0.0), size.1.max(0.0)].map(number);
        let class = attribute(class);
        let _ = match tip {
            "" => writeln!(self.body, r#"<rect x="{x}" y="{y}" width="{w}" height="{h}"{class}/>"#),
            tip => writeln!(
                self.body,
                r#"<rect x="{x}" y="{y}" width="{w}" height="{h}"{class}><title>{}</title></rect>"#,
                escape(tip)
            ),
        };
    }

    /// Lines from point to point, filled if the class says so.
    pub fn path(&mut self, points: &[(f64, f64)], class: &str) {
        self.paths(&[points], class);
    }

    /// Several paths as one element.
    pub fn paths(&mut self, paths: &[&[(f64, f64)]], class: &str) {
        let mut text = String::new();
        for path in paths {
            for (k, (x, y)) in path.iter().enumerate() {
                let step = if k == 0 { "M" } else { "L" };
                let _ = write!(text, "{step}{} {}", number(*x), number(*y));
            }
        }
        let _ = writeln!(self.body, r#"<path d="{text}"{}/>"#, attribute(class));
    }

    /// A circle.
    pub fn circle(&mut self, centre: (f64, f64), radius: f64, class: &str) {
        let [x, y, r] = [centre.0, centre.1, radius].map(number);
        let class = attribute(class);
        let _ = writeln!(self.body, r#"<circle cx="{x}" cy="{y}" r="{r}"{class}/>"#);
    }

    /// The element, for a page that has the rules of [`theme::page`].
    pub fn inline(&self) -> String {
        self.element("")
    }

    /// A whole file, on white paper.
    pub fn file(&self) -> String {
        let paper = format!(
            r#"<rect class="paper" width="{}" height="{}"/>"#,
            number(self.width),
            number(self.height)
        );
        self.element(&format!("<style>\n{}</style>\n{paper}\n", theme::alone()))
    }

    fn element(&self, head: &str) -> String {
        let [w, h] = [self.width, self.height].map(number);
        let title = escape(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n\
             <title>{title}</title>\n{head}{}</svg>\n",
            self.body
        )
    }
}

fn attribute(class: &str) -> String {
    match class {
        "" => String::new(),
        class => format!(r#" class="{class}""#),
    }
}

/// A coordinate with at most two decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_string(),
        text => text.to_string(),
    }
}

/// A text in which nothing is markup. Characters that XML doesn't allow become a sign of replacement.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The width of a text in pixels, rather too large: in DejaVu Sans, the widest of the usual fonts.
pub fn width(text: &str) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' => 0.28,
        ' ' | '.' | ',' | ':' | ';' | '·' | '|' | '\'' => 0.34,
        'f' | 't' | 'r' | '-' | '(' | ')' | '/' | '[' | ']' => 0.42,
        'm' | 'M' | 'W' | '%' | '…' | '@' => 1.0,
        'w' | '×' | '⊕' | '≥' | '=' | '+' | '<' | '>' => 0.84,
        c if c.is_ascii_uppercase() => 0.72,
        _ => 0.64,
    };
    text.chars().map(em).sum::<f64>() * TYPE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_texts_are_escaped() {
        let all: Vec<String> = [0.0, -0.001, 1.5, 2.0, 10.128].map(number).to_vec();
        assert_eq!(all, ["0", "0", "1.5", "2", "10.13"]);
        assert_eq!(escape("a < b & \"c\"\u{1}"), "a &lt; b &amp; &quot;c&quot;\u{fffd}");
    }

    #[test]
    fn a_file_is_well_formed_whatever_its_texts_hold() {
        let mut drawing = Drawing::new(10.0, 10.0, "</svg> & \u{0}");
        drawing.text((1.0, 2.0), Anchor::Start, "", "<script>\"&amp;\u{8}");
        drawing.rectangle((0.0, 0.0), (-1.0, 2.0), "blue", "]]>");
        let file = drawing.file();
        let read = roxmltree::Document::parse(&file).expect("it is XML");
        let text = read.descendants().find(|node| node.has_tag_name("text")).and_then(|n| n.text());
        assert_eq!(text, Some("<script>\"&amp;\u{fffd}"));
    }
}
