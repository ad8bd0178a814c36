//! Kernels in assembly as functions that others call: what is the caller's comes back as it was, and the stack can be walked at
//! each instruction.

use nakiri::check::{self, check, NoFiles};
use nakiri::compile::{compile, Options};
use nakiri::core::Direction;
use nakiri::emit::assembly;
use nakiri::isa;
use nakiri::pass::inline::Inline;
use nakiri::pass::roll::Unroll;
use nakiri::registers::Spill;
use nakiri::source::SourceMap;
use nakiri_verify::cc::{self, Work};
use nakiri_verify::exec;
use std::process::Command;

/// A loop with calls and keys that waits for registers, and more arrays than there are registers for addresses.
const PROGRAM: &str = "
_no_inline node Mix (x:u32[24], y:u32) returns (z:u32[24])
let
  forall i in [0,23] { z[i] = (x[i] + x[(i+1) % 24]) ^ (x[(i+9) % 24] <<< 8) ^ y }
tel

node Many (a:u32[24], b:u32, c:u32, d:u32, k:const u32[6]) returns (z:u32[24], u:u32, v:u32, w:u32[2])
vars s:u32[7][24]
let
  s[0] = a;
  forall i in [0,5] { s[i+1] = Mix(s[i], b ^ k[i]) }
  z = s[6];
  u = b ^ c;
  v = c + d;
  w[0] = d ^ k[0];
  w[1] = s[6][3];
tel
";

#[test]
fn what_is_the_callers_comes_back() {
    let mut sources = SourceMap::default();
    let file = sources.add("many.ua", PROGRAM);
    let (checked, _) = check(&mut sources, file, &mut NoFiles, &check::Options::default());
    let program = checked.expect("it is right").program;
    let targets = isa::all().iter().filter(|target| Spill::Assembly.is_for(target));
    let mut tried = 0;
    for (number, target) in targets.enumerate() {
        if exec::runnable(target).is_err() {
            continue;
        }
        for inline in [Inline::All, Inline::Small] {
            let options = Options {
                inline: Some(inline),
                unroll: Some(Unroll::Never),
                ..Options::new(Direction::V, target)
            };
            let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
            let text = assembly::file(&kernel, "kernel").expect("the target has assembly");
            let work = Work::new().expect("a folder");
            let kernel = work.write("kernel.S", text.as_bytes()).expect("it can be written");
            let caller = work.write("caller.c", include_bytes!("caller.c")).expect("likewise");
            let compilers = cc::all();
            let compiler = &compilers[number % compilers.len()];
            let program = work.path("program");
            compiler.compile(&[&kernel, &caller], &["-O1"], &program).expect("it assembles");
            for how in ["alone", "trace"] {
                let output = Command::new(&program).arg(how).output().expect("it runs");
                let said = String::from_utf8_lossy(&output.stdout);
                let ended = output.status;
                assert!(ended.success(), "{} {inline:?} {how}: {ended} {said}", target.name);
            }
            tried += 1;
        }
    }
    assert!(tried > 0 || !cc::is_host(isa::everywhere().architecture), "no target runs here");
}
