//! The parser and the formatter on well-formed programs, and on damaged ones.

use nakiri::diagnostic::has_errors;
use nakiri::source::{FileId, SourceMap};
use nakiri::syntax::ast::{Eqn, Item};
use nakiri::syntax::codes::CODES;
use nakiri::syntax::lexer::{Lexer, TokenKind};
use nakiri::syntax::{parser::parse, printer::format, Dialect};

/// Well-formed programs, all constructs of the grammar among them.
const PROGRAMS: [&str; 4] = [
    include_str!("syntax/rectangle.ua"),
    include_str!("syntax/everything.ua"),
    include_str!("syntax/comments.ua"),
    include_str!("syntax/old.ua"),
];

fn source(text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ua", text);
    (sources, file)
}

/// The codes of all messages about a text, in order.
fn codes(text: &str) -> Vec<&'static str> {
    let (sources, file) = source(text);
    parse(&sources, file, Dialect::Nakiri).diagnostics.iter().map(|d| d.code).collect()
}

fn node(equations: &str) -> String {
    format!("node f (x:u16) returns (y:u16) let {equations} tel")
}

/// A tree in debugging form without its spans.
fn without_spans(tree: &impl std::fmt::Debug) -> String {
    let tree = format!("{tree:?}");
    let mut parts = tree.split("Span {");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + part.split_once(" }").map_or("", |(_, rest)| rest))
}

/// The tree without its spans, and the comments.
fn shape(text: &str) -> (String, Vec<String>) {
    let (sources, file) = source(text);
    let mut parsed = parse(&sources, file, Dialect::Nakiri);
    if has_errors(&parsed.diagnostics) {
        parsed = parse(&sources, file, Dialect::Usubac);
    }
    let messages: Vec<_> = parsed.diagnostics.iter().map(|d| d.render(&sources, false)).collect();
    assert!(!has_errors(&parsed.diagnostics), "{}", messages.join("\n"));
    let comments = parsed.file.comments.iter();
    let comments = comments.map(|c| sources.text(*c).trim_end().replace("\r\n", "\n")).collect();
    (without_spans(&parsed.file.items), comments)
}

fn formatted(text: &str) -> String {
    let (sources, file) = source(text);
    format(&sources, file).expect("the program is well-formed")
}

#[test]
fn formatting_keeps_meaning_and_comments_and_is_idempotent() {
    for text in PROGRAMS {
        let once = formatted(text);
        assert_eq!(shape(text), shape(&once), "{once}");
        assert_eq!(once, formatted(&once));
        assert_eq!(once, formatted(&text.replace('\n', "\r\n")));
        assert_eq!(once, formatted(&format!("\u{feff}{text}")));
        assert!(once.lines().all(|line| line.chars().count() <= 100), "{once}");
        assert!(once.lines().all(|line| line == line.trim_end()), "{once}");
    }
}

/// A comment may stand between any two tokens.
#[test]
fn a_comment_anywhere_survives_formatting() {
    for text in PROGRAMS {
        let (_, file) = source(text);
        let mut lexer = Lexer::new(text, file, Dialect::Usubac);
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            let (before, after) = text.split_at(token.span.end as usize);
            let commented = format!("{before} // here\n{after}");
            let once = formatted(&commented);
            assert_eq!(shape(&commented), shape(&once), "{commented}");
            assert_eq!(once, formatted(&once), "{commented}");
        }
    }
}

#[test]
fn the_canonical_style() {
    let text = "# head\nnode  f(x :u 16 x 4)returns(y:u16[4]) vars t:u16x4 let t=x{0x0A,1} ;\n\n\n
  # sum
  (y[0 .. 3])=(t^x<<<1+2)+3 : u16; # done
  forall i in[0,3]{y[i]^:=~x[ i ]} tel";
    let expected = "\
# head
node f (x:u16x4) returns (y:u16[4])
vars t:u16x4
let
  t = x{0x0A,1};

  # sum
  (y[0..3]) = (t ^ x <<< 1+2) + 3:u16;  # done
  forall i in [0,3] {
    y[i] ^= ~x[i];
  }
tel
";
    assert_eq!(formatted(text), expected);
}

