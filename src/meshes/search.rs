//! First time of two geometries, by their hierarchies.
//!
//! ```text
//! both are convex:         the search of the narrowphase
//! one of them is convex:   visit_met_parts of the other                  (against_parts)
//! both have parts:         the parts of the first that meet the other's box;
//!                          for each of them, visit_met_parts of the other   (between)
//! visit_met_parts:         if the body rotates, divide the window into intervals in which it turns little;
//!                          in each, traverse the hierarchy with the box around the path
//! Queue::run, for the parts that were met, sixteen at a time: search them                    (queue.rs)
//! ```
//!
//! Which parts are visited, and in which order, depends on the input alone.

use super::contacts::{ContactPlane, Contacts};
use super::geometry::Geometry;
use super::inner_edges::{self, Surroundings};
use super::memory::{MetParts, SearchMemory};
use super::queue::{Order, Queue};
use super::result::PartToi;
use super::window_parts::{WindowParts, time_at};
use crate::geom::{MapEach, Motion, MovingBox};
use crate::narrowphase::Shape;
use crate::narrowphase::math::V3;
use crate::narrowphase::toi::part_search::{PartSearch, PartsExtent};
use crate::narrowphase::toi::{Settings, Toi, ToiResult, Touch, of_valid};
use crate::par::sort_rare;
use alloc::vec::Vec;

/// The intervals into which a window is divided, so that the body rotates little in each.
#[derive(Clone, Copy)]
pub(super) struct Intervals {
    parts: WindowParts,
    /// The box around the path in the first interval.
    path_box: MovingBox,
}

impl Intervals {
    pub(super) fn new(search: &PartSearch<'_>, window: [f64; 2]) -> Self {
        let parts = WindowParts { window, count: search.intervals(window) };
        Self { parts, path_box: search.path_box(parts.part(0)) }
    }
}

/// Calls `visitor` with each part whose box the shape of `search` meets in the window, and a time before which they are
/// apart; `visitor` returns the time until which contacts count. `met_parts` is overwritten.
pub(super) fn visit_met_parts(
    search: &PartSearch<'_>,
    geometry: &Geometry<'_>,
    intervals: &Intervals,
    met_parts: &mut MetParts,
    visitor: &mut dyn FnMut(u32, f64) -> f64,
) {
    let &Intervals { parts: WindowParts { window, count }, path_box } = intervals;
    let mut until = window[1];
    met_parts.clear();
    for k in 0..count {
        let [start, end] = intervals.parts.part(k);
        if start > until {
            break;
        }
        met_parts.begin_interval();
        let length = end - start;
        let path_box = if k == 0 { path_box } else { search.path_box([start, end]) };
        geometry.sweep(&path_box, &mut |part, met| {
            if count > 1 && met_parts.was_met(part) {
                return limit(until, start, length);
            }
            let met = time_at(met, [start, end]);
            if met <= until {
                until = visitor(part, met);
            }
            limit(until, start, length)
        });
    }
}

