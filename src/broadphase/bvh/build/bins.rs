//! Bins of the histograms from which a large tree is divided into cells.

use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, U32Lanes};

/// Largest number of bins of an axis; a bin is stored in 16 bits.
pub(crate) const BINS_MAX: usize = 1 << 16;
/// Bit of a bin on z: the box is longer than a cell.
pub(crate) const LARGE: u32 = 1 << 31;
/// All floats from 2²³ on are integers.
const WHOLE: f32 = 8_388_608.0;

/// The division of one axis into bins, and of the bins into parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BinAxis {
    /// The lower end of the first bin. Positions are doubled centres, `min + max`; lengths are
    /// doubled too.
    pub(crate) low: f32,
    /// Bins for each unit of doubled length.
    pub(crate) scale: f32,
    pub(crate) bins: usize,
    /// The number of the last bin, `bins - 1`.
    pub(crate) last: f32,
    /// The number of parts into which the bins are combined.
    pub(crate) parts: usize,
    /// The doubled length of a part if all are equal; infinite if there is only one part, so that
    /// no box is too long.
    pub(crate) width: f32,
}

/// Computes the bins of boxes: on x, and on y shifted by 16 bits; on z, with [`LARGE`].
pub(crate) struct Bin<'a> {
    pub(crate) boxes: &'a [[u32; 8]],
    pub(crate) axes: &'a [BinAxis; 3],
    pub(crate) bins: &'a mut [[u32; 2]],
}

impl Kernel for Bin<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { boxes, axes, bins } = self;
        let mut next = 0;
        while next < boxes.len() {
            // The last group overlaps the previous one.
            let start = next.min(boxes.len() - I::LANES);
            let mut which = [0; LANES_MAX];
            which.iter_mut().zip(start as u32..).for_each(|(which, k)| *which = k);
            let [[x0, y0, z0, x1], [y1, z1, ..]] = isa.gather_rows::<8, 2>(boxes, &which);
            let ends = [x0, y0, z0, x1, y1, z1].map_each(I::F32::from_bits);
            let (none, zero) = (isa.splat_u32(0), isa.splat(0.0));
            let (mut of, mut large) = ([none; 3], zero.lt(zero));
            for (k, axis) in axes.iter().enumerate() {
                let (low, high) = (ends[k], ends[3 + k]);
                let length = high - low;
                large = large | isa.splat(axis.width).lt(length + length);
                // An infinite scale gives NaN, which becomes the first bin.
                let bin = (low + high - isa.splat(axis.low)) * isa.splat(axis.scale);
                let bin = bin.max(zero).min(isa.splat(axis.last)) + isa.splat(WHOLE);
                // The addition has rounded to an integer, which is in the last bits of the float.
                of[k] = bin.to_bits() & isa.splat_u32(0xffff);
            }
            let large = I::U32::select(large, isa.splat_u32(LARGE), none);
            isa.store_pairs(of[0] | of[1].shl::<16>(), of[2] | large, I::LANES, &mut bins[start..]);
            next += I::LANES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bin, BinAxis, LARGE};
    use crate::broadphase::bvh::BvhItem;
    use crate::geom::Aabb;
    use crate::lanes::Level;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Goal: a box is in the bin that is nearest to its doubled centre, and it is large if it is longer than a part of an axis, on every
    /// level. Method: bins by hand of boxes inside and outside of the range, halfway between two bins, and exactly as long as a part, in
    /// numbers that fill groups of lanes or not.
    #[test]
    fn boxes_are_in_the_bins_of_their_centres() {
        let axis = |low, scale, bins: usize, width| {
            let last = (bins - 1) as f32;
            BinAxis { low, scale, bins, last, parts: 1, width }
        };
        let infinite = f32::INFINITY;
        let axes = [axis(0.0, 0.5, 8, 8.0), axis(-4.0, 1.0, 4, infinite), axis(0.0, 2.0, 16, 1.0)];
        // Centre, length, bins, and whether the box is large.
        let cases = [
            ([3.25, -2.0, 1.5], [4.0, 64.0, 0.5], [3, 0, 6], 0),
            ([3.75, -1.0, 0.0], [4.5, 0.0, 0.0], [4, 2, 0], LARGE),
            ([-5.0, 9.0, 2.0], [0.0, 0.0, 0.75], [0, 3, 8], LARGE),
            ([100.0, -3.0, 50.0], [0.0; 3], [7, 0, 15], 0),
            ([2.5, -1.5, 0.125], [1.0, 1.0, 0.25], [2, 1, 0], 0),
        ];
        for count in [1, 3, 4, 15, 16, 17, 40] {
            let cases: Vec<_> = cases.iter().cycle().take(count).collect();
            let item = |(centre, length, ..): &([f32; 3], [f32; 3], [u32; 3], u32)| {
                let end = |side: f32| [0, 1, 2].map(|k| centre[k] + side * length[k]);
                BvhItem { aabb: Aabb { min: end(-0.5), max: end(0.5) }, id: 0, filter: 0 }
            };
            let items: Vec<BvhItem> = cases.iter().map(|case| item(case)).collect();
            let boxes = bytemuck::cast_slice(&items);
            for level in Level::all() {
                let mut bins = vec![[7; 2]; count];
                level.run_rows(count, Bin { boxes, axes: &axes, bins: &mut bins });
                for (k, (own, (_, _, [x, y, z], large))) in bins.iter().zip(&cases).enumerate() {
                    assert_eq!(*own, [x | (y << 16), z | large], "{level}: {k} of {count}");
                }
            }
        }
    }
}
