//! A plain list as the model of `FixedBoxes`: what is stored, and which movers overlap it.

#![allow(dead_code, reason = "each includer uses a part")]

use crate::filters::some_filter;
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use swath::batch::sweep::MISS;
use swath::batch::{Row, sweep};
use swath::broadphase::{FixedInput, PairInput, Visits};
use swath::{
    Aabb, AabbColumns, COORD_MAX, Filter, FixedBoxes, Invalid, MovingBox, MovingBoxColumns, Pair,
    SweptPair,
};

pub type Rng = Xoshiro256PlusPlus;

/// Rows as columns.
pub fn columns<T: Row<K>, const K: usize>(rows: &[T]) -> [Vec<f32>; K] {
    std::array::from_fn(|k| rows.iter().map(|row| row.to_row()[k]).collect())
}

/// Calls `ask` with the movers as columns.
pub fn with<R>(movers: &[MovingBox], ask: impl FnOnce(MovingBoxColumns<'_>) -> R) -> R {
    let columns: [Vec<f32>; 9] = columns(movers);
    ask(MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap())
}

/// The expected contents of a set, by row, and the set.
#[derive(Default)]
pub struct Model {
    pub rows: Vec<Option<(Aabb, Filter)>>,
    pub set: FixedBoxes,
}

impl Model {
    pub fn of(boxes: &[Aabb]) -> Self {
        let mut model = Self::default();
        model.put(&(0..boxes.len() as u32).collect::<Vec<_>>(), boxes);
        model
    }

    /// As [`Model::put_filtered`], with no filters.
    pub fn put(&mut self, rows: &[u32], boxes: &[Aabb]) {
        self.put_filtered(rows, boxes, None);
    }

    /// Inserts boxes into the set, and the valid ones into the model; the lists of rejected rows must agree.
    pub fn put_filtered(&mut self, rows: &[u32], boxes: &[Aabb], filters: Option<&[Filter]>) {
        let columns: [Vec<f32>; 6] = columns(boxes);
        let lent = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
        let rejected = match filters {
            Some(filters) => self.set.put(rows, FixedInput::new(lent).filtered(filters)),
            None => self.set.put(rows, lent),
        };
        let rejected = rejected.unwrap();
        let rejected: Vec<(u32, Invalid)> = rejected.iter().map(|r| (r.row, r.reason)).collect();
        let mut expected = Vec::new();
        for (k, (&row, aabb)) in rows.iter().zip(boxes).enumerate() {
            if self.rows.len() <= row as usize {
                self.rows.resize(row as usize + 1, None);
            }
            match aabb.validate() {
                Ok(()) => {
                    let filter = filters.map_or(Filter::ALL, |filters| filters[k]);
                    self.rows[row as usize] = Some((*aabb, filter));
                }
                Err(reason) => expected.push((k as u32, reason)),
            }
        }
        assert_eq!(rejected, expected);
    }

    pub fn remove(&mut self, rows: &[u32]) {
        self.set.remove(rows).unwrap();
        rows.iter().for_each(|&row| self.rows[row as usize] = None);
    }

    pub fn set_filters(&mut self, rows: &[u32], filters: &[Filter]) {
        self.set.set_filters(rows, filters).unwrap();
        for (&row, &filter) in rows.iter().zip(filters) {
            self.rows[row as usize].as_mut().unwrap().1 = filter;
        }
    }

    /// The rows that contain a box.
    pub fn held(&self) -> Vec<u32> {
        (0..self.rows.len() as u32).filter(|&row| self.rows[row as usize].is_some()).collect()
    }

    /// Number of visits that find all boxes.
    pub fn looked(&self) -> Visits {
        let mut visits = Visits::default();
        let all = Aabb::new([-COORD_MAX; 3], [COORD_MAX; 3]).unwrap();
        let mut found = Vec::new();
        self.set.queries().overlap(&all).unwrap().counting(&mut visits).all(&mut found);
        assert_eq!(found, self.held());
        visits
    }

    /// Compares the set with brute force: the same boxes, the same union pairs, and of these the swept pairs
    /// and times of the kernel for one pair. The specification misses none of them, and an additional one
    /// misses by less than rounding.
    pub fn check(&mut self, what: &str, movers: &[MovingBox]) {
        let Self { rows, set } = self;
        assert_eq!(set.len(), rows.iter().flatten().count(), "{what}: number of boxes");
        assert_eq!(set.is_empty(), rows.iter().all(Option::is_none), "{what}");
        for (row, aabb) in (0..).zip(&*rows) {
            assert_eq!(set.get(row), aabb.map(|of| of.0), "{what}: row {row}");
            assert_eq!(set.filter(row), aabb.map(|of| of.1), "{what}: filter of row {row}");
        }
        assert_eq!(set.get(rows.len() as u32), None, "{what}: past the last row");
        assert_eq!(set.filter(rows.len() as u32), None, "{what}: past the last row");
        let (mut union, mut swept, mut invalid) = (Vec::new(), Vec::new(), Vec::new());
        for (a, mover) in (0..).zip(movers) {
            if let Err(reason) = mover.validate() {
                invalid.push((a, reason));
                continue;
            }
            let bounds = mover.bounds();
            for (b, aabb) in (0..).zip(&*rows) {
                let Some((aabb, filter)) = *aabb else { continue };
                if !aabb.overlaps(&bounds) || !filter.allows(Filter::ALL) {
                    continue;
                }
                union.push(Pair { a, b });
                let alone = sweep::one_to_one(mover, &aabb.into()).unwrap();
                if alone.first < MISS {
                    swept.push((a, b, alone.first.to_bits()));
                }
                let meant = spec::sweep(mover, &aabb.into()).unwrap();
                let found = alone.first < MISS;
                assert!(found || !meant.contact.is_hit(), "{what}: {mover:?} and {aabb:?} meet");
                assert!(!found || meant.margin > -1e-6, "{what}: {mover:?} and {aabb:?} do not");
            }
        }
        let moves: Vec<bool> = (0..movers.len()).map(|a| a % 5 != 2).collect();
        let filters: Vec<Filter> = (0..movers.len()).map(some_filter).collect();
        let allowed = |a: u32, b: u32| {
            filters[a as usize].allows(rows[b as usize].unwrap().1) && moves[a as usize]
        };
        with(movers, |movers| {
            let told = PairInput::new(movers).filtered(&filters).moving(&moves);
            for (movers, what) in [(movers.into(), what.into()), (told, format!("{what}, told"))] {
                let found = set.union_pairs(movers).unwrap();
                let rejected: Vec<_> = found.rejected().iter().map(|r| (r.row, r.reason)).collect();
                assert_eq!(rejected, invalid, "{what}: rejected movers");
                assert_eq!(found.len(), union.len(), "{what}: number of union pairs");
                assert_eq!(found.sorted(), union, "{what}: union pairs");
                let found = set.swept_pairs(movers).unwrap();
                assert_eq!(found.rejected().len(), invalid.len(), "{what}: rejected movers, swept");
                assert_eq!(bits(found.sorted()), swept, "{what}: swept pairs");
                union.retain(|pair| allowed(pair.a, pair.b));
                swept.retain(|&(a, b, _)| allowed(a, b));
            }
        });
    }
}

pub fn bits(pairs: &[SweptPair]) -> Vec<(u32, u32, u32)> {
    pairs.iter().map(|pair| (pair.a, pair.b, pair.first.to_bits())).collect()
}

/// A random number that is often special: an integer, zero, equal to others, or at the end of a range.
pub fn number(rng: &mut Rng, reach: f32) -> f32 {
    match rng.random_range(0..4) {
        0 => rng.random_range(-4i32..=4) as f32 * (reach / 4.0),
        1 => [0.0, -0.0, reach, -reach][rng.random_range(0..4)],
        _ => rng.random_range(-reach..=reach),
    }
}

pub fn random_box(rng: &mut Rng, reach: f32, half: f32, path: f32) -> MovingBox {
    let center: [f32; 3] = core::array::from_fn(|_| number(rng, reach));
    let size: [f32; 3] = core::array::from_fn(|_| number(rng, half).abs());
    let min = core::array::from_fn(|axis| center[axis] - size[axis]);
    let max = core::array::from_fn(|axis| center[axis] + size[axis]);
    let delta = core::array::from_fn(|_| number(rng, path));
    MovingBox { aabb: Aabb { min, max }, delta }
}
