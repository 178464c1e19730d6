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
