//! Support function of a convex hull: its farthest vertex in a direction.
//!
//! The result is the vertex that a search in `f64` finds: of the vertices with the greatest product, the first. A hull
//! stores its vertices as columns in its own axes, padded with copies of the last one.
//!
//! **Few vertices.** The columns are `f64`: a search in `f32` that must be confirmed would cost more than it saves. Up to 16
//! vertices are searched in the lanes that every build has, because entering a level takes as long as the search.
//!
//! **Many vertices.** The columns are `f32`, block by block, in whole spans. For a direction `d`, a first pass finds the
//! greatest `f32` product `d·v`, and a second pass the vertices whose product is below it by no more than rounding can
//! explain. Of these, seldom more than one, the greatest `f64` product wins, and of equal ones the first.
//!
//! **The bound.** With `u = 2⁻²⁴` and `D = |d|·max |v|` by components, a product has three roundings and `d` one to
//! `f32`, so its error is at most `4.01·u·D` plus some denormals; two products are compared. [`NEAR`] is twice
//! that.
//!
//! The cost is latency rather than work. So among many the second pass counts the candidates without a branch per span, and
//! only if there is more than one (a direction across a face) does a third pass compute the `f64` products.

use super::error::InvalidShape;
use super::few_vertices::{FirstOfFew, MostOfFew, RangesOfFew, farthest_of_few};
use super::math::{V3, greater, scaled};
use crate::geom::{COORD_MAX, MapEach, each_axis};
use crate::lanes::{Block, F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, run_portable};
use crate::par;
use alloc::vec::Vec;
use core::fmt;

/// Relative to `|d|·max |v|`: two products that differ by more are ordered in exact arithmetic too. 2⁻²⁰.
const NEAR: f32 = 1.0 / (1 << 20) as f32;
/// Bound of the error of products that are denormal.
const NEAR_ZERO: f32 = 16.0 * f32::from_bits(1);

/// A direction whose greatest component is less than this is scaled, so that its products do not underflow in `f32`.
const SHORT: f64 = 1.0 / (1_u64 << 32) as f64;
/// A direction whose greatest component is more than this is scaled, so that its products do not overflow in `f32`.
const LONG: f64 = 16.0;

/// Number of rows that are searched between two branches. Columns are padded to a multiple of it, because a mispredicted
/// end of the loop costs more than the padding.
const SPAN: usize = 2 * LANES_MAX;

/// Least number of rows of a column of few vertices. Numbers between this and [`FEW_MAX`] are padded to a power of two: the search has no loop.
const FEW_MIN: usize = 8;
/// Greatest number of rows of such a column.
const FEW_MAX: usize = 32;

/// Greatest number of vertices that are searched in the lanes of a level that has been entered. For more of them, the widest lanes
/// gain more than entering their level takes.
const INLINE_MAX: usize = 64;

/// The convex hull of given points, in its own axes.
///
/// The shape is the hull of the points, but no hull is computed: copies are removed, and all other points are stored, also those inside of the
/// hull and on its faces. A support is searched among all of them, which is fast up to some hundreds. Points that are not corners
/// change no result and cost time: a distance of two cubes takes about ten times as long if each has 1,000 points instead of 8. So pass
/// extreme points only; for a point cloud or the vertices of a mesh, compute its convex hull with another package first. The points may
/// lie in a plane, on a line or at one place.
#[derive(Clone)]
pub struct Hull {
    /// Of many vertices, blocks of `x`, `y` and `z`: the `len` vertices, then copies of the last one.
    blocks: Vec<[Block; 3]>,
    /// Of few vertices, all `x`, all `y` and all `z`, padded likewise.
    few: Vec<f64>,
    /// Length of a column of few vertices; zero for many.
    rows: usize,
    len: usize,
    /// Greatest magnitude of a coordinate on each axis.
    extent: [f32; 3],
    /// The least and the greatest coordinate on each axis.
    corners: [[f32; 3]; 2],
    /// Greatest distance of a vertex from the origin.
    bounding_radius: f64,
    level: Level,
}

