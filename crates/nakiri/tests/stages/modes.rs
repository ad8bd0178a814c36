//! Modes: what they mean, by the interpreter of their pieces.

use nakiri::check::{self, check, Checked, NoFiles};
use nakiri::mode::{evaluate, open, Part, Slot};
use nakiri::source::SourceMap;

fn checked(text: &str) -> Checked {
    let mut sources = SourceMap::default();
    let file = sources.add("mode.ua", text);
    let (checked, diagnostics) =
        check(&mut sources, file, &mut NoFiles, &check::Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    checked.expect("a program")
}

const SUMS: &str = "
mode Sum (start:u32 @be, message:bytes) returns (sum, turns:u32 @be)
vars s, n:u32
let
  s = start;
  n = 0;
  forall word:u32[4] @be in pad(message, 0x80, length:u64 @be) {
    s := s + (word[0] ^ word[1]) + (word[2] ^ (word[3] <<< 1));
    n := n + 1;
  }
  sum = s ^ start;
  turns = n;
tel

mode Count (message:bytes) returns (output:bytes)
vars a:u8[2]
let
  a = (0, 0);
  forall block:u8[2] in pad(message, 0x01, 0x80) { a := a ^ block; }
  a[1] += 1;
  forall block:u8 in output { block = a[0]; a[0] += a[1]; }
tel

node Last (x:u8) returns (y:u8)
let y = x; tel
";

/// The sum as a program of its own has it.
fn sum(start: u32, message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 16 != 8 {
        padded.push(0);
    }
    padded.extend((8 * message.len() as u64).to_be_bytes());
    let mut s = start;
    for block in padded.chunks(16) {
        let word = |k: usize| u32::from_be_bytes(block[4 * k..][..4].try_into().expect("4 bytes"));
        s = s.wrapping_add(word(0) ^ word(1)).wrapping_add(word(2) ^ word(3).rotate_left(1));
    }
    let turns = (padded.len() / 16) as u32;
    [(s ^ start).to_be_bytes(), turns.to_be_bytes()].concat()
}

#[test]
fn messages_of_all_lengths_are_padded_and_cut() {
    let mode = checked(SUMS).mode("Sum").expect("a mode");
    assert_eq!((mode.block_bytes(), mode.result_bytes(), mode.input_bytes()), (16, 8, 4));
    for length in 0..70 {
        let message: Vec<u8> = (0..length).map(|k: u8| k.wrapping_mul(7).wrapping_add(1)).collect();
        let start = 0x0102_0304u32;
        let got = evaluate(&mode, &start.to_be_bytes(), &[&message], 8);
        assert_eq!(got, Some(sum(start, &message)), "{length} bytes");
    }
    assert_eq!(evaluate(&mode, &[1, 2, 3], &[b""], 8), None);
    assert_eq!(evaluate(&mode, &[1, 2, 3, 4], &[b""], 9), None);
}

#[test]
fn streams_are_as_long_as_is_asked_for() {
    let mode = checked(SUMS).mode("Count").expect("a mode");
    assert_eq!((mode.block_bytes(), mode.output_bytes(), mode.result_bytes()), (2, 1, 0));
    // One byte, and the padding's two meet in the next.
    assert_eq!(evaluate(&mode, &[], &[&[5]], 4), Some(vec![5, 5 + 0x82, 5 + 4, 5 + 0x86]));
    assert_eq!(evaluate(&mode, &[], &[&[5, 1]], 3), Some(vec![4, 4 + 0x82, 8]));
    assert_eq!(evaluate(&mode, &[], &[&[5]], 0), Some(vec![]));
}

#[test]
fn pieces_say_what_they_take_and_give() {
    let checked = checked(SUMS);
    assert_eq!(checked.modes().collect::<Vec<_>>(), ["Sum", "Count"]);
    // No piece is what a program starts with.
    assert_eq!(checked.program.entry().name, "Last");
    let mode = checked.mode("Sum").expect("a mode");
    let names: Vec<String> = mode.pieces().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["absorb", "start", "finish"]);
    let names: Vec<&str> = mode.state.iter().map(|port| &*port.name).collect();
    assert_eq!(names, ["s", "n"]);
    let hash = mode.hash().expect("a message that may come in parts");
    let [Part::Once(_, finish)] = hash.finish else { panic!("equations behind the loop") };
    assert_eq!(finish.params, [Slot::Input(0), Slot::State(0), Slot::State(1)]);
    assert_eq!(finish.results, [Slot::Result(0), Slot::Result(1)]);
    let mode = checked.mode("Count").expect("a mode");
    let squeeze = mode.squeeze().expect("a second loop");
    assert_eq!(
        (&*squeeze.output.results, &*squeeze.advance.results),
        (&[Slot::Block][..], &[Slot::State(0)][..])
    );
}

