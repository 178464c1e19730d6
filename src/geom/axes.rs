//! Decoding of the bits that [`Contact`](super::Contact) and [`Faces`](super::Faces) share: a mask
//! of three axes, and above it a mask of the axes on which a normal is negative.

/// Distance in bits between the flag of an axis and the flag that its normal is negative.
pub(super) const NEGATIVE_SHIFT: u32 = 3;

/// Returns the lowest axis in the lowest three bits, or `None` when no bit is set.
pub(super) const fn lowest(bits: u32) -> Option<usize> {
    match bits & 7 {
        0 => None,
        mask => Some(mask.trailing_zeros() as usize),
    }
}

/// Returns the unit normal of the lowest axis, or zero when no axis bit is set.
pub(super) const fn normal(bits: u32) -> [f32; 3] {
    let mask = bits & 7;
    let lowest = mask & mask.wrapping_neg();
    let side = if bits >> NEGATIVE_SHIFT & lowest != 0 { -1.0 } else { 1.0 };
    // Without a branch, and without an index into the result, which would be read from memory afterwards.
    let mut normal = [0.0; 3];
    let mut axis = 0;
    while axis < 3 {
        normal[axis] = if lowest == 1 << axis { side } else { 0.0 };
        axis += 1;
    }
    normal
}