impl Hull {
    /// Creates the hull of `points`.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if there are no points, or a coordinate is not finite or exceeds [`COORD_MAX`].
    ///
    /// ```
    /// use swath::convex::{Hull, InvalidShape};
    ///
    /// let tetrahedron = Hull::new([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])?;
    /// assert_eq!(tetrahedron.len(), 4);
    /// assert_eq!(Hull::new([[0.0; 3]; 5])?.len(), 1);
    /// assert_eq!(Hull::new([[0.0; 3]; 0]).err(), Some(InvalidShape::NoPoints));
    /// # Ok::<(), InvalidShape>(())
    /// ```
    pub fn new<P: Into<[f32; 3]>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, InvalidShape> {
        Self::on_level(Level::detect(), points)
    }

    /// Does what [`Hull::new`] does, with the lanes of `level`: the vertices are the same, only the speed differs.
    ///
    /// # Errors
    ///
    /// As [`Hull::new`].
    pub fn on_level<P: Into<[f32; 3]>>(
        level: Level,
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, InvalidShape> {
        Self::of(level, points.into_iter().map(Into::into).collect())
    }

    /// Does what [`Hull::on_level`] states. It is not generic, so that it is compiled once.
    fn of(level: Level, mut vertices: Vec<[f32; 3]>) -> Result<Self, InvalidShape> {
        for (k, number) in vertices.as_flattened_mut().iter_mut().enumerate() {
            // Adding zero turns negative zero into positive zero.
            *number += 0.0;
            if number.is_nan() || number.abs() > COORD_MAX {
                return Err(InvalidShape::Point { index: k / 3 });
            }
        }
        par::sort_points(&mut vertices);
        vertices.dedup();
        let len = vertices.len();
        let (few, blocks) = match len {
            0 => return Err(InvalidShape::NoPoints),
            1..=FEW_MAX => (columns_of_few(&vertices), Vec::new()),
            _ => (Vec::new(), blocks_of_many(&vertices)),
        };
        let mut corners = [vertices[0]; 2];
        let [low, high] = &mut corners;
        for vertex in &vertices {
            for axis in 0..3 {
                let x = vertex[axis];
                low[axis] = if x < low[axis] { x } else { low[axis] };
                high[axis] = if x > high[axis] { x } else { high[axis] };
            }
        }
        let extent =
            each_axis(|axis| if -low[axis] > high[axis] { -low[axis] } else { high[axis] });
        let bounding_radius =
            vertices.iter().fold(0.0, |most, &vertex| greater(V3::of(vertex).length(), most));
        let rows = few.len() / 3;
        Ok(Self { rows, blocks, few, len, extent, corners, bounding_radius, level })
    }

    /// Number of different points, including those that are not corners of the hull.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: a hull has at least one point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The greatest magnitude of a coordinate on each axis.
    pub(super) fn extent(&self) -> V3 {
        V3::of(self.extent)
    }

    /// The least and the greatest coordinate on each axis.
    pub(super) fn corners(&self) -> [V3; 2] {
        self.corners.map_each(V3::of)
    }

    /// The greatest distance of a vertex from the origin.
    pub(super) fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The vertices, ordered by their coordinates.
    pub fn vertices(&self) -> impl Iterator<Item = [f32; 3]> + '_ {
        (0..self.len).map(|row| self.vertex(row).to_f32())
    }

    #[inline(always)]
    fn vertex(&self, row: usize) -> V3 {
        if self.rows == 0 {
            return V3::of(vertex(self.numbers(), row));
        }
        // The search returns a row of the columns, so one check of a slice is enough.
        let columns = &self.few[row..row + 2 * self.rows + 1];
        V3::new(columns[0], columns[self.rows], columns[2 * self.rows])
    }

