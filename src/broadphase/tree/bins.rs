//! Into which bins do the boxes of a large tree fall, and which of them are longer than a cell?

use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, U32Lanes};

/// Most bins of an axis: their numbers have 16 bits.
pub(super) const BINS_MAX: usize = 1 << 16;
/// Of a bin: the box is longer than a cell.
pub(super) const LARGE: u32 = 1 << 31;
/// From here on floats are whole numbers: 2²³.
const WHOLE: f32 = 8_388_608.0;

/// How one axis is cut into bins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Twice a middle, as are the widths.
    pub(super) low: f32,
    /// Bins for each unit of length.
    pub(super) scale: f32,
    pub(super) bins: usize,
    /// One less.
    pub(super) last: f32,
    /// Into how many parts the bins are put together.
    pub(super) parts: usize,
    /// How long a part is if all are alike; of a single part no box is too long.
    pub(super) width: f32,
}

impl Axis {
    /// Whether a box so long is longer than a part.
    pub(super) fn is_long(&self, length: f32) -> bool {
        length + length > self.width
    }
}

/// Writes in which bins boxes are: on x and, 16 bits higher, on y; on z, with [`LARGE`].
pub(super) struct Bin<'a> {
    pub(super) boxes: &'a [[u32; 8]],
    pub(super) axes: &'a [Axis; 3],
    pub(super) bins: &'a mut [[u32; 2]],
}

impl Kernel for Bin<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { boxes, axes, bins } = self;
        let mut next = 0;
        while next < boxes.len() {
            // The last group reaches back over boxes that were seen.
            let start = next.min(boxes.len() - I::LANES);
            let mut which = [0; LANES_MAX];
            which.iter_mut().zip(start as u32..).for_each(|(which, k)| *which = k);
            let [[x0, y0, z0, x1], [y1, z1, ..]] = isa.gather_rows::<8, 2>(boxes, &which);
            let ends = [x0, y0, z0, x1, y1, z1].map(I::F32::from_bits);
            let (none, zero) = (isa.splat_u32(0), isa.splat(0.0));
            let (mut of, mut large) = ([none; 3], zero.lt(zero));
            for (k, axis) in axes.iter().enumerate() {
                let (low, high) = (ends[k], ends[3 + k]);
                let length = high - low;
                large = large | isa.splat(axis.width).lt(length + length);
                // Of an infinite scale NaN, which is in the first bin.
                let bin = (low + high - isa.splat(axis.low)) * isa.splat(axis.scale);
                let bin = bin.max(zero).min(isa.splat(axis.last)) + isa.splat(WHOLE);
                // Rounded to a whole number, in the last bits of a float.
                of[k] = bin.to_bits() & isa.splat_u32(0xffff);
            }
            let large = I::U32::select(large, isa.splat_u32(LARGE), none);
            isa.store_pairs(of[0] | of[1].shl::<16>(), of[2] | large, I::LANES, &mut bins[start..]);
            next += I::LANES;
        }
    }
}
