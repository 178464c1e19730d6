//! Farthest of up to 32 vertices in a direction, in `f64`.
//!
//! One pass computes the products, a tree of maxima finds the greatest, and one comparison for each vector finds the first row that has
//! it. The pass has no loop and no branch. The greatest product is known before the row is: for the width of a gap, and for a branch on
//! it, that is enough.

use super::math::{V3, greater};
use crate::lanes::{F64Lanes, Isa, Kernel, LANES_MAX, MaskLanes};

/// Finds the first row with the greatest product in `f64`, among few.
pub(super) struct FirstOfFew<'a, const ROWS: usize> {
    /// Three columns of `ROWS` numbers.
    pub(super) columns: &'a [f64],
    pub(super) direction: V3,
}

impl<const ROWS: usize> Kernel for FirstOfFew<'_, ROWS> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        first_of_few::<I, ROWS>(isa, self.columns, self.direction).0
    }
}

/// Finds the greatest product in `f64`, among few.
pub(super) struct MostOfFew<'a, const ROWS: usize> {
    /// Three columns of `ROWS` numbers.
    pub(super) columns: &'a [f64],
    pub(super) direction: V3,
}

impl<const ROWS: usize> Kernel for MostOfFew<'_, ROWS> {
    type Output = f64;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> f64 {
        let products = products_of_few::<I, ROWS>(isa, self.columns, self.direction);
        most_of_few::<I, ROWS>(&products)
    }
}

/// Finds the least and the greatest product in `f64` for each of three directions, among few. The numbers are loaded once for all of them.
pub(super) struct RangesOfFew<'a, const ROWS: usize> {
    /// Three columns of `ROWS` numbers.
    pub(super) columns: &'a [f64],
    pub(super) directions: &'a [V3; 3],
}

impl<const ROWS: usize> Kernel for RangesOfFew<'_, ROWS> {
    type Output = [[f64; 2]; 3];

    /// Eight lanes would be as many as there are rows.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [[f64; 2]; 3] {
        let mut ranges = [[0.0; 2]; 3];
        let mut k = 0;
        while k < 3 {
            let products = products_of_few::<I, ROWS>(isa, self.columns, self.directions[k]);
            let most = most_of_few::<I, ROWS>(&products);
            let mut negated = products;
            let mut group = 0;
            while group < ROWS / I::LANES_F64 {
                negated[group] = isa.splat_f64(0.0) - products[group];
                group += 1;
            }
            ranges[k] = [-most_of_few::<I, ROWS>(&negated), most];
            k += 1;
        }
        ranges
    }
}

/// Returns the vertex in the row that [`first_of_few`] finds, and its product.
#[inline(always)]
pub(super) fn farthest_of_few<I: Isa, const ROWS: usize>(
    isa: I,
    columns: &[f64],
    direction: V3,
) -> (V3, f64) {
    let columns = &columns[..3 * ROWS];
    let (row, most) = first_of_few::<I, ROWS>(isa, columns, direction);
    (V3::new(columns[row], columns[ROWS + row], columns[2 * ROWS + row]), most)
}

/// Returns the first row with the greatest product in `f64`, of three columns of `ROWS` numbers, and that product.
#[inline(always)]
fn first_of_few<I: Isa, const ROWS: usize>(isa: I, columns: &[f64], direction: V3) -> (usize, f64) {
    let products = products_of_few::<I, ROWS>(isa, columns, direction);
    let greatest = most_of_few::<I, ROWS>(&products);
    let most = isa.splat_f64(greatest);
    let (mut bits, mut group) = (0_u64, 0);
    while group < ROWS / I::LANES_F64 {
        bits |= u64::from(most.le(products[group]).bits()) << (group * I::LANES_F64);
        group += 1;
    }
    // No bit is set if the direction is not a number; then the first row is as good as any.
    (bits.trailing_zeros() as usize % ROWS, greatest)
}

/// Returns the products of a direction with the rows of three columns of `ROWS` numbers, in vectors. The other vectors are zero.
#[inline(always)]
fn products_of_few<I: Isa, const ROWS: usize>(
    isa: I,
    columns: &[f64],
    direction: V3,
) -> [I::F64; ROWS] {
    let columns = &columns[..3 * ROWS];
    let V3 { x, y, z } = direction;
    let (x, y, z) = (isa.splat_f64(x), isa.splat_f64(y), isa.splat_f64(z));
    let mut products = [isa.splat_f64(0.0); ROWS];
    let mut group = 0;
    while group < ROWS / I::LANES_F64 {
        let row = group * I::LANES_F64;
        products[group] = isa.load_f64(&columns[row..]) * x
            + isa.load_f64(&columns[ROWS + row..]) * y
            + isa.load_f64(&columns[2 * ROWS + row..]) * z;
        group += 1;
    }
    products
}

/// Returns the greatest of `ROWS` products, by trees of maxima: any order finds the same one.
#[inline(always)]
fn most_of_few<I: Isa, const ROWS: usize>(products: &[I::F64; ROWS]) -> f64 {
    let mut most = *products;
    let mut half = ROWS / I::LANES_F64 / 2;
    while half > 0 {
        let mut group = 0;
        while group < half {
            most[group] = most[group].max(most[group + half]);
            group += 1;
        }
        half /= 2;
    }
    let mut each = [0.0; LANES_MAX];
    most[0].store(&mut each);
    let mut half = I::LANES_F64 / 2;
    while half > 0 {
        let mut lane = 0;
        while lane < half {
            each[lane] = greater(each[lane], each[lane + half]);
            lane += 1;
        }
        half /= 2;
    }
    each[0]
}
