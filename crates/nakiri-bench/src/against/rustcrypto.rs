//! RustCrypto's crates, which are compiled into this program and choose their instructions when they run.

use super::{Mode, Request, Run};
use cipher::array::Array;
use cipher::{
    Block, BlockCipherEncrypt, InOutBuf, InnerIvInit, KeyInit, KeyIvInit, StreamCipher,
    StreamCipherCore, StreamCipherSeek,
};
use ctr::flavors::{Ctr128BE, Ctr64BE};
use ctr::{CtrCore, CtrFlavor};

/// The cipher of a request that the table has.
///
/// # Errors
/// If the key does not fit.
pub(super) fn new(request: &Request) -> Result<Box<Run>, String> {
    match request.instance.as_str() {
        "aes128" => block_cipher::<aes::Aes128, Ctr128BE>(request),
        "des" => block_cipher::<des::Des, Ctr64BE>(request),
        "serpent128" | "serpent192" | "serpent256" => {
            block_cipher::<serpent::Serpent, Ctr128BE>(request)
        }
        "chacha20" => chacha20(request),
        "ascon_p12" => Ok(Box::new(ascon_p12)),
        other => Err(format!("no crate is linked for {other}")),
    }
}

fn block_cipher<C, F>(request: &Request) -> Result<Box<Run>, String>
where
    C: BlockCipherEncrypt + KeyInit + 'static,
    F: CtrFlavor<C::BlockSize> + 'static,
{
    let cipher = C::new_from_slice(&request.key).map_err(|error| error.to_string())?;
    let ecb = |cipher: &C, out: &mut [u8], message: &[u8]| {
        let blocks = Block::<C>::slice_as_chunks_mut(out).0;
        // Lengths that differ are refused.
        let _ = cipher.encrypt_blocks_b2b(Block::<C>::slice_as_chunks(message).0, blocks);
    };
    let ctr = |cipher: &C, counter: &[u8], out: &mut [u8], message: &[u8]| {
        let Ok(counter) = <&Block<C>>::try_from(counter) else { return };
        let core = CtrCore::<&C, F>::inner_iv_init(cipher, counter);
        let Ok(texts) = InOutBuf::new(message, out) else { return };
        // A counter at its end is refused.
        let _ = core.try_apply_keystream_partial(texts);
    };
    Ok(match request.mode {
        Mode::Ctr => Box::new(move |counter, out, message| ctr(&cipher, counter, out, message)),
        Mode::Ecb | Mode::Blocks => Box::new(move |_, out, message| ecb(&cipher, out, message)),
    })
}

/// The counter of RFC 8439 is the first four bytes of the block, the nonce the other twelve.
fn chacha20(request: &Request) -> Result<Box<Run>, String> {
    let key: [u8; 32] =
        request.key.as_slice().try_into().map_err(|_| "a key has 32 bytes".to_string())?;
    Ok(Box::new(move |counter, out, message| {
        let Some((first, nonce)) = counter.split_first_chunk::<4>() else { return };
        let Ok(nonce) = <[u8; 12]>::try_from(nonce) else { return };
        let mut cipher = chacha20::ChaCha20::new(&Array(key), &Array(nonce));
        let start = 64 * u64::from(u32::from_le_bytes(*first));
        let _ = cipher.try_seek(start).and_then(|()| cipher.try_apply_keystream_b2b(message, out));
    }))
}

/// States of five words, each least significant byte first.
fn ascon_p12(_: &[u8], out: &mut [u8], message: &[u8]) {
    for (out, state) in out.chunks_exact_mut(40).zip(message.chunks_exact(40)) {
        let mut words = [0; 5];
        for (word, bytes) in words.iter_mut().zip(state.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        ascon::permute12(&mut words);
        for (word, bytes) in words.iter().zip(out.as_chunks_mut::<8>().0) {
            *bytes = word.to_le_bytes();
        }
    }
}
