//! A client of `nakiri lsp`: every request on a good file, a broken one and an empty one, over standard input and output.

use super::Folder;
use serde_json::{json, Value};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server that is asked.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Notifications that nobody has looked at.
    told: VecDeque<Value>,
    /// Answers that were not waited for.
    answers: Vec<Value>,
    number: i64,
}

impl Client {
    fn start(folder: &Folder) -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_nakiri"))
            .arg("lsp")
            .env("NAKIRI_CIRCUITS", "off")
            .current_dir(&folder.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("a pipe");
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        let (told, answers) = (VecDeque::new(), Vec::new());
        let mut client = Client { server, input, output, told, answers, number: 0 };
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-16"] },
            "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
        });
        let folders = json!([{ "uri": uri(&folder.0), "name": "test" }]);
        let client_is = json!({ "capabilities": capabilities, "workspaceFolders": folders, "processId": null, "rootUri": null });
        let server_is = client.ask("initialize", client_is);
        assert_eq!(server_is["capabilities"]["positionEncoding"], "utf-16");
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.input.flush().expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, and gives its number.
    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Reads one message.
    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("text"), 0, "the server is gone");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).expect("a whole message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// The whole answer to a request, maybe an error.
    fn answer(&mut self, id: i64) -> Value {
        if let Some(place) = self.answers.iter().position(|answer| answer["id"] == id) {
            return self.answers.remove(place);
        }
        loop {
            let message = self.read();
            match message.get("id") {
                Some(own) if own == id => return message,
                Some(_) => self.answers.push(message),
                None => self.told.push_back(message),
            }
        }
    }

    /// What is answered to a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// What is wrong with a text of a document.
    fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            let message = self.told.pop_front().unwrap_or_else(|| self.read());
            let params = &message["params"];
            if message.get("id").is_some() {
                self.answers.push(message);
            } else if params["uri"] == uri && params["version"] == version {
                assert_eq!(message["method"], "textDocument/publishDiagnostics");
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "usuba", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, version: i64, changes: &Value) {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.tell("textDocument/didChange", params);
    }

    /// Asks about a place of a document.
    fn at(&mut self, method: &str, uri: &str, (line, character): (u32, u32)) -> Value {
        let position = json!({ "line": line, "character": character });
        self.ask(
            method,
            json!({
                "textDocument": { "uri": uri }, "position": position, "newName": "other",
                "context": { "includeDeclaration": true, "triggerKind": 1 },
            }),
        )
    }

    /// Asks about a whole document.
    fn about(&mut self, method: &str, uri: &str) -> Value {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
        self.ask(
            method,
            json!({
                "textDocument": { "uri": uri }, "range": range,
                "options": { "tabSize": 2, "insertSpaces": true },
            }),
        )
    }

    /// Ends the server as clients do.
    fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        let status = self.server.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

/// The address of a path without letters that would be escaped.
fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The place of the n-th occurrence of a text, from 0.
fn place(text: &str, wanted: &str, n: usize) -> (u32, u32) {
    let (at, _) = text.match_indices(wanted).nth(n).expect("it is there");
    let before = &text[..at];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    (line as u32, column as u32)
}

const GOOD: &str = "\
include \"lib.ua\"
# Bits ⊕ bits.
table S (x:v4) returns (y:v4) {
  6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2
}
node Round (block:u16x4, key:const u16x4) returns (out:u16x4)
vars mixed:u16x4, unused:u16
let
  mixed = Twice(S(block ^ key));
  forall i in [0,3] {
    out[i] = mixed[i] <<< 1;
  }
tel
";
const LIBRARY: &str = "node Twice (x:v4) returns (y:v4)\nlet\n  y = ~(~x)\ntel\n";
const BROKEN: &str = "\
node First (x:u16) returns (y:u16)
let
  y = (x <<< 3
tel
node Second (x:u16) returns (y:u16)
let
  y = x x;
tel
node Third (x:u16) returns (y:u16)
let
  y = x ^ z
tel
";

/// The requests about a place, and those about a document.
const AT: [&str; 7] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/completion",
    "textDocument/rename",
];
const ABOUT: [&str; 5] = [
    "textDocument/documentSymbol",
    "textDocument/formatting",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
];

fn good(name: &str) -> (Folder, Client, String) {
    let folder = Folder::new(name);
    folder.write("lib.ua", LIBRARY);
    let path = folder.write("good.ua", GOOD);
    let mut client = Client::start(&folder);
    let uri = uri(Path::new(&path));
    client.open(&uri, GOOD);
    (folder, client, uri)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[test]
fn hover_tells_types_classes_slicings_and_circuits() {
    let (_folder, mut client, uri) = good("lsp-hover");
    let mut hover = |wanted: &str, n: usize| {
        let found = client.at("textDocument/hover", &uri, place(GOOD, wanted, n));
        text(&found["contents"]["value"]).to_string()
    };
    let node = hover("Round", 0);
    for part in ["node Round (block:u16x4", "Round : (Logic 16, Shift 16) ⇒", "at once"] {
        assert!(node.contains(part), "no {part}: {node}");
    }
    assert!(hover("S(block", 0).contains("`S` bitsliced: 11 gates"), "{}", hover("S(block", 0));
    assert!(hover("Twice", 0).contains("Twice : Logic 'm ⇒ u<'D>'m x4 → u<'D>'m x4"));
    assert!(
        hover("key", 1).contains("key : const u16x4")
            && hover("key", 1).contains("input of `Round`")
    );
    assert!(hover("mixed[i]", 0).contains("local variable of `Round`"));
    assert!(hover("<<<", 0).contains("rotates to the left"));
    assert!(hover("forall", 0).contains("repeats equations"));
    assert!(hover("v4)", 0).contains("4 atoms of the node's word size"));
    client.stop();
}

#[test]
fn names_are_found_in_all_files() {
    let (folder, mut client, uri) = good("lsp-names");
    let other = folder.write(
        "other.ua",
        "include \"lib.ua\"\nnode Other (a:u8x4) returns (b:u8x4)\nlet\n  b = Twice(a)\ntel\n",
    );
    let library = self::uri(&folder.0.join("lib.ua"));
    let other = self::uri(Path::new(&other));

    let call = place(GOOD, "Twice", 0);
    let definition = client.at("textDocument/definition", &uri, call);
    assert_eq!(
        (&definition["uri"], &definition["range"]["start"]),
        (&json!(library), &json!({ "line": 0, "character": 5 }))
    );
    let include = client.at("textDocument/definition", &uri, (0, 3));
    assert_eq!(include["uri"], json!(library));

    let references = client.at("textDocument/references", &uri, call);
    let files: Vec<&str> =
        references.as_array().expect("a list").iter().map(|r| text(&r["uri"])).collect();
    assert_eq!(files, [uri.as_str(), &library, &other]);
    let edits = client.at("textDocument/rename", &uri, call);
    let changed: Vec<&String> = edits["changes"].as_object().expect("files").keys().collect();
    assert_eq!(changed, [&uri, &library, &other]);

    let local = client.at("textDocument/references", &uri, place(GOOD, "mixed", 1));
    assert_eq!(local.as_array().map(Vec::len), Some(3));
    let highlights = client.at("textDocument/documentHighlight", &uri, place(GOOD, "mixed", 1));
    assert_eq!(highlights.as_array().map(Vec::len), Some(3));
    let (line, character) = place(GOOD, "mixed", 0);
    for (name, why) in
        [("out", "is taken by the output"), ("node", "is no name"), ("1x", "is no name")]
    {
        let position = json!({ "line": line, "character": character });
        let params =
            json!({ "textDocument": { "uri": uri }, "position": position, "newName": name });
        let id = client.request("textDocument/rename", params);
        let answer = client.answer(id);
        assert!(text(&answer["error"]["message"]).contains(why), "{answer}");
    }
    client.stop();
}

#[test]
fn what_can_be_written_depends_on_the_place() {
    let (_folder, mut client, uri) = good("lsp-completion");
    let mut labels = |line: u32, character: u32| -> Vec<String> {
        let items = client.at("textDocument/completion", &uri, (line, character));
        items.as_array().into_iter().flatten().map(|i| text(&i["label"]).to_string()).collect()
    };
    let has =
        |labels: &[String], wanted: &[&str]| wanted.iter().all(|w| labels.iter().any(|l| l == w));
    let (line, character) = place(GOOD, "mixed[i]", 0);
    let inside = labels(line, character);
    assert!(
        has(&inside, &["mixed", "block", "key", "out", "i", "Twice", "S", "forall", "Shuffle"]),
        "{inside:?}"
    );
    assert!(!has(&inside, &["x"]), "{inside:?}");
    let (line, character) = place(GOOD, "Twice", 0);
    assert!(!has(&labels(line, character), &["i"]));
    assert!(labels(1, 5).is_empty(), "a comment");
    let files = labels(0, 9);
    assert!(has(&files, &["sha256", "clmul", "lib.ua"]) && !has(&files, &["good.ua"]), "{files:?}");
    let (line, character) = place(GOOD, "v4)", 0);
    assert!(has(&labels(line, character), &["u32", "const", "nat", "bytes"]));
    assert!(has(&labels(13, 0), &["node", "table", "perm", "mode", "include"]));
    client.stop();
}

#[test]
fn documents_have_outlines_hints_lenses_and_colours() {
    let (folder, mut client, uri) = good("lsp-about");
    let outline = client.about("textDocument/documentSymbol", &uri);
    let names: Vec<&str> =
        outline.as_array().expect("a list").iter().map(|s| text(&s["name"])).collect();
    assert_eq!(names, ["S", "Round"]);
    let children = outline[1]["children"].as_array().expect("a list");
    assert_eq!(
        children.iter().map(|c| text(&c["name"])).collect::<Vec<_>>(),
        ["block", "key", "out", "mixed", "unused", "i"]
    );

    let hints = client.about("textDocument/inlayHint", &uri);
    let labels: Vec<&str> =
        hints.as_array().expect("a list").iter().map(|h| text(&h["label"])).collect();
    assert_eq!(labels, [" : Logic 'm", " : (Logic 16, Shift 16)", ": u16x4"]);

    let lens = client.about("textDocument/codeLens", &uri);
    assert_eq!(lens[0]["command"]["command"], "nakiri.bound");
    let priced = client.ask("codeLens/resolve", lens[1].clone());
    assert!(text(&priced["command"]["title"]).contains("cycles/byte"), "{priced}");
    folder.write(
        "cipher.toml",
        "name = \"good\"\nsource = \"good.ua\"\n[[instance]]\nencrypt = \"Round\"\n",
    );
    let lens = client.about("textDocument/codeLens", &uri);
    let commands: Vec<&Value> =
        lens.as_array().expect("a list").iter().map(|l| &l["command"]["command"]).collect();
    assert_eq!(
        commands,
        [&json!("nakiri.test"), &json!("nakiri.bench"), &json!("nakiri.bound"), &Value::Null]
    );

    let tokens = client.about("textDocument/semanticTokens/full", &uri);
    let data: Vec<u64> = tokens["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|n| n.as_u64().expect("a number"))
        .collect();
    // The keyword, the string, and the comment with a character of three bytes.
    assert_eq!(&data[..15], [0, 0, 7, 4, 0, 0, 8, 8, 6, 0, 1, 0, 14, 7, 0]);

    let formatting = "textDocument/formatting";
    assert_eq!(client.about(formatting, &uri), json!([]));
    client.change(&uri, 2, &json!([{ "text": GOOD.replace("mixed = ", "mixed  =   ") }]));
    assert_eq!(client.about(formatting, &uri)[0]["newText"], GOOD);
    client.stop();
}

#[test]
fn everything_is_answered_about_broken_and_empty_files() {
    let (folder, mut client, good) = good("lsp-broken");
    let broken = uri(&folder.0.join("broken.ua"));
    let empty = uri(&folder.0.join("empty.ua"));
    client.open(&broken, BROKEN);
    client.open(&empty, "");
    let messages = client.diagnostics(&broken, 1);
    let codes: Vec<(&str, u64)> = messages
        .iter()
        .map(|d| (text(&d["code"]), d["range"]["start"]["line"].as_u64().expect("a line")))
        .collect();
    assert_eq!(codes, [("E0015", 3), ("E0012", 6), ("E0104", 10)]);
    assert!(text(&messages[0]["message"]).contains("help: "), "{messages:?}");
    assert_eq!(messages[0]["relatedInformation"][0]["location"]["range"]["start"]["line"], 2);
    assert_eq!(client.diagnostics(&empty, 1)[0]["code"], "E0016");

    let places = [(0, 0), (0, 5), (2, 8), (2, 10), (6, 6), (10, 10), (99, 99)];
    for document in [&good, &broken, &empty, &uri(&folder.0.join("never-opened.ua"))] {
        for method in ABOUT {
            client.about(method, document);
        }
        for method in AT {
            for (line, character) in places {
                let position = json!({ "line": line, "character": character });
                let id = client.request(method, json!({
                    "textDocument": { "uri": document }, "position": position, "newName": "other",
                    "context": { "includeDeclaration": true, "triggerKind": 1 },
                }));
                let answer = client.answer(id);
                // Only another name can be refused.
                assert!(
                    answer.get("result").is_some() || method == "textDocument/rename",
                    "{answer}"
                );
            }
        }
    }
    let hover = client.at("textDocument/hover", &broken, (8, 6));
    assert!(text(&hover["contents"]["value"]).contains("node Third"), "{hover}");
    let names = client.at("textDocument/completion", &broken, (2, 10));
    assert!(names.as_array().expect("a list").iter().any(|item| item["label"] == "x"), "{names}");
    assert_eq!(client.about("textDocument/formatting", &broken), Value::Null);
    let id = client.request("textDocument/rename", json!({
        "textDocument": { "uri": broken }, "position": { "line": 8, "character": 6 }, "newName": "other",
    }));
    let refused = client.answer(id);
    assert!(text(&refused["error"]["message"]).contains("can't be read"), "{refused}");
    for (method, params) in
        [("no/such", json!({})), ("textDocument/hover", json!({ "position": 7 }))]
    {
        let id = client.request(method, params);
        assert!(client.answer(id).get("error").is_some(), "{method}");
    }
    client.stop();
}

#[test]
fn deep_texts_are_answered() {
    let folder = Folder::new("lsp-deep");
    let mut client = Client::start(&folder);
    let document = uri(&folder.0.join("deep.ua"));
    client.open(&document, "");
    let deep = [("(", 255), ("(", 300), ("~", 300), ("((~", 80), ("(", 100_000), ("/*{", 5_000)];
    for ((sign, count), version) in deep.into_iter().zip(2..) {
        let signs = sign.repeat(count);
        let text = format!("node f (x:u16) returns (y:u16)\nlet\n  y = {signs}x");
        client.change(&document, version, &json!([{ "text": text }]));
        assert!(!client.diagnostics(&document, version).is_empty(), "{sign}");
        for method in ABOUT {
            client.about(method, &document);
        }
        client.at("textDocument/completion", &document, (2, 6));
    }
    // Sums of a thousand operands, in brackets as deep as may be.
    let sum = format!("{}x{}", "(".repeat(200), " + x)".repeat(200)) + &" + x".repeat(700);
    let text = format!("node f (x:u16) returns (y:u16)\nlet\n  y = {sum}\ntel\n");
    client.change(&document, 99, &json!([{ "text": text }]));
    assert_eq!(client.diagnostics(&document, 99), Vec::<Value>::new());
    let names = client.at("textDocument/references", &document, (0, 8));
    assert_eq!(names.as_array().map(Vec::len), Some(902));
    client.stop();
}

#[test]
fn damaged_texts_are_answered() {
    let folder = Folder::new("lsp-damaged");
    let mut client = Client::start(&folder);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a path");
    let mut state = 7u64;
    let mut below = |end: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end.max(1)
    };
    let pieces = [
        "",
        "",
        ";",
        "(",
        "}",
        "tel",
        "node ",
        "forall i in [0,3] {",
        "vars",
        "x",
        "'m",
        "⊕",
        "include \"sha1\"",
        "mode ",
    ];
    for source in ["ciphers/gift64/gift64.ua", "ciphers/trivium/trivium.ua", "modes/sha2/sha2.ua"] {
        let path = root.join(source);
        let original = std::fs::read_to_string(&path).expect("text");
        let document = uri(&path);
        client.open(&document, &original);
        for version in 2..42 {
            let mut text = original.clone();
            for _ in 0..1 + below(3) {
                let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let start = places[below(places.len())];
                let end = places
                    .iter()
                    .copied()
                    .find(|at| *at >= start + below(12))
                    .unwrap_or(text.len());
                text.replace_range(start..end.max(start), pieces[below(pieces.len())]);
            }
            client.change(&document, version, &json!([{ "text": text }]));
            let line = below(text.lines().count()) as u32;
            let position = json!({ "line": line, "character": below(60) });
            let (at, about) = (AT[below(AT.len())], ABOUT[below(ABOUT.len())]);
            client.about(about, &document);
            let id = client.request(
                at,
                json!({
                    "textDocument": { "uri": document }, "position": position, "newName": "other",
                    "context": { "includeDeclaration": true, "triggerKind": 1 },
                }),
            );
            let answer = client.answer(id);
            assert_ne!(answer["error"]["message"], "internal error", "{at}: {text}");
        }
        client.tell("textDocument/didClose", json!({ "textDocument": { "uri": document } }));
    }
    client.stop();
}

#[test]
fn changes_are_followed_and_what_is_stale_is_dropped() {
    let (folder, mut client, uri) = good("lsp-changes");
    let unused = |messages: &[Value]| {
        messages.iter().map(|d| text(&d["code"]).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(unused(&client.diagnostics(&uri, 1)), ["E0241"]);
    // Letter by letter; only what is said about the last text is waited for.
    let (line, character) = place(GOOD, ", unused:u16", 0);
    let mut rest = ", unused:u16".to_string();
    let mut version = 1;
    while !rest.is_empty() {
        rest.remove(0);
        version += 1;
        let range = json!({ "start": { "line": line, "character": character }, "end": { "line": line, "character": character + 1 } });
        client.change(&uri, version, &json!([{ "range": range, "text": "" }]));
    }
    assert_eq!(client.diagnostics(&uri, version), Vec::<Value>::new());

    // What another document includes is taken as it is in the editor.
    let library = self::uri(&folder.0.join("lib.ua"));
    client.open(&library, &LIBRARY.replace("Twice", "Thrice"));
    let messages = client.diagnostics(&uri, version);
    assert_eq!(unused(&messages), ["E0103"]);
    assert!(text(&messages[0]["message"]).contains("Twice"));
    client.change(&library, 2, &json!([{ "text": LIBRARY.replace("~x", "~z") }]));
    let messages = client.diagnostics(&uri, version);
    assert_eq!(
        (text(&messages[0]["code"]), &messages[0]["range"]["start"]["line"]),
        ("E0104", &json!(0))
    );
    assert!(text(&messages[0]["message"]).contains("lib.ua:3:"), "{messages:?}");
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": library } }));
    assert_eq!(client.diagnostics(&uri, version), Vec::<Value>::new());
    client.stop();
}

#[test]
fn requests_are_cancelled() {
    let (_folder, mut client, uri) = good("lsp-cancel");
    let (line, character) = place(GOOD, "Round", 0);
    let position = json!({ "line": line, "character": character });
    let mut ids = Vec::new();
    for _ in 0..20 {
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        ids.push(client.request("textDocument/hover", params));
    }
    for id in &ids {
        client.tell("$/cancelRequest", json!({ "id": id }));
    }
    // Each has one answer, what it asked for or that it was cancelled; which one, the clock decides.
    for id in ids {
        let answer = client.answer(id);
        let cancelled = answer["error"]["code"] == -32800;
        assert!(cancelled || answer["result"].is_object(), "{answer}");
    }
    client.stop();
}

#[test]
fn no_source_has_an_error() {
    let folder = Folder::new("lsp-sources");
    let mut client = Client::start(&folder);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("a path");
    let mut count = 0;
    for shelf in ["ciphers", "modes"] {
        let folders = std::fs::read_dir(root.join(shelf)).expect("a folder").flatten();
        for folder in folders.filter(|folder| folder.path().is_dir()) {
            for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
                let path = file.path();
                if path.extension().is_none_or(|extension| extension != "ua") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("text");
                let uri = uri(&path);
                client.open(&uri, &text);
                let messages = client.diagnostics(&uri, 1);
                let errors = messages.iter().filter(|d| d["severity"] == 1);
                assert_eq!(errors.count(), 0, "{uri}: {messages:?}");
                client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
                count += 1;
            }
        }
    }
    assert!(count > 60, "{count} sources");
    client.stop();
}