    /// Does what [`Hull::support`] does, in the lanes of a level that has been entered, and returns the product with `direction` too, which
    /// is known earlier. For many vertices the hull's own level is entered.
    #[inline(always)]
    pub(super) fn support_in<I: Isa>(&self, isa: I, direction: V3) -> (V3, f64) {
        let with_product = |vertex: V3| (vertex, vertex.dot(direction));
        let columns = &self.few[..];
        match self.rows {
            8 => farthest_of_few::<I, 8>(isa, columns, direction),
            16 => farthest_of_few::<I, 16>(isa, columns, direction),
            FEW_MAX => farthest_of_few::<I, FEW_MAX>(isa, columns, direction),
            _ if self.len <= INLINE_MAX => {
                let search = self.search_of_many(direction);
                let (row, count, near) = search.run(isa);
                let row = if count == 1 { row } else { search.sharp(near).run(isa) };
                with_product(V3::of(vertex(search.numbers, row)))
            }
            _ => with_product(self.support(direction)),
        }
    }

    /// Returns the greatest product of a vertex with `direction`. Among few vertices, finding the vertex itself takes twice as long.
    #[inline(always)]
    pub(super) fn support_value(&self, direction: V3) -> f64 {
        // Among the fewest it is shorter than a call.
        if self.rows == 8 {
            return run_portable(MostOfFew::<8> { columns: &self.few, direction });
        }
        self.value_of_more(direction.x, direction.y, direction.z)
    }

    /// Does what [`Hull::support_value`] does, for more than 8 rows. For the arguments see [`Hull::row`].
    fn value_of_more(&self, x: f64, y: f64, z: f64) -> f64 {
        let direction = V3::new(x, y, z);
        let columns = &self.few[..];
        match self.rows {
            0 => self.row(x, y, z).1,
            16 => run_portable(MostOfFew::<16> { columns, direction }),
            _ => self.level.run(MostOfFew::<FEW_MAX> { columns, direction }),
        }
    }

    /// Returns the least and the greatest product of a vertex with each of three directions, for few vertices.
    pub(super) fn ranges(&self, directions: &[V3; 3]) -> Option<[[f64; 2]; 3]> {
        let columns = &self.few[..];
        match self.rows {
            8 => Some(self.level.run(RangesOfFew::<8> { columns, directions })),
            16 => Some(self.level.run(RangesOfFew::<16> { columns, directions })),
            FEW_MAX => Some(self.level.run(RangesOfFew::<FEW_MAX> { columns, directions })),
            _ => None,
        }
    }

    /// Level of the lanes.
    pub(super) fn level(&self) -> Level {
        self.level
    }

    #[inline(always)]
    fn numbers(&self) -> &[f32] {
        bytemuck::cast_slice(&self.blocks)
    }

    /// Returns the vertex with the greatest product with `direction`, which may have any length.
    #[inline(always)]
    pub(super) fn support(&self, direction: V3) -> V3 {
        self.value_and_support(direction).1
    }

    /// Does what [`Hull::support`] does, in a level that has been entered. If its lanes are wide, up to 8 vertices are searched without a call:
    /// a search with rotation has many numbers in registers, which a call stores.
    #[inline(always)]
    pub(super) fn support_on<I: Isa>(&self, isa: I, direction: V3) -> V3 {
        if I::LANES_F64 > 2 && self.rows == 8 {
            farthest_of_few::<I, 8>(isa, &self.few, direction).0
        } else {
            self.support(direction)
        }
    }

    /// Does what [`Hull::support`] does, and returns the product too, which is known earlier for few vertices.
    #[inline(always)]
    pub(super) fn value_and_support(&self, direction: V3) -> (f64, V3) {
        let (row, value) = self.row(direction.x, direction.y, direction.z);
        (value, self.vertex(row))
    }

