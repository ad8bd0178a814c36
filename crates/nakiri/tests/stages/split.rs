//! The parallel and the serial part of what a mode does with a block are that.

use nakiri::check::{self, check, NoFiles};
use nakiri::core::{interp, Direction, Port};
use nakiri::mode::{Mode, Piece, Slot};
use nakiri::pass::chain::Links;
use nakiri::pass::split::{self, Split};
use nakiri::source::SourceMap;

const MODES: &str = "
node Mixed (x, key:u8[2]) returns (y:u8[2])
let
  y[0] = (x[0] ^ key[0]) + (x[1] <<< 3);
  y[1] = (x[1] + key[1]) ^ (x[0] <<< 1);
tel

node Front (number:u8[8]) returns (x:u8[2])
let
  x = number[0..1];
tel

mode Chained (key, iv:u8[2], plain:bytes) returns (sealed:bytes)
vars before, own:u8[2]
let
  before = iv;
  own = key;
  forall p:u8[2] in whole(plain), c:u8[2] in sealed {
    c = Mixed(p, own) ^ before;
    before := p;
  }
tel

mode Coded (key:u8[2], plain:bytes) returns (sealed:bytes, code:u8[2])
vars own, x:u8[2]
let
  own = key;
  x = key;
  forall p:u8[2] in pad(plain), c:u8[2] in sealed {
    c = p ^ Mixed(Front(number(p, 3)), own);
    x := Mixed(x ^ c, own);
  }
  code = x;
tel

mode Summed (key:u8[2], plain:bytes) returns (sealed:bytes, code:u8[2])
vars own, x, last:u8[2]
let
  own = key;
  x = key;
  last = key;
  forall p:u8[2] in whole(plain), c:u8[2] in sealed {
    last := Mixed(Front(number(p)), own);
    c = Mixed(p ^ last, own);
    x := x ^ p;
  }
  code = x ^ last;
tel

mode Fed (key:u8[2], plain:bytes) returns (sealed:bytes)
vars own, x:u8[2]
let
  own = key;
  x = key;
  forall p:u8[2] in whole(plain), c:u8[2] in sealed {
    c = Mixed(p ^ x, own);
    x := c;
  }
tel

mode Hashed (key:u8[2], message:bytes) returns (code:u8[2])
vars own, x:u8[2]
let
  own = key;
  x = key;
  forall block:u8[4] in whole(message) {
    x := Mixed(x ^ Mixed(block[0..1], own), Mixed(block[2..3], Front(number(block))));
  }
  code = x;
tel

mode Waiting (key:u8[2], message:bytes) returns (code:u8[2])
vars own, x:u8[2]
let
  own = key;
  x = key;
  forall block:u8[2] in whole(message) {
    x := Mixed(x ^ block, own);
  }
  code = x;
tel
";

