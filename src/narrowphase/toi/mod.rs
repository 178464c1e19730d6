//! Time of impact of two convex shapes that move, accelerate and rotate.
//!
//! The method is conservative advancement (Mirtich 1996): from a time that is safe, a plane between the
//! shapes proves a later one; where the shapes are near enough, that is the result. The distance and
//! its plane are those of [`gjk`](super::gjk). How long a plane separates is computed in
//! `separating_plane.rs`: exactly, by a quadratic, if nothing rotates, and otherwise by bounds that are
//! exact at both ends of an interval.
//!
//! ```text
//! settings.rs          what counts as a contact
//! result.rs            what a search returns
//! pairs.rs             times of impact of many pairs
//! goal.rs              at which distance a search ends
//! search.rs            the rounds: distance, plane, next safe time
//! rounds.rs            the rounds on a level of the CPU
//! touch.rs             touches at the start
//! separating_plane.rs  until when a plane separates
//! curvature.rs         how much a gap is curved by rotations
//! balls.rs             until when the balls around both bodies are separated
//! boxes.rs             boxes that do not rotate
//! rounded.rs           balls, capsules and rounded boxes that do not rotate
//! rotating_boxes.rs    boxes, balls and capsules that rotate
//! portal.rs            where the path enters the difference of the shapes, without distances; bodies that do not rotate
//! revolved.rs          safe times for bodies that make whole turns
//! part_search.rs       a shape against one part of a body, such as a triangle of a mesh
//! pause.rs             searches for many parts that advance together
//! path_box.rs          the box around the path of a shape, in the axes of such a body
//! triangle.rs          a triangle of such a body, about its first corner
//! triangle_bounds.rs   lower bounds of the times of sixteen triangles
//! triangle_plane.rs    until when the plane of a triangle separates
//! cast_triangle.rs     where a segment crosses a triangle of such a body
//! relative_motion.rs   position and rotation at a time
//! ```
//!
//! **What is promised**, for shapes and motions as given by their `f32`, with `t` as a fraction of the
//! tick:
//!
//! * **never late, never missed**: before the `t` of an [`ToiResult::Impact`], before `t_safe`, and in
//!   the whole window for [`ToiResult::Separated`], the distance is above
//!   [`Settings::target_distance`]; only a touch at the start that [`Touch`] passes over is excepted;
//! * the distance at `t` is at most the target and the tolerance, and what the bodies move in the
//!   part of the tick, at most `2⁻²³·t`, by which `t` was rounded down to `f32`;
//! * the tolerance is [`Settings::tolerance`] of the size of the smaller shape (half the diagonal of
//!   its box; a point has none, then the other's counts), but at least 2⁻⁴⁰ of the numbers that the
//!   distance is computed from: how far apart the bodies are, how far they move, and how far they
//!   reach from their positions;
//! * the same bits for the same input, whatever the level, the platform and the threads.
//!
//! A contact at the start of the window is not a first time. If it is deeper than the tolerance it is
//! [`ToiResult::Overlapping`]. Within the tolerance it is a touch, and [`Touch`] decides whether that is
//! an impact.
//!
//! **What the default excludes.** With [`Touch::IfClosing`] a touch at the start is an impact only if
//! the two nearest points close. A body that lies on another, slides along it or leaves it is ignored,
//! also if another of its points moves down, as when it tips over an edge. At an edge or a corner many planes separate the
//! bodies, and the normal of a curved shape is exact to within some thousandths: if one plane that separates the bodies to within the tolerance
//! does not close, the touch is ignored (`docs/math/toi.md`, "Whether a touch at the start closes"). Later contacts are found: if
//! the gap at the start was above the target, however small, the first time at which the target is
//! reached is an impact; with [`Touch::Ignore`], a gap within the tolerance counts as a touch. If there was no gap, the bodies may get deeper by the tolerance; that depth is
//! an impact, or for [`Touch::Ignore`] an overlap. A touch that is ignored ends when the shapes are
//! apart by twice the tolerance. If for 256 rounds it neither ends nor becomes a contact, it is, with
//! [`Touch::IfClosing`], an impact at the time that the search has reached: the distance there is
//! within the tolerance, and there was no earlier contact.
//!
//! **Cost of spin.** Without rotation, a search takes two to six rounds. A rotating body adds some ten
//! rounds for each turn that it makes near the other one, up to the contact. Bodies that make whole
//! turns are near each other only if the bodies of revolution of their paths overlap; until then a
//! search takes a few rounds, whatever the spin is. [`Settings::rounds_max`] limits the rest.
//! `docs/math/toi.md` has figures.
//!
//! The arithmetic and its proof are in `docs/math/toi.md`.
//!
//! ```
//! use swath::convex::toi;
//! use swath::convex::toi::{ToiResult, Settings};
//! use swath::{Motion, Pose, Shape};
//!
//! // A plank of half length 3 turns a quarter, and hits a ball on its way.
//! let plank = Shape::cuboid([3.0, 0.1, 0.5])?;
//! let turning = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 1.5])?;
//! let ball = Shape::sphere(0.5)?;
//! let still = Motion::from(Pose::at([0.0, 2.0, 0.0])?);
//! let toi = toi::one_to_one(&plank, &turning, &ball, &still, &Settings::default())?;
//! let ToiResult::Impact { t, normal, .. } = toi.result else { panic!("{toi:?}") };
//! assert!((t - 0.844).abs() < 1e-3 && normal[0] < -0.9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod balls;
mod boxes;
pub(crate) mod cast_triangle;
mod curvature;
mod goal;
mod pairs;
pub(crate) mod part_search;
mod path_box;
pub(crate) mod pause;
mod portal;
mod relative_motion;
mod result;
mod revolved;
mod rotating_boxes;
mod rounded;
mod rounds;
pub(super) mod search;
mod separating_plane;
mod settings;
mod touch;
mod triangle;
pub(crate) mod triangle_bounds;
mod triangle_plane;

