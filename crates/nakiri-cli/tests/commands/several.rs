//! Modes of several streams, and Triple DES, give what is published: published files, beside the vectors of the folders
//! themselves, become vectors of a folder, which `nakiri check` holds against the interpreter.

use super::modes::full;
use super::published::{self, field, is_valid, records, Record};
use super::{nakiri, Folder};
use std::fmt::Write as _;
use std::path::Path;

/// A published file, and the instance of a folder that some of its records are of.
struct Subject {
    folder: &'static str,
    instance: &'static str,
    file: &'static str,
    /// A record as a vector; nothing of what the instance doesn't take.
    vector: fn(&Record) -> Option<String>,
    /// How many of its records are such.
    count: usize,
    /// Of so many one is computed, and all with `NAKIRI_FULL=1`.
    one_of: usize,
}

const fn of(
    (folder, instance): (&'static str, &'static str),
    file: &'static str,
    vector: fn(&Record) -> Option<String>,
    count: usize,
) -> Subject {
    Subject { folder, instance, file, vector, count, one_of: 1 }
}

/// Authenticated encryption of NIST's lightweight competition: texts and data of up to 32 bytes, of which a sample has nearly all lengths.
const fn lightweight(of: (&'static str, &'static str), file: &'static str) -> Subject {
    let (folder, instance) = of;
    Subject { folder, instance, file, vector: lightly_sealed, count: 33 * 33, one_of: 37 }
}

/// Digests of messages of up to 1,024 bytes.
const fn lightly_hashed(of: (&'static str, &'static str), file: &'static str) -> Subject {
    let (folder, instance) = of;
    Subject { folder, instance, file, vector: hashed, count: 1025, one_of: 256 }
}

/// AEGIS of several states side by side: the draft has two messages for each.
const fn aegis(
    instance: &'static str,
    file: &'static str,
    vector: fn(&Record) -> Option<String>,
) -> Subject {
    of(("modes/aegis_x", instance), file, vector, 2)
}

const SIV: &str = "wycheproof/aes_siv_cmac_test.json";
const NONCE_SIV: &str = "wycheproof/aead_aes_siv_cmac_test.json";

