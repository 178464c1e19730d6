//! Vectors of three numbers, one vector in each lane.

use super::Isa;

/// A vector in each lane.
pub(crate) type LaneVectors<I> = [<I as Isa>::F32; 3];

/// Broadcasts each number to all lanes.
#[inline(always)]
pub(crate) fn splat_each<I: Isa, const K: usize>(isa: I, numbers: &[f32; K]) -> [I::F32; K] {
    let mut lanes = [isa.splat(0.0); K];
    for (lane, &number) in lanes.iter_mut().zip(numbers) {
        *lane = isa.splat(number);
    }
    lanes
}

#[inline(always)]
pub(crate) fn dot<I: Isa>(a: &LaneVectors<I>, b: &LaneVectors<I>) -> I::F32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<I: Isa>(a: &LaneVectors<I>, b: &LaneVectors<I>) -> LaneVectors<I> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
