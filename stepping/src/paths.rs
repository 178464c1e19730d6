//! Bodies whose remaining path comes near that of another body.
//!
//! The remaining path of each body has a bounding box. The boxes at the start of the tick are in a forest of
//! BVHs that is kept from tick to tick, and only changed boxes are replaced ([`FixedBoxes`]). A body whose
//! motion changes is appended to a short list that is searched linearly; when it has [`RECENT_MAX`] entries,
//! they are moved to the forest. So a search costs time for the depth of the forest, the list and what is near,
//! not for all bodies. If the list can contain all bodies, there is no forest.
//!
//! Boxes in the forest may be outdated; what is found there is always compared with the current box.
//!
//! Each box is larger than the path by a margin: half the target distance and the slop of the body. The margins of
//! two bodies add up to at least the distance at which they touch, so no box depends on another body.
//!
//! The boxes around the paths of bodies that move together overlap, although the bodies need not meet. So each path is also stored as
//! a box with a velocity and an acceleration, and two of these are compared by their relative motion ([`RemainingPaths::retain_touching`]).

use crate::state::until_end;
use alloc::vec::Vec;
use core::array;
use core::ops::ControlFlow;
use swath::batch::AcceleratingBox;
use swath::broadphase::FixedInput;
use swath::mesh::Geometry;
use swath::pipeline::GeometryBody;
use swath::{Aabb, AabbColumns, COORD_MAX, Exec, Filter, FixedBoxes, Invalid, Motion, MovingBox};

/// Greatest length of the list that is searched linearly.
const RECENT_MAX: usize = 256;
/// Number of bodies in one piece of work.
const CHUNK: usize = 1024;
/// If more than this part of the boxes differs from those in the forest, it is rebuilt.
const CHANGED: f64 = 0.25;
/// Marks a row that is not on the list.
const NOT_LISTED: u32 = u32::MAX;

/// The boxes around the remaining paths of all bodies.
#[derive(Debug, Default)]
pub(crate) struct RemainingPaths {
    /// Box of each row that takes part, including the margin.
    boxes: Vec<Option<Aabb>>,
    /// Path of each row that takes part, also of resting rows that were added during the tick.
    paths: Vec<Option<RemainingPath>>,
    forest: FixedBoxes,
    /// The boxes that were last stored in the forest.
    stored: Vec<Option<Aabb>>,
    /// Whether the forest and the list contain this tick's boxes.
    is_built: bool,
    /// Rows whose boxes are not in the forest.
    recent: Vec<u32>,
    /// Position of each row on that list.
    positions: Vec<u32>,
    columns: [Vec<f32>; 6],
    /// Filter of each row; [`Filter::ALL`] for further rows.
    filters: Vec<Filter>,
    /// The filters of the rows that are moved to the forest.
    moved_filters: Vec<Filter>,
}

