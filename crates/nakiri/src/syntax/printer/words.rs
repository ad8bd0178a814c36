//! A line of output before it is known where it has to be broken.

/// Longest line, in characters.
pub(super) const MAX_COLUMNS: usize = 100;
/// How much further a continuation is indented than the line that it continues.
const CONTINUATION: usize = 4;

/// Pieces of text with places between them where a line may be broken.
#[derive(Default)]
pub(super) struct Words {
    pieces: Vec<Piece>,
}

struct Piece {
    /// Whether a blank separates it from the piece before on the same line.
    spaced: bool,
    text: String,
}

impl Words {
    /// One unbreakable piece.
    pub(super) fn one(text: impl Into<String>) -> Words {
        Words { pieces: vec![Piece { spaced: false, text: text.into() }] }
    }

    /// Continues the last piece.
    pub(super) fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(piece) => piece.text.push_str(text),
            None => *self = Words::one(text),
        }
    }

    /// A blank, or a line break.
    pub(super) fn space(&mut self) {
        self.pieces.push(Piece { spaced: true, text: String::new() });
    }

    /// Nothing, or a line break.
    pub(super) fn cut(&mut self) {
        self.pieces.push(Piece { spaced: false, text: String::new() });
    }

    /// Continues the last piece with the first of others, and adds the rest of them.
    pub(super) fn append(&mut self, other: Words) {
        let mut pieces = other.pieces.into_iter();
        if let Some(first) = pieces.next() {
            self.push(&first.text);
        }
        self.pieces.extend(pieces);
    }

    /// All pieces on one line.
    pub(super) fn unbroken(&self) -> String {
        let blank = |piece: &Piece| if piece.spaced { " " } else { "" };
        self.pieces.iter().flat_map(|piece| [blank(piece), piece.text.as_str()]).collect()
    }

    /// The number of characters on one line.
    pub(super) fn columns(&self) -> usize {
        self.pieces.iter().map(|p| p.text.chars().count() + usize::from(p.spaced)).sum()
    }

    /// The number of characters of the longest piece.
    pub(super) fn longest_piece(&self) -> usize {
        self.pieces.iter().map(|p| p.text.chars().count()).max().unwrap_or(0)
    }

    /// Writes the pieces, as many on a line as fit, the first line at the given indentation.
    pub(super) fn write(&self, indentation: usize, out: &mut String) {
        out.push_str(&" ".repeat(indentation));
        let mut column = indentation;
        for (i, piece) in self.pieces.iter().enumerate() {
            let width = piece.text.chars().count() + usize::from(piece.spaced);
            if i > 0 && column + width > MAX_COLUMNS {
                column = indentation + CONTINUATION;
                out.push('\n');
                out.push_str(&" ".repeat(column));
            } else if piece.spaced {
                column += 1;
                out.push(' ');
            }
            column += piece.text.chars().count();
            out.push_str(&piece.text);
        }
    }
}
