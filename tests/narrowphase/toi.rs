//! Tests of the time of impact: never late, never missed, and the shapes are near each other at it.
//!
//! `swath::convex::toi` is compared with the specification, which shares no code with it, over families of
//! hard pairs; and with integer arithmetic, for polyhedra without rotation.

use std::collections::BTreeMap;

use spec::FirstTime;
use swath::convex::toi::{TOI_ROUNDS_MAX, Toi, ToiResult};
use testkit::convex_asked::{answer, asked, settings, tolerance, tolerance_length};
use testkit::convex_cases::{ConvexCase, convex_cases, on_lattice};
use testkit::convex_promises::{Truth, judged, keeps_its_promises};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::{Draw, how_many};
use testkit::exact_convex::ExactPair;

/// Results of all pairs with one kind of motion.
#[derive(Debug)]
struct Tally {
    cases: usize,
    answers: BTreeMap<&'static str, usize>,
    broken: BTreeMap<String, usize>,
    /// Number of searches by their number of rounds.
    rounds: Vec<usize>,
}

impl Default for Tally {
    fn default() -> Self {
        let rounds = vec![0; TOI_ROUNDS_MAX as usize + 1];
        Self { cases: 0, answers: BTreeMap::new(), broken: BTreeMap::new(), rounds }
    }
}

impl Tally {
    fn add(&mut self, toi: &Toi, verdict: &Result<(), String>) {
        self.cases += 1;
        let kind = match toi.result {
            ToiResult::Impact { .. } => "impacts",
            ToiResult::Overlapping { .. } => "overlaps",
            ToiResult::Separated => "separated",
            _ => "unresolved",
        };
        *self.answers.entry(kind).or_default() += 1;
        self.rounds[toi.rounds as usize] += 1;
        if let Err(promise) = verdict {
            let promise = promise.split(':').next().unwrap_or_default();
            *self.broken.entry(promise.to_owned()).or_default() += 1;
        }
    }

    /// Mean, 99th percentile, and maximum.
    fn rounds(&self) -> (f64, usize, usize) {
        let all: usize = self.rounds.iter().enumerate().map(|(rounds, count)| rounds * count).sum();
        let mut passed = 0;
        let mut up_to = |part: f64| {
            passed = 0;
            self.rounds
                .iter()
                .position(|count| {
                    passed += count;
                    passed as f64 >= part * self.cases as f64
                })
                .unwrap_or_default()
        };
        (all as f64 / self.cases as f64, up_to(0.99), up_to(1.0))
    }
}

fn kind(case: &ConvexCase) -> &'static str {
    let any =
        |of: fn(&PlainMotion) -> [f32; 3]| case.motions.iter().any(|motion| of(motion) != [0.0; 3]);
    if any(|motion| motion.spin) {
        "spinning"
    } else if any(|motion| motion.accel) {
        "accelerated"
    } else {
        "linear"
    }
}

/// Additional checks of a result: the depth, and the direction of the shortest translation.
fn depth_holds(case: &ConvexCase, truth: &Truth, toi: &Toi) -> Result<(), String> {
    let ToiResult::Overlapping { depth, normal, .. } = toi.result else { return Ok(()) };
    let from = f64::from(case.window[0]);
    let wide = normal.map(f64::from);
    let gap = spec::gap(&truth.a, &truth.b, from, wide) - f64::from(case.target);
    let start = spec::distance(&truth.a, &truth.b, from);
    let off = truth.size * 8.0 * f64::from(f32::EPSILON) + 2.0 * start.noise;
    // A time that is not an `f32` cannot be an input; the start is one.
    if (gap + f64::from(depth)).abs() > off + 1e-6 * f64::from(depth) {
        return Err(format!("a depth is that along its normal: {gap:e} of {depth:e}"));
    }
    let least = f64::from(case.target) - start.upper;
    if f64::from(depth) < least - off {
        return Err(format!("a depth is no less than the least: {depth:e} of {least:e}"));
    }
    if f64::from(depth) < tolerance_length(case, truth) * 0.25 {
        return Err(format!("an overlap is deeper than the tolerance: {depth:e}"));
    }
    Ok(())
}

