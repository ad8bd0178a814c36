//! Places in sources, as Yosys' `src` attributes name them.

use std::ops::Range;

/// The bytes of `place` in a text, such as `12.3-14.6` or `12`: lines and columns count from 1, the column behind the last
/// is the end. `None` if it is no such place, or lies outside of the text.
pub fn range(text: &str, place: &str) -> Option<Range<usize>> {
    let offset = |point: &str| {
        let (line, column) = match point.split_once('.') {
            Some((line, column)) => (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?),
            None => (point.parse().ok()?, 1),
        };
        let start = match line.checked_sub(1)? {
            0 => 0,
            before => text.match_indices('\n').nth(before - 1)?.0 + 1,
        };
        let line = text[start..].split('\n').next()?;
        let mut at = start + column.checked_sub(1)?.min(line.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        Some((at, start + line.trim_end().len()))
    };
    let (first, last) = place.split_once('-').unwrap_or((place, ""));
    let (start, line_end) = offset(first)?;
    let end = match last {
        "" => line_end,
        last => offset(last)?.0,
    };
    // What spans lines is shown by its first.
    let end = if end > line_end { line_end } else { end };
    Some(start..end.max(start))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn places_are_bytes() {
        let text = "module m;\n  wire é, b;\nendmodule\n";
        let shown = |place| range(text, place).map(|range| &text[range]);
        assert_eq!(shown("1.1-1.7"), Some("module"));
        assert_eq!(shown("2.3-3.10"), Some("wire é, b;"));
        assert_eq!(shown("2"), Some("  wire é, b;"));
        assert_eq!(shown("2.7-99.1"), None);
        assert_eq!(shown("0.1-1.1"), None);
        assert_eq!(shown("7"), None);
        assert_eq!(shown("x"), None);
    }
}
