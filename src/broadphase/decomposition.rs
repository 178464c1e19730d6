//! Division of space into parts for a tick that runs on several machines.
//!
//! Recursive coordinate bisection (Berger and Bokhari 1987): a plane divides a sample of boxes into two halves with equal
//! shares, and each half is divided again. A box is copied to each part that its bounds overlap; its copies outside
//! of the part that owns it are called ghosts. A pair is found in each part that has both boxes. It belongs to the part that
//! contains the greatest of the two least corners (the reference point of Dittrich and Seeger 2000), which
//! is in both boxes if their bounds overlap.
//!
//! ```text
//! one process:    Decomposition::balanced(sample, parts), then send `planes` to all
//! each process:   send each of its boxes to `overlapped(bounds)`
//! each process:   find pairs among the received boxes, keep those with `owner(a, b) == own part`
//! ```
//!
//! Unlike Berger and Bokhari, the axis of a plane is chosen by the loads of the halves with their ghosts.

use crate::geom::{Aabb, COORD_MAX, count_of, each_axis};
use crate::par::select_float;
use alloc::vec::Vec;

/// Greatest number of parts.
const PARTS_MAX: u32 = 1 << 20;

/// A plane that divides a region in two: points below `at` on the axis, and all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct DividingPlane {
    /// Axis: 0, 1 or 2.
    pub axis: u32,
    /// Coordinate of the plane.
    pub at: f32,
}

/// Why planes are invalid as a decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecompositionError {
    /// There are zero parts, or more than 2²⁰.
    #[error("expected 1 to 1048576 parts, got {0}")]
    Parts(u32),
    /// A plane has an axis other than 0, 1 and 2, or a coordinate that is not a finite number.
    #[error("plane {0} is invalid; expected an axis of 0, 1 or 2 and a finite coordinate")]
    Plane(usize),
}

/// A division of space into parts with about the same number of boxes, one part for each process of a distributed tick.
///
/// All functions are pure: equal arguments give equal results on every machine.
///
/// ```
/// use swath::Aabb;
/// use swath::broadphase::Decomposition;
///
/// let sample: Vec<Aabb> = (0..100).map(|x| Aabb { min: [x as f32; 3], max: [x as f32 + 1.5; 3] }).collect();
/// let parts = Decomposition::balanced(&sample, 4)?;
/// let mut overlapped = Vec::new();
/// parts.overlapped(&sample[10], &mut overlapped);
/// assert_eq!(overlapped, [0]); // far from a plane: no other part needs a copy
/// assert_eq!(parts.owner(&sample[10], &sample[11]), 0);
///
/// // Another process builds the same decomposition from the planes.
/// assert_eq!(Decomposition::from_planes(parts.planes().to_vec())?, parts);
/// # Ok::<(), swath::broadphase::DecompositionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// In depth-first order: the plane of a region of `n` parts, then the planes of the `n / 2` parts below it, then
    /// those of the others.
    planes: Vec<DividingPlane>,
}

impl Decomposition {
    /// Divides space so that each part has about the same number of the sample's boxes.
    ///
    /// A few thousand boxes for each part, chosen at random, are a good sample; for swept pairs it has the bounds of the paths.
    /// Invalid boxes are skipped. No plane separates boxes that are in one place, so a part may have more than its share. Time grows with `sample.len() * log2(parts)`.
    ///
    /// # Errors
    ///
    /// [`DecompositionError::Parts`] if `parts` is zero or more than 2²⁰.
    pub fn balanced(sample: &[Aabb], parts: u32) -> Result<Self, DecompositionError> {
        if !(1..=PARTS_MAX).contains(&parts) {
            return Err(DecompositionError::Parts(parts));
        }
        let mut boxes: Vec<Aabb> =
            sample.iter().filter(|bounds| is_valid(bounds)).copied().collect();
        let (mut planes, mut centres) = (Vec::with_capacity(parts as usize - 1), Vec::new());
        // The regions that are not yet divided: parts, and boxes from `start` to `end`.
        let mut stack = alloc::vec![(parts, 0, boxes.len())];
        while let Some((parts, start, end)) = stack.pop() {
            if parts > 1 {
                let below = parts / 2;
                let plane = dividing_plane(&boxes[start..end], below, parts, &mut centres);
                planes.push(plane);
                // Each box of the sample is counted in one half: that of its centre.
                let mut middle = start;
                for next in start..end {
                    if centre(&boxes[next], plane.axis as usize) < plane.at {
                        boxes.swap(next, middle);
                        middle += 1;
                    }
                }
                stack.push((parts - below, middle, end));
                stack.push((below, start, middle));
            }
        }
        Ok(Self { planes })
    }

