//! A line of output before it is known where it has to be broken.

/// Longest line, in characters.
pub(super) const MAX_COLUMNS: usize = 100;
/// How much further a continuation is indented than the line that it continues.
const CONTINUATION: usize = 4;
/// The same for the elements of a tuple that begin on a new line.
const ELEMENTS: usize = 2;

/// Pieces of text with places between them where a line may be broken.
#[derive(Default)]
pub(super) struct Words {
    pieces: Vec<Piece>,
}

struct Piece {
    start: Start,
    text: String,
}

/// What is between a piece and the one before.
#[derive(Clone, Copy)]
enum Start {
    /// Nothing, or a line break.
    Cut,
    /// A blank, or a line break.
    Space,
    /// The same between the elements of a list: lines are rather broken here than inside of an element.
    Element,
    /// A line break between the elements of a tuple, as in the source.
    Row,
    /// Nothing: a list begins.
    Open(List),
    /// Nothing: the list has ended.
    Close,
}

/// How the elements of a list are laid out that don't stand on one line.
#[derive(Clone, Copy)]
pub(super) enum List {
    /// As a continuation of the line.
    Arguments,
    /// Below each other. They begin on a new line if they do so in the source, or else their lines would be too long.
    Tuple {
        /// Whether they do so in the source.
        on_new_line: bool,
    },
}

impl Piece {
    /// The blank before it, if no line is broken there.
    fn blank(&self) -> usize {
        usize::from(matches!(self.start, Start::Space | Start::Element | Start::Row))
    }

    /// The number of characters with the blank before it.
    fn columns(&self) -> usize {
        self.blank() + self.text.chars().count()
    }
}

/// Where the lines of a list that is being written begin.
#[derive(Clone, Copy)]
struct Level {
    margin: usize,
    list: Lines,
}

/// How the lines of a list are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// Further lines are continuations of the first.
    Continued,
    /// Each begins with an element, below the first one.
    Aligned,
    /// The same, and what closes the list stands on a line of its own, as the first element does.
    Apart,
}

impl Words {
    /// One unbreakable piece.
    pub(super) fn one(text: impl Into<String>) -> Words {
        Words { pieces: vec![Piece { start: Start::Cut, text: text.into() }] }
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
        self.begin(Start::Space);
    }

    /// Nothing, or a line break.
    pub(super) fn cut(&mut self) {
        self.begin(Start::Cut);
    }

    /// Between two elements of a list, with a line break if there is one in the source.
    pub(super) fn next_element(&mut self, on_new_line: bool) {
        self.begin(if on_new_line { Start::Row } else { Start::Element });
    }

    /// Before the first element of a list.
    pub(super) fn open(&mut self, list: List) {
        self.begin(Start::Open(list));
    }

    /// After the last element of a list.
    pub(super) fn close(&mut self) {
        self.begin(Start::Close);
    }

    fn begin(&mut self, start: Start) {
        self.pieces.push(Piece { start, text: String::new() });
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
        let text = |piece: &Piece| " ".repeat(piece.blank()) + &piece.text;
        self.pieces.iter().map(text).collect()
    }

    /// The number of characters on one line.
    pub(super) fn columns(&self) -> usize {
        self.pieces.iter().map(Piece::columns).sum()
    }

    /// The number of characters of the longest piece.
    pub(super) fn longest_piece(&self) -> usize {
        self.pieces.iter().map(|p| p.text.chars().count()).max().unwrap_or(0)
    }

    /// Writes the pieces, as many on a line as fit, the first line at the given indentation.
    pub(super) fn write(&self, indentation: usize, out: &mut String) {
        let mut column = 0;
        let mut levels = vec![Level { margin: indentation, list: Lines::Continued }];
        for (i, piece) in self.pieces.iter().enumerate() {
            let blanks = match self.line_break(i, column, &mut levels) {
                _ if i == 0 => indentation,
                None => piece.blank(),
                Some(margin) => {
                    out.push('\n');
                    column = 0;
                    margin
                }
            };
            out.push_str(&" ".repeat(blanks));
            out.push_str(&piece.text);
            column += blanks + piece.text.chars().count();
        }
    }