    /// Returns the row of the vertex with the greatest product with `(x, y, z)`, and the product. Separate numbers are passed in registers; a vector would be written to
    /// memory and read in other parts, which stalls.
    fn row(&self, x: f64, y: f64, z: f64) -> (usize, f64) {
        let direction = V3::new(x, y, z);
        let columns = &self.few[..];
        match self.rows {
            0 => {
                let row = self.row_of_many(direction);
                (row, self.vertex(row).dot(direction))
            }
            8 => run_portable(FirstOfFew::<8> { columns, direction }),
            16 => run_portable(FirstOfFew::<16> { columns, direction }),
            _ => self.level.run(FirstOfFew::<FEW_MAX> { columns, direction }),
        }
    }

    /// Returns the row of the vertex with the greatest product, for many vertices.
    fn row_of_many(&self, direction: V3) -> usize {
        let search = self.search_of_many(direction);
        let (row, count, near) = self.level.run(search);
        // There is seldom more than one candidate.
        if count == 1 { row } else { self.level.run(search.sharp(near)) }
    }

    /// Returns the search among many vertices.
    #[inline(always)]
    fn search_of_many(&self, direction: V3) -> SupportSearch<'_> {
        let most = direction.abs().greatest();
        let plain = (SHORT..LONG).contains(&most);
        let direction = if plain { direction } else { scaled(direction) };
        let d = direction.to_f32();
        let [to_x, to_y, to_z] = self.extent;
        // A component that is too small for `f32` counts too: its loss is multiplied by the extent, which may be
        // long.
        let [by_x, by_y, by_z] = d.map_each(|d| d.abs() + f32::MIN_POSITIVE);
        let near = (by_x * to_x + by_y * to_y + by_z * to_z) * NEAR + NEAR_ZERO;
        SupportSearch { numbers: self.numbers(), len: self.len, direction, d, near }
    }
}

impl fmt::Debug for Hull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.vertices()).finish()
    }
}

/// Position of a coordinate of a vertex in its block.
#[inline(always)]
fn place(row: usize, axis: usize) -> usize {
    (row / LANES_MAX * 3 + axis) * LANES_MAX + row % LANES_MAX
}

#[inline(always)]
fn vertex(numbers: &[f32], row: usize) -> [f32; 3] {
    [numbers[place(row, 0)], numbers[place(row, 1)], numbers[place(row, 2)]]
}

/// Returns the blocks of many vertices.
fn blocks_of_many(vertices: &[[f32; 3]]) -> Vec<[Block; 3]> {
    let last = vertices[vertices.len() - 1];
    let count = vertices.len().div_ceil(SPAN) * (SPAN / LANES_MAX);
    let mut blocks = alloc::vec![last.map_each(Block::splat); count];
    let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut blocks);
    for (row, vertex) in vertices.iter().enumerate() {
        for (axis, &number) in vertex.iter().enumerate() {
            numbers[place(row, axis)] = number;
        }
    }
    blocks
}

/// Returns the columns of few vertices.
fn columns_of_few(vertices: &[[f32; 3]]) -> Vec<f64> {
    let rows = vertices.len().next_power_of_two().max(FEW_MIN);
    let mut columns = Vec::with_capacity(3 * rows);
    for axis in 0..3 {
        for row in 0..rows {
            let vertex = vertices[row.min(vertices.len() - 1)];
            columns.push(vertex[axis].into());
        }
    }
    columns
}

/// The search in lanes, among many.
#[derive(Clone, Copy)]
struct SupportSearch<'a> {
    /// Whole spans of coordinates.
    numbers: &'a [f32],
    len: usize,
    direction: V3,
    d: [f32; 3],
    /// Products that differ by more are ordered in exact arithmetic too.
    near: f32,
}

impl<'a> SupportSearch<'a> {
    /// Returns the search among the rows whose product is not below `near`.
    #[inline(always)]
    fn sharp(&self, near: f32) -> Sharp<'a> {
        Sharp { numbers: self.numbers, direction: self.direction, d: self.d, near }
    }
}

impl Kernel for SupportSearch<'_> {
    /// The last of the rows near the best one, the number of such rows, and the least product that counts as near.
    type Output = (usize, u32, f32);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (usize, u32, f32) {
        if self.numbers.len() == 3 * SPAN * 2 { self.two_spans(isa) } else { self.any_spans(isa) }
    }
}

