//! Whether two implementations compute the same, before either is timed.

use super::{Prepared, Request, Unavailable};
use nakiri::emit::c::Counter;

/// Numbers of blocks to compare: none, one, less and more than the batches of all targets, the largest of which is 512.
const BLOCKS: &[usize] = &[0, 1, 2, 3, 7, 16, 33, 65, 127, 257, 511, 513, 1030];

/// Compares a library with the emitted code on messages of many lengths, and on messages of `sizes` bytes: those that
/// will be timed. In CTR also with parts of blocks, and with counters whose carry runs far.
///
/// # Errors
/// [`Unavailable::Differs`] at the first difference.
pub fn agree(
    theirs: &mut Prepared,
    mut ours: impl FnMut(&[u8], &mut [u8], &[u8]),
    request: &Request,
    sizes: &[usize],
) -> Result<(), Unavailable> {
    let part = usize::from(request.counter.is_some()) * (request.block_bytes / 2 + 1);
    let lengths = BLOCKS.iter().map(|blocks| blocks * request.block_bytes + part);
    for bytes in lengths.chain(sizes.iter().copied()) {
        for counter in counters(request) {
            let (message, mut a, mut b) = (text(bytes), vec![0; bytes], vec![0; bytes]);
            ours(&counter, &mut a, &message);
            (theirs.run)(&counter, &mut b, &message);
            if let Some(byte) = (0..bytes).find(|&i| a[i] != b[i]) {
                let what = format!("{} in mode {}, {bytes} bytes", request.instance, request.mode);
                return Err(Unavailable::Differs {
                    library: theirs.library.to_string(),
                    what,
                    byte,
                });
            }
        }
    }
    Ok(())
}

/// First input blocks: one in the middle of nowhere, one whose third successor carries into the highest byte of the
/// counter. No counter reaches its end: RFC 8439 forbids it, and libraries differ.
fn counters(request: &Request) -> Vec<Vec<u8>> {
    let plain: Vec<u8> = (0..request.block_bytes).map(|i| 3 * i as u8 + 1).collect();
    let Some(Counter { offset, bytes, big_endian }) = request.counter else {
        return vec![plain];
    };
    let mut carries = plain.clone();
    let field = &mut carries[offset..offset + bytes];
    field.fill(0xff);
    let (lowest, highest) = if big_endian { (bytes - 1, 0) } else { (0, bytes - 1) };
    field[highest] = 0x12;
    field[lowest] = 0xfd;
    vec![plain, carries]
}

/// Bytes without a pattern that a cipher could preserve.
fn text(bytes: usize) -> Vec<u8> {
    let mut state = bytes as u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}
