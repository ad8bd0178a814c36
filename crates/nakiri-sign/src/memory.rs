//! Rows of words as registers.

/// What emitted kernels call an array: `N` items from `at` on.
#[inline(always)]
pub fn part<T, const N: usize>(items: &[T], at: usize) -> &[T; N] {
    items[at..].first_chunk().expect("the items are there")
}

/// Registers and the words in them: any bits are a value of either.
pub unsafe trait Plain {}

macro_rules! plain {
    ($($ty:ty),*) => { $(unsafe impl Plain for $ty {})* };
}
plain!(u32, u64);
#[cfg(target_arch = "x86_64")]
plain!(core::arch::x86_64::__m128i, core::arch::x86_64::__m256i, core::arch::x86_64::__m512i);

/// Rows as registers.
#[inline(always)]
pub fn registers<W: Plain, R: Plain, const N: usize>(rows: &[W]) -> &[R; N] {
    assert!(size_of_val(rows) >= size_of::<[R; N]>() && rows.as_ptr().cast::<R>().is_aligned());
    // SAFETY: so many bytes are there, at such an address, and any of them are registers.
    unsafe { &*rows.as_ptr().cast() }
}

/// Rows as registers to be written.
#[inline(always)]
pub fn registers_mut<W: Plain, R: Plain, const N: usize>(rows: &mut [W]) -> &mut [R; N] {
    assert!(size_of_val(rows) >= size_of::<[R; N]>() && rows.as_ptr().cast::<R>().is_aligned());
    // SAFETY: as above, and nobody else has them.
    unsafe { &mut *rows.as_mut_ptr().cast() }
}