const SUBJECTS: [Subject; 39] = [
    of(("modes/siv", "aes128_siv"), SIV, |record| sealed(record, 64), 40),
    of(("modes/siv", "aes192_siv"), SIV, |record| sealed(record, 96), 39),
    of(("modes/siv", "aes256_siv"), SIV, |record| sealed(record, 128), 39),
    of(
        ("modes/siv", "aes128_siv"),
        "botan-aead/siv.vec#AES-128/SIV",
        |record| sealed(record, 64),
        321,
    ),
    of(("modes/siv", "aes128_siv_nonce"), NONCE_SIV, |record| sealed_with_nonce(record, 64), 84),
    of(("modes/siv", "aes192_siv_nonce"), NONCE_SIV, |record| sealed_with_nonce(record, 96), 84),
    of(("modes/siv", "aes256_siv_nonce"), NONCE_SIV, |record| sealed_with_nonce(record, 128), 84),
    of(("modes/kmac", "kmac128"), "botan-mac/kmac.vec#KMAC-128(256)", code, 7),
    of(("modes/kmac", "kmac256"), "botan-mac/kmac.vec#KMAC-256(512)", code, 7),
    of(
        ("modes/kmac", "cshake128"),
        "nist-sha-pycryptodome/ShortMsgSamples_cSHAKE128.txt",
        customized,
        2,
    ),
    of(
        ("modes/kmac", "cshake128"),
        "nist-sha-pycryptodome/CustomMsgSamples_cSHAKE128.txt",
        customized,
        12,
    ),
    of(
        ("modes/kmac", "cshake256"),
        "nist-sha-pycryptodome/ShortMsgSamples_cSHAKE256.txt",
        customized,
        2,
    ),
    of(
        ("modes/kmac", "cshake256"),
        "nist-sha-pycryptodome/CustomMsgSamples_cSHAKE256.txt",
        customized,
        12,
    ),
    of(("modes/tdes_cbc", "tdes_cbc"), "nist-tdes/TCBCMMT3.rsp", chained, 20),
    of(
        ("ciphers/tdes", "tdes"),
        "nist-tdes/TECBMMT3.rsp",
        |record| blocks(record, &["key1", "key2", "key3"]),
        20,
    ),
    of(
        ("ciphers/tdes", "tdes_two_keys"),
        "nist-tdes/TECBMMT2.rsp",
        |record| blocks(record, &["key1", "key2"]),
        20,
    ),
    lightweight(("modes/romulus", "romulus_n"), "lwc-final/romulusn/LWC_AEAD_KAT_128_128.txt"),
    lightweight(
        ("modes/photon_beetle", "photon_beetle"),
        "lwc-final/photonbeetleaead128rate128v1/LWC_AEAD_KAT_128_128.txt",
    ),
    lightweight(
        ("modes/grain128aead", "grain128aead"),
        "lwc-final/grain128aeadv2/LWC_AEAD_KAT_128_96.txt",
    ),
    Subject {
        one_of: 109,
        ..lightweight(
            ("modes/elephant", "elephant160"),
            "lwc-final/elephant160v2/LWC_AEAD_KAT_128_96.txt",
        )
    },
    lightweight(("modes/skinny_aead", "skinny_aead_m1"), "lwc-round2/SKINNY-AEAD-M1.txt"),
    lightweight(("modes/ace_ae", "ace_ae128"), "lwc-round2/ACE.txt"),
    Subject { one_of: 233, ..lightweight(("modes/wage_ae", "wage_ae128"), "lwc-round2/WAGE.txt") },
    lightweight(("modes/spix", "spix"), "lwc-round2/SPIX.txt"),
    lightweight(("modes/spook", "spook_128_512"), "lwc-round2/Spook-128-512-su.txt"),
    lightweight(("modes/pyjamask_aead", "pyjamask128_aead"), "lwc-round2/Pyjamask-128-AEAD.txt"),
    lightweight(("modes/pyjamask_aead", "pyjamask96_aead"), "lwc-round2/Pyjamask-96-AEAD.txt"),
    lightweight(
        ("modes/saturnin_ctr_cascade", "saturnin_ctr_cascade"),
        "lwc-round2/SATURNIN-CTR-Cascade.txt",
    ),
    lightweight(("modes/subterranean", "subterranean"), "lwc-round2/Subterranean.txt"),
    aegis("aegis128x2", "aegis-draft/aegis-128x2-test-vectors.json", tag128),
    aegis("aegis128x2_tag256", "aegis-draft/aegis-128x2-test-vectors.json", tag256),
    aegis("aegis128x4", "aegis-draft/aegis-128x4-test-vectors.json", tag128),
    aegis("aegis128x4_tag256", "aegis-draft/aegis-128x4-test-vectors.json", tag256),
    aegis("aegis256x2", "aegis-draft/aegis-256x2-test-vectors.json", tag128),
    aegis("aegis256x2_tag256", "aegis-draft/aegis-256x2-test-vectors.json", tag256),
    aegis("aegis256x4", "aegis-draft/aegis-256x4-test-vectors.json", tag128),
    aegis("aegis256x4_tag256", "aegis-draft/aegis-256x4-test-vectors.json", tag256),
    lightly_hashed(("modes/ace_ae", "ace_h256"), "lwc-round2/ACE-HASH.txt"),
    lightly_hashed(("modes/subterranean", "subterranean_xof"), "lwc-round2/Subterranean-Hash.txt"),
];

/// A table of a message, but for its instance and origin.
fn message(inputs: &str, streams: &[&str], out: &str) -> String {
    let streams: Vec<String> = streams.iter().map(|stream| format!("{stream:?}")).collect();
    format!(
        "[[message]]\ninputs = \"{inputs}\"\nstreams = [{}]\nout = \"{out}\"",
        streams.join(", ")
    )
}

/// A text with the code in front of what it becomes.
fn sealed(record: &Record, key: usize) -> Option<String> {
    let (own, out) = (field(record, &["key"]), field(record, &["ct", "out"]));
    let fits = own.len() == key && is_valid(record) && !record.contains_key("nonce");
    let (code, text) = out.split_at_checked(32).filter(|_| fits)?;
    let (ad, plain) = (field(record, &["aad", "ad"]), field(record, &["msg", "in"]));
    Some(message(&own, &[&ad, &plain], &format!("{text}{code}")))
}

/// A message of the fields of a record: inputs and what comes out each in one, streams apart.
fn of_fields(record: &Record, inputs: &[&str], streams: &[&str], out: &[&str]) -> String {
    let fields = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| field(record, &[name])).collect()
    };
    let streams = fields(streams);
    let streams: Vec<&str> = streams.iter().map(String::as_str).collect();
    message(&fields(inputs).concat(), &streams, &fields(out).concat())
}

