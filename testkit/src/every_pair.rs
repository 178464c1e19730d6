//! The pairs of a set of boxes, by two methods that share with the finder only the bounds of paths, the filters and the sweep of one pair,
//! which `tests/geom` and `tests/kernels` check.
//!
//! [`Rows::tried`] compares every pair: the bounds of the whole paths by plain `f32` comparisons, then those
//! that overlap by the sweep of one pair. [`Rows::sorted_and_swept`] is the finder of the textbooks (Baraff
//! 1992; Ericson, *Real-Time Collision Detection*, 2005, §7.5): boxes sorted by their lower end on one axis,
//! each compared with those that start before it ends.

use swath::batch::sweep;
use swath::broadphase::PairInput;
use swath::{Filter, MovingBox, MovingBoxColumns, Pair};

/// A pair, and the bits of the first time.
pub type Timed = (u32, u32, u32);

/// Boxes as columns, with flags and filters if there are any.
#[derive(Clone, Default)]
pub struct Rows {
    pub columns: [Vec<f32>; 9],
    pub moves: Option<Vec<bool>>,
    pub filters: Option<Vec<Filter>>,
}

/// The bounds of the paths of valid rows, as columns, and the numbers of these rows.
struct Bounds {
    low: [Vec<f32>; 3],
    high: [Vec<f32>; 3],
    rows: Vec<u32>,
}

impl Rows {
    pub fn new(boxes: &[MovingBox]) -> Self {
        let mut rows = Self::default();
        for MovingBox { aabb, delta } in boxes {
            let numbers = aabb.min.iter().chain(&aabb.max).chain(delta);
            rows.columns.iter_mut().zip(numbers).for_each(|(column, &number)| column.push(number));
        }
        rows
    }

    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    pub fn is_empty(&self) -> bool {
        self.columns[0].is_empty()
    }

    pub fn boxes(&self) -> MovingBoxColumns<'_> {
        MovingBoxColumns::from_columns(self.columns.each_ref().map(Vec::as_slice)).unwrap()
    }

    pub fn set(&self) -> PairInput<'_> {
        let set = PairInput::new(self.boxes());
        let set = self.moves.iter().fold(set, |set, moves| set.moving(moves));
        self.filters.iter().fold(set, |set, filters| set.filtered(filters))
    }

    /// The first rows, and the rest.
    pub fn split(&self, first: usize) -> [Self; 2] {
        [0..first, first..self.len()].map(|of| Self {
            columns: self.columns.each_ref().map(|column| column[of.clone()].to_vec()),
            moves: self.moves.as_ref().map(|moves| moves[of.clone()].to_vec()),
            filters: self.filters.as_ref().map(|filters| filters[of].to_vec()),
        })
    }

    /// Whether flags and filters allow two rows to pair.
    fn may(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a as usize, b as usize];
        self.moves.as_ref().is_none_or(|moves| moves[a] || moves[b])
            && self.filters.as_ref().is_none_or(|filters| filters[a].allows(filters[b]))
    }

    fn bounds(&self) -> Bounds {
        let (low, high) = Default::default();
        let mut bounds = Bounds { low, high, rows: Vec::new() };
        for row in 0..self.len() {
            let moving = self.boxes().get(row);
            if moving.validate().is_ok() {
                let around = moving.bounds();
                for axis in 0..3 {
                    bounds.low[axis].push(around.min[axis]);
                    bounds.high[axis].push(around.max[axis]);
                }
                bounds.rows.push(row as u32);
            }
        }
        bounds
    }

    /// Every pair whose bounds overlap, sorted.
    pub fn tried(&self) -> Vec<Pair> {
        let bounds = self.bounds();
        let mut pairs = Vec::new();
        for (a, &row) in bounds.rows.iter().enumerate() {
            bounds.met_by(a, a + 1..bounds.rows.len(), |b| {
                let other = bounds.rows[b];
                if self.may(row, other) {
                    pairs.push(Pair { a: row, b: other });
                }
            });
        }
        pairs
    }

    /// The bits of the first time of two rows that touch.
    pub fn first(&self, pair: Pair) -> Option<u32> {
        let [a, b] = [pair.a, pair.b].map(|row| self.boxes().get(row as usize));
        let sweep = sweep::one_to_one(&a, &b).unwrap();
        sweep.contact.is_hit().then(|| sweep.first.to_bits())
    }

    /// Those of the pairs that touch, with the first time.
    pub fn touching(&self, union: &[Pair]) -> Vec<Timed> {
        union.iter().filter_map(|&pair| Some((pair.a, pair.b, self.first(pair)?))).collect()
    }

    /// Calls `visit` with every pair whose bounds overlap, in any order.
    pub fn sorted_and_swept(&self, mut visit: impl FnMut(Pair)) {
        let bounds = self.bounds();
        // The axis on which the boxes are distributed most widely.
        let spread = |axis: &usize| {
            let at = || bounds.low[*axis].iter().map(|&at| f64::from(at));
            let mean = at().sum::<f64>() / at().len().max(1) as f64;
            at().map(|at| (at - mean).abs()).sum::<f64>()
        };
        let axis = (0..3).max_by(|p, q| spread(p).total_cmp(&spread(q))).unwrap();
        let mut order: Vec<usize> = (0..bounds.rows.len()).collect();
        order.sort_by(|&p, &q| bounds.low[axis][p].total_cmp(&bounds.low[axis][q]));
        let sorted = |column: &Vec<f32>| order.iter().map(|&at| column[at]).collect::<Vec<_>>();
        let sorted = Bounds {
            low: bounds.low.each_ref().map(sorted),
            high: bounds.high.each_ref().map(sorted),
            rows: order.iter().map(|&at| bounds.rows[at]).collect(),
        };
        for (at, &row) in sorted.rows.iter().enumerate() {
            let end = sorted.low[axis].partition_point(|&low| low <= sorted.high[axis][at]);
            sorted.met_by(at, at + 1..end.max(at + 1), |other| {
                let other = sorted.rows[other];
                if self.may(row, other) {
                    visit(Pair { a: row.min(other), b: row.max(other) });
                }
            });
        }
    }
}

impl Bounds {
    /// Calls `visit` with those of `others` that overlap box `at`.
    fn met_by(&self, at: usize, others: core::ops::Range<usize>, mut visit: impl FnMut(usize)) {
        let [low_x, low_y, low_z] = self.low.each_ref().map(|low| &low[others.clone()]);
        let [high_x, high_y, high_z] = self.high.each_ref().map(|high| &high[others.clone()]);
        let (low, high) =
            (self.low.each_ref().map(|low| low[at]), self.high.each_ref().map(|high| high[at]));
        let meets = |k: usize| {
            (low_x[k] <= high[0])
                & (low[0] <= high_x[k])
                & (low_y[k] <= high[1])
                & (low[1] <= high_y[k])
                & (low_z[k] <= high[2])
                & (low[2] <= high_z[k])
        };
        // Sixteen at a time, of which usually none overlaps: the compiler vectorises this.
        let mut k = 0;
        while k + 16 <= low_x.len() {
            if (k..k + 16).fold(false, |any, k| any | meets(k)) {
                (k..k + 16).filter(|&k| meets(k)).for_each(|k| visit(others.start + k));
            }
            k += 16;
        }
        (k..low_x.len()).filter(|&k| meets(k)).for_each(|k| visit(others.start + k));
    }
}