/// Goal: never late, never missed, near at the reported time, and points, normals and depths as documented. With each kind of motion many pairs touch and
/// many do not, and hardly a search is unresolved. Method: pairs of every family, compared with the specification and counted by kinds of motions;
/// `-- --nocapture` prints the counts.
#[test]
fn first_times_of_convex_shapes_keep_their_promises() {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut truths: BTreeMap<&str, usize> = BTreeMap::new();
    let mut broken = Vec::new();
    let mut narrow = 0.0_f64;
    for case in convex_cases(61, how_many(10_000)) {
        let truth = Truth::of(&case);
        let toi = asked(&case, &settings(&case));
        let verdict = judged(&truth, &answer(&toi), &tolerance(&case, &truth))
            .and_then(|()| depth_holds(&case, &truth, &toi));
        tallies.entry(kind(&case)).or_default().add(&toi, &verdict);
        let verdict_of_spec = match truth.first {
            FirstTime::Hit { .. } => "hit",
            FirstTime::Free => "free",
            FirstTime::Graze { .. } => "graze",
            FirstTime::Open { .. } => "open",
        };
        *truths.entry(verdict_of_spec).or_default() += 1;
        if let (FirstTime::Free, Some(t)) = (truth.first, toi.impact()) {
            let there = spec::distance(&truth.a, &truth.b, t.into());
            let allowed = tolerance_length(&case, &truth) + truth.speed_max * f64::from(t) * 1e-7;
            narrow = narrow.max((there.lower - f64::from(case.target)) / allowed);
        }
        if toi.rounds > 1000 {
            println!("{} rounds: {toi:?}, {:?}, for {case:?}", toi.rounds, truth.first);
        }
        if let Err(promise) = verdict {
            broken.push(format!("{promise}: {toi:?}, but {:?}, for {case:?}", truth.first));
        }
    }
    for (kind, tally) in &tallies {
        let (mean, most_of_all, most) = tally.rounds();
        let Tally { cases, answers, broken, .. } = tally;
        println!(
            "{kind}: {cases} pairs, {answers:?}, broken {broken:?}, rounds {mean:.2} {most_of_all} {most}"
        );
    }
    println!("truth {truths:?}; impacts of misses at {narrow:.3} tolerances");
    assert!(
        broken.is_empty(),
        "{} are broken:\n{}",
        broken.len(),
        broken[..broken.len().min(4)].join("\n")
    );
    assert_eq!(tallies.len(), 3);
    for (kind, Tally { cases, answers, .. }) in &tallies {
        let of = |answer| answers.get(answer).copied().unwrap_or_default();
        assert!(of("impacts") * 4 > *cases && of("separated") * 4 > *cases, "{kind}: {answers:?}");
        assert!(of("unresolved") * 1000 < *cases + 1000, "{kind}: {answers:?}");
    }
    let all: usize = truths.values().sum();
    assert!(truths.get("hit").is_some_and(|hits| hits * 2 > all), "{truths:?}");
}

