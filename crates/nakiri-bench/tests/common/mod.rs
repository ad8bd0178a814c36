//! Kernels of the ciphers, compiled.
#![allow(dead_code)]

use nakiri::check;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::Direction;
use nakiri::isa;
use nakiri::source::SourceMap;
use nakiri_verify::cc::{Compiler, Work};
use std::path::Path;

/// A node of a cipher, compiled for a slicing and a target; `None` if that is not legal.
pub fn kernel(cipher: &str, entry: &str, direction: Direction, target: &str) -> Option<Kernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers").join(cipher);
    let source = std::fs::read_to_string(folder.join(format!("{cipher}.ua"))).unwrap();
    let mut sources = SourceMap::default();
    let root = sources.add(cipher, source);
    let (checked, _) =
        check::check(&mut sources, root, &mut check::NoFiles, &check::Options::default());
    let program = checked.unwrap().program_for(entry).unwrap();
    let options = Options::new(direction, isa::find(target).unwrap());
    compile(&program, &options, &mut |_, _| {}).ok()
}

/// A C text as an object file.
pub fn object(compiler: &Compiler, text: &str, flags: &[&str]) -> Vec<u8> {
    let work = Work::new().unwrap();
    let source = work.write("x.c", text.as_bytes()).unwrap();
    let mut all = vec!["-c"];
    all.extend(flags);
    compiler.compile(&[&source], &all, &work.path("x.o")).unwrap();
    work.read("x.o").unwrap()
}

/// A kernel as an object file; the function is called `kernel`.
pub fn kernel_object(compiler: &Compiler, kernel: &Kernel) -> Vec<u8> {
    object(compiler, &nakiri::emit::c::kernels_file(&[("kernel", kernel)]), &["-O2"])
}
