//! Modes: what they mean, by the interpreter of their pieces.

use nakiri::check::{self, check, Checked, NoFiles};
use nakiri::mode::{evaluate, Slot};
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
        let got = evaluate(&mode, &start.to_be_bytes(), &message, 8);
        assert_eq!(got, Some(sum(start, &message)), "{length} bytes");
    }
    assert_eq!(evaluate(&mode, &[1, 2, 3], b"", 8), None);
    assert_eq!(evaluate(&mode, &[1, 2, 3, 4], b"", 9), None);
}

#[test]
fn streams_are_as_long_as_is_asked_for() {
    let mode = checked(SUMS).mode("Count").expect("a mode");
    assert_eq!((mode.block_bytes(), mode.output_bytes(), mode.result_bytes()), (2, 1, 0));
    // One byte, and the padding's two meet in the next.
    assert_eq!(evaluate(&mode, &[], &[5], 4), Some(vec![5, 5 + 0x82, 5 + 4, 5 + 0x86]));
    assert_eq!(evaluate(&mode, &[], &[5, 1], 3), Some(vec![4, 4 + 0x82, 8]));
    assert_eq!(evaluate(&mode, &[], &[5], 0), Some(vec![]));
}

#[test]
fn pieces_say_what_they_take_and_give() {
    let checked = checked(SUMS);
    assert_eq!(checked.modes().collect::<Vec<_>>(), ["Sum", "Count"]);
    // No piece is what a program starts with.
    assert_eq!(checked.program.entry().name, "Last");
    let mode = checked.mode("Sum").expect("a mode");
    let names: Vec<&str> = mode.pieces().map(|(name, _)| name).collect();
    assert_eq!(names, ["absorb", "start", "finish"]);
    let names: Vec<&str> = mode.state.iter().map(|port| port.name.trim_end_matches('\'')).collect();
    assert_eq!(names, ["s", "n"]);
    let finish = mode.finish.expect("equations behind the loop");
    assert_eq!(finish.params, [Slot::Input(0), Slot::State(0), Slot::State(1)]);
    assert_eq!(finish.results, [Slot::Result(0), Slot::Result(1)]);
    let squeeze = checked.mode("Count").and_then(|mode| mode.squeeze).expect("a second loop");
    assert_eq!(
        (&*squeeze.output.results, &*squeeze.advance.results),
        (&[Slot::Block][..], &[Slot::State(0)][..])
    );
}