impl RemainingPaths {
    /// Starts a tick with these bodies, and a filter and a margin for each.
    pub(crate) fn start(
        &mut self,
        bodies: &[GeometryBody<'_>],
        filters: Option<&[Filter]>,
        margin: &(dyn Fn(usize) -> f32 + Sync),
        exec: &Exec,
    ) {
        self.paths.resize(bodies.len(), None);
        exec.threads.fill_chunks(&mut self.paths, CHUNK, &|start, paths| {
            for (row, out) in (start..).zip(paths) {
                *out = RemainingPath::new(&bodies[row], 0.0, margin(row));
            }
        });
        self.boxes.clear();
        self.boxes.extend(self.paths.iter().map(|path| path.as_ref().map(|path| path.around)));
        let filters = filters.unwrap_or_default();
        if self.filters != filters {
            self.filters.clear();
            self.filters.extend_from_slice(filters);
            // The forest has the old filters, so it is rebuilt.
            self.stored.clear();
        }
        self.forest.exec = exec.clone();
        self.is_built = false;
    }

    /// Returns the box around the remaining path of a row, including the margin.
    pub(crate) fn box_of(&self, row: usize) -> Option<Aabb> {
        self.boxes[row]
    }

    /// Removes the body of this row, before the first search.
    pub(crate) fn remove(&mut self, row: usize) {
        (self.boxes[row], self.paths[row]) = (None, None);
    }

    /// Sets the motion of the body of this row from `since` on.
    pub(crate) fn set(&mut self, row: usize, body: &GeometryBody<'_>, since: f32, margin: f32) {
        let path = RemainingPath::new(body, since, margin);
        self.boxes[row] = path.as_ref().map(|path| path.around);
        self.paths[row] = path;
        if self.is_built && self.positions[row] == NOT_LISTED {
            self.positions[row] = self.recent.len() as u32;
            self.recent.push(row as u32);
        }
    }

    /// Finds the rows whose boxes overlap that of a row, without the row itself, in any order. Rows in the forest are left out if the filters
    /// exclude them.
    pub(crate) fn neighbours(&mut self, row: usize, neighbours: &mut Vec<usize>) {
        neighbours.clear();
        let Some(own) = self.box_of(row) else { return };
        self.build();
        let Self { boxes, forest, recent, positions, filters, .. } = self;
        let mut test = |other: u32| {
            let other = other as usize;
            if other != row && boxes[other].is_some_and(|of| of.overlaps(&own)) {
                neighbours.push(other);
            }
        };
        recent.iter().for_each(|&other| test(other));
        if forest.is_empty() {
            return;
        }
        let filter = filters.get(row).copied().unwrap_or_default();
        let query =
            forest.queries().filtered(filter).overlap(&own).expect("the box of a path is valid");
        query.visit(|other| {
            // Rows on the list have been compared above.
            if positions[other as usize] == NOT_LISTED {
                test(other);
            }
            ControlFlow::Continue(())
        });
    }

    /// Stores the paths of the last rows, which are resting and were added during the tick.
    pub(crate) fn add_resting(&mut self, bodies: &[GeometryBody<'_>], margin: f32) {
        let first = self.paths.len();
        self.paths.extend(bodies[first..].iter().map(|body| RemainingPath::new(body, 0.0, margin)));
    }

    /// Removes the rows that do not come as near to a row as the sum of their margins and `apart` from `now` on. Only the motion of two bodies relative to
    /// each other counts, so bodies that move together are removed although the boxes around their paths overlap.
    pub(crate) fn retain_touching(
        &self,
        row: usize,
        now: f32,
        others: &mut Vec<usize>,
        apart: &dyn Fn(usize) -> f32,
    ) {
        let path_of = |row: usize| self.paths.get(row).and_then(Option::as_ref);
        let Some(own) = path_of(row).map(|path| path.at(now)) else { return };
        others.retain(|&other| {
            path_of(other).is_none_or(|path| own.may_touch(&path.at(now), now, apart(other)))
        });
    }

    /// Builds the forest for this tick.
    fn build(&mut self) {
        let rows = self.boxes.len();
        if self.is_built {
            if self.recent.len() > RECENT_MAX {
                self.store();
            }
            return;
        }
        self.is_built = true;
        self.recent.clear();
        self.positions.clear();
        self.positions.resize(rows, NOT_LISTED);
        let changed = |row: &usize| self.stored.get(*row) != Some(&self.boxes[*row]);
        let all = rows <= RECENT_MAX || self.stored.len() != rows;
        let count = if all { rows } else { (0..rows).filter(changed).count() };
        if all || count as f64 > CHANGED * rows as f64 {
            self.forest.clear();
            self.stored.clear();
            self.stored.resize(rows, None);
            self.recent.extend(0..rows as u32);
        } else {
            self.recent.extend((0..rows).filter(changed).map(|row| row as u32));
        }
        for (position, &row) in (0..).zip(&self.recent) {
            self.positions[row as usize] = position;
        }
        if self.recent.len() > RECENT_MAX {
            self.store();
        }
    }

    /// Moves the boxes on the list to the forest.
    fn store(&mut self) {
        let Self {
            boxes, forest, stored, recent, positions, columns, filters, moved_filters, ..
        } = self;
        columns.iter_mut().for_each(Vec::clear);
        for &row in &*recent {
            // An invalid box is not inserted; an older box of its row may stay there and is skipped.
            let invalid = Aabb { min: [f32::NAN; 3], max: [f32::NAN; 3] };
            let Aabb { min, max } = boxes[row as usize].unwrap_or(invalid);
            let numbers = min.into_iter().chain(max);
            columns.iter_mut().zip(numbers).for_each(|(column, x)| column.push(x));
        }
        let columns = columns.each_ref().map(Vec::as_slice);
        let columns = AabbColumns::from_columns(columns).expect("the columns are equally long");
        let mut input = FixedInput::new(columns);
        if !filters.is_empty() {
            moved_filters.clear();
            moved_filters.extend(recent.iter().map(|&row| filters[row as usize]));
            input = input.filtered(moved_filters);
        }
        // If the forest cannot take this many rows, they stay on the list.
        if forest.put(recent, input).is_ok() {
            for row in recent.drain(..).map(|row| row as usize) {
                (stored[row], positions[row]) = (boxes[row], NOT_LISTED);
            }
        }
    }
}

/// Returns a box enlarged by a margin and clamped to the greatest coordinate. No path exceeds that, so two boxes that overlap before they are
/// clamped still do afterwards.
pub(crate) fn enlarged(aabb: &Aabb, margin: f32) -> Aabb {
    let clamped = |x: f32| x.clamp(-COORD_MAX, COORD_MAX);
    Aabb {
        min: aabb.min.map(|x| clamped((x - margin).next_down())),
        max: aabb.max.map(|x| clamped((x + margin).next_up())),
    }
}

/// Returns the box around the path of a body in a whole tick.
pub(crate) fn bounds_over(geometry: &Geometry<'_>, motion: &Motion) -> Result<Aabb, Invalid> {
    moving_bounds(geometry, motion).map(|of| of.bounds())
}

/// Returns a box that contains a body in a whole tick and moves with it.
fn moving_bounds(geometry: &Geometry<'_>, motion: &Motion) -> Result<AcceleratingBox, Invalid> {
    match geometry {
        Geometry::Convex(shape) => shape.bounds_over(motion),
        _ => {
            let MovingBox { aabb, delta } = geometry.bounds_over(motion, 0.0)?;
            AcceleratingBox::new(aabb, delta, [0.0; 3])
        }
    }
}

/// Returns the box around the remaining path of a body, from `since` on, enlarged by a margin; `None` if the path
/// exceeds the greatest coordinate. So a body with a box has one at each time of its path.
pub(crate) fn box_around(body: &GeometryBody<'_>, since: f32, margin: f32) -> Option<Aabb> {
    RemainingPath::new(body, since, margin).map(|path| path.around)
}

/// The remaining path of a body.
#[derive(Clone, Copy, Debug)]
struct RemainingPath {
    /// The box around all of it, including the margin.
    around: Aabb,
    /// The path is that of this box in a whole tick, without the margin. It takes the rest of the tick from `since` on.
    moving: AcceleratingBox,
    since: f32,
    margin: f32,
}

impl RemainingPath {
    /// Returns the path from `since` on; `None` if it exceeds the greatest coordinate.
    fn new(body: &GeometryBody<'_>, since: f32, margin: f32) -> Option<Self> {
        let left = until_end(since);
        let GeometryBody { geometry, motion, .. } = body;
        // The rest of the path is the path of a slower body in a whole tick.
        let part = |x: [f32; 3], by: f32| x.map(|x| x * by);
        let rest = Motion {
            delta: part(motion.delta, left),
            accel: part(motion.accel, left * left),
            spin: part(motion.spin, left),
            ..*motion
        };
        let mut moving = moving_bounds(geometry, &rest).ok()?;
        let mut aabb = moving.bounds();
        for axis in 0..3 {
            // Rounding error of the products.
            let lost = (rest.delta[axis].abs() + rest.accel[axis].abs()) * f32::EPSILON;
            for of in [&mut aabb, &mut moving.aabb] {
                of.min[axis] = (of.min[axis] - lost).next_down();
                of.max[axis] = (of.max[axis] + lost).next_up();
            }
        }
        aabb.validate().ok()?;
        Some(Self { around: enlarged(&aabb, margin), moving, since, margin })
    }

    /// Returns the box with the margin at `now`, and how it moves from then on.
    fn at(&self, now: f32) -> BoxAt {
        let Self { moving, since, margin, .. } = *self;
        let (left, passed) = (f64::from(until_end(since)), f64::from(now) - f64::from(since));
        // At the end of the tick nothing is left of the path.
        let scale = if left > 0.0 { 1.0 / left } else { 0.0 };
        let margin = f64::from(margin);
        let accel = moving.accel.map(|x| f64::from(x) * scale * scale);
        let before = moving.delta.map(|x| f64::from(x) * scale);
        let moved = |axis: usize| (before[axis] + 0.5 * accel[axis] * passed) * passed;
        BoxAt {
            min: array::from_fn(|axis| f64::from(moving.aabb.min[axis]) - margin + moved(axis)),
            max: array::from_fn(|axis| f64::from(moving.aabb.max[axis]) + margin + moved(axis)),
            velocity: array::from_fn(|axis| before[axis] + accel[axis] * passed),
            accel,
        }
    }
}

/// A box at one time of the tick, with its velocity and acceleration, in `f64`.
struct BoxAt {
    min: [f64; 3],
    max: [f64; 3],
    velocity: [f64; 3],
    accel: [f64; 3],
}

impl BoxAt {
    /// Returns whether two boxes that are enlarged by `apart` may overlap between `now` and the end of the tick (slabs: Ericson 2005, §5.5.8). The
    /// relative path is replaced by its chord, from which it differs by at most `|accel|·left²/8`, with the relative acceleration and the rest of the tick.
    ///
    /// Rounding errors are less than 2⁻⁵⁰ of the greatest coordinate and path, and those of the inputs are in the boxes.
    fn may_touch(&self, other: &Self, now: f32, apart: f32) -> bool {
        let (mut first, mut last) = (0.0, 1.0 - f64::from(now));
        let left = last;
        for axis in 0..3 {
            let accel = self.accel[axis] - other.accel[axis];
            let closing = self.velocity[axis] - other.velocity[axis] + 0.5 * accel * left;
            let more = f64::from(apart) + 0.125 * accel.abs() * (left * left);
            // They overlap on this axis while `low <= closing * t <= high`.
            let low = other.min[axis] - self.max[axis] - more;
            let high = other.max[axis] - self.min[axis] + more;
            if closing == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return false;
                }
                continue;
            }
            let (near, far) = if closing > 0.0 { (low, high) } else { (high, low) };
            let (near, far) = (near / closing, far / closing);
            first = if near > first { near } else { first };
            last = if far < last { far } else { last };
        }
        first <= last
    }
}

