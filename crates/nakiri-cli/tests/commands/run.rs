use super::{nakiri, nakiri_with, Folder, ADD};

#[test]
fn one_block_or_a_list_by_the_interpreter_and_as_c() {
    let folder = Folder::new("run");
    let file = folder.write("add.ua", ADD);
    let list = r#"[{"x": 1, "k": "0xffffffff"}, {"k": 2, "x": 3}, {"x": "0x20000000", "k": 2}]"#;
    for engine in ["interp", "c"] {
        let done = nakiri_with(&["run", &file, "--engine", engine, "--in", "-"], list);
        assert_eq!(done.code, 0, "{}", done.err);
        assert_eq!(done.out, "[\n  {\"y\": 0},\n  {\"y\": 40},\n  {\"y\": 17}\n]\n", "{engine}");
        let done =
            nakiri_with(&["run", &file, "--engine", engine, "--in", "-"], r#"{"x": 1, "k": 1}"#);
        assert_eq!(done.out, "{\"y\": 16}\n", "{engine}");
    }
    let none = nakiri_with(&["run", &file, "--in", "-"], "[]");
    assert_eq!((none.code, none.out.as_str()), (0, "[]\n"));
}

#[test]
fn more_blocks_than_lanes_each_in_its_own() {
    let folder = Folder::new("lanes");
    let file = folder.write(
        "f.ua",
        "node F (x:b4[2], y:u64) returns (p:b8, q:u64)\nlet\n  p = (x[1], ~x[0]);\n  q = ~y\ntel\n",
    );
    let bits = |n: usize| format!("{:04b}", n % 16);
    let given: Vec<String> = (0..70)
        .map(|n| format!(r#"{{"x": ["{}", "{}"], "y": {n}}}"#, bits(n), bits(n / 3)))
        .collect();
    let wanted: Vec<String> = (0..70)
        .map(|n| {
            let not = !(n as u64);
            format!(r#"{{"p": "{}{}", "q": "{not:#018x}"}}"#, bits(n / 3), bits(15 - n % 16))
        })
        .collect();
    let given = format!("[{}]", given.join(","));
    for (engine, target) in [("interp", "gp64"), ("c", "gp64"), ("c", "gp64:B+interleave=3:2")] {
        let args = ["run", &file, "-B", "--target", target, "--engine", engine, "--in", "-"];
        let done = nakiri_with(&args, &given);
        assert_eq!(done.out, format!("[\n  {}\n]\n", wanted.join(",\n  ")), "{}", done.err);
    }
}

#[test]
fn wrong_programs_and_inputs_end_with_1() {
    let folder = Folder::new("wrong");
    let file = folder.write("add.ua", ADD);
    for (args, input, message) in [
        (&[][..], "{", "not JSON"),
        (&[], r#"{"x": 1}"#, ".k: missing"),
        (&[], r#"[{"x": 1, "k": 4294967296}]"#, "[0].k: 0x100000000 has more than 32 bits"),
        (&["-B"], r#"{"x": 1, "k": 1}"#, "`+` has no instance"),
        (&["--entry", "Sub"], r#"{"x": 1, "k": 1}"#, "there is no node `Sub`"),
    ] {
        let args = [&["run", &file, "--in", "-"], args].concat();
        let done = nakiri_with(&args, input);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{args:?} {input}");
        assert!(done.err.contains(message), "{args:?}: {}", done.err);
    }
    let done =
        nakiri_with(&["run", &file, "-B", "--soft-arith", "--in", "-"], r#"{"x": 1, "k": 1}"#);
    assert_eq!(done.out, "{\"y\": 16}\n", "{}", done.err);
}

#[test]
fn a_folder_runs_in_the_slicing_of_its_manifest() {
    let folder = Folder::new("folder");
    let input = folder.write("in.json", r#"{"x": [1, 2, 3, 4, 5]}"#);
    let args = ["run", "ciphers/ascon", "--entry", "Diffuse", "--in", &input];
    let [v, b] = [&[][..], &["-B", "--engine", "c"]].map(|more| nakiri(&[&args, more].concat()));
    assert!(v.code == 0 && v.out.starts_with("{\"y\": [\"0x"), "{} {}", v.out, v.err);
    assert_eq!(v.out, b.out, "{}", b.err);
}