/// An expression, and the same with the parentheses that precedence puts around its parts.
#[test]
fn precedence() {
    let cases = [
        ("a ^ b ^ c", "(a ^ b) ^ c"),
        ("a + b & c", "a + (b & c)"),
        ("a * b ^ c * d", "(a * (b ^ c)) * d"),
        ("a - b + c * d", "(a - b) + (c * d)"),
        ("a + b << 3", "(a + b) << 3"),
        ("~a & b", "(~a) & b"),
        ("a <<< i + 1", "a <<< (i + 1)"),
        ("a <<< 1 - 2 - 3 * 4", "a <<< ((1 - 2) - (3 * 4))"),
        ("a << 1 >> 2", "(a << 1) >> 2"),
        ("a >>! 7 / 2 % 3", "a >>! ((7 / 2) % 3)"),
    ];
    for (implicit, explicit) in cases {
        let tree = |text: &str| {
            let (sources, file) = source(&node(&format!("y = {text}")));
            // This dialect takes all without parentheses.
            let parsed = parse(&sources, file, Dialect::Usubac);
            assert!(!has_errors(&parsed.diagnostics), "{:?}", parsed.diagnostics);
            let Item::Def(def) = &parsed.file.items[0] else { panic!("no definition") };
            without_spans(&def.kind)
        };
        // Parentheses are one-element tuples and `Paren`s in the tree; here they make no difference.
        let bare = tree(implicit);
        let mut grouped = tree(explicit);
        for (open, close) in
            [("Exp { kind: Tuple([", "]), span:  }"), ("AExp { kind: Paren(", "), span:  }")]
        {
            while let Some(start) = grouped.rfind(open) {
                let inner_start = start + open.len();
                let end = matching(&grouped[inner_start..], close) + inner_start;
                let inner = grouped[inner_start..end].to_string();
                grouped.replace_range(start..end + close.len(), &inner);
            }
        }
        assert_eq!(bare, grouped, "{implicit}");
    }
}

/// Where the brackets of a debugging form are balanced for the first time and `close` follows.
fn matching(text: &str, close: &str) -> usize {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        if depth == 0 && text[i..].starts_with(close) {
            return i;
        }
        depth += match c {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
    }
    panic!("unbalanced: {text}");
}

/// Every pair of binary operators, with what stands for what without parentheses, or that it must have them.
#[test]
fn operators_of_different_levels_need_parentheses() {
    let bitwise = |op: &str| "&|^".contains(op);
    for first in ["&", "|", "^", "+", "-", "*"] {
        for second in ["&", "|", "^", "+", "-", "*"] {
            let needs = first != second && (bitwise(first) || bitwise(second));
            let expected: &[&str] = if needs { &["E0020"] } else { &[] };
            let text = node(&format!("y = a {first} b {second} c"));
            assert_eq!(codes(&text), expected, "{text}");
            for text in [
                format!("y = (a {first} b) {second} c"),
                format!("y = a {first} (b {second} c)"),
                format!("y = a {first} f(b {second} c)"),
                format!("y = f(a {first} b, b {second} c)"),
                format!("y = a {first} ~b {first} (b {second} c) {first} (c {second} a)"),
            ] {
                assert_eq!(codes(&node(&text)), [""; 0], "{text}");
            }
        }
    }
}

/// Both readings that the message offers are accepted, and mean what they should.
#[test]
fn the_readings_of_mixed_operators_are_well_formed() {
    for (text, readings) in [
        ("a + b ^ c", ["a + (b ^ c)", "(a + b) ^ c"]),
        ("a & b + c", ["(a & b) + c", "a & (b + c)"]),
        ("a ^ b + c * d ^ e", ["(a ^ b) + c * (d ^ e)", "a ^ (b + c * d) ^ e"]),
        ("a + b - c | d | e", ["a + b - (c | d | e)", "(a + b - c) | d | e"]),
    ] {
        let (sources, file) = source(&node(&format!("y = {text}")));
        let diagnostics = parse(&sources, file, Dialect::Nakiri).diagnostics;
        let help = diagnostics[0].help.clone().expect("a way out");
        let [ours, theirs] = readings;
        assert!(help.ends_with(&format!("write `{ours}` or `{theirs}`")), "{help}");
        for reading in readings {
            assert_eq!(codes(&node(&format!("y = {reading}"))), [""; 0], "{reading}");
        }
    }
}