fn sealed_with_nonce(record: &Record, key: usize) -> Option<String> {
    let fits = field(record, &["key"]).len() == key && is_valid(record);
    fits.then(|| of_fields(record, &["key"], &["iv", "aad", "msg"], &["ct", "tag"]))
}

fn tagged(record: &Record, tag: &str) -> Option<String> {
    let fits = record.contains_key("ct") && record.contains_key("msg");
    fits.then(|| of_fields(record, &["key", "nonce"], &["ad", "msg"], &["ct", tag]))
}

fn tag128(record: &Record) -> Option<String> {
    tagged(record, "tag128")
}

fn tag256(record: &Record) -> Option<String> {
    tagged(record, "tag256")
}

fn lightly_sealed(record: &Record) -> Option<String> {
    Some(of_fields(record, &["key", "nonce"], &["ad", "pt"], &["ct"]))
}

fn hashed(record: &Record) -> Option<String> {
    Some(of_fields(record, &[], &["msg"], &["md"]))
}

fn code(record: &Record) -> Option<String> {
    Some(of_fields(record, &[], &["key", "iv", "in"], &["out"]))
}

/// Of whole bytes, without the name of a function.
fn customized(record: &Record) -> Option<String> {
    let [name, string, length] = ["nlen", "slen", "len"]
        .map(|of| record.get(of).and_then(|bits| bits.parse::<usize>().ok()));
    let digits = |of: &str, bits: usize| field(record, &[of])[..bits / 4].to_string();
    let (string, length) = (string?, length?);
    let fits = name == Some(0) && string % 8 == 0 && length % 8 == 0;
    let out = field(record, &["md"]);
    fits.then(|| message("", &[&digits("s", string), &digits("msg", length)], &out))
}

fn chained(record: &Record) -> Option<String> {
    Some(of_fields(record, &["key1", "key2", "key3", "iv"], &["plaintext"], &["ciphertext"]))
}

/// The first block of a text.
fn blocks(record: &Record, keys: &[&str]) -> Option<String> {
    let key: String = keys.iter().map(|name| field(record, &[name])).collect();
    let [plain, cipher] =
        ["plaintext", "ciphertext"].map(|name| field(record, &[name])[..16].to_string());
    Some(format!("[[block]]\nkey = \"{key}\"\nplain = \"{plain}\"\ncipher = \"{cipher}\""))
}

/// The manifest of a folder with its source where that lies, and one instance.
fn manifest(folder: &Path, instance: &str) -> String {
    let text = std::fs::read_to_string(folder.join("cipher.toml")).expect("a manifest");
    let (head, instances) = text.split_once("[[instance]]").expect("an instance");
    let own = format!("prefix = \"{instance}\"\n");
    let own = instances.split("[[instance]]").find(|text| text.contains(&own)).expect("its text");
    let source = head.lines().find(|line| line.starts_with("source = ")).expect("a source");
    format!("{}\n[[instance]]{own}", head.replace(source, "source = \"all.ua\""))
}

/// The vectors of a folder that are of one instance.
fn own_vectors(folder: &Path, instance: &str) -> String {
    let text = std::fs::read_to_string(folder.join("vectors.toml")).expect("vectors");
    let is_own = |table: &&str| table.contains(&format!("instance = \"{instance}\"\n"));
    text.split("\n[[").skip(1).filter(is_own).map(|table| format!("[[{table}\n\n")).collect()
}

#[test]
fn several_streams_and_triple_des_are_as_published() {
    let Some(root) = published::root() else { return };
    for Subject { folder, instance, file, vector, count, one_of } in SUBJECTS {
        let work = Folder::new(&format!("several-{instance}"));
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let mut vectors = own_vectors(&here, instance);
        let name = here.file_name().and_then(|name| name.to_str()).expect("a name");
        let source = here.join(format!("{name}.ua")).display().to_string();
        work.write("cipher.toml", manifest(&here, instance));
        work.write("all.ua", format!("include \"{source}\"\n"));
        let all: Vec<String> = records(&root, file).iter().filter_map(vector).collect();
        let sample = all.iter().step_by(if full() { 1 } else { one_of });
        println!("{file}: {} of {} of {instance}", sample.len(), all.len());
        for own in sample {
            let _ = write!(vectors, "{own}\ninstance = \"{instance}\"\norigin = \"{file}\"\n\n");
        }
        work.write("vectors.toml", vectors);
        let done = nakiri(&["check", &work.path("")]);
        assert_eq!(done.code, 0, "{file}: {}{}", done.out, done.err);
        assert_eq!(all.len(), count, "{file}");
    }
}
