//! The C that reads constants into natural words, writes them back and makes their images.

use crate::cases::{Random, MACHINES};
use crate::compiled::{compile, compilers, run};
use nakiri::core::{Direction, Layout};
use nakiri::layout::{image, memory_bit, memory_bytes};
use std::fmt::Write;
use std::path::Path;

#[test]
fn constants_are_read_written_and_broadcast() {
    let mut random = Random(3);
    let perm = Layout::Perm { name: "p".into(), entries: random.permutation(64) };
    let [words32, _, words64, _, .., vectors] = MACHINES;
    let ports = [
        (vectors, Direction::V, 8, 16, Layout::Le),
        (vectors, Direction::V, 32, 8, Layout::Be),
        (vectors, Direction::V, 64, 1, perm.clone()),
        (vectors, Direction::B, 1, 64, perm),
        (vectors, Direction::B, 13, 3, Layout::Le),
        (vectors, Direction::B, 128, 2, Layout::Be),
        (vectors, Direction::B, 1, 13, Layout::Be),
        (vectors, Direction::H, 16, 8, Layout::Planes),
        (vectors, Direction::H, 4, 2, Layout::Be),
        (vectors, Direction::H, 64, 2, Layout::Be),
        (words32, Direction::H, 8, 3, Layout::Le),
        (words32, Direction::H, 16, 4, Layout::Be),
        (words64, Direction::H, 8, 8, Layout::Planes),
        (words64, Direction::H, 32, 4, Layout::Be),
    ];
    let mut text = String::from("#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n");
    let mut main = String::from("int main(void)\n{\n");
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for (i, (machine, direction, width, count, layout)) in ports.iter().enumerate() {
        let (read, back, make) = (format!("read{i}"), format!("back{i}"), format!("image{i}"));
        text += &image::words_c(&read, Some(&back), layout, *width, *count).expect("it fits");
        text += &image::image_c(&make, *machine, *direction, *width);
        let bytes = memory_bytes(*width, *count);
        let words = image::natural_words(*width) * *count as usize;
        let size = image::image_bytes(*machine, *direction, *width) * *count as usize;
        let _ = write!(
            main,
            "    {{\n        uint8_t in[{bytes}], out[{bytes}], image[{size}];\n        \
             uint64_t atoms[{words}];\n        if (fread(in, 1, {bytes}, stdin) != {bytes}) return 1;\n        \
             {read}(atoms, in);\n        {back}(out, atoms);\n        {make}(image, atoms, {count});\n        \
             fwrite(out, 1, {bytes}, stdout);\n        fwrite(image, 1, {size}, stdout);\n    }}\n"
        );
        let block = random.bytes(bytes);
        let mut used = vec![0; bytes];
        let mut images = Vec::new();
        for atom in 0..*count {
            let mut value = 0;
            for position in 0..*width {
                let bit = memory_bit(layout, *width, *count, atom, position).expect("it fits");
                used[bit / 8] |= block[bit / 8] & 1 << (bit % 8);
                value = value << 1 | u128::from(block[bit / 8] >> (bit % 8) & 1);
            }
            images.extend(image::image(*machine, *direction, *width, value));
        }
        input.extend(block);
        expected.extend(used);
        expected.extend(images);
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images.c");
    std::fs::write(&source, text + &main + "    return 0;\n}\n").expect("the folder is writable");
    let binary = compile(compilers()[0], &source, &["-O1"]);
    assert!(run(std::process::Command::new(binary), input) == expected);
}
