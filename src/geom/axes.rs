//! Which axis do three bits of axes mean, and which normal with three bits of signs above?

/// How far above its bit an axis has that of a negative normal.
pub(super) const NEGATIVE_SHIFT: u32 = 3;

/// The lowest axis of the lowest three bits.
pub(super) const fn lowest(bits: u32) -> Option<usize> {
    match bits & 7 {
        0 => None,
        mask => Some(mask.trailing_zeros() as usize),
    }
}

/// The unit normal of the lowest axis, zero where there is none.
pub(super) const fn normal(bits: u32) -> [f32; 3] {
    let mut normal = [0.0; 3];
    if let Some(axis) = lowest(bits) {
        let negative = bits >> (NEGATIVE_SHIFT + axis as u32) & 1 == 1;
        normal[axis] = if negative { -1.0 } else { 1.0 };
    }
    normal
}