/// Sums of words that begin with a byte for the size of a block, and end with others.
const FAMILY: &str = "
node Twice (x:u8[2]) returns (y:u8[2])
let y = x + x; tel

node Crossed (x:u8[2]) returns (y:u8[2])
let y = x[1,0]; tel

mode Sums (size, shift:nat, Step:node, text:bytes) returns (sum:u8[2])
vars s:u8[2]
let
  s = (0, 0);
  forall block:u8[size] in pad(0+size, length:left, text, 1, 8*size, 3, 0x80) {
    s := Step(s) ^ (block[0], block[size-1] <<< shift);
    s[0] ^= 5;
  }
  sum = s;
tel

mode Words = Sums(8, 0, Twice)
mode Longer = Sums(11, 3, Crossed)
";

fn family(size: usize, text: &[u8], step: impl Fn([u8; 2]) -> [u8; 2], shift: u32) -> Vec<u8> {
    let bits = (8 * text.len()).to_be_bytes();
    let from = bits.iter().position(|byte| *byte != 0).unwrap_or(bits.len()).min(bits.len() - 1);
    let number = &bits[from..];
    let front = [&[size as u8, number.len() as u8], number].concat();
    let mut all = [&front, text, &[1, 8 * size as u8, 3]].concat();
    all.resize(all.len().next_multiple_of(size), 0);
    *all.last_mut().expect("a block") ^= 0x80;
    all.chunks(size)
        .fold([0, 0], |sum, block| {
            let [a, b] = step(sum);
            let [a, b] = [a ^ block[0], b ^ block[size - 1].rotate_left(shift)];
            [a ^ 5, b]
        })
        .to_vec()
}

#[test]
fn families_have_numbers_and_nodes_and_texts_stand_between_bytes() {
    let checked = checked(FAMILY);
    assert_eq!(checked.modes().collect::<Vec<_>>(), ["Words", "Longer"]);
    let [words, longer] = ["Words", "Longer"].map(|name| checked.mode(name).expect("a mode"));
    assert!(words.hash().is_none(), "bytes stand around the text");
    let limit = words.limit(0);
    assert!(limit.refuses() && limit.allows((1 << 29) - 1) && !limit.allows(1 << 29));
    let twice = |[a, b]: [u8; 2]| [a.wrapping_add(a), b.wrapping_add(b)];
    let text: Vec<u8> = (0..9000u32).map(|k| (k * 7 + k / 256) as u8).collect();
    for length in (0..80).chain([8191, 8192, 9000]) {
        let own = &text[..length];
        assert_eq!(evaluate(&words, &[], &[own], 2), Some(family(8, own, twice, 0)), "{length}");
        let crossed = |[a, b]: [u8; 2]| [b, a];
        let got = evaluate(&longer, &[], &[own], 2);
        assert_eq!(got, Some(family(11, own, crossed, 3)), "{length}");
    }
}

const STREAMS: &str = "
mode Seal (key:const u8[4], nonce:u8[4], ad, plain:bytes) returns (sealed:bytes, tag:u8[4])
vars s, n:u8[4]
let
  s = key + nonce;
  n = nonce;
  forall block:u8[4] in pad(ad, 0x80) unless empty {
    s := (s ^ block) + block;
  }
  s[0] ^= 1;
  forall p:u8[4] in pad(plain, 0x80), c:u8[4] in sealed {
    c = p ^ s;
    s := (s ^ p) + n;
  } last {
    c = s ^ p;
    s := (s ^ p ^ c) + p;
  }
  tag = s ^ key;