/// Returns a time as a fraction of an interval, rounded up.
fn limit(until: f64, start: f64, length: f64) -> f32 {
    let fraction = (until - start) / length;
    // A comparison with NaN is false.
    if fraction < 1.0 { (fraction * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE } else { 1.0 }
}

/// Searches for the contacts of a convex shape with the parts of a geometry. `part` is the number of the shape as a part
/// of its own body, and `extent` that of the geometry against that body.
fn against_parts(
    shape: &Shape<'_>,
    motion: &Motion,
    (geometry, body): (&Geometry<'_>, &Motion),
    settings: &Settings,
    (part, extent, window, slides): (u32, &PartsExtent, [f64; 2], &[V3]),
    contacts: &mut Contacts<'_>,
) {
    let search = PartSearch::new(shape, motion, (body, extent), settings, 1.0);
    let window = [window[0], contacts.until()];
    if window[0] > window[1] {
        return;
    }
    let Some(window) =
        near_whole_body(&search, (shape, motion), (geometry, body), settings, (window, contacts))
    else {
        return;
    };
    let intervals = Intervals::new(&search, window);
    let bounds = match geometry.level_of_triangles() {
        Some(level) if search.is_fixed_frame() => {
            Some((search.triangle_bounds(&intervals.path_box, window), level, window))
        }
        _ => None,
    };
    let order = match bounds {
        // Each search runs to its end.
        _ if !contacts.is_first_wanted() => Order::Met,
        _ if search.makes_whole_turn(window) => Order::Paused,
        Some(_) => Order::Deferred,
        None => Order::Met,
    };
    let beyond = contacts.beyond.as_ref();
    let best = beyond.and_then(|plane| search.planes_at_touch(plane.normal, plane.depth));
    let mut queue = Queue::new(&search, geometry, part, bounds, order, (best, slides));
    let mut met = core::mem::take(&mut contacts.memory.of_other);
    visit_met_parts(&search, geometry, &intervals, &mut met, &mut |other, from| {
        queue.push(other, from, contacts);
        contacts.until()
    });
    contacts.memory.of_other = met;
    queue.finish(contacts);
}

/// Greatest number of rounds of a search against the box around a whole body.
const WHOLE_ROUNDS_MAX: u32 = 32;

/// Returns the part of the window in which a shape may be near the box around a geometry, if there is one. The box is searched
/// if the body makes whole turns: then the paths relative to it meet all of its parts.
fn near_whole_body(
    search: &PartSearch<'_>,
    (shape, motion): (&Shape<'_>, &Motion),
    (geometry, body): (&Geometry<'_>, &Motion),
    settings: &Settings,
    ([from, to], contacts): ([f64; 2], &mut Contacts<'_>),
) -> Option<[f64; 2]> {
    if !search.body_makes_whole_turn([from, to]) || contacts.is_exhausted() {
        return Some([from, to]);
    }
    let rounds_max = settings.rounds_max.min(WHOLE_ROUNDS_MAX);
    let settings = Settings { rounds_max, ..*settings };
    let mut whole = Toi::default();
    geometry.with_bounds(&mut |around| {
        let extent = PartsExtent { bounding_radius: around.reach(), ..geometry.extent() };
        let search = PartSearch::new(shape, motion, (body, &extent), &settings, 1.0);
        whole = search.whole_body(around, [from, to]);
    });
    contacts.count_work(&whole);
    match whole.result {
        ToiResult::Separated => None,
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => {
            Some([from.max(f64::from(t)), to])
        }
        ToiResult::Overlapping { .. } => Some([from, to]),
    }
}

/// Searches for the contacts of two geometries whose motions and settings are valid. `slides` are sliding directions, from
/// the first to the second, in the axes of the second.
pub(super) fn between(
    (a, a_motion): (&Geometry<'_>, &Motion),
    (b, b_motion): (&Geometry<'_>, &Motion),
    settings: &Settings,
    slides: &[V3],
    contacts: &mut Contacts<'_>,
) {
    if let (Geometry::Convex(of_a), Geometry::Convex(of_b)) = (a, b) {
        // So that the results have the same bits, including signs of zeros, whichever function is called.
        contacts.add(&of_valid((of_a, a_motion), (of_b, b_motion), settings), [0, 0], false);
        contacts.count_tests(1);
        return;
    }
    let window = settings.window.map_each(f64::from);
    if let Geometry::Convex(shape) = a {
        let of = (0, &b.extent(), window, slides);
        return against_parts(shape, a_motion, (b, b_motion), settings, of, contacts);
    }
    let (size, extent) = (a.extent().size, b.extent_against(a));
    b.with_bounds(&mut |around| {
        let of_a = (a_motion, &a.extent());
        let search = PartSearch::new(around, b_motion, of_a, settings, 1.0);
        let intervals = Intervals::new(&search, window);
        let mut met = core::mem::take(&mut contacts.memory.of_divided);
        visit_met_parts(&search, a, &intervals, &mut met, &mut |part, from| {
            // Where the boxes are apart until then, so are the shapes: but a touch that is ignored has to be followed
            // from the start.
            let window = [if from > window[0] { from } else { window[0] }, window[1]];
            a.part(part).with_shape(size, &mut |shape| {
                let of = (part, &extent, window, slides);
                against_parts(shape, a_motion, (b, b_motion), settings, of, contacts);
            });
            contacts.until()
        });
        contacts.memory.of_divided = met;
    });
}

/// Computes the first contact of two geometries, or all, or all beyond a plane.
pub(super) fn find(
    a: (&Geometry<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    settings: &Settings,
    mut all: Option<&mut Vec<PartToi>>,
    beyond: Option<&ContactPlane>,
    memory: &mut SearchMemory,
) -> PartToi {
    let start = all.as_ref().map_or(0, |all| all.len());
    // The first is divided into shapes: a convex body, else a compound, else the body with fewer parts. So the rules
    // for sides and inner edges hold for triangles against these.
    let swapped = a.0.order() > b.0.order();
    let (first, second) = if swapped { (b, a) } else { (a, b) };
    let mut best = if let Some(all) = &mut all {
        let mut contacts = Contacts::new(settings, Some(all), memory);
        contacts.beyond = beyond.copied();
        if let (true, Some(plane)) = (swapped, &mut contacts.beyond) {
            plane.normal = plane.normal.map_each(|x| -x);
        }
        between(first, second, settings, &[], &mut contacts);
        contacts.best()
    } else {
        find_first(first, second, settings, memory)
    };
    let finish = |found: &mut PartToi| {
        if found.toi.result != ToiResult::Separated {
            found.parts = [first.0.number(found.parts[0]), second.0.number(found.parts[1])];
        }
        if swapped {
            found.flip();
        }
    };
    finish(&mut best);
    if let Some(all) = all {
        let mut surroundings = Surroundings::default();
        for found in &mut all[start..] {
            inner_edges::correct(first, second, found, &mut surroundings);
            finish(found);
        }
        let time = |found: &PartToi| match found.toi.result {
            ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t.to_bits(),
            _ => 0,
        };
        sort_rare(&mut all[start..], |found| (time(found), found.parts));
        if let Some(first) = all.get(start) {
            (best.toi.result, best.parts) = (first.toi.result, first.parts);
        }
    }
    best
}

/// Greatest number of sliding directions in a search for the first contact.
const SLIDES_MAX: usize = 16;

/// Difference of directions that count as one.
const SAME: f64 = 1e-7;

/// Searches for the first contact of two geometries. A contact at an edge along which the body slides is no impact: the search is repeated. It leaves
/// out each triangle until the body, along the normals of the faces at that edge, is deeper in the triangle than a touch.
fn find_first(
    first: (&Geometry<'_>, &Motion),
    second: (&Geometry<'_>, &Motion),
    settings: &Settings,
    memory: &mut SearchMemory,
) -> PartToi {
    let may_pass = settings.touch != Touch::Hit && V3::of(second.1.spin) == V3::ZERO;
    let (mut slides, mut len) = ([V3::ZERO; SLIDES_MAX], 0);
    let mut contacts = Contacts::new(settings, None, memory);
    loop {
        between(first, second, settings, &slides[..len], &mut contacts);
        let mut best = contacts.best();
        if contacts.is_inside {
            return best;
        }
        let passed = inner_edges::correct_or_pass(first, second, &mut best);
        let Some(normals) = passed.filter(|_| may_pass) else { return best };
        let before = len;
        for normal in normals.into_iter().flatten() {
            let is_new = slides[..len].iter().all(|&of| (of + normal).length() > SAME);
            if is_new && len < SLIDES_MAX {
                // From the body to the mesh.
                slides[len] = -normal;
                len += 1;
            }
        }
        if len == before {
            return best;
        }
        contacts.restart(settings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::meshes::{Compound, Mesh};

    /// Goal: the box around a body takes no rounds either after 1,024 times as many as one pair of parts may take. Method: all contacts of a
    /// compound of many parts with a mesh that makes a whole turn, with one round for each pair.
    #[test]
    fn box_around_a_body_is_not_searched_after_too_many_rounds() {
        let ball = Shape::sphere(0.01).expect("a ball");
        let at = |k: u32| {
            let [x, y, z] = [k % 16, k / 16 % 16, k / 256].map_each(|n| 0.1 * n as f32 - 0.8);
            Pose::at([x, y, z]).expect("valid")
        };
        let balls = Compound::new((0..4_096).map(|k| (ball.into(), at(k)))).expect("a compound");
        let corners = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0_f32]];
        let mesh = Mesh::new(&corners[..], &[[0, 1, 2]][..]).expect("a triangle");
        let turning = Motion::default().spinning([7.0, 0.0, 0.0]).expect("a spin");
        let settings = Settings { rounds_max: 1, ..Settings::default() };
        let (still, mut all) = (Motion::default(), Vec::new());
        let (balls, mesh) = ((&balls).into(), (&mesh).into());
        let memory = &mut SearchMemory::default();
        let (balls, mesh) = ((&balls, &still), (&mesh, &turning));
        let best = find(balls, mesh, &settings, Some(&mut all), None, memory);
        assert!(all.len() > 1_000, "{}", all.len());
        assert!((1_000..=1_024).contains(&best.toi.rounds), "{}", best.toi.rounds);
    }
}
