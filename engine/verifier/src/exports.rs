//! The functions that WebAssembly exports: text goes in and out through linear memory.
//!
//! The caller writes a question to the address that [`question`] returns, calls [`check`], and reads the verdict from the
//! address that [`answer`] returns. The memory can grow with each call. A panic ends the instance: the caller treats it
//! as a disagreement and takes another one.

use std::cell::RefCell;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

// Signatures are only verified here, which needs no randomness.
getrandom::register_custom_getrandom!(no_randomness);

fn no_randomness(_: &mut [u8]) -> Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}

/// Reserves memory for a question of this many bytes and returns its address.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn question(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(length, 0);
        text.as_mut_ptr()
    })
}

/// Replaces the question, or the task of the page for kits, by its answer and returns the answer's length in bytes.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn check() -> usize {
    TEXT.with_borrow_mut(|text| {
        *text = crate::check::check(text).into_bytes();
        text.len()
    })
}

/// Returns the address of the verdict.
#[expect(unsafe_code, reason = "exported by its name")]
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}