/// Greatest number of vectors of the products of two spans, on any level.
const GROUPS_MAX: usize = 2 * SPAN;

impl SupportSearch<'_> {
    /// Searches two spans. The products are stored, so that the second pass does not compute them again. For four spans that gains
    /// nothing.
    #[inline(always)]
    fn two_spans<I: Isa>(self, isa: I) -> (usize, u32, f32) {
        const SPANS: usize = 2;
        let numbers = &self.numbers[..3 * SPAN * SPANS];
        let d = [isa.splat(self.d[0]), isa.splat(self.d[1]), isa.splat(self.d[2])];
        let mut most = isa.splat(f32::NEG_INFINITY);
        let mut products = [most; GROUPS_MAX];
        let groups = SPAN / I::LANES;
        let mut span = 0;
        while span < SPANS {
            let numbers = &numbers[3 * SPAN * span..3 * SPAN * (span + 1)];
            let mut group = 0;
            while group < groups {
                let product = product(isa, numbers, group * I::LANES, d);
                products[span * groups + group] = product;
                most = product.max(most);
                group += 1;
            }
            span += 1;
        }
        let least = greatest_lane::<I>(most) - self.near;
        let near = isa.splat(least);
        let (mut found, mut count, mut left, mut span) = (0, 0, self.len, 0);
        while span < SPANS {
            let (mut bits, mut group) = (0_u64, 0);
            while group < groups {
                bits |= u64::from(near.le(products[span * groups + group]).bits())
                    << (group * I::LANES);
                group += 1;
            }
            let rows = if left < SPAN { left } else { SPAN };
            let bits = bits & (u64::MAX >> (64 - rows));
            let row = self.len - left + bits.trailing_zeros() as usize;
            found = if bits != 0 { row } else { found };
            count += bits.count_ones();
            left -= rows;
            span += 1;
        }
        (found, count, least)
    }

    /// Searches any number of spans.
    #[inline(always)]
    fn any_spans<I: Isa>(self, isa: I) -> (usize, u32, f32) {
        let d = [isa.splat(self.d[0]), isa.splat(self.d[1]), isa.splat(self.d[2])];
        let mut most = isa.splat(f32::NEG_INFINITY);
        for span in self.numbers.chunks_exact(3 * SPAN) {
            let mut row = 0;
            while row < SPAN {
                most = product(isa, span, row, d).max(most);
                row += I::LANES;
            }
        }
        let least = greatest_lane::<I>(most) - self.near;
        let near = isa.splat(least);
        let (mut found, mut count, mut left) = (0, 0, self.len);
        for span in self.numbers.chunks_exact(3 * SPAN) {
            // The padding is not counted.
            let rows = if left < SPAN { left } else { SPAN };
            let bits = bits(isa, span, d, near) & (u64::MAX >> (64 - rows));
            let row = self.len - left + bits.trailing_zeros() as usize;
            found = if bits != 0 { row } else { found };
            count += bits.count_ones();
            left -= rows;
        }
        (found, count, least)
    }
}

/// Returns the greatest number of a vector. A tree of maxima is faster; any order finds the same maximum.
#[inline(always)]
fn greatest_lane<I: Isa>(most: I::F32) -> f32 {
    let mut each = [f32::NEG_INFINITY; LANES_MAX];
    most.store(&mut each);
    let mut half = I::LANES / 2;
    while half > 0 {
        for lane in 0..half {
            let other = each[lane + half];
            each[lane] = if each[lane] > other { each[lane] } else { other };
        }
        half /= 2;
    }
    each[0]
}

/// Finds, of the rows whose product is not below `near`, the first with the greatest product in `f64`.
struct Sharp<'a> {
    numbers: &'a [f32],
    direction: V3,
    d: [f32; 3],
    near: f32,
}

