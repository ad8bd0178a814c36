//! What is answered to a page, without a browser.

use nakiri_playground::answer;
use serde_json::{json, Value};

fn ask(question: Value) -> Value {
    let said: Value = serde_json::from_str(&answer(&question.to_string())).expect("JSON");
    said["answer"].clone()
}

fn refused(question: Value) -> String {
    let said: Value = serde_json::from_str(&answer(&question.to_string())).expect("JSON");
    said["refused"].as_str().unwrap_or_default().to_string()
}

fn example(path: &str) -> Value {
    json!({ "path": path, "text": ask(json!({ "ask": "file", "path": path })) })
}

fn build(document: &Value, language: &str) -> Value {
    let wish = json!({
        "entry": null, "target": "avx2", "slicing": "V", "machine": null, "language": language,
    });
    ask(json!({ "ask": "build", "document": document, "wish": wish }))
}

/// The units of UTF-16 of a place.
fn at(text: &str, place: &Value) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let bound = |k: usize| place[k].as_u64().expect("a number") as usize;
    String::from_utf16(&units[bound(0)..bound(1)]).expect("a part of the text")
}

#[test]
fn places_are_counted_in_utf_16() {
    let text = "# 𝔽ü\nnode F (x:u16) returns (y:u16) let y = z tel";
    let document = json!({ "path": "program.ua", "text": text });
    let checked = ask(json!({ "ask": "check", "document": document }));
    let wrong = checked["diagnostics"].as_array().expect("a list");
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!(at(text, &wrong[0]["labels"][0]["at"]), "z");
    let words = checked["words"].as_array().expect("a list");
    assert_eq!(at(text, &words[0]), "# 𝔽ü");
    assert_eq!((at(text, &words[1]), &words[1][2]), ("node".to_string(), &json!("keyword")));
}

#[test]
fn rotations_come_from_rotations_in_both_languages() {
    let document = example("ciphers/chacha20/chacha20.ua");
    let source = document["text"].as_str().expect("a text");
    for language in ["c", "rust"] {
        let built = build(&document, language);
        let files = built["files"].as_array().expect("a list").iter();
        let mut rotations = 0;
        for file in files {
            let lines: Vec<&str> = file["text"].as_str().expect("a text").lines().collect();
            for place in file["places"].as_array().expect("a list") {
                let line = lines[place[0].as_u64().expect("a number") as usize];
                let from = at(source, &json!([place[1], place[2]]));
                if line.contains("slli_epi32") {
                    assert!(from.contains("<<<"), "{line} comes from {from}");
                    rotations += 1;
                } else if line.contains("add_epi32") {
                    assert!(from.contains('+'), "{line} comes from {from}");
                }
            }
        }
        assert!(rotations > 40, "{rotations} in {language}");
    }
}

#[test]
fn bits_lie_where_the_book_says() {
    let built = build(&example("ciphers/rectangle/rectangle.ua"), "c");
    let plain = &built["ports"]["inputs"][0];
    // Big-endian: the lowest bit of the first byte is bit 7 of atom 0.
    assert_eq!((&plain["name"], &plain["memory"][0]), (&json!("plain"), &json!([0, 7])));
    // The lowest bit of a register is the least significant one of the first block's atom.
    assert_eq!(plain["registers"]["bits"][0], json!([0, 0, 15]));
    assert_eq!(plain["registers"]["bits"][16], json!([1, 0, 15]));
    assert_eq!(plain["registers"]["count"], json!(4));
    assert_eq!(built["ports"]["inputs"][1]["registers"], Value::Null);
}

#[test]
fn no_estimate_is_below_the_bound() {
    let built = build(&example("ciphers/chacha20/chacha20.ua"), "c");
    let prices = built["prices"].as_array().expect("a list");
    assert!(prices.len() > 3);
    for price in prices {
        let figure = |name: &str| price[name].as_f64().expect("a number");
        assert!(figure("bound") <= figure("cycles") * 1.05, "{price}");
    }
    let arm = prices.iter().any(|price| price["machine"] == "neoverse-n1");
    assert!(!arm, "it has no AVX2");
}

#[test]
fn what_is_wrong_is_refused_with_a_reason() {
    let document = example("ciphers/present/present.ua");
    let wish = json!({
        "entry": null, "target": "avx2", "slicing": "V", "machine": null, "language": "c",
    });
    let build = refused(json!({ "ask": "build", "document": document, "wish": wish }));
    assert!(build.contains("atoms of 1 bit"), "{build}");
    let own = json!({ "path": "program.ua", "text": "node F (x:u8) returns (y:u8) let y = x tel" });
    assert!(refused(json!({ "ask": "vectors", "document": own })).contains("no vectors"));
    assert!(refused(json!({ "ask": "nothing" })).contains("can't be asked"));
}