#[test]
fn arrays_get_their_brackets_before_the_name() {
    let body = |kind: &str| if kind == "node" { "let y = x tel" } else { "{ 1, 2 }" };
    for kind in ["node", "table", "perm"] {
        let text =
            |head: &str| format!("{head} (x:u16x2) returns (y:u16x2) [ {0} ; {0} ]", body(kind));
        let (new, old) = (text(&format!("{kind}[] F")), text(&format!("{kind} F [ ]")));
        assert_eq!(codes(&new), [""; 0]);
        assert_eq!(codes(&old), ["E0034"]);
        assert_eq!(shape(&new), shape(&old));
        assert_eq!(formatted(&new), formatted(&old));
        assert_eq!(codes(&formatted(&old)), [""; 0]);
    }
}

#[test]
fn line_breaks_between_elements_of_tuples_are_the_authors() {
    let matrix = "\
node P (y:u8x8) returns (z:u8x4)
let
  z = (y[0] ^ y[2] ^ y[3] ^ y[5] ^ y[6] ^ y[7],
       y[0] ^ y[1] ^ y[3] ^ y[4] ^ y[6] ^ y[7],
       y[0] ^ y[1], y[5] ^ (y[6],
                            y[7]));
  (z[0], z[1],
   z[2]) = F(y[0], (
    y[1],
    y[2]
  ));
tel
";
    assert_eq!(formatted(matrix), matrix);
    // Rows that are too long beside what is before them begin on a line of their own.
    let row = |first: usize| -> String {
        let numbers: Vec<String> = (first..first + 8).map(|n| format!("0x{n:08x}")).collect();
        numbers.join(", ")
    };
    let rows = [row(0), row(8), row(16)];
    let equation = |before: &str, between: &str, after: &str| {
        let rows = rows.join(&format!(",{between}"));
        format!("node P (y:u8) returns (z:u8)\nlet\n  z = ({before}{rows}{after});\ntel\n")
    };
    let apart = equation("\n    ", "\n    ", "\n  ");
    assert_eq!(formatted(&equation("", "\n", "")), apart);
    // Without any, lines are broken between elements before they are broken within one.
    let long: Vec<String> = (0..9).map(|n| format!("xxxxxxxxx[{n}] <<< {n}")).collect();
    let text = formatted(&node(&format!("y = ({})", long.join(", "))));
    for line in text.lines().skip(2).take(2) {
        let elements = line.trim().trim_start_matches("y = (").trim_end_matches([',', ';', ')']);
        assert!(elements.split(", ").all(|e| e.contains("<<<")), "{text}");
    }
}

#[test]
fn words_of_types_are_ordinary_names_elsewhere() {
    let text =
        "node u16 (x:u1, u1:u1, B:u1, H:u1, v':u1) returns (y:u1) let y = u16(x, u1, B, H, v') tel";
    assert_eq!(codes(text), [""; 0]);
}

#[test]
fn one_error_an_equation_and_the_rest_is_read() {
    let text = node("a = ; b = x $ % 3; c = (x; d = ~x; e = x[; y = x");
    let (sources, file) = source(&text);
    let parsed = parse(&sources, file, Dialect::Nakiri);
    let found: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(found, ["E0010", "E0001", "E0015", "E0010"]);
    let Item::Def(def) = &parsed.file.items[0] else { panic!("no definition") };
    let nakiri::syntax::ast::DefKind::Node(bodies) = &def.kind else { panic!("no node") };
    let defined = bodies[0].eqns.iter().filter(|e| matches!(e, Eqn::Define { .. })).count();
    assert_eq!(defined, 6);
}

#[test]
fn every_reported_code_is_explained() {
    let mut known: Vec<_> = CODES.iter().map(|(code, _)| *code).collect();
    assert!(known.is_sorted());
    known.dedup();
    assert_eq!(known.len(), CODES.len());
    let parser_sources = [
        include_str!("../../src/syntax/lexer.rs"),
        include_str!("../../src/syntax/parser/mod.rs"),
        include_str!("../../src/syntax/parser/definition.rs"),
        include_str!("../../src/syntax/parser/equation.rs"),
        include_str!("../../src/syntax/parser/expression.rs"),
        include_str!("../../src/syntax/parser/field.rs"),
        include_str!("../../src/syntax/parser/foreign.rs"),
        include_str!("../../src/syntax/parser/number.rs"),
        include_str!("../../src/syntax/parser/statics.rs"),
        include_str!("../../src/syntax/parser/types.rs"),
    ];
    let mut reported: Vec<&str> = parser_sources
        .iter()
        .flat_map(|text| text.match_indices("\"E00").map(|(i, _)| &text[i + 1..i + 6]))
        .collect();
    reported.sort();
    reported.dedup();
    assert_eq!(reported, known);
}

