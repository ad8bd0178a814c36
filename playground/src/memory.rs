//! How a page hands questions in and gets answers: both are UTF-8 in this module's memory.

use std::panic;

#[cfg(target_arch = "wasm32")]
#[link(wasm_import_module = "page")]
extern "C" {
    /// Says what a panic says, before the module ends.
    fn panicked(text: *const u8, bytes: usize);
}

/// To be called once, before anything is asked.
#[no_mangle]
pub extern "C" fn begin() {
    panic::set_hook(Box::new(|panic| {
        let said = panic.to_string();
        #[cfg(target_arch = "wasm32")]
        // SAFETY: the page reads these bytes during the call.
        unsafe {
            panicked(said.as_ptr(), said.len());
        }
        #[cfg(not(target_arch = "wasm32"))]
        drop(said);
    }));
}

/// Room for a question of so many bytes, which [`ask`] takes back.
#[no_mangle]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; bytes].into_boxed_slice()).cast()
}

/// Answers a question: the answer's size in 4 bytes, the least significant one first, and the answer, which [`done`] takes back.
///
/// # Safety
/// The question lies in [`room`] for as many bytes, of which this is the last use.
#[no_mangle]
pub unsafe extern "C" fn ask(question: *mut u8, bytes: usize) -> *mut u8 {
    // SAFETY: the caller's promise.
    let question = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(question, bytes)) };
    let answer = super::answer(&String::from_utf8_lossy(&question));
    let mut out = (answer.len() as u32).to_le_bytes().to_vec();
    out.extend(answer.as_bytes());
    Box::into_raw(out.into_boxed_slice()).cast()
}

/// Takes an answer back.
///
/// # Safety
/// It is one of [`ask`], of which this is the last use.
#[no_mangle]
pub unsafe extern "C" fn done(answer: *mut u8) {
    // SAFETY: the caller's promise; the answer begins with its size.
    unsafe {
        let size = u32::from_le_bytes(*answer.cast::<[u8; 4]>()) as usize;
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, 4 + size)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_answered_in_memory() {
        let question = br#"{"ask":"explain","code":"E0203"}"#;
        // SAFETY: all as it is asked for, and the answer is read before it is taken back.
        let answer = unsafe {
            let place = room(question.len());
            place.copy_from_nonoverlapping(question.as_ptr(), question.len());
            let answer = ask(place, question.len());
            let size = u32::from_le_bytes(*answer.cast::<[u8; 4]>()) as usize;
            let text = std::slice::from_raw_parts(answer.add(4), size).to_vec();
            done(answer);
            String::from_utf8(text).expect("UTF-8")
        };
        assert_eq!(answer, crate::answer(std::str::from_utf8(question).expect("UTF-8")));
        assert!(answer.starts_with("{\"answer\""), "{answer}");
    }
}
