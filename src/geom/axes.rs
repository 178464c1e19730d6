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

/// Returns the axes from the one with the greatest number to the one with the least. Of equal
/// numbers, the lower axis comes first.
pub(crate) fn descending(numbers: [f64; 3]) -> [usize; 3] {
    // A sorting network. An axis that is moved up is lower than those with an equal number.
    let mut order = [0, 1, 2];
    for (k, next) in [(0, 1), (1, 2), (0, 1)] {
        if numbers[order[next]].total_cmp(&numbers[order[k]]).is_gt() {
            order.swap(k, next);
        }
    }
    order
}

/// Returns the unit normal of the lowest axis, or zero when no axis bit is set.
pub(super) const fn normal(bits: u32) -> [f32; 3] {
    let mut normal = [0.0; 3];
    if let Some(axis) = lowest(bits) {
        let negative = bits >> (NEGATIVE_SHIFT + axis as u32) & 1 == 1;
        normal[axis] = if negative { -1.0 } else { 1.0 };
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::descending;

    /// Goal: axes are in the order of their numbers, and of equal numbers the lower axis is first. Method: all triples of three numbers.
    #[test]
    fn axes_descend_and_equal_ones_keep_their_order() {
        let numbers = [-1.0_f64, 0.0, 7.5];
        for [i, j, k] in (0..27).map(|n| [n % 3, n / 3 % 3, n / 9]) {
            let of = [numbers[i], numbers[j], numbers[k]];
            let mut sorted = [0, 1, 2];
            sorted.sort_by(|&a: &usize, &b| of[b].total_cmp(&of[a]));
            assert_eq!(descending(of), sorted, "{of:?}");
        }
    }
}