/// Huge and hostile inputs end quickly with one located error.
#[test]
fn hostile_inputs() {
    let size = 10_000_000;
    let repeated = |text: &str| text.repeat(size / text.len());
    let cases = [
        (repeated("("), vec!["E0017"]),
        (node(&format!("y = {}", repeated("("))), vec!["E0027"]),
        (node(&format!("y = {}", repeated("~"))), vec!["E0027"]),
        (node(&format!("y = x[{}", repeated("("))), vec!["E0027"]),
        (node(&format!("y = {}", repeated("f<1>("))), vec!["E0027"]),
        (node(&repeated("forall i in [0,1] {")), vec!["E0027"]),
        (node(&format!("y = x{}", repeated(" ^ x"))), vec!["E0028"]),
        (node(&format!("y = x{}", repeated(" << 1"))), vec!["E0028"]),
        (node(&format!("y = x[1{}]", repeated("+1"))), vec!["E0028"]),
        (node(&format!("y = {}", repeated("1"))), vec!["E0005"]),
        (format!("include \"{}", repeated("a")), vec!["E0003"]),
        (repeated("_inline "), vec!["E0010"]),
        (repeated("\n# c"), vec!["E0016"]),
        (repeated("é"), vec!["E0001"]),
    ];
    for (text, expected) in cases {
        assert_eq!(codes(&text), expected, "{}…", text.chars().take(60).collect::<String>());
    }
    assert_eq!(codes(&node(&repeated("y = ;"))).len(), 51);
    let (sources, file) = source(&node(&format!("y = {}", repeated("("))));
    let rendered = parse(&sources, file, Dialect::Nakiri).diagnostics[0].render(&sources, false);
    assert!(rendered.len() < 1000, "{} bytes", rendered.len());
}

/// The deepest tree that the limits allow is parsed, formatted and dropped on a small stack.
#[test]
fn the_deepest_tree() {
    let deep = format!("{}x{}", "(".repeat(255), " + x)".repeat(255));
    let text = node(&format!("y = {deep}{}", " ^ x".repeat(745)));
    assert_eq!(codes(&text), [""; 0]);
    let once = formatted(&text);
    assert_eq!(once, formatted(&once));
}

/// The linear congruential generator of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}

/// Pieces of text that are awkward in many places.
const PIECES: [&str; 24] = [
    "(", ")", "[", "]", "{", "}", ";", ",", "'", "\"", "#", "//", "\n", "\r", "\0", "é", "⊕", "0x",
    "u'x4", "x", "tel", "let", "forall", "<",
];

/// Parses and formats; places must lie in the file and format errors must be the parser's.
fn survives(text: &str) {
    let (sources, file) = source(text);
    for dialect in [Dialect::Nakiri, Dialect::Usubac] {
        for diagnostic in parse(&sources, file, dialect).diagnostics {
            for (span, _) in &diagnostic.labels {
                assert!(text.get(span.range()).is_some(), "{diagnostic:?} in {text}");
            }
        }
    }
    if let Ok(once) = format(&sources, file) {
        assert_eq!(formatted(&once), once, "{text}");
        assert_eq!(shape(&once), shape(text), "{text}");
    }
}

#[test]
fn damaged_programs_never_panic() {
    let mut random = Random(1);
    for text in PROGRAMS {
        let (_, file) = source(text);
        let mut lexer = Lexer::new(text, file, Dialect::Usubac);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            tokens.push(&text[token.span.range()]);
        }
        for i in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
            survives(&text[..i]);
        }
        for _ in 0..500 {
            let mut damaged = text.to_string();
            for _ in 0..=random.below(3) {
                let mut at = random.below(damaged.len());
                while !damaged.is_char_boundary(at) {
                    at -= 1;
                }
                damaged.insert_str(at, PIECES[random.below(PIECES.len())]);
            }
            survives(&damaged);
        }
        for _ in 0..1000 {
            let mut damaged = tokens.clone();
            for _ in 0..=random.below(3) {
                let (at, other) = (random.below(damaged.len()), random.below(tokens.len()));
                match random.below(3) {
                    0 => damaged[at] = tokens[other],
                    1 => damaged.insert(at, tokens[other]),
                    _ => drop(damaged.remove(at)),
                }
            }
            survives(&damaged.join(if random.below(2) == 0 { " " } else { "\n" }));
        }
    }
}
