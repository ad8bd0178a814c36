//! The tokens of Verilog.

/// What stands before the name of a file in preprocessed text, where the text of that file begins.
pub const INCLUDED: &str = "`file_push";

/// A word, a string with its quotes, or a sign.
#[derive(Clone, Copy, Debug)]
pub struct Token<'t> {
    /// The token.
    pub text: &'t str,
    /// The file that it stands in.
    pub file: &'t str,
    /// Its line, counted from 1.
    pub line: usize,
}

impl Token<'_> {
    /// Whether it is a name or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '\\')
    }

    /// The name that it is, without the sign that escapes one.
    pub fn name(&self) -> &str {
        self.text.trim_start_matches('\\')
    }

    /// Its line, as Yosys names places.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// The tokens of a source, or of what a preprocessor left of it, with their places in the sources. The preprocessor marks where a
/// file begins and ends in it, and keeps lines. What stands between `translate_off` and `translate_on` is left out.
#[derive(Clone)]
pub struct Tokens<'t> {
    rest: &'t str,
    file: &'t str,
    line: usize,
    /// The files that include this one, with the line that they have reached.
    outer: Vec<(&'t str, usize)>,
    /// Whether this is not for synthesis.
    off: bool,
}

impl<'t> Tokens<'t> {
    /// Those of a preprocessed text.
    pub fn new(text: &'t str) -> Tokens<'t> {
        Tokens { rest: text, file: "", line: 0, outer: Vec::new(), off: false }
    }

    /// Those of a file as it is.
    pub fn of_file(file: &'t str, text: &'t str) -> Tokens<'t> {
        Tokens { file, line: 1, ..Tokens::new(text) }
    }

    /// The text that they are of.
    pub fn rest(&self) -> &'t str {
        self.rest
    }

    /// Goes on behind so many bytes.
    fn skip(&mut self, bytes: usize) -> &'t str {
        let (skipped, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += skipped.matches('\n').count();
        self.rest = rest;
        skipped
    }

    /// Goes on behind a comment.
    fn comment(&mut self, bytes: usize) {
        let comment = self.skip(bytes);
        match Translation::of(comment) {
            Some(Translation::Off) => self.off = true,
            Some(Translation::On) => self.off = false,
            None => {}
        }
    }

    /// Goes on behind a mark, if one is next.
    fn mark(&mut self) -> bool {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        if let Some(path) = line.strip_prefix(INCLUDED) {
            self.outer.push((self.file, self.line));
            (self.file, self.line) = (path.trim().trim_matches('"'), 0);
            self.rest = rest;
            return true;
        }
        if line.starts_with("`file_pop") {
            self.rest = rest.strip_prefix('\n').unwrap_or(rest);
            (self.file, self.line) = self.outer.pop().unwrap_or((self.file, self.line));
            return true;
        }
        if let Some((number, file)) = line.strip_prefix("`line ").and_then(|at| at.split_once('"'))
        {
            let Ok(number) = number.trim().parse::<usize>() else { return false };
            (self.file, self.line) = (file.split('"').next().unwrap_or(file), number);
            self.rest = rest.strip_prefix('\n').unwrap_or(rest);
            return true;
        }
        false
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let first = self.rest.chars().next()?;
            let bytes =
                |found: Option<usize>, more: usize| found.map_or(usize::MAX, |at| at + more);
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            let length = match first {
                '`' if self.mark() => continue,
                '/' if self.rest.starts_with("//") => {
                    self.comment(bytes(self.rest.find('\n'), 0));
                    continue;
                }
                '/' if self.rest.starts_with("/*") => {
                    self.comment(bytes(self.rest.find("*/"), 2));
                    continue;
                }
                c if self.off || c.is_whitespace() => {
                    self.skip(c.len_utf8());
                    continue;
                }
                '"' => string(self.rest),
                '\\' => bytes(self.rest.find(char::is_whitespace), 0),
                // The rest of a number: `'h3f` of `8'h3f`.
                '\'' => bytes(self.rest[1..].find(|c| !word(c)), 1),
                c if word(c) => bytes(self.rest.find(|c| !word(c)), 0),
                c => c.len_utf8(),
            };
            let (file, line) = (self.file, self.line);
            return Some(Token { text: self.skip(length), file, line });
        }
    }
}