/// Goal: the narrowest touch is a touch, and no time is late by a bit. Method: polyhedra on a lattice, whose
/// first times are known from integer arithmetic.
#[test]
fn first_times_on_a_lattice_are_never_after_the_exact_ones() {
    let mut draw = Draw::new(62);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..how_many(1_500) {
        let case = on_lattice(&mut draw);
        let Some(pair) = ExactPair::of(&case) else { continue };
        let corners: usize = case.shapes.iter().map(|s| s.corners().map_or(0, |c| c.len())).sum();
        let exact = if pair.is_straight() {
            pair.first_time()
        } else if corners <= 10 {
            match pair.first_time_by_facets() {
                Some(exact) => exact,
                None => continue,
            }
        } else {
            continue;
        };
        let toi = asked(&case, &settings(&case));
        let what = format!("{toi:?}, but {exact:?}: {case:?}");
        let kind = match (toi.result, exact) {
            (ToiResult::Impact { t, .. }, Some(exact)) => {
                assert!(f64::from(t) <= exact * (1.0 + 1e-15), "late: {what}");
                "impacts"
            }
            (ToiResult::Overlapping { .. }, Some(0.0)) => "overlaps",
            (ToiResult::Separated, None) => "separated",
            (ToiResult::Impact { t, .. }, None) => {
                let [a, b] = case.solids();
                let truth = Truth::of(&case);
                let there = spec::distance(&a, &b, t.into());
                let over = tolerance_length(&case, &truth) + truth.speed_max * 1e-7 * f64::from(t);
                assert!(there.lower <= over + there.noise, "far: {what}");
                "narrow misses"
            }
            _ => panic!("{what}"),
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("lattice {counts:?}");
    assert!(["impacts", "overlaps", "separated"].iter().all(|kind| counts.contains_key(kind)));
}

/// Two hulls without rotation, at the start of a tick.
fn resting(a: (&[[f32; 3]], [f32; 3]), b: (&[[f32; 3]], [f32; 3])) -> ConvexCase {
    let shape =
        |points: &[[f32; 3]]| PlainShape { core: PlainCore::Hull(points.to_vec()), radius: 0.0 };
    let at = |position| PlainMotion { position, ..PlainMotion::REST };
    ConvexCase {
        family: "named",
        shapes: [shape(a.0), shape(b.0)],
        motions: [at(a.1), at(b.1)],
        target: 0.0,
        window: [0.0, 1.0],
    }
}

/// Goal: the points of a touch are opposite each other, also if a corner is exactly above an edge of a face,
/// where there are many nearest points, and if cores overlap by less than the tolerance beside an edge.
/// Method: cases in which the points once were corners far apart.
#[test]
fn points_of_a_touch_face_each_other() {
    let on_an_edge = resting(
        (&[[0.5, 0.0, 0.25], [-1.0, 0.0, 0.5], [-0.25, 0.0, 0.0]], [1.5, -0.75, -0.75]),
        (
            &[[0.5, 0.75, -1.0], [0.75, 0.0, 0.75], [-0.25, -0.5, -0.25]],
            [0.008258275, -1.5, 0.7486236],
        ),
    );
    let on_a_side = resting(
        (
            &[[-0.25, 0.0, -0.75], [-0.25, 0.5, 0.25], [1.0, -1.0, -0.5], [-1.0, -0.5, 0.25]],
            [-0.75, 0.8584906, -0.24528302],
        ),
        (
            &[
                [-1.0, -0.75, -0.75],
                [-0.75, 0.25, 0.75],
                [-1.0, 0.0, 1.0],
                [1.0, -0.25, -1.0],
                [-1.0, 0.0, -0.25],
                [-1.0, -0.25, 1.0],
            ],
            [1.25, 0.25, -1.25],
        ),
    );
    let beside_an_edge = resting(
        (
            &[[0.0, 0.0, -0.75], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0], [0.0, 0.0, -0.25]],
            [-1.0001, 0.057411816, 1.1217715],
        ),
        (
            &[
                [-0.25, -0.5, -1.0],
                [-0.25, 1.0, 0.0],
                [-1.0, -0.75, 0.25],
                [-0.75, 0.25, 0.5],
                [-1.0, 0.0, 0.5],
                [-0.5, -0.5, 0.75],
                [-0.25, 0.5, 0.0],
                [-0.5, -0.75, 0.5],
            ],
            [-0.75, -0.75, 1.5],
        ),
    );
    let mut across_an_edge = resting(
        (&[], [1.25, 1.75, -1.75]),
        (
            &[
                [0.5, 0.25, -1.0],
                [-0.25, 0.75, -0.25],
                [1.0, -0.75, -0.75],
                [-0.25, -1.0, 1.0],
                [0.75, 0.5, 0.0],
                [1.0, 1.0, -1.0],
            ],
            [0.25003248, 0.5001453, -0.75008553],
        ),
    );
    across_an_edge.shapes[0].core = PlainCore::Cuboid([0.0, 0.25, 0.0]);
    let mut two_boxes = resting((&[], [0.0; 3]), (&[], [-2.0701447, 0.93380624, -0.45208514]));
    two_boxes.shapes[0].core = PlainCore::Cuboid([0.8017213, 0.83325243, 0.76095784]);
    two_boxes.shapes[1].core = PlainCore::Cuboid([0.52011615, 0.72976696, 0.74017507]);
    two_boxes.motions[0].orientation = [0.0, 0.0, -0.8712699, -0.49080423];
    two_boxes.motions[1].orientation = [0.46556902, -0.020914668, -0.26372325, -0.8445461];
    for case in [on_an_edge, on_a_side, beside_an_edge, across_an_edge, two_boxes] {
        let toi = asked(&case, &settings(&case));
        assert!(toi.impact() == Some(0.0), "{toi:?}");
        keeps_its_promises(&case, &answer(&toi), &tolerance(&case, &Truth::of(&case)));
    }
}

/// Goal: a simplex of two points that differ in the last bit only reports no contact where there is none.
/// Method: a capsule that passes the rim of a cone, which once was reported as a hit.
#[test]
fn simplex_of_two_close_points_is_no_contact() {
    let mut case = resting((&[], [0.7408695, -1.0426648, 1.037791]), (&[], [0.0; 3]));
    let half = 0.22630225;
    case.shapes[0].core = PlainCore::Segment([[0.0, -half, 0.0], [0.0, half, 0.0]]);
    case.shapes[0].radius = 0.05;
    case.shapes[1].core = PlainCore::Cone { half_height: 0.5471409, radius: 0.5821477 };
    case.motions[0].delta = [-1.1550372, 1.3740815, -0.67653275];
    case.motions[0].orientation = [0.70710677, 0.0, 0.0, 0.70710677];
    case.motions[1].orientation = [0.7915121, -0.14638114, -0.59281003, 0.0256424];
    let toi = asked(&case, &settings(&case));
    keeps_its_promises(&case, &answer(&toi), &tolerance(&case, &Truth::of(&case)));
}

/// Goal: the normal of an impact separates, also if bodies of revolution were used until just before it.
/// Method: two rods of many turns; the normal of one was once the direction between the bodies.
#[test]
fn normal_after_whole_turns_separates() {
    let half = 1.0722119;
    let mut case = resting(
        (&[], [-0.24159765, -0.98620987, -1.7516856]),
        (&[], [-9.130448, -8.440923, -1.7504852]),
    );
    case.shapes[0].core = PlainCore::Segment([[0.0, -half, 0.0], [0.0, half, 0.0]]);
    case.shapes[1].core = PlainCore::Cuboid([0.065273516, 3.0735872, 0.065273516]);
    let half_turn = std::f32::consts::FRAC_1_SQRT_2;
    let [a, b] = &mut case.motions;
    (a.delta, a.spin) = ([0.0, -14.908068, 0.0], [21.44309, 0.0, 0.0]);
    (b.delta, b.spin) = ([17.779366, 0.0, 0.0], [1.5495688, -4.5515575, -6.741254]);
    a.orientation = [0.0, 0.0, half_turn, -half_turn];
    b.orientation = [0.0, 0.0, 0.7126057, -0.7015647];
    let toi = asked(&case, &settings(&case));
    assert!(toi.impact().is_some(), "{toi:?}");
    keeps_its_promises(&case, &answer(&toi), &tolerance(&case, &Truth::of(&case)));
}
