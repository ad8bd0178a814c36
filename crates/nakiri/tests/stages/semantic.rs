//! What names mean: in programs that the checker takes, every one means something.

use nakiri::check::{read, Dialect, Loader, NoFiles};
use nakiri::semantic::{words, Model, SymbolKind, Use};
use nakiri::source::{FileId, SourceMap};
use nakiri::syntax::lexer::{Lexer, TokenKind};
use std::path::{Path, PathBuf};

/// Includes beside the including file.
struct Beside;

impl Loader for Beside {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String> {
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let path = path.canonicalize().map_err(|error| error.to_string())?;
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        Ok((path.display().to_string(), text))
    }
}

fn model(text: &str) -> (SourceMap, Model) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ua", text);
    let model = Model::of(&read(&mut sources, file, &mut NoFiles, Dialect::Nakiri));
    (sources, model)
}

/// The names of the sources that mean nothing: none of a type, and no word of the language.
fn unresolved(path: &Path) -> Vec<String> {
    let mut sources = SourceMap::default();
    let text = std::fs::read_to_string(path).expect("text");
    let file = sources.add(path.display().to_string(), &text);
    let model = Model::of(&read(&mut sources, file, &mut Beside, Dialect::Nakiri));
    let mut lexer = Lexer::new(&text, file, Dialect::Nakiri);
    let tokens = std::iter::from_fn(|| Some(lexer.next_token()));
    let tokens = tokens.take_while(|token| token.kind != TokenKind::End);
    let names = tokens.filter(|token| token.kind == TokenKind::Ident);
    let unknown = names.filter(|name| {
        let found = model.at(file, name.span.start).is_some_and(|(_, place)| place == name.span);
        let in_type = model.type_at(file, name.span.start).is_some();
        !found && !in_type && words::contextual(sources.text(name.span)).is_none()
    });
    unknown.map(|name| format!("{}: {}", path.display(), sources.text(name.span))).collect()
}

#[test]
fn every_name_of_a_right_program_means_something() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<PathBuf> = Vec::new();
    for shelf in ["ciphers", "modes"] {
        let folders = std::fs::read_dir(root.join(shelf)).expect("a folder").flatten();
        for folder in folders.filter(|folder| folder.path().is_dir()) {
            let files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
            paths.extend(
                files.map(|file| file.path()).filter(|p| p.extension().is_some_and(|e| e == "ua")),
            );
        }
    }
    assert!(paths.len() > 60, "{} sources", paths.len());
    let unknown: Vec<String> = paths.iter().flat_map(|path| unresolved(path)).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// The kind of what is named at the n-th occurrence of a text, from 0.
fn kind(text: &str, wanted: &str, n: usize) -> Option<SymbolKind> {
    let (_, model) = model(text);
    let (at, _) = text.match_indices(wanted).nth(n).expect("it is there");
    model.at(FileId(0), at as u32).map(|(symbol, _)| model.symbol(symbol).kind)
}

#[test]
fn an_iterator_may_have_the_name_of_a_variable() {
    let text = "node f (i:u8[2]) returns (y:u8[2])\nlet\n  forall i in [0,1] { y[i] = i[i] }\ntel";
    let place = text.rfind("i[i]").expect("it is there") as u32;
    let (_, model) = model(text);
    let at = |offset| model.symbol(model.at(FileId(0), offset).expect("a name").0).kind;
    assert_eq!((at(place), at(place + 2)), (SymbolKind::Input, SymbolKind::Iterator));
}

#[test]
fn each_element_of_an_array_has_variables_of_its_own() {
    let text = "node[] f (x:u8) returns (y:u8) [\n  vars t:u8 let t = x; y = t tel;\n  vars t:u8 let t = ~x; y = t tel\n]";
    let (_, model) = model(text);
    let places = |n: usize| {
        let (at, _) = text.match_indices("t:u8").nth(n).expect("it is there");
        model.occurrences(model.at(FileId(0), at as u32).expect("a name").0).count()
    };
    assert_eq!((places(0), places(1)), (3, 3));
}