/// What a comment says of what follows it.
enum Translation {
    /// It is not for synthesis.
    Off,
    /// It is again.
    On,
}

impl Translation {
    fn of(comment: &str) -> Option<Translation> {
        let text = comment.trim_start_matches(['/', '*']).trim_end_matches(['/', '*']);
        let mut words = text.split_whitespace();
        let tool = words.next()?;
        let said = (words.next()?, words.next());
        match said {
            _ if !["synopsys", "synthesis", "pragma"].contains(&tool) => None,
            ("translate_off", None) => Some(Translation::Off),
            ("translate_on", None) => Some(Translation::On),
            _ => None,
        }
    }
}

/// The text with the form of `translate_off` and `translate_on` that Yosys knows, where it has the one that Yosys doesn't
/// (`// pragma translate_off`). `None` if it has none of that.
pub fn with_known_regions(text: &str) -> Option<String> {
    const UNKNOWN: &str = "pragma";
    let mut known = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(UNKNOWN) {
        let (before, after) = rest.split_at(at);
        let after = &after[UNKNOWN.len()..];
        let is_region = before.trim_end_matches([' ', '\t']).ends_with(['/', '*'])
            && after.trim_start_matches([' ', '\t']).starts_with("translate_o");
        known += before;
        known += if is_region { "synthesis" } else { UNKNOWN };
        rest = after;
    }
    known += rest;
    (known != text).then_some(known)
}

/// The tokens that are in brackets of any kind which the first of these opens, without the brackets.
pub fn bracketed<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { &[] } else { &tokens[1..at] };
        }
    }
    &[]
}

/// The parts of a list between signs that are in no brackets.
pub fn split<'a, 't>(tokens: &'a [Token<'t>], sign: &str) -> Vec<&'a [Token<'t>]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            text if text == sign && depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// The length of the string that a text begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::{with_known_regions, Tokens};

    #[test]
    fn regions_for_simulation_are_left_out() {
        let text = "a // synopsys translate_off\nb \"\n/* synthesis translate_on */ c // pragma translate_off\n d\n//pragma translate_on\ne // pragma translate_off it is not\nf";
        let found: Vec<(&str, usize)> =
            Tokens::of_file("x.v", text).map(|token| (token.text, token.line)).collect();
        assert_eq!(found, [("a", 1), ("c", 3), ("e", 6), ("f", 7)]);
        let known = with_known_regions("// pragma  translate_off\npragma /*pragma translate_on*/");
        let expected = "// synthesis  translate_off\npragma /*synthesis translate_on*/";
        assert_eq!(known.as_deref(), Some(expected));
        assert_eq!(with_known_regions("// pragma parallel"), None);
    }

    #[test]
    fn lines_that_are_named_are_known() {
        let text = "`file_push \"copy.v\"\n`line 1 \"own.v\" 0\nmodule\nm\n`file_pop\n";
        let places: Vec<(&str, usize)> =
            Tokens::new(text).map(|token| (token.file, token.line)).collect();
        assert_eq!(places, [("own.v", 1), ("own.v", 2)]);
    }

    #[test]
    fn tokens_have_their_places() {
        let text = "`file_push \"a.v\"\nmodule m;\n`file_push \"b.vh\"\n\nwire \"x\ny\";\n`file_pop\n\nendmodule\n";
        let places: Vec<(&str, &str, usize)> =
            Tokens::new(text).map(|token| (token.text, token.file, token.line)).collect();
        let (a, b) = ("a.v", "b.vh");
        assert_eq!(
            places,
            [
                ("module", a, 1),
                ("m", a, 1),
                (";", a, 1),
                ("wire", b, 2),
                ("\"x\ny\"", b, 2),
                (";", b, 3),
                ("endmodule", a, 3)
            ]
        );
    }
}