    /// Restores the decomposition that has these [`planes`](Self::planes).
    ///
    /// # Errors
    ///
    /// [`DecompositionError::Plane`] if a plane is invalid, [`DecompositionError::Parts`] if there are too many planes.
    pub fn from_planes(planes: Vec<DividingPlane>) -> Result<Self, DecompositionError> {
        if planes.len() >= PARTS_MAX as usize {
            let parts = u32::try_from(planes.len()).unwrap_or(u32::MAX).saturating_add(1);
            return Err(DecompositionError::Parts(parts));
        }
        match planes.iter().position(|plane| plane.axis > 2 || !plane.at.is_finite()) {
            Some(invalid) => Err(DecompositionError::Plane(invalid)),
            None => Ok(Self { planes }),
        }
    }

    /// Returns the planes, to be sent to other processes: one fewer than there are parts.
    #[must_use]
    pub fn planes(&self) -> &[DividingPlane] {
        &self.planes
    }

    /// Returns the number of parts.
    #[must_use]
    pub fn parts(&self) -> u32 {
        self.planes.len() as u32 + 1
    }

    /// Appends the parts that a box overlaps, in ascending order: all that need a copy of it. An invalid box overlaps none.
    ///
    /// For swept pairs, pass the bounds of the path ([`MovingBox::bounds`](crate::MovingBox::bounds)). Those of a valid moving box may reach up to
    /// twice [`COORD_MAX`], which is valid here.
    pub fn overlapped(&self, bounds: &Aabb, parts: &mut Vec<u32>) {
        if !is_valid(bounds) {
            return;
        }
        self.visit(0, 0, self.parts(), bounds, parts);
    }

    /// Recursion of [`overlapped`](Self::overlapped) over a region: its first plane, its first part, and how many it has.
    /// The depth is the binary logarithm of the number of parts.
    fn visit(&self, plane: usize, first: u32, count: u32, bounds: &Aabb, parts: &mut Vec<u32>) {
        if count == 1 {
            parts.push(first);
            return;
        }
        let (DividingPlane { axis, at }, below) = (self.planes[plane], count / 2);
        if bounds.min[axis as usize] < at {
            self.visit(plane + 1, first, below, bounds, parts);
        }
        if bounds.max[axis as usize] >= at {
            self.visit(plane + below as usize, first + below, count - below, bounds, parts);
        }
    }

    /// Returns the part that a point is in. Any part is returned for coordinates that are not numbers.
    #[must_use]
    pub fn part_of(&self, point: [f32; 3]) -> u32 {
        let (mut plane, mut first, mut count) = (0, 0, self.parts());
        while count > 1 {
            let (DividingPlane { axis, at }, below) = (self.planes[plane], count / 2);
            if point[axis as usize] < at {
                (plane, count) = (plane + 1, below);
            } else {
                plane += below as usize;
                (first, count) = (first + below, count - below);
            }
        }
        first
    }