    /// Where the line begins that piece `i` has to begin, if it doesn't continue one that has so many columns.
    fn line_break(&self, i: usize, column: usize, levels: &mut Vec<Level>) -> Option<usize> {
        let fits = |width: usize| column + self.pieces[i].blank() + width <= MAX_COLUMNS;
        let Level { margin, list } = *levels.last()?;
        let continuation = margin + CONTINUATION;
        match self.pieces[i].start {
            Start::Cut | Start::Space => (!fits(self.chunk(i, levels))).then_some(continuation),
            Start::Row => Some(margin),
            Start::Element => {
                let place = if list == Lines::Continued { continuation } else { margin };
                let element = self.element(i, list);
                let helps = place + element <= MAX_COLUMNS;
                let breaks = !fits(self.chunk(i, levels)) || !fits(element) && helps;
                breaks.then_some(place)
            }
            Start::Open(List::Arguments) => {
                levels.push(Level { margin, list: Lines::Continued });
                None
            }
            Start::Open(List::Tuple { on_new_line }) => {
                let below = margin + ELEMENTS;
                let breaks = on_new_line
                    || !fits(self.longest_row(i, Lines::Aligned))
                        && below + self.longest_row(i, Lines::Apart) <= MAX_COLUMNS;
                let (margin, list) =
                    if breaks { (below, Lines::Apart) } else { (column, Lines::Aligned) };
                levels.push(Level { margin, list });
                breaks.then_some(margin)
            }
            Start::Close => {
                levels.pop();
                let outer = levels.last()?.margin;
                (list == Lines::Apart).then_some(outer)
            }
        }
    }

    /// The columns of what can't be parted from piece `i`, which stands in the last of some lists.
    fn chunk(&self, i: usize, levels: &[Level]) -> usize {
        let mut columns = self.pieces[i].text.chars().count();
        let mut depth = levels.len();
        for piece in &self.pieces[i + 1..] {
            match piece.start {
                Start::Open(_) => depth += 1,
                Start::Close => {
                    depth -= 1;
                    if levels.get(depth).is_some_and(|level| level.list == Lines::Apart) {
                        break;
                    }
                }
                _ => break,
            }
            columns += piece.columns();
        }
        columns
    }

    /// The columns of the element of a list that begins with piece `i`, up to the first line break that the source has in it.
    fn element(&self, i: usize, list: Lines) -> usize {
        let mut columns = self.pieces[i].text.chars().count();
        let mut depth = 0;
        for piece in &self.pieces[i + 1..] {
            match piece.start {
                Start::Open(_) => depth += 1,
                Start::Close if depth == 0 => return columns + closing(piece, list),
                Start::Close => depth -= 1,
                Start::Element if depth == 0 => break,
                Start::Row => break,
                _ => {}
            }
            columns += piece.columns();
        }
        columns
    }

    /// The columns of the longest line of the tuple that piece `i` opens, if it is laid out so.
    fn longest_row(&self, i: usize, list: Lines) -> usize {
        let (mut longest, mut row, mut depth) = (0, self.pieces[i].text.chars().count(), 0);
        for piece in &self.pieces[i + 1..] {
            match piece.start {
                Start::Open(_) => depth += 1,
                Start::Close if depth == 0 => return longest.max(row + closing(piece, list)),
                Start::Close => depth -= 1,
                Start::Row if depth == 0 => {
                    longest = longest.max(row);
                    row = 0;
                }
                _ => {}
            }
            row += piece.columns();
        }
        longest.max(row)
    }
}

/// The columns of what closes a list on the line of its last element.
fn closing(piece: &Piece, list: Lines) -> usize {
    if list == Lines::Apart {
        0
    } else {
        piece.columns()
    }
}
