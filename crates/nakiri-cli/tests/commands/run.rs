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

#[test]
fn ticks_by_the_interpreter_and_as_c() {
    let folder = Folder::new("ticks");
    let line = folder.write(
        "line.ua",
        "node Delay (x:u8) returns (y:u8)\nstate s:u8 = 7\nlet\n  y = s;\n  next s = x\ntel\n\
         node Line (x:u8) returns (y:u8, last:u8)\nvars t:u8[3]\nlet\n  t[0] = x;\n  \
         forall i in [0,1] { t[i+1] = Delay(t[i]) }\n  (y, last) = (t[2], Delay(0xff))\ntel\n",
    );
    let given = r#"[[{"x": 1}, {"x": 2}, {"x": 3}], {"x": 4}]"#;
    let row = |ys: [u32; 4], depth: &str| {
        let last = [7, 255, 255, 255];
        let ticks = ys
            .iter()
            .zip(last)
            .map(|(y, last)| format!("{depth}  {{\"y\": {y}, \"last\": {last}}}"));
        format!("{depth}[\n{}\n{depth}]", ticks.collect::<Vec<_>>().join(",\n"))
    };
    let wanted = format!("[\n{},\n{}\n]\n", row([7, 7, 1, 2], "  "), row([7, 7, 4, 4], "  "));
    for how in [
        &["--engine", "interp"][..],
        &["--engine", "c"],
        &["-B", "--engine", "c", "--target", "gp64:B+interleave=2"],
    ] {
        let args = [&["run", &line, "--ticks", "4", "--in", "-"], how].concat();
        let done = nakiri_with(&args, given);
        assert_eq!((done.code, done.out), (0, wanted.clone()), "{how:?} {}", done.err);
    }
    let one = nakiri_with(&["run", &line, "--in", "-"], r#"{"x": 9}"#);
    assert_eq!(one.out, "{\"y\": 7, \"last\": 7}\n", "{}", one.err);
}

#[test]
fn a_run_ends_when_an_output_is_all_ones_in_every_block() {
    let limits = r#"[{"rst": 0, "limit": "0011"}, {"rst": 0, "limit": "0101"}]"#;
    let run = |more: &[&str]| {
        let args = [&["run", "ciphers/counter4", "--in", "-", "--until", "done"], more].concat();
        nakiri_with(&args, limits)
    };
    let [interp, c] = [run(&[]), run(&["--engine", "c"])];
    assert_eq!(interp.out.matches("\"count\"").count(), 12, "{} {}", interp.out, interp.err);
    assert!(interp.out.contains(r#"{"done": 1, "count": "0101"}"#), "{}", interp.out);
    assert_eq!(interp.out, c.out, "{}", c.err);
    let early = run(&["--ticks", "3"]);
    assert_eq!((early.code, early.out.as_str()), (1, ""));
    assert!(early.err.contains("after 3 ticks `done` is not all ones"), "{}", early.err);
    let other = nakiri_with(&["run", "ciphers/counter4", "--in", "-", "--until", "don"], limits);
    assert_eq!(other.code, 2, "{}", other.err);
    assert!(other.err.contains("the node has `done`, `count`"), "{}", other.err);
    let without = nakiri(&["run", "ciphers/counter4", "--ticks", "2"]);
    assert_eq!(without.code, 2, "{}", without.err);
    assert!(without.err.contains("`--in`"), "{}", without.err);
    let none = nakiri(&["run", "ciphers/lfsr16", "--ticks", "3"]);
    assert_eq!(
        none.out, "[\n  {\"y\": 44257},\n  {\"y\": 22128},\n  {\"y\": 43832}\n]\n",
        "{}",
        none.err
    );
}

#[test]
fn manifests_tell_step_functions_from_others() {
    let folder = Folder::new("stepped");
    folder.write("x.ua", "node Hold (x:u8) returns (y:u8)\nstate s:u8\nlet\n  y = s;\n  next s = x\ntel\nnode Not (x:u8) returns (y:u8)\nlet\n  y = ~x\ntel\n");
    let head = "name = \"x\"\ntitle = \"x\"\nspecification = \"x\"\nsource = \"x.ua\"\nslicing = \"V\"\n[[instance]]\nprefix = \"x\"\nmodes = []\n";
    let path = folder.path("");
    for (instance, vectors, message) in [
        ("permute = \"Hold\"", "", "`Hold` has registers"),
        ("step = \"Not\"", "", "`Not` has no registers"),
        ("step = \"Hold\"\npermute = \"Not\"", "", "an instance with `step` has no other node"),
        (
            "step = \"Hold\"",
            "[[ticks]]\ninstance = \"x\"\nrun = [{ in = \"05\", ticks = 2, out = \"0006\" }]\norigin = \"\"",
            "the nodes do not compute this output",
        ),
        (
            "step = \"Hold\"",
            "[[ticks]]\ninstance = \"x\"\nrun = [{ in = \"0505\" }]\norigin = \"\"",
            "this input does not fit the nodes",
        ),
        (
            "permute = \"Not\"",
            "[[ticks]]\ninstance = \"x\"\nrun = [{ in = \"05\" }]\norigin = \"\"",
            "its vectors stand under `[[block]]`",
        ),
        ("step = \"Hold\"", "[[block]]\ninstance = \"x\"\nplain = \"05\"\ncipher = \"00\"\norigin = \"\"", "`[[ticks]]`"),
    ] {
        folder.write("cipher.toml", format!("{head}{instance}\n"));
        folder.write("vectors.toml", vectors);
        let done = nakiri(&["build", &path, "-o", "-"]);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{instance} {vectors}");
        assert!(done.err.contains(message), "{instance} {vectors}: {}", done.err);
    }
    folder.write("cipher.toml", format!("{head}step = \"Hold\"\n"));
    folder.write("vectors.toml", "");
    let bench = nakiri(&["bench", &path]);
    assert_eq!(bench.code, 2, "{}", bench.err);
    assert!(bench.err.contains("`x` is stepped"), "{}", bench.err);
    let done = nakiri(&["build", &path, "-o", "-"]);
    assert!(
        done.code == 0
            && done.out.contains("void x_step(x_state *state, uint8_t *out, const uint8_t *in)"),
        "{}",
        done.err
    );
}

/// A block's inputs, outputs and registers, tick by tick, for a viewer of waveforms.
#[test]
fn a_waveform_of_each_block() {
    let folder = Folder::new("waveform");
    let file = folder.path("out.vcd");
    let args = ["run", "ciphers/counter4/counter4.ua", "--ticks", "3", "--vcd", &file, "--in", "-"];
    let zero = r#"{"rst": 0, "limit": "0010"}"#;
    let done = nakiri_with(&args, &format!("[{zero}, {zero}]"));
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(&file).expect("a waveform");
    let count = |word: &str| text.matches(word).count();
    assert_eq!((count("$scope module block"), count("$upscope")), (2, 2), "{text}");
    for name in
        ["rst $end", "limit [0:3] $end", "done $end", "count [0:3] $end", "counter [0:3] $end"]
    {
        assert_eq!(count(&format!(" {name}")), 2, "{name}: {text}");
    }
    let (_, end) = text.split_once("#20\n").expect("a third tick");
    assert_eq!(end, "1#\nb0010 $\nb0010 %\n1(\nb0010 )\nb0010 *\n#30\n");
    let below = format!("{file}/out.vcd");
    let none = nakiri_with(&[&args[..5], &[&below, "--in", "-"]].concat(), zero);
    assert!(none.code == 2 && none.err.contains(&file), "{}", none.err);
}
