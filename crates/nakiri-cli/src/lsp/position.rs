//! Places as editors count them: lines from 0, and columns in units of an encoding.

use lsp_types::{Position, PositionEncodingKind, Range};

/// In what columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, what every client knows.
    #[default]
    Utf16,
}

impl Encoding {
    /// The one that is taken of those that a client knows.
    pub fn of(known: &[PositionEncodingKind]) -> Encoding {
        match known.contains(&PositionEncodingKind::UTF8) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// How many columns a text takes.
    pub fn columns(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            Encoding::Utf16 => text.encode_utf16().count() as u32,
        }
    }
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Lines {
    /// Those of a text.
    pub fn new(text: &str, encoding: Encoding) -> Lines {
        let bytes = text.as_bytes();
        let is_end = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let behind = (0..bytes.len()).filter(is_end).map(|at| at + 1);
        Lines { starts: std::iter::once(0).chain(behind).collect(), encoding }
    }

    /// The place of a byte; behind the end it is the end.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let offset = (offset as usize).min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = text.get(self.starts[line]..offset).unwrap_or_default();
        Position::new(line as u32, self.encoding.columns(before))
    }

    /// The byte at a place; behind the end of a line it is that end.
    pub fn offset(&self, text: &str, position: Position) -> u32 {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return text.len() as u32 };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let mut columns = 0;
        for (at, c) in line.char_indices() {
            if columns >= position.character {
                return (start + at) as u32;
            }
            columns += self.encoding.columns(c.encode_utf8(&mut [0; 4]));
        }
        (start + line.len()) as u32
    }

    /// The places of a range of bytes.
    pub fn range(&self, text: &str, start: u32, end: u32) -> Range {
        Range::new(self.position(text, start), self.position(text, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_bytes_are_each_others() {
        let text = "a\r\n⊕🦀b\n\rx";
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::new(text, encoding);
            for (offset, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\n' | '\r')) {
                let position = lines.position(text, offset as u32);
                assert_eq!(lines.offset(text, position), offset as u32, "{position:?}");
            }
        }
        let lines = Lines::new(text, Encoding::Utf16);
        let b = text.find('b').expect("it is there") as u32;
        assert_eq!(lines.position(text, b), Position::new(1, 3));
        assert_eq!(lines.position(text, text.len() as u32), Position::new(3, 1));
    }

    #[test]
    fn places_outside_are_at_the_nearest_end() {
        let text = "ab\ncd";
        let lines = Lines::new(text, Encoding::Utf16);
        assert_eq!(lines.offset(text, Position::new(0, 99)), 2);
        assert_eq!(lines.offset(text, Position::new(99, 0)), 5);
        assert_eq!(lines.position(text, u32::MAX), Position::new(1, 2));
        assert_eq!(Lines::new("", Encoding::Utf8).position("", 7), Position::new(0, 0));
    }
}