fn mode(name: &str) -> Mode {
    let mut sources = SourceMap::default();
    let file = sources.add("modes.ua", MODES);
    let (checked, diagnostics) =
        check(&mut sources, file, &mut NoFiles, &check::Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    checked.expect("a program").mode(name).expect("a mode")
}

/// What parameters and results are.
#[derive(Clone)]
struct Values(Vec<(Slot, Vec<u128>)>);

impl Values {
    fn get(&self, slot: Slot) -> Option<&Vec<u128>> {
        self.0.iter().rev().find(|(own, _)| *own == slot).map(|(_, atoms)| atoms)
    }

    /// Runs a piece on them; its results.
    fn run(&self, piece: &Piece) -> Vec<(Slot, Vec<u128>)> {
        let given = |slot: &Slot| self.get(*slot).expect("it is known").clone();
        let given: Vec<_> = piece.params.iter().map(given).collect();
        piece.results.iter().copied().zip(interp::run(&piece.program, &given)).collect()
    }
}

/// Atoms of a port that have nothing to do with one another.
fn atoms(port: &Port, seed: u128) -> Vec<u128> {
    (0..port.count()).map(|k| (seed * 89 + u128::from(k) * 37) % 251).collect()
}

fn parts(name: &str) -> (Piece, Split) {
    let mode = mode(name);
    let body = mode.loops().next().expect("a loop").blocks.body.clone();
    let links = Links::of(&body).expect("no block is part of one");
    let split = split::run(&body, &links).expect("it gives a stream");
    (body, split)
}

/// The body of the loop of a mode that gives no stream, and its parts.
fn hashed(name: &str) -> (Piece, Option<Split>) {
    let body = mode(name).loops().next().expect("a loop").blocks.body.clone();
    let split = split::hash::run(&body, Direction::V);
    (body, split)
}

/// Compares the parts of a body with it, block after block.
fn compare(body: &Piece, split: &Split) {
    let mut values = Values(body.ports().map(|(slot, port)| (slot, atoms(port, 5))).collect());
    for block in 1..6 {
        let own = |slot: &Slot| matches!(slot, Slot::Block | Slot::Number(_));
        let fresh = body.ports().filter(|(slot, _)| own(slot));
        values.0.extend(fresh.map(|(slot, port)| (slot, atoms(port, block))).collect::<Vec<_>>());
        let whole = Values(values.run(body));
        let mut parts = values.clone();
        let order = [split.serial.as_ref(), Some(&split.parallel)];
        let order = if split.serial_first { order } else { [order[1], order[0]] };
        for part in order.into_iter().flatten() {
            let made = parts.run(part);
            parts.0.extend(made);
        }
        for (slot, atoms) in &whole.0 {
            assert_eq!(parts.get(*slot), Some(atoms), "block {block}: {slot:?}");
        }
        values.0.extend(whole.0);
    }
}

#[test]
fn the_state_before_each_block_is_handed_over() {
    let (body, split) = parts("Chained");
    assert!(split.serial_first);
    assert!(split.parallel.params.iter().any(|slot| matches!(slot, Slot::Before(_))));
    compare(&body, &split);
}

#[test]
fn a_code_of_what_is_given_comes_after_it() {
    let (body, split) = parts("Coded");
    assert!(!split.serial_first);
    assert!(split.serial.as_ref().is_some_and(|serial| serial.params.contains(&Slot::Given)));
    compare(&body, &split);
}

#[test]
fn what_depends_on_the_number_alone_is_in_both_parts() {
    let (body, split) = parts("Summed");
    assert!(split.parallel.params.iter().all(|slot| !matches!(slot, Slot::Before(_))));
    compare(&body, &split);
}

#[test]
fn a_block_that_waits_for_the_one_before_is_serial() {
    let (body, split) = parts("Fed");
    assert!(split.serial_first);
    compare(&body, &split);
}

#[test]
fn what_is_the_same_for_all_blocks_is_constant() {
    for name in ["Chained", "Coded", "Summed", "Fed"] {
        let (_, split) = parts(name);
        let ports = split.parallel.params.iter().zip(&split.parallel.program.entry().params);
        for (slot, port) in ports {
            assert_eq!(port.constant, matches!(slot, Slot::State(_)), "{name}: {slot:?}");
        }
    }
}

#[test]
fn what_a_hash_makes_of_a_block_alone_is_handed_over() {
    let (body, split) = hashed("Hashed");
    let split = split.expect("some of it doesn't wait");
    assert!(!split.serial_first);
    assert_eq!(split.parallel.results, [Slot::Made]);
    // Two atoms of the first product, and two of the second.
    assert_eq!(split.makes(), 4);
    let serial = split.serial.as_ref().expect("a code is carried");
    assert!(!serial.params.iter().any(|slot| matches!(slot, Slot::Block | Slot::Number(_))));
    compare(&body, &split);
}

#[test]
fn a_hash_that_waits_for_all_is_not_cut() {
    assert!(hashed("Waiting").1.is_none());
}
