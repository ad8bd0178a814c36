//! What a queue of jobs does with data. Which lanes it does it for follows from the outputs of the handshake, which are public;
//! so lanes, sizes and addresses are numbers here, and everything in memory is secret.

use super::modes::{library, object, shown};
use nakiri::compile::{compile, Options};
use nakiri::core::Direction;
use nakiri::emit::c;
use nakiri::emit::handshake::{Handshake, Role};
use nakiri::isa;
use nakiri_verify::cc;
use nakiri_verify::constant_time::{check_object, Argument::Number, Entry};
use nakiri_verify::differential::elaborate;

/// A node that counts to a limit and mixes meanwhile.
const NODE: &str = "\
node Mix (start:b1, x:b64, key:b64) returns (done:b1, y:b64)
state s:b64, n:b2
let
  y = s;
  done = n[0] & n[1];
  forall i in [0,63] {
    next s[i] = (start & x[i]) | (~start & (s[(i + 1) % 64] ^ (s[(i + 5) % 64] & key[i])));
  }
  next n[0] = ~start & ~(n[0] ^ n[1] ^ n[0]);
  next n[1] = ~start & (n[0] | n[1]);
tel
";

/// Functions with their arguments: pointers, and the lane's place. Transpositions are those of a tick, which is analysed
/// elsewhere for AVX2 too; here gcc's addresses of the array between them and the queue can't be followed then.
fn entries(target: &str) -> Vec<(String, Vec<nakiri_verify::constant_time::Argument>)> {
    let pointer = |n: u64| Number(n << 32);
    let queue = |what: &str| format!("x_queue_{target}_{what}");
    let [to, from, more] = [1, 2, 3].map(pointer);
    let bit = [to, Number(8), Number(5), from, Number(0), Number(64)];
    let bit_out = [to, from, Number(8), Number(5), Number(0), Number(64)];
    let mut entries = vec![
        (queue("step"), vec![to, from, more, pointer(4)]),
        (queue("reset_registers"), vec![to, from, more, Number(66)]),
        ("x_put".to_string(), bit.to_vec()),
        ("x_get".to_string(), bit_out.to_vec()),
    ];
    if target == "gp64" {
        entries.extend(["bring_x", "fetch_y"].map(|name| (queue(name), vec![to, from])));
    }
    entries
}

#[test]
fn queues_handle_data_in_constant_time() {
    let program = elaborate(NODE).unwrap_or_else(|error| panic!("{error}"));
    let roles = [(Role::Start, "start".to_string()), (Role::Done, "done".to_string())];
    for name in ["gp64", "avx2"] {
        let options = Options::new(Direction::B, isa::find(name).expect("a target"));
        let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
        let functions = vec![c::Function { name: "step".to_string(), variants: vec![kernel] }];
        let mut library = library(functions, None);
        library.instances[0].handshake = Some(Handshake(roles.clone().into()));
        let mut files = c::library(&library).expect("a library");
        let entries = entries(name);
        // With a name of its own each is compiled as any caller may call it.
        for (function, _) in &entries {
            let (own, seen) = (format!("static void {function}("), format!("void {function}("));
            assert!(files.c.contains(&own), "{function}");
            files.c = files.c.replace(&own, &seen);
        }
        for compiler in cc::all() {
            let object = object(&files, &compiler);
            for (function, arguments) in &entries {
                let entry = Entry { name: function, arguments };
                let report = check_object(&object, &[entry]);
                let report = report.unwrap_or_else(|f| {
                    panic!("{function} by {}: {}", compiler.program, shown(&f))
                });
                assert!(report.instructions > 10, "{function}: {report:?}");
            }
        }
    }
}