tel

mode Ctr (key:const u32, counter:u32, plain:bytes) returns (sealed:bytes)
vars n:u32
let
  n = counter;
  forall p:u32 in pad(plain), c:u32 in sealed {
    c = p ^ ((n * 0x9e3779b1) ^ key);
    n := n + 1;
  }
tel

mode Chain (iv:u8[2], plain:bytes) returns (sealed:bytes)
vars s:u8[2]
let
  s = iv;
  forall p:u8[2] in pad(plain, 0x80), c:u8[2] in sealed {
    s := (s ^ p) + s;
    c = s;
  }
tel
";

/// `Seal` as a program of its own has it, one way or the other: the other text, and the tag.
fn seal(key: [u8; 4], nonce: [u8; 4], ad: &[u8], text: &[u8], open: bool) -> Vec<u8> {
    let mut s: [u8; 4] = std::array::from_fn(|k| key[k].wrapping_add(nonce[k]));
    let padded = |bytes: &[u8]| {
        let mut padded = bytes.to_vec();
        padded.push(0x80);
        padded.resize(padded.len().next_multiple_of(4), 0);
        padded
    };
    if !ad.is_empty() {
        for block in padded(ad).chunks(4) {
            s = std::array::from_fn(|k| (s[k] ^ block[k]).wrapping_add(block[k]));
        }
    }
    s[0] ^= 1;
    let mut out = Vec::new();
    for own in text.chunks_exact(4) {
        let other: [u8; 4] = std::array::from_fn(|k| own[k] ^ s[k]);
        let plain = if open { &other[..] } else { own };
        s = std::array::from_fn(|k| (s[k] ^ plain[k]).wrapping_add(nonce[k]));
        out.extend(other);
    }
    let rest = text.chunks_exact(4).remainder();
    let other: Vec<u8> = rest.iter().zip(s).map(|(own, s)| own ^ s).collect();
    let (plain, mut cipher) =
        if open { (&other[..], rest.to_vec()) } else { (rest, other.clone()) };
    let p = padded(plain);
    cipher.resize(4, 0);
    s = std::array::from_fn(|k| (s[k] ^ p[k] ^ cipher[k]).wrapping_add(p[k]));
    out.extend(&other);
    out.extend((0..4).map(|k| s[k] ^ key[k]));
    out
}

#[test]
fn a_stream_beside_another_has_a_way_back() {
    let checked = checked(&format!("{STREAMS}{OTHER}"));
    let mode = checked.mode("Seal").expect("a mode");
    let names: Vec<String> = mode.pieces().into_iter().map(|(name, _)| name).collect();
    let expected = ["absorb2", "last2", "open2", "end2", "absorb1", "start", "after1", "finish"];
    assert_eq!(names, expected);
    assert_eq!(mode.shared, [true, false]);
    let (key, nonce) = ([1, 2, 3, 4], [0x50, 0x60, 0x70, 0x80]);
    let bytes: Vec<u8> = (0..23u8).map(|k| k.wrapping_mul(37) ^ 0x5a).collect();
    for (ad, length) in [(0, 0), (0, 4), (1, 3), (4, 5), (5, 8), (9, 22)] {
        let (ad, plain) = (&bytes[..ad], &bytes[..length]);
        let inputs = [key, nonce].concat();
        let sealed = evaluate(&mode, &inputs, &[ad, plain], length + 4).expect("it fits");
        assert_eq!(sealed, seal(key, nonce, ad, plain, false), "{length}");
        let cipher = &sealed[..length];
        let opened =
            open(&mode, &inputs, &[ad, cipher], &sealed[length..], length + 4).expect("it fits");
        assert_eq!(opened, seal(key, nonce, ad, cipher, true), "{length}");
        assert_eq!(opened, [plain, &sealed[length..]].concat(), "{length}");
        assert_eq!(evaluate(&mode, &inputs, &[plain], length + 4), None);
    }
}

