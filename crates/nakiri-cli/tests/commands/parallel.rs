//! Many blocks of a text side by side give what one after another does.

use super::modes::{
    self, compiled, full, in_turn, instance, printed, with_instructions, SANITIZED,
};
use super::Folder;
use std::path::PathBuf;

/// Texts of many lengths by each variant, by that which is best, and many at once, against that of the narrowest registers.
const DRIVER: &str = r#"
#include "$folder.h"
#include <stdio.h>
#include <string.h>

#define COUNT 14
#define LONGEST 9001

static const size_t lengths[COUNT] = { 0, 15, 256, 257, 511, 512, 513, 528, 529, 768, 1041, 2049, 4129, LONGEST };
static uint8_t key[32], nonces[COUNT][16], plain[LONGEST], known[COUNT][LONGEST], tags[COUNT][16];
static uint8_t text[LONGEST + 2], many[COUNT][LONGEST];

static int differs(const char *name, size_t k, const char *what)
{
    fprintf(stderr, "%s: %s of %zu bytes\n", name, what, lengths[k]);
    return 1;
}

$calls

static int alone(const char *name, int first)
{
    for (size_t k = 0; k < COUNT; k++) {
        /* At an odd address, with a byte on either side that nobody may touch. */
        uint8_t *own = text + 1, tag[16] = { 0 };
        size_t length = lengths[k] / UNIT * UNIT;
        memset(text, 0xa5, sizeof text);
        memcpy(own, plain, length);
        seal(own, tag, k, length);
        if (first) {
            memcpy(known[k], own, length);
            memcpy(tags[k], tag, sizeof tag);
        }
        if (memcmp(known[k], own, length) != 0 || memcmp(tags[k], tag, sizeof tag) != 0)
            return differs(name, k, "what is sealed");
        if (unseal(own, tag, k, length) != 0 || memcmp(own, plain, length) != 0)
            return differs(name, k, "what is opened");
        if (text[0] != 0xa5 || text[length + 1] != 0xa5)
            return differs(name, k, "what is around");
        if (!first && forged(own, tag, k, length))
            return differs(name, k, "what is forged");
    }
    return 0;
}

int main(void)
{
    const char *const *names = $P_variants();
    size_t last = 0, taken = 0;
    for (size_t k = 0; k < LONGEST; k++)
        plain[k] = (uint8_t)(k * k + 7 * k + (k >> 4));
    for (size_t k = 0; k < sizeof key; k++)
        key[k] = (uint8_t)(5 * k + 1);
    for (size_t k = 0; k < COUNT * 16; k++)
        nonces[k / 16][k % 16] = (uint8_t)(11 * k);
    while (names[last + 1] != NULL)
        last++;
    /* The last has the narrowest registers, and no other beside it as long as it was asked for. */
    if ($P_use_variant(names[last]) != 0 || alone(names[last], 1) != 0)
        return 1;
    for (size_t k = 0; k < last; k++)
        if ($P_use_variant(names[k]) == 0) {
            taken++;
            if (alone(names[k], 0) != 0 || together(names[k]) != 0)
                return 1;
        }
    $P_use_variant(NULL);
    if (alone("the best", 0) != 0 || together("the best") != 0)
        return 1;
    printf("%zu\n", taken);
    return 0;
}
"#;

/// Calls of a mode that authenticates.
const SEALED: &str = r#"
#define UNIT 1

static const uint8_t ad[40] = { 1, 2, 3 };

static void seal(uint8_t *own, uint8_t *tag, size_t k, size_t length)
{
    $P_seal(own, tag, key, nonces[k], ad, 33, own, length);
}

static int unseal(uint8_t *own, const uint8_t *tag, size_t k, size_t length)
{
    return $P_open(own, tag, key, nonces[k], ad, 33, own, length);
}

static int forged(uint8_t *own, uint8_t *tag, size_t k, size_t length)
{
    uint8_t any = 0;
    seal(own, tag, k, length);
    tag[k % 16] ^= 0x20;
    if (unseal(own, tag, k, length) == 0)
        return 1;
    for (size_t at = 0; at < length; at++)
        any |= own[at];
    return any != 0;
}

static int together(const char *name)
{
    const uint8_t *ads[COUNT];
    uint8_t *texts[COUNT], got[COUNT][16], opened[COUNT], short_nonces[COUNT][12];
    size_t ad_lengths[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        ads[k] = ad;
        ad_lengths[k] = 33;
        texts[k] = memcpy(many[k], plain, lengths[k]);
        memcpy(short_nonces[k], nonces[k], 12);
    }
    $P_seal_many(COUNT, got[0], key, short_nonces[0], ads, ad_lengths, texts, lengths);
    for (size_t k = 0; k < COUNT; k++)
        if (memcmp(many[k], known[k], lengths[k]) != 0 || memcmp(got[k], tags[k], 16) != 0)
            return differs(name, k, "one of many");
    if ($P_open_many(COUNT, opened, got[0], key, short_nonces[0], ads, ad_lengths, texts, lengths) != 0)
        return differs(name, 0, "one of many, opened");
    for (size_t k = 0; k < COUNT; k++)
        if (memcmp(many[k], plain, lengths[k]) != 0)
            return differs(name, k, "one of many, opened");
    return 0;
}
"#;

