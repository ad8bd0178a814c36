//! `nakiri new`: a cipher's folder to begin with.

use crate::manifest::{self, is_identifier};
use crate::output;
use crate::session::{Failure, Session};
use crate::vectors::{self, block, ctr, hex};
use std::path::{Path, PathBuf};

/// Makes a new cipher's folder: a small block cipher that builds and tests
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cipher's name: letters, digits and `_`
    name: String,
    /// Where to make the folder
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

const SOURCE: &str = include_str!("new/cipher.ua");
const MANIFEST: &str = include_str!("new/cipher.toml");
const README: &str = include_str!("new/README.md");

/// Keys and plain texts of the vectors.
const BLOCKS: [(&str, &str); 3] = [
    ("00000000000000000000000000000000", "00000000"),
    ("ffffffffffffffffffffffffffffffff", "ffffffff"),
    ("000102030405060708090a0b0c0d0e0f", "01234567"),
];

/// Runs the command.
///
/// # Errors
/// [`Failure::Usage`] for an unusable name, a folder that exists, or files that can't be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !is_identifier(&args.name) {
        let message = format!("`{}` can't be a name in C: use letters, digits and `_`", args.name);
        return Err(Failure::Usage(message));
    }
    let folder = args.dir.join(&args.name);
    if folder.exists() {
        return Err(Failure::Usage(format!("`{}` exists already", folder.display())));
    }
    std::fs::create_dir_all(&folder).map_err(|error| {
        Failure::Usage(format!("can't make the folder `{}`: {error}", folder.display()))
    })?;
    let fill = |text: &str| text.replace("NAME", &args.name);
    output::write(&folder.join(format!("{}.ua", args.name)), &fill(SOURCE))?;
    output::write(&folder.join("cipher.toml"), &fill(MANIFEST))?;
    output::write(&folder.join("README.md"), &fill(README))?;
    output::write(&folder.join("vectors.toml"), &vectors(&folder, &args.name)?)?;
    let path = folder.display();
    output::print(&format!("{path} is ready; try\n  nakiri check {path}\n  nakiri build {path}\n"))
}

/// The vectors, computed by the interpreter from the folder's source.
fn vectors(folder: &Path, name: &str) -> Result<String, Failure> {
    let mut session = Session::default();
    let folder = manifest::read(&mut session, folder)?;
    let checked = session.check(&folder.source(), &Default::default())?;
    let instance = &folder.manifest.instances[0];
    let nodes = vectors::nodes(&session, &folder, &checked, instance)?;
    let odd = || Failure::Wrong("the new cipher's nodes do not fit its manifest".to_string());
    let mut text =
        "# Computed by `nakiri new`: replace them by the vectors of your specification.\n"
            .to_string();
    for (key, plain) in BLOCKS {
        let constants = nodes.constants(&bytes(key)).ok_or_else(odd)?;
        let cipher = block(&nodes.forward, &constants, &bytes(plain)).ok_or_else(odd)?;
        text += &format!(
            "\n[[block]]\ninstance = \"{name}\"\nkey = \"{key}\"\nplain = \"{plain}\"\ncipher = \"{}\"\n\
             origin = \"computed by nakiri, not published\"\n",
            hex(&cipher)
        );
    }
    let (key, first, plain) = (BLOCKS[2].0, "fffffffe", "00112233445566778899aabbcc");
    let counter = instance.counter.as_ref().map(|counter| *counter.get_ref()).ok_or_else(odd)?;
    let constants = nodes.constants(&bytes(key)).ok_or_else(odd)?;
    let cipher =
        ctr(&nodes.forward, &constants, counter, &bytes(first), &bytes(plain)).ok_or_else(odd)?;
    text += &format!(
        "\n[[ctr]]\ninstance = \"{name}\"\nkey = \"{key}\"\ncounter = \"{first}\"\nplain = \"{plain}\"\n\
         cipher = \"{}\"\norigin = \"computed by nakiri, not published: the counter wraps\"\n",
        hex(&cipher)
    );
    Ok(text)
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap_or(0);
    (0..digits.len()).step_by(2).map(byte).collect()
}