pub use super::batch::PairsError;
pub use super::error::ToiError;
use super::shape::Shape;
use crate::geom::{MapEach, Motion};
use alloc::vec::Vec;
pub use pairs::{ToiInput, pairs};
pub use result::{Round, Toi, ToiResult};
pub use settings::{Settings, TOI_ROUNDS_MAX, Touch};
pub(crate) use touch::closes_surely;

/// Computes when `a` and `b` first touch.
///
/// With the default settings, a touch at the start counts only if the nearest points close there ([`Touch::IfClosing`]):
/// for bodies that lie on each other, slide or separate, the result is the next time at which they touch.
///
/// # Errors
///
/// [`ToiError`] if a motion or the settings are invalid.
pub fn one_to_one(
    a: &Shape<'_>,
    a_motion: &Motion,
    b: &Shape<'_>,
    b_motion: &Motion,
    settings: &Settings,
) -> Result<Toi, ToiError> {
    validate(a_motion, b_motion, settings)?;
    Ok(of_valid((a, a_motion), (b, b_motion), settings))
}

/// Does what [`one_to_one`] does, with the same bits, and appends each round of the search to `steps`.
/// It serves to draw a search, or to see why it is long.
///
/// # Errors
///
/// As for [`one_to_one`]; then nothing is appended.
///
/// ```
/// use swath::convex::toi;
/// use swath::convex::toi::Settings;
/// use swath::{Motion, Pose, Shape};
///
/// let ball = Shape::sphere(1.0)?;
/// let thrown = Motion::new(Pose::at([-6.0, 1.0, 0.0])?, [8.0, 0.0, 0.0])?;
/// let still = Motion::from(Pose::IDENTITY);
/// let mut steps = Vec::new();
/// let toi = toi::traced(&ball, &thrown, &ball, &still, &Settings::default(), &mut steps)?;
/// assert_eq!(steps.len(), toi.rounds as usize);
/// assert!(steps[0].t == 0.0 && steps.is_sorted_by(|one, next| one.t <= next.t));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn traced(
    a: &Shape<'_>,
    a_motion: &Motion,
    b: &Shape<'_>,
    b_motion: &Motion,
    settings: &Settings,
    steps: &mut Vec<Round>,
) -> Result<Toi, ToiError> {
    validate(a_motion, b_motion, settings)?;
    let window = settings.window.map_each(f64::from);
    let (a, b) = ((a, a_motion), (b, b_motion));
    Ok(search::Search::find(a, b, settings, window, Some(&mut |step| steps.push(step))))
}