/// Calls of a mode that doesn't.
const CHAINED: &str = r#"
#define UNIT $block

static void seal(uint8_t *own, uint8_t *tag, size_t k, size_t length)
{
    (void)tag;
    $P_encrypt(own, key, nonces[k], own, length);
}

static int unseal(uint8_t *own, const uint8_t *tag, size_t k, size_t length)
{
    (void)tag;
    return $P_decrypt(own, key, nonces[k], own, length);
}

static int forged(uint8_t *own, uint8_t *tag, size_t k, size_t length)
{
    (void)own, (void)tag, (void)k, (void)length;
    return 0;
}

static int together(const char *name)
{
    uint8_t *texts[COUNT], first[COUNT][UNIT];
    size_t whole[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        memcpy(first[k], nonces[k], UNIT);
        whole[k] = lengths[k] / UNIT * UNIT;
        texts[k] = memcpy(many[k], known[k], whole[k]);
    }
    $P_decrypt_many(COUNT, key, first[0], texts, whole);
    for (size_t k = 0; k < COUNT; k++)
        if (memcmp(many[k], plain, whole[k]) != 0)
            return differs(name, k, "one of many");
    return 0;
}
"#;

/// A folder, and its first mode.
struct Subject {
    folder: &'static str,
    prefix: &'static str,
    /// How it is called.
    calls: &'static str,
    /// The bytes of a block.
    block: usize,
    /// The targets that it is tried on, those with the widest registers first, if registers of one hold several blocks.
    targets: fn() -> Option<String>,
}

const fn subject(
    folder: &'static str,
    prefix: &'static str,
    (calls, block): (&'static str, usize),
    targets: fn() -> Option<String>,
) -> Subject {
    Subject { folder, prefix, calls, block, targets }
}

const SUBJECTS: [Subject; 6] = [
    subject("gcm", "aes128_gcm", (SEALED, 16), rows),
    subject("ocb", "aes128_ocb", (SEALED, 16), rows),
    subject("cbc", "aes128_cbc", (CHAINED, 16), rows),
    subject("xts", "aes128_xts", (CHAINED, 16), rows_and_bits),
    subject("tdes_cbc", "tdes_cbc", (CHAINED, 8), bits),
    subject("chacha20_poly1305", "chacha20_poly1305", (SEALED, 64), words),
];

/// The targets with instructions that run here, those with the widest registers first; none where no register has several blocks.
fn rows() -> Option<String> {
    let mut targets = with_instructions();
    targets.retain(|target| *target != "gp64");
    widest_first(targets)
}

/// The same, and with `NAKIRI_FULL=1` general-purpose registers, which have bits of many blocks: compilers take minutes for these.
fn rows_and_bits() -> Option<String> {
    rows().map(|targets| if full() { targets + ",gp64" } else { targets })
}

/// Two targets with bits of many blocks.
fn bits() -> Option<String> {
    modes::targets().contains(&"avx2").then(|| "avx2,gp64".to_string())
}

/// The targets that run here, for words.
fn words() -> Option<String> {
    widest_first(modes::targets())
}

fn widest_first(mut targets: Vec<&str>) -> Option<String> {
    targets.reverse();
    (targets.len() > 1).then(|| targets.join(","))
}

#[test]
fn texts_are_what_they_are_block_after_block() {
    for (number, subject) in SUBJECTS.into_iter().enumerate() {
        let Subject { folder, prefix, calls, block, targets } = subject;
        let Some(targets) = targets() else {
            eprintln!("{folder} not tested: no register here has several blocks");
            continue;
        };
        let work = Folder::new(&format!("parallel-{folder}"));
        let source = instance(folder, prefix, &work, &targets);
        let emitted = std::fs::read_to_string(&source).expect("it was written");
        assert!(emitted.contains("of one text side by side"), "{folder} takes block after block");
        let block = block.to_string();
        let names = [("$calls", calls), ("$block", &*block), ("$folder", folder), ("$P", prefix)];
        let text = names.iter().fold(DRIVER.to_string(), |text, (of, name)| text.replace(of, name));
        let main = PathBuf::from(work.write("main.c", &text));
        for cc in in_turn(number) {
            let program = PathBuf::from(work.path("program"));
            compiled(&cc, &[source.clone(), main.clone()], &SANITIZED, &program);
            assert_eq!(printed(&cc, &program, &[], ""), [targets.matches(',').count().to_string()]);
        }
    }
}

/// A form that takes less of rustc stands for these: AES in general-purpose registers, which a crate needs, takes minutes.
#[test]
fn rust_takes_them_side_by_side_too() {
    let Some(targets) = rows().filter(|_| full()) else {
        return eprintln!(
            "not tested: NAKIRI_FULL is not set, or no register here has several blocks"
        );
    };
    for folder in ["cbc", "xts", "gcm"] {
        super::rust::passes_its_vectors(&format!("modes/{folder}"), &format!("{targets},gp64"));
    }
}