#[cfg(test)]
mod tests {
    use super::{CHANGED, RECENT_MAX, RemainingPaths, box_around};
    use alloc::vec::Vec;
    use swath::pipeline::GeometryBody;
    use swath::{Aabb, COORD_MAX, Exec, Filter, Motion, Pose, Shape, Threads};

    /// Random numbers in `[-1, 1]` from a fixed seed (linear congruential generator, Knuth).
    struct Draw(u64);

    impl Draw {
        fn next(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
        }

        fn vector(&mut self, most: f32) -> [f32; 3] {
            [(); 3].map(|()| most * self.next())
        }
    }

    fn body(draw: &mut Draw, row: u32) -> GeometryBody<'static> {
        let shape = match row % 4 {
            0 => Shape::sphere(0.3 * draw.next().abs()),
            1 => Shape::cuboid(draw.vector(0.4).map(f32::abs)),
            2 => Ok(Shape::point()),
            _ => Shape::cuboid([0.0, 1.0, 1.0]),
        };
        let mut position = draw.vector(12.0);
        // Many in one plane, and some far out.
        position[0] *= if row.is_multiple_of(3) { 0.0 } else { 1.0 };
        position[1] += if row.is_multiple_of(50) { 1e6 } else { 0.0 };
        let speed = [0.0, 0.0, 1.0, 30.0][(row / 7 % 4) as usize];
        let motion = Motion {
            pose: Pose { position, ..Pose::IDENTITY },
            delta: draw.vector(speed),
            accel: if row.is_multiple_of(5) { draw.vector(2.0 * speed) } else { [0.0; 3] },
            spin: if row.is_multiple_of(6) { draw.vector(1.0) } else { [0.0; 3] },
        };
        GeometryBody { row, geometry: shape.expect("a shape").into(), motion }
    }

    /// Compares the box of a row with those of all others.
    fn scan(boxes: &[Option<Aabb>], row: usize) -> Vec<usize> {
        let Some(own) = boxes[row] else { return Vec::new() };
        let near = |of: &Option<Aabb>| of.is_some_and(|of| of.overlaps(&own));
        (0..boxes.len()).filter(|&other| other != row && near(&boxes[other])).collect()
    }

    /// Goal: every body that is near is found once, and few others are. Method: brute force, on sets of bodies
    /// that fit on the list and others that do not, over ticks in which few or most rows are new, with more
    /// changes in a tick than the list can have; rows that are or become invalid; boxes up to the greatest
    /// coordinate.
    #[test]
    fn no_near_body_is_missed() {
        let mut draw = Draw(5);
        for rows in [1_usize, 7, RECENT_MAX, RECENT_MAX + 1, 1500] {
            let mut bodies: Vec<_> = (0..rows as u32).map(|row| body(&mut draw, row)).collect();
            let (mut paths, mut found) = (RemainingPaths::default(), Vec::new());
            let (mut reported, mut needed) = (0, 0);
            for tick in 0..8_usize {
                let part = if tick % 3 == 2 { 2.0 * CHANGED } else { 0.1 * CHANGED };
                for row in 0..(part * rows as f64) as usize {
                    let row = (row * 31 + tick) % rows;
                    bodies[row] = body(&mut draw, row as u32);
                }
                bodies[tick % rows].motion.pose.position[2] = COORD_MAX - 1.0;
                bodies[(tick + 5) % rows].motion.delta[0] = f32::NAN;
                let margin = |row: usize| [0.0, 1e-3, 0.5, 1.5][(tick + row) % 4];
                paths.start(&bodies, None, &margin, &Exec::from(Threads::one()));
                let mut boxes: Vec<_> =
                    (0..rows).map(|row| box_around(&bodies[row], 0.0, margin(row))).collect();
                if tick % 2 == 1 {
                    paths.remove(rows / 2);
                    boxes[rows / 2] = None;
                }
                for change in 0..900_usize {
                    let row = (change * 17 + tick) % rows;
                    let since = change as f32 / 900.0;
                    if change % 3 > 0 && boxes[row].is_some() {
                        let mut next = body(&mut draw, row as u32);
                        if change % 100 == 1 {
                            next.motion.delta[1] = f32::INFINITY;
                        }
                        bodies[row] = next;
                        paths.set(row, &next, since, margin(row));
                        boxes[row] = box_around(&next, since, margin(row));
                    }
                    assert_eq!(paths.box_of(row), boxes[row]);
                    let searched = (row + change % 2) % rows;
                    paths.neighbours(searched, &mut found);
                    found.sort_unstable();
                    assert!(found.windows(2).all(|two| two[0] < two[1]), "one is found twice");
                    let expected = scan(&boxes, searched);
                    for other in &expected {
                        let is_found = found.binary_search(other).is_ok();
                        assert!(is_found, "{rows} rows, {tick}, {change}: {other} near {searched}");
                    }
                    (reported, needed) = (reported + found.len(), needed + expected.len());
                }
            }
            assert!(reported <= needed + needed / 100, "{reported} found, {needed} near");
            assert!(rows < 100 || needed > 1000, "{needed}");
        }
    }

    /// Goal: the forest does not return bodies that the filters of a tick exclude, and returns all others. Method: more bodies than the list can have, in one place, with other
    /// filters in each tick, half of them excluded by the other half.
    #[test]
    fn excluded_bodies_in_the_forest_are_not_found() {
        const ROWS: usize = 2 * RECENT_MAX;
        let bodies: Vec<_> = (0..ROWS as u32)
            .map(|row| GeometryBody {
                row,
                geometry: Shape::sphere(0.5).expect("a ball").into(),
                motion: Motion::default(),
            })
            .collect();
        let (mut paths, mut found) = (RemainingPaths::default(), Vec::new());
        for (tick, part) in [2, 3, 3, 5].into_iter().enumerate() {
            let filter = |row| match row % part {
                0 => Filter { category: 1, mask: 2 },
                _ => Filter { category: 2, mask: 2 },
            };
            let filters: Vec<_> = (0..ROWS).map(filter).collect();
            let filters = (tick != 2).then_some(&filters[..]);
            paths.start(&bodies, filters, &|_| 0.0, &Exec::from(Threads::one()));
            for row in [0, 1, ROWS - 1] {
                paths.neighbours(row, &mut found);
                found.sort_unstable();
                let allows = |other: &usize| {
                    *other != row && filters.is_none_or(|all| all[row].allows(all[*other]))
                };
                assert!(found.iter().copied().eq((0..ROWS).filter(allows)), "{tick} {row}");
            }
        }
    }

    /// Goal: no body that touches another one is removed, and most of those that only move along with it are. Method: random bodies whose motions changed at
    /// different times, with a motion that both have; the boxes around their remaining paths are compared with the distance of the two over the rest of
    /// the tick, in steps. Both move fast, so that the boxes around the paths overlap.
    #[test]
    fn bodies_that_touch_by_their_relative_motion_are_kept() {
        let mut draw = Draw(9);
        let (mut touching, mut kept, cases) = (0, 0, 20_000);
        for case in 0..cases {
            let common = draw.vector([0.0, 10.0, 1000.0][case % 3]);
            let accel = draw.vector([0.0, 1.0][case % 2]);
            let radii = [(); 2].map(|()| 0.1 + 0.3 * draw.next().abs());
            let since = [(); 2].map(|()| 0.4 * draw.next().abs());
            let bodies = [0, 1].map(|k| {
                let own = draw.vector(2.0);
                let more = draw.vector([0.0, 0.5][case / 2 % 2]);
                let position = draw.vector(1.5);
                let shape = Shape::sphere(radii[k]).expect("a ball");
                let add = |a: [f32; 3], b: [f32; 3]| [0, 1, 2].map(|axis| a[axis] + b[axis]);
                // The motion that both have brings them to the same places at different times of change.
                let place = |axis: usize| position[axis] + common[axis] * since[k];
                let motion = Motion {
                    pose: Pose { position: [0, 1, 2].map(place), ..Pose::IDENTITY },
                    delta: add(own, common),
                    accel: add(accel, more),
                    spin: [0.0; 3],
                };
                GeometryBody { row: k as u32, geometry: shape.into(), motion }
            });
            let mut paths = RemainingPaths::default();
            paths.start(&bodies, None, &|_| 0.0, &Exec::from(Threads::one()));
            for k in 0..2 {
                paths.set(k, &bodies[k], since[k], 0.0);
            }
            let now = since[0].max(since[1]);
            let position = |k: usize, t: f64| {
                let Motion { pose, delta, accel, .. } = bodies[k].motion;
                let passed = t - f64::from(since[k]);
                [0, 1, 2].map(|axis| {
                    let [at, by, pull] =
                        [pose.position, delta, accel].map(|of| f64::from(of[axis]));
                    at + by * passed + 0.5 * pull * passed * passed
                })
            };
            let gap = |step: u32| {
                let t = f64::from(now) + (1.0 - f64::from(now)) * f64::from(step) / 256.0;
                let [a, b] = [0, 1].map(|k| position(k, t));
                let square_of = |x: f64| x * x;
                let square: f64 = (0..3).map(|axis| square_of(a[axis] - b[axis])).sum();
                libm::sqrt(square) - f64::from(radii[0]) - f64::from(radii[1])
            };
            let touches = (0..=256).any(|step| gap(step) <= 0.0);
            let mut others = alloc::vec![1];
            paths.retain_touching(0, now, &mut others, &|_| 0.0);
            assert!(!touches || others == [1], "case {case}: {bodies:?}, {since:?}");
            touching += usize::from(touches);
            kept += others.len();
        }
        // The boxes of balls that pass at an angle overlap although the balls do not.
        assert!(touching > cases / 60 && kept < 3 * touching, "{touching} of {kept}");
    }
}