#[test]
fn what_is_left_of_a_broken_definition_has_its_names() {
    let text =
        "node f (x:u8) returns (y:u8)\nvars t:u8\nlet\n  t = ~x;\n  y = t ^\n\n# behind it\n";
    let (_, model) = model(text);
    let visible = model.visible(FileId(0), text.len() as u32 - 1);
    let names: Vec<&str> = visible.iter().map(|(_, symbol)| &*symbol.name).collect();
    assert_eq!(names, ["f", "x", "y", "t"]);
    assert_eq!(kind(text, "t = ~x", 0), Some(SymbolKind::Local));
}

#[test]
fn blocks_streams_and_layouts_of_modes_are_names() {
    let text = "perm Order (x:b16) returns (y:b16) { 9,10,11,12,13,14,15,16,1,2,3,4,5,6,7,8 }\n\
                mode Sum (message:bytes, start:u16 @Order) returns (sum:u16)\nvars s:u16\nlet\n  s = start;\n\
                \x20 forall block:u16 @be in pad(message) { s := s + block }\n  sum = s\ntel\n";
    let (_, model) = model(text);
    let count = |wanted: &str| {
        let at = text.find(wanted).expect("it is there") as u32;
        let (symbol, _) = model.at(FileId(0), at).expect("a name");
        (model.symbol(symbol).kind, model.occurrences(symbol).count())
    };
    assert_eq!(count("message"), (SymbolKind::Input, 2));
    assert_eq!(count("block"), (SymbolKind::Block, 2));
    assert_eq!(count("Order"), (SymbolKind::Perm, 2));
    assert_eq!(count("s:u16"), (SymbolKind::Local, 5));
    let (symbol, _) =
        model.at(FileId(0), text.find("s:u16").expect("it is there") as u32).expect("a name");
    let defined = model.occurrences(symbol).filter(|place| place.usage == Use::Defined);
    assert_eq!(defined.count(), 2);
}

#[test]
fn constants_are_names_and_are_not_hidden_by_new_ones() {
    let text = "const r:nat[2] = { 1, forall i in [3,3] { 2*i } }\nconst K:u8 = 0x1b\n\
                node f (x, t:u8) returns (y:u8) let y = (x <<< r[1]) ^ K ^ t tel\n\
                node g (x:u8) returns (y:u8) let y = x tel\n\
                table T (x:v1) returns (y:v1) = inverse(S)\ntable S (x:v1) returns (y:v1) { r[0], 0 }\n";
    let (_, model) = model(text);
    let symbol = |wanted: &str, n: usize| {
        let (at, _) = text.match_indices(wanted).nth(n).expect("it is there");
        model.at(FileId(0), at as u32).expect("a name").0
    };
    let count = |id| (model.symbol(id).kind, model.occurrences(id).count());
    assert_eq!(count(symbol("r:nat", 0)), (SymbolKind::Number, 3));
    assert_eq!(count(symbol("K:u8", 0)), (SymbolKind::Constant, 2));
    assert_eq!(count(symbol("i in", 0)), (SymbolKind::Iterator, 2));
    assert_eq!(count(symbol("S)", 0)), (SymbolKind::Table, 2));
    let clash = |id, name: &str| model.clash(id, name).map(|other| other.kind);
    assert_eq!(clash(symbol("K:u8", 0), "t"), Some(SymbolKind::Input));
    assert_eq!(clash(symbol("t:u8", 0), "K"), Some(SymbolKind::Constant));
    assert_eq!(clash(symbol("t:u8", 0), "T"), None);
    assert_eq!(clash(symbol("x:u8", 0), "K"), None);
    assert_eq!(clash(symbol("K:u8", 0), "r"), Some(SymbolKind::Number));
}

#[test]
fn a_new_name_clashes_with_what_it_would_be_taken_for() {
    let text = "node f (x:u8) returns (y:u8)\nlet\n  y = x\ntel\nnode g (a:u8) returns (b:u8)\nlet\n  b = f(a)\ntel";
    let (_, model) = model(text);
    let symbol = |wanted: &str| {
        model.at(FileId(0), text.find(wanted).expect("it is there") as u32).expect("a name").0
    };
    assert!(model.clash(symbol("x:"), "y").is_some());
    assert!(model.clash(symbol("x:"), "g").is_none());
    assert!(model.clash(symbol("x:"), "a").is_none());
    assert!(model.clash(symbol("f ("), "g").is_some());
    assert!(model.clash(symbol("f ("), "a").is_none());
    assert!(model.clash(symbol("f ("), "h").is_none());
}