impl Kernel for Sharp<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let d = [isa.splat(self.d[0]), isa.splat(self.d[1]), isa.splat(self.d[2])];
        let near = isa.splat(self.near);
        let (mut best, mut most, mut start) = (0, f64::NEG_INFINITY, 0);
        for span in self.numbers.chunks_exact(3 * SPAN) {
            let mut bits = bits(isa, span, d, near);
            while bits != 0 {
                let row = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let product = self.direction.dot(V3::of(vertex(span, row)));
                if product > most {
                    (best, most) = (start + row, product);
                }
            }
            start += SPAN;
        }
        best
    }
}

/// Computes for each row of a span whether its product is not below `near`.
#[inline(always)]
fn bits<I: Isa>(isa: I, span: &[f32], d: [I::F32; 3], near: I::F32) -> u64 {
    let (mut bits, mut row) = (0_u64, 0);
    while row < SPAN {
        bits |= u64::from(near.le(product(isa, span, row, d)).bits()) << row;
        row += I::LANES;
    }
    bits
}

#[inline(always)]
fn product<I: Isa>(isa: I, span: &[f32], row: usize, d: [I::F32; 3]) -> I::F32 {
    let x = isa.load(&span[place(row, 0)..]);
    let y = isa.load(&span[place(row, 1)..]);
    let z = isa.load(&span[place(row, 2)..]);
    x * d[0] + y * d[1] + z * d[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::math::random::numbers_f32;

    /// The search in a level that has been entered.
    struct InLevel<'h> {
        hull: &'h Hull,
        direction: V3,
    }

    impl Kernel for InLevel<'_> {
        type Output = ((V3, f64), V3);

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> ((V3, f64), V3) {
            let Self { hull, direction } = self;
            (hull.support_in(isa, direction), hull.support_on(isa, direction))
        }
    }

    /// Goal: the vertex of every level is the first one with the greatest product in `f64`, and its product is returned. Method: clouds with ties in `f32`, copies,
    /// flat and tiny ones; directions along axes, between, and nearly equal ones.
    #[test]
    fn every_level_finds_the_exact_vertex() {
        let mut draw = numbers_f32(1);
        for (count, scale) in (1..140).zip([1.0, 1e-3, 1e5, 1e-42, 1e30].into_iter().cycle()) {
            let points: Vec<[f32; 3]> = (0..count)
                .map(|_| match count % 4 {
                    0 => [draw() * scale, draw() * scale, 0.0],
                    1 => [scale, draw() * scale, draw() * scale * 1e-7],
                    _ => [draw() * scale, draw() * scale, draw() * scale],
                })
                .collect();
            for level in Level::all() {
                let hull = Hull::on_level(level, points.iter().copied()).expect("a cloud");
                for turn in 0..40 {
                    let direction = match turn {
                        0 => V3::X,
                        1 => V3::new(0.0, -1.0, 0.0),
                        2 => V3::new(1.0, 1e-9, 0.0),
                        _ => V3::new(draw().into(), draw().into(), draw().into()),
                    };
                    let Some(direction) = direction.unit() else { continue };
                    let product = |vertex: &[f32; 3]| V3::of(*vertex).dot(direction);
                    let most = hull
                        .vertices()
                        .map(|vertex| product(&vertex))
                        .fold(f64::NEG_INFINITY, f64::max);
                    let first = hull.vertices().find(|vertex| product(vertex) == most);
                    let (value, found) = hull.value_and_support(direction);
                    let found = (Some(found.to_f32()), value);
                    assert_eq!(found, (first, most), "{level} {count} {direction:?}");
                    let value = hull.support_value(direction);
                    assert_eq!(value, most, "{level} {count} {direction:?}");
                    let ((found, value), alone) = level.run(InLevel { hull: &hull, direction });
                    let found = (Some(found.to_f32()), value);
                    assert_eq!(found, (first, most), "{level} {count} {direction:?}");
                    assert_eq!(Some(alone.to_f32()), first, "{level} {count} {direction:?}");
                }
            }
        }
    }
}