    /// Returns the part to which a pair belongs, from the bounds of its boxes.
    ///
    /// If the bounds overlap, both boxes overlap this part, so it finds the pair. All parts that find a pair agree on its owner. For bounds that do
    /// not overlap or are invalid, any part may be returned. For swept pairs, pass the bounds of both paths, as to [`overlapped`](Self::overlapped).
    ///
    /// ```
    /// use swath::broadphase::{Decomposition, PairInput};
    /// use swath::{Aabb, MovingBox, PairFinder};
    ///
    /// let boxes: Vec<MovingBox> = (0..100)
    ///     .map(|x| MovingBox { aabb: Aabb { min: [x as f32; 3], max: [x as f32 + 0.5; 3] }, delta: [0.75; 3] })
    ///     .collect();
    /// let sample: Vec<Aabb> = boxes.iter().map(MovingBox::bounds).collect();
    /// let parts = Decomposition::balanced(&sample, 2)?;
    ///
    /// // Here the parts are searched one after the other, instead of each by a process of its own.
    /// let mut rows_of = vec![Vec::new(); 2];
    /// let mut overlapped = Vec::new();
    /// for (row, moving) in boxes.iter().enumerate() {
    ///     parts.overlapped(&moving.bounds(), &mut overlapped);
    ///     overlapped.drain(..).for_each(|part| rows_of[part as usize].push(row as u32));
    /// }
    /// let (mut finder, mut count) = (PairFinder::new(), 0);
    /// for (part, rows) in (0..).zip(&rows_of) {
    ///     let copies: Vec<MovingBox> = rows.iter().map(|&row| boxes[row as usize]).collect();
    ///     let bounds = |row: u32| boxes[row as usize].bounds();
    ///     let found = finder.swept_pairs(PairInput::new(&copies).labelled(rows))?;
    ///     count += found.iter().filter(|pair| parts.owner(&bounds(pair.a), &bounds(pair.b)) == part).count();
    /// }
    /// assert!(rows_of[0].len() + rows_of[1].len() > boxes.len()); // the plane cuts a path
    /// assert_eq!(count, finder.swept_pairs(&boxes)?.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn owner(&self, a: &Aabb, b: &Aabb) -> u32 {
        self.part_of(each_axis(
            |axis| {
                if a.min[axis] > b.min[axis] { a.min[axis] } else { b.min[axis] }
            },
        ))
    }
}

/// Whether a box may be the bounds of the path of a valid moving box.
fn is_valid(bounds: &Aabb) -> bool {
    let Aabb { min, max } = bounds;
    // NaN is in no range.
    (0..3).all(|k| -2.0 * COORD_MAX <= min[k] && min[k] <= max[k] && max[k] <= 2.0 * COORD_MAX)
}

fn centre(aabb: &Aabb, axis: usize) -> f32 {
    aabb.min[axis] + 0.5 * (aabb.max[axis] - aabb.min[axis])
}

/// Chooses the plane of a region of which `below` of `parts` parts are below it. On each axis it is at the quantile of
/// the centres or, if several boxes have that centre, there or at the next centre. The plane is the one with which the more loaded
/// half has the fewest boxes for each of its parts, where boxes that it cuts are in both halves. Ties go to the lowest
/// axis.
///
/// `centres` is scratch memory.
fn dividing_plane(
    region: &[Aabb],
    below: u32,
    parts: u32,
    centres: &mut Vec<f32>,
) -> DividingPlane {
    let position = (region.len() as u64 * u64::from(below) / u64::from(parts)) as usize;
    let mut best = (u64::MAX, DividingPlane::default());
    for axis in 0..3 {
        if region.is_empty() {
            break;
        }
        centres.clear();
        for aabb in region {
            centres.push(centre(aabb, axis));
        }
        let quantile = select_float(centres, position);
        // Boxes whose centre is the quantile are above a plane there. If there are several, the other plane is above them.
        let mut planes = [quantile, f32::INFINITY];
        if count_of(centres, |&centre| centre == quantile) > 1 {
            let later = centres.iter().copied().filter(|&centre| centre > quantile);
            planes[1] = later.fold(f32::INFINITY, |least, x| if x < least { x } else { least });
        }
        for at in planes.into_iter().filter(|&at| at < f32::INFINITY) {
            let (mut boxes_below, mut boxes_above) = (0, 0);
            for aabb in region {
                boxes_below += u64::from(aabb.min[axis] < at);
                boxes_above += u64::from(aabb.max[axis] >= at);
            }
            // Both loads are multiplied by the number of parts of both halves.
            let cost = (boxes_below * u64::from(parts - below)).max(boxes_above * u64::from(below));
            if cost < best.0 {
                best = (cost, DividingPlane { axis: axis as u32, at });
            }
        }
    }
    best.1
}