/// Checks the motions and the settings of a search for two bodies.
pub(crate) fn validate(a: &Motion, b: &Motion, settings: &Settings) -> Result<(), ToiError> {
    settings.validate()?;
    a.validate()?;
    b.validate().map_err(ToiError::SecondMotion)
}

/// Does what [`one_to_one`] does, for motions and settings that are known to be valid.
pub(crate) fn of_valid(
    a: (&Shape<'_>, &Motion),
    b: (&Shape<'_>, &Motion),
    settings: &Settings,
) -> Toi {
    search::Search::find(a, b, settings, settings.window.map_each(f64::from), None)
}

#[cfg(test)]
mod tests {
    use super::pause::Pause;
    use super::relative_motion::{RelativeMotion, RelativePath};
    use super::search::Search;
    use super::{Settings, Toi, ToiResult};
    use crate::geom::{Motion, Pose};
    use crate::lanes::Level;
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::{Hull, Shape};

    /// Goal: the rounds of a search have the same bits on every level. Method: boxes, round shapes and hulls that rotate and fly at
    /// each other, some of them accelerated.
    #[test]
    fn search_on_every_level_has_the_same_bits() {
        let mut draw = numbers_f32(7);
        let settings = Settings::default();
        let (mut searched, mut met) = (0, 0);
        for case in 0..400_usize {
            let mut vector = |most: f32| [draw() * most, draw() * most, draw() * most];
            let hulls =
                [8, 40].map(|count| Hull::new((0..count).map(|_| vector(1.0))).expect("a cloud"));
            let half = vector(1.0).map(|x| x.abs() + 0.1);
            let shape = |kind: usize| {
                match kind {
                    0 => Shape::cuboid(half),
                    1 => Shape::capsule(half[0], half[1]),
                    2 => Shape::cylinder(half[0], half[1]),
                    _ => Ok(Shape::hull(&hulls[kind % 2])),
                }
                .expect("lengths are valid")
            };
            let (a, b) = (shape(case % 5), shape(case / 5 % 5));
            let at = vector(3.0);
            let aside = vector(1.0);
            let mut motion = |position, delta: [f32; 3]| {
                let [x, y, z] = vector(1.0);
                let length = libm::sqrtf(x * x + y * y + z * z + 0.25);
                let rotation = [x, y, z, 0.5].map(|x| x / length);
                let mut motion = Motion::new(Pose::new(position, rotation).expect("a pose"), delta)
                    .expect("a motion");
                motion.spin = vector(3.0);
                motion.accel = if case % 3 == 0 { vector(1.0) } else { [0.0; 3] };
                motion
            };
            let delta = core::array::from_fn(|axis| aside[axis] - at[axis]);
            let (of_a, of_b) = (motion(at, delta), motion([0.0; 3], [0.0; 3]));
            let path = RelativePath::new(&of_a, &of_b);
            let window = [0.0, 1.0];
            let slack = path.slack(&a, &b, 1.0);
            let find = |level: Level| {
                let mut search = Search {
                    motion: RelativeMotion::new((&a, &of_a), (&b, &of_b), path, slack),
                    positions: [&of_a, &of_b],
                    frame: None,
                    settings: &settings,
                    window,
                    contact_distance: a.radius + b.radius,
                    tolerance: 1e-4,
                    guess: path.guess(a.size + b.size, window),
                    rounds: 0,
                    supports: 0,
                    pause: Pause::NEVER,
                    known_depth: 0.0,
                };
                let result = search.run_on(level, None, &mut None);
                Toi { result, rounds: search.rounds, supports: search.supports }
            };
            let first = find(Level::PORTABLE4);
            for level in Level::all() {
                assert_eq!(find(level), first, "{case} {level}");
                searched += 1;
            }
            met += usize::from(matches!(first.result, ToiResult::Impact { .. }));
        }
        assert!(searched >= 1200 && met > 100, "{searched} {met}");
    }
}