#[test]
fn a_counter_has_no_last_block_of_its_own() {
    let checked = checked(&format!("{STREAMS}{OTHER}"));
    let mode = checked.mode("Ctr").expect("a mode");
    let inputs = [7u32, 3].map(u32::to_le_bytes).concat();
    let stream = |n: u32| (n.wrapping_mul(0x9e37_79b1) ^ 7).to_le_bytes();
    for length in [0usize, 1, 4, 7, 8] {
        let plain: Vec<u8> = (0..length as u8).collect();
        let keys: Vec<u8> = (3..).flat_map(stream).take(length).collect();
        let sum: Vec<u8> = plain.iter().zip(keys).map(|(a, b)| a ^ b).collect();
        assert_eq!(evaluate(&mode, &inputs, &[&plain], length), Some(sum.clone()), "{length}");
        assert_eq!(open(&mode, &inputs, &[&sum], &[], length), Some(plain), "{length}");
    }
}

#[test]
fn what_is_no_sum_has_no_way_back() {
    let checked = checked(&format!("{STREAMS}{OTHER}"));
    let mode = checked.mode("Chain").expect("a mode");
    assert!(mode.giving().is_some_and(|each| each.opened.is_none()));
    // Two bytes of padding follow, of which nothing is given.
    let sealed = evaluate(&mode, &[1, 2], &[&[3, 4]], 2);
    assert_eq!(sealed, Some(vec![(1 ^ 3) + 1, (2 ^ 4) + 2]));
    assert_eq!(open(&mode, &[1, 2], &[&[3, 4]], &[], 2), None);
}

const TWICE: &str = "
mode Siv (key:u8[4], plain:bytes) returns (sealed:bytes, tag:u8[4])
vars s, n:u8[4]
let
  s = key;
  forall block:u8[4] in pad(plain, 0x80) { s := (s ^ block) + key; }
  tag = s + key;
  n = tag;
  forall p:u8[4] in pad(plain), c:u8[4] in sealed { c = p ^ n; n := n + key; }
tel
";

#[test]
fn of_two_loops_over_a_stream_the_second_opens_by_the_results() {
    let checked = checked(&format!("{TWICE}{OTHER}"));
    let mode = checked.mode("Siv").expect("a mode");
    let names: Vec<String> = mode.pieces().into_iter().map(|(name, _)| name).collect();
    let expected = ["absorb1", "absorb2", "last2", "open2", "end2", "start", "finish", "again"];
    assert_eq!(names, expected);
    let key = [1u8, 2, 3, 250];
    let plain: Vec<u8> = (0..6u8).map(|k| k.wrapping_mul(37) ^ 0x5a).collect();
    let sum =
        |a: [u8; 4], b: [u8; 4]| -> [u8; 4] { std::array::from_fn(|k| a[k].wrapping_add(b[k])) };
    let mut s = key;
    for block in [&plain[..4], &[plain[4], plain[5], 0x80, 0]] {
        s = sum(std::array::from_fn(|k| s[k] ^ block[k]), key);
    }
    let tag = sum(s, key);
    let keys = [tag, sum(tag, key)].concat();
    let text: Vec<u8> = plain.iter().zip(keys).map(|(p, k)| p ^ k).collect();
    let sealed = evaluate(&mode, &key, &[&plain], 10);
    assert_eq!(sealed, Some([&text[..], &tag].concat()));
    assert_eq!(open(&mode, &key, &[&text], &tag, 10), Some([&plain[..], &tag].concat()));
    // Another tag opens to another text, whose tag it isn't.
    let forged = [tag[0] ^ 1, tag[1], tag[2], tag[3]];
    let opened = open(&mode, &key, &[&text], &forged, 10).expect("it fits");
    assert!(opened[..6] != plain && opened[6..] != forged);
    assert_eq!(open(&mode, &key, &[&text], &tag[1..], 10), None);
}

const OTHER: &str = "
node Last (x:u8) returns (y:u8)
let y = x; tel
";
