use super::{nakiri, Folder};
use nakiri_cli::manifest;
use nakiri_cli::session::Session;
use nakiri_cli::values;
use nakiri_cli::vectors::{self, Nodes};
use std::path::Path;

/// The cipher of Mercadier and Dagand (PLDI 2019), Figure 1.
const FIGURE_1: &str = "
table SubColumn (in:v4) returns (out:v4) {
    6 , 5, 12, 10, 1, 14, 7, 9,
    11, 0, 3 , 13, 8, 15, 4, 2
}
node ShiftRows (input:u16x4) returns (out:u16x4)
let out[0] = input[0];
    out[1] = input[1] <<< 1;
    out[2] = input[2] <<< 12;
    out[3] = input[3] <<< 13
tel
node Rectangle (plain:u16x4,key:u16x4[26])
    returns (cipher:u16x4)
vars round : u16x4[26]
let round[0] = plain;
    forall i in [0,24] {
        round[i+1] = ShiftRows(SubColumn(round[i]
            ^ key[i]))
    }
    cipher = round[25] ^ key[25]
tel
";

/// The vectors of the folder as blocks of the figure's node, whose round keys differ from block to block.
fn blocks() -> (String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut session = Session::default();
    let folder = manifest::read(&mut session, &root.join("ciphers/rectangle")).expect("a cipher");
    let checked = session.check(&folder.source(), &Default::default()).expect("a program");
    let (mut given, mut wanted) = (Vec::new(), Vec::new());
    for instance in &folder.manifest.instances {
        let nodes = vectors::nodes(&session, &folder, &checked, instance).expect("nodes");
        let name = instance.prefix.get_ref();
        for vector in folder.vectors.block.iter().filter(|v| v.instance.get_ref() == name) {
            let constants =
                nodes.constants(&vector.key.as_ref().expect("a key").bytes).expect("a key");
            given.push(
                Nodes::arguments(&nodes.forward, &constants, &vector.plain.bytes).expect("a block"),
            );
            let entry = nodes.forward.entry();
            let cipher = nakiri::layout::from_memory(&entry.results[0], &vector.cipher.bytes);
            wanted.push(vec![cipher.expect("a block")]);
        }
    }
    assert_eq!(given.len(), 16);
    let checked = checked.program_for("Encrypt").expect("the node");
    let entry = checked.entry();
    let once = |blocks: Vec<values::Block>| blocks.into_iter().map(|b| vec![b]).collect::<Vec<_>>();
    let print =
        |blocks, ports| values::print(&once(blocks), true, false, ports, values::Bits::Digits);
    (print(given, &entry.params), print(wanted, &entry.results))
}

#[test]
fn figure_1_computes_rectangle_under_compat_and_with_lsb_without() {
    let folder = Folder::new("figure");
    let (given, wanted) = blocks();
    let input = folder.write("in.json", given);
    let old = folder.write("old.ua", FIGURE_1);
    // `in` is a keyword here, and the first atom of a table is its most significant bit unless it says otherwise.
    let new = FIGURE_1.replace("table", "_lsb table").replace("(in:v4)", "(x:v4)");
    let new = folder.write("new.ua", new);
    let msb = folder.write("msb.ua", FIGURE_1.replace("(in:v4)", "(x:v4)"));
    for flags in [&["-V"][..], &["-H"], &["-B"], &["-V", "--engine", "c"]] {
        let run = |file: &str, more: &[&str]| {
            nakiri(&[&["run", file, "--target", "ssse3", "--in", &input], flags, more].concat())
        };
        let compat = run(&old, &["--compat", "usubac"]);
        assert_eq!((compat.code, &compat.out), (0, &wanted), "{flags:?}: {}", compat.err);
        assert_eq!(run(&new, &[]).out, wanted, "{flags:?}");
        assert_ne!(run(&msb, &[]).out, wanted, "{flags:?}");
    }
}
