//! Which paths of moving boxes stay inside a box of each row.
//!
//! `path ⊆ outer` on each axis, where `path` is the AABB of the whole path ([`bounds`]), rounded outwards as
//! [`MovingBox::bounds`](crate::MovingBox::bounds) does. So the result is that of
//! [`Aabb::contains`](crate::Aabb::contains) for each row, bit by bit. Rows are valid boxes.

use super::bounds::bounds;
use crate::columns::MovingBoxColumns;
use crate::lanes::{F32Lanes, GroupKernel, Isa, Level, LoadColumns as _, MaskLanes};
use alloc::vec::Vec;

/// Copies each moving box whose path is inside the outer box of its row to `to`, and appends the other rows to
/// `outside`, in order. Rows of `to` that are outside keep their old box.
///
/// All columns have the same length.
pub(crate) fn copy_contained(
    level: Level,
    boxes: MovingBoxColumns<'_>,
    outer: [&[f32]; 6],
    to: [&mut [f32]; 9],
    outside: &mut Vec<u32>,
) {
    outside.reserve(boxes.len());
    level.run_groups(boxes.len(), CopyContained { boxes, outer, to, outside });
}

/// The kernel of [`copy_contained`].
struct CopyContained<'a> {
    boxes: MovingBoxColumns<'a>,
    outer: [&'a [f32]; 6],
    to: [&'a mut [f32]; 9],
    outside: &'a mut Vec<u32>,
}

impl GroupKernel for CopyContained<'_> {
    #[inline(always)]
    fn group<I: Isa>(&mut self, isa: I, start: usize, seen: usize) -> bool {
        let Self { boxes, outer, to, outside } = self;
        let moving = boxes.table().load(isa, start);
        let path = bounds(isa, &moving);
        let mut inside = isa.load(&outer[0][start..]).le(path[0]);
        for axis in 1..3 {
            inside = inside & isa.load(&outer[axis][start..]).le(path[axis]);
        }
        for end in 3..6 {
            inside = inside & path[end].le(isa.load(&outer[end][start..]));
        }
        let mut leaves = !inside.bits() & (u32::MAX >> (32 - I::LANES));
        if leaves == 0 {
            for (to, number) in to.iter_mut().zip(moving) {
                number.store(&mut to[start..]);
            }
            return true;
        }
        for (to, number) in to.iter_mut().zip(moving) {
            let old = isa.load(&to[start..]);
            I::F32::select(inside, number, old).store(&mut to[start..]);
        }
        leaves &= u32::MAX << seen;
        while leaves != 0 {
            outside.push(start as u32 + leaves.trailing_zeros());
            leaves &= leaves - 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::copy_contained;
    use crate::columns::{AabbColumns, MovingBoxColumns, Row};
    use crate::geom::{Aabb, MapEach, MovingBox};
    use crate::lanes::Level;
    use alloc::vec::Vec;

    /// Goal: rows are copied exactly where the outer box contains the path, on every level. Method: boxes whose
    /// path ends on a face of the outer box, a unit in the last place inside, or outside, on each axis and side,
    /// for numbers of rows around the number of lanes; comparison with [`Aabb::contains`].
    #[test]
    fn rows_inside_are_copied_on_every_level() {
        let outer = Aabb { min: [-1.0, 2.0, -0.0], max: [3.0, 4.5, 0.75] };
        let inner = Aabb { min: [0.0, 2.5, 0.25], max: [1.0, 3.0, 0.5] };
        let mut rows = Vec::new();
        for end in 0..6 {
            let to = outer.to_row()[end] - inner.to_row()[end];
            for delta in [to, to.next_up(), to.next_down(), 0.5 * to, 2.0 * to, -0.0] {
                let mut moving = MovingBox::from(inner);
                moving.delta[end % 3] = delta;
                rows.push(moving);
            }
        }
        let many = rows.len();
        for level in Level::all() {
            for count in [1, 3, 4, 5, 8, 15, 16, 17, many] {
                let column = |k: usize| rows[..count].iter().map(|row| row.to_row()[k]).collect();
                let columns: [Vec<f32>; 9] = core::array::from_fn(column);
                let boxes = MovingBoxColumns::from_columns(columns.each_ref().map_each(|c| &c[..]));
                let around: [Vec<f32>; 6] = outer.to_row().map(|x| alloc::vec![x; count]);
                let around = AabbColumns::from_columns(around.each_ref().map_each(|c| &c[..]));
                let mut to: [Vec<f32>; 9] = core::array::from_fn(|_| alloc::vec![7.0; count]);
                let mut outside = Vec::new();
                copy_contained(
                    level,
                    boxes.expect("equally long"),
                    around.expect("equally long").columns(),
                    to.each_mut().map(|column| &mut column[..]),
                    &mut outside,
                );
                let leaves = |row: &usize| !outer.contains(&rows[*row].bounds());
                let expected: Vec<u32> = (0..count).filter(leaves).map(|row| row as u32).collect();
                assert_eq!(outside, expected, "{level} {count}");
                assert!(count < many || (10..many - 10).contains(&expected.len()));
                for (row, moving) in rows[..count].iter().enumerate() {
                    let old = [7.0_f32; 9];
                    let expected = if leaves(&row) { old } else { moving.to_row() };
                    let copied = to.each_ref().map_each(|column| column[row].to_bits());
                    assert_eq!(copied, expected.map_each(f32::to_bits), "{level} {row}");
                }
            }
        }
    }
}
