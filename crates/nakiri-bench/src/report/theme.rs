//! Colours and type of figures: one table, from which a figure that stands alone and the page take theirs.
//!
//! The series are those of Okabe and Ito, "Color Universal Design" (2008), with the light ones darkened on white and the
//! dark ones lightened on black, so that each has a contrast of 3 against the paper.

use std::fmt::Write;

/// A colour by its role: its name, and its value on light and on dark paper.
pub type Ink = (&'static str, &'static str, &'static str);

/// How many series have a colour of their own.
pub const SERIES: usize = 8;

/// Colours of the series, in the order in which figures use them.
pub const COLOURS: [Ink; SERIES] = [
    ("blue", "#0072b2", "#4aa3e0"),
    ("orange", "#c77f00", "#f0a818"),
    ("green", "#00876a", "#1fbf92"),
    ("purple", "#b85c93", "#dd93bd"),
    ("sky", "#2f94cc", "#9ad5f7"),
    ("vermillion", "#d55e00", "#f37c2b"),
    ("yellow", "#8f8200", "#efe352"),
    ("grey", "#757b82", "#9aa1a9"),
];

/// What the other parts are drawn with.
pub const INKS: [Ink; 6] = [
    ("paper", "#ffffff", "#14181d"),
    ("ink", "#16191d", "#e8ebee"),
    ("soft", "#59616a", "#a4adb6"),
    ("line", "#d3d8dd", "#373f48"),
    ("pale", "#e7ebef", "#2a3139"),
    ("mark", "#b3001b", "#ff7a85"),
];

/// Type that every system has, of figures and page.
pub const FONT: &str =
    "system-ui,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif";

/// The size of all text in figures, in pixels: still nine where a figure is shrunk to a telephone's width.
pub const TYPE: f64 = 13.0;

/// The rules of a figure's classes. `colour` gives the value of an ink or a series.
pub fn rules(scope: &str, colour: impl Fn(&Ink) -> String) -> String {
    let mut css = format!(
        "{scope} text{{font:{TYPE}px {FONT};fill:{};font-variant-numeric:tabular-nums}}\n\
         {scope} text.strong{{font-weight:600}}\n",
        colour(&INKS[1])
    );
    for ink in INKS.iter().chain(&COLOURS) {
        let (name, value) = (ink.0, colour(ink));
        let _ = writeln!(css, "{scope} .{name}{{fill:{value}}}");
        let _ = writeln!(css, "{scope} .{name}-line{{stroke:{value};fill:none}}");
    }
    let _ = writeln!(css, "{scope} text.on{{fill:{}}}", colour(&INKS[0]));
    let _ = writeln!(css, "{scope} .half{{opacity:.4}}\n{scope} .bold{{stroke-width:2.5}}\n{scope} .halo{{stroke-width:5}}");
    let _ = writeln!(css, "{scope} .dashed{{stroke-dasharray:4 3}}");
    css
}

/// The rules of a figure that stands alone, on white paper.
pub fn alone() -> String {
    rules("", |ink| ink.1.to_string())
}

/// The rules of figures in a page, which follow the reader's choice of light or dark.
pub fn page() -> String {
    let values = |value: fn(&Ink) -> &'static str| {
        let each = INKS.iter().chain(&COLOURS);
        each.map(|ink| format!("--{}:{};", ink.0, value(ink))).collect::<String>()
    };
    let (light, dark) = (values(|ink| ink.1), values(|ink| ink.2));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{}",
        rules("figure svg", |ink| format!("var(--{})", ink.0))
    )
}

/// The class of a series.
pub fn series(index: usize) -> &'static str {
    COLOURS[index % SERIES].0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of two colours as WCAG 2.2 defines it, 1 to 21.
    fn contrast(a: &str, b: &str) -> f64 {
        let channel = |text: &str| {
            let value = f64::from(u8::from_str_radix(text, 16).expect("two digits")) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        let light = |c: &str| {
            0.2126 * channel(&c[1..3]) + 0.7152 * channel(&c[3..5]) + 0.0722 * channel(&c[5..7])
        };
        let (a, b) = (light(a), light(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_stands_out_on_both_papers() {
        let paper = INKS[0];
        for ink in COLOURS {
            assert!(contrast(ink.1, paper.1) >= 3.0, "{} on light paper", ink.0);
            assert!(contrast(ink.2, paper.2) >= 3.0, "{} on dark paper", ink.0);
        }
        for text in [INKS[1], INKS[2], INKS[5]] {
            assert!(contrast(text.1, paper.1) >= 4.5, "{} on light paper", text.0);
            assert!(contrast(text.2, paper.2) >= 4.5, "{} on dark paper", text.0);
        }
    }
}
