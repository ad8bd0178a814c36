//! Rows of words as registers.

/// What emitted kernels call an array: `N` items from `at` on.
#[inline(always)]
pub fn part<T, const N: usize>(items: &[T], at: usize) -> &[T; N] {
    items[at..].first_chunk().expect("the items are there")
}

/// Words and registers.
///
/// # Safety
/// Any bits are a value, and there is no padding.
pub unsafe trait Plain {}

macro_rules! plain {
    ($($ty:ty),*) => {
        // SAFETY: integers and vectors of them.
        $(unsafe impl Plain for $ty {})*
    };
}
plain!(u32, u64);
#[cfg(target_arch = "x86_64")]
plain!(core::arch::x86_64::__m128i, core::arch::x86_64::__m256i, core::arch::x86_64::__m512i);

/// Rows as registers.
///
/// # Panics
/// If they are too few, or lie at no address of a register.
#[inline(always)]
pub fn registers<W: Plain, R: Plain, const N: usize>(rows: &[W]) -> &[R; N] {
    assert!(size_of_val(rows) >= size_of::<[R; N]>() && rows.as_ptr().cast::<R>().is_aligned());
    // SAFETY: so many bytes are there, at such an address, and any bits are registers.
    unsafe { &*rows.as_ptr().cast() }
}

/// Rows as registers to be written.
///
/// # Panics
/// As [`registers`].
#[inline(always)]
pub fn registers_mut<W: Plain, R: Plain, const N: usize>(rows: &mut [W]) -> &mut [R; N] {
    assert!(size_of_val(rows) >= size_of::<[R; N]>() && rows.as_ptr().cast::<R>().is_aligned());
    // SAFETY: as above, and nobody else has them.
    unsafe { &mut *rows.as_mut_ptr().cast() }
}

/// Words of 64 bits as twice as many of 32.
pub fn halves(words: &[u64]) -> &[u32] {
    // SAFETY: of the same size, and less aligned.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), 2 * words.len()) }
}

/// Words of 64 bits as twice as many of 32, to be written.
pub fn halves_mut(words: &mut [u64]) -> &mut [u32] {
    // SAFETY: as above, and nobody else has them.
    unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), 2 * words.len()) }
}
