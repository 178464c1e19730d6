//! Tests of the first time of contact of a vertex and a face, and of two edges, against exact arithmetic.

use rand::RngExt;
use swath::batch::{ElementError, ElementSettings, ElementToi, edge_edge, vertex_face};
use swath::{COORD_MAX, Invalid};
use testkit::draw::{Draw, how_many};
use testkit::element_cases::ElementCase;
use testkit::element_promises::{Comparison, check, first_time};
use testkit::exact_elements::{ElementKind, ExactPair, scale};

fn exactly() -> ElementSettings {
    ElementSettings { tolerance: 0.0, ..ElementSettings::default() }
}

/// Goal: a first time is never late, no contact is missed, and a hit is within the tolerance. Method: random and degenerate
/// cases of any scale, with several settings; exact roots and exact distances.
#[test]
fn first_times_of_elements_are_never_late() {
    let cases = how_many(6_000);
    let draw = &mut Draw::new(7);
    let mut counts = [0; 5];
    for _ in 0..cases {
        let case = ElementCase::draw(draw);
        let size = scale(&case.start, &case.end);
        let settings = ElementSettings {
            minimum_separation: draw.one_of(&[0.0, 0.0, 0.01, 0.3]) * size,
            tolerance: draw.one_of(&[0.0, ElementSettings::TOLERANCE, 1e-6, 1e-3]),
            ..ElementSettings::default()
        };
        counts[check(&case, &settings) as usize] += 1;
    }
    let [contacts, no_contacts, false_positives, open, unresolved] = counts;
    println!(
        "{cases} cases: {contacts} contacts, {no_contacts} free, {false_positives} free and within the tolerance, \
         {open} open, {unresolved} unresolved"
    );
    assert!(contacts > cases / 10 && no_contacts > cases / 10, "{counts:?}");
    assert!(unresolved <= cases / 1000, "{counts:?}");
}

/// Goal: without a tolerance, false positives are rare. Method: cases without a minimum separation; many are needles that
/// are thinner than the rounding errors.
#[test]
fn elements_without_tolerance_have_few_false_positives() {
    let cases = how_many(6_000);
    let draw = &mut Draw::new(8);
    let mut counts = [0; 5];
    for _ in 0..cases {
        let case = ElementCase::draw(draw);
        counts[check(&case, &exactly()) as usize] += 1;
    }
    assert!(counts[Comparison::NoContact as usize] > cases / 10);
    let [positives, unresolved] = [Comparison::FalsePositive, Comparison::Unresolved];
    assert!(counts[positives as usize] <= cases / 50, "{counts:?}");
    assert!(counts[unresolved as usize] <= cases / 1000, "{counts:?}");
}

/// Goal: elements that rotate near to each other need few rounds, whatever the ratio of their distance to their size. Method: faces that fold
/// at an edge near a vertex, edges that cross while one rotates, and layers that turn together; exact roots and distances, with a
/// limit of rounds.
#[test]
fn elements_that_rotate_near_each_other_need_few_rounds() {
    let draw = &mut Draw::new(12);
    let mut counts = [0; 5];
    let cases = 2_000;
    for number in 0..cases {
        let mut between = |least: f64, most: f64| draw.0.random_range(least..=most);
        let gap = 10_f64.powf(between(-6.0, -1.0));
        let kind = if number % 2 == 0 { ElementKind::VertexFace } else { ElementKind::EdgeEdge };
        let (start, mut end) = match kind {
            ElementKind::VertexFace => {
                let last = [between(-0.5, 0.5), 0.0, 1.0];
                let start =
                    [[between(-gap, gap), gap, between(0.0, 1.0)], [0.0; 3], [1.0, 0.0, 0.0], last];
                let [x, y, z] = start[0];
                let vertex = [between(-gap, gap), y * between(0.5, 1.5), z + between(-gap, gap)];
                (
                    start,
                    [
                        vertex,
                        [0.0; 3],
                        [between(-1.0, 1.0), between(0.0, 1.0), 0.0],
                        [last[0], x, 1.0],
                    ],
                )
            }
            ElementKind::EdgeEdge => {
                let [z, w] = [between(0.0, 1.0), between(0.0, 1.0)];
                let start = [[-0.5, gap, z], [0.5, gap, w], [0.0; 3], [0.0, 0.0, 1.0]];
                (
                    start,
                    [
                        [-0.5, gap - between(0.0, 1.0), z],
                        [0.5, gap + between(-1.0, 1.0), w],
                        [0.0; 3],
                        start[3],
                    ],
                )
            }
        };
        if number % 3 == 0 {
            let (sin, cos) = between(-1.5, 1.5).sin_cos();
            end = start.map(|[x, y, z]| [cos * x - sin * y, sin * x + cos * y, z]);
        }
        let settings = ElementSettings { rounds_max: 100, ..ElementSettings::default() };
        counts[check(&ElementCase { kind, start, end, contact: None }, &settings) as usize] += 1;
    }
    assert!(counts[Comparison::Contact as usize] > cases / 10, "{counts:?}");
    assert!(counts[Comparison::NoContact as usize] > cases / 10, "{counts:?}");
    assert_eq!(counts[Comparison::Unresolved as usize], 0, "{counts:?}");
}

/// Goal: a vertex beside the hinge of a face that folds, and layers that turn together, have the right result at default settings, however
/// near they are. Method: a closed form, and a distance that does not change.
#[test]
fn folding_and_turning_elements_have_results_at_any_distance() {
    for gap in [1e-2, 1e-4, 1e-6] {
        let start = [[0.0, gap, 0.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let end = [[gap, gap, 0.0], [0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let toi = vertex_face::one_to_one(&start, &end, &ElementSettings::default());
        // The direction of the vertex is that of the face where t² + t = 1.
        let first = (5_f64.sqrt() - 1.0) / 2.0;
        let t = toi.expect("valid").first().expect("they touch");
        assert!(t <= first && first - t <= 1e-8 / gap, "{gap}: {t}");
        for turn in [0.01, 0.1_f64] {
            let start = [[0.3, 0.3, gap], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            let (sin, cos) = turn.sin_cos();
            let end = start.map(|[x, y, z]| [cos * x + sin * z, y, cos * z - sin * x]);
            let toi = vertex_face::one_to_one(&start, &end, &ElementSettings::default());
            assert_eq!(toi, Ok(ElementToi::Miss), "{gap} {turn}");
        }
    }
}

/// Goal: the exact oracle finds contacts that are known in closed form. Method: a vertex that falls through a face, beside
/// it, on its border, and in its plane.
#[test]
fn exact_contacts_are_those_of_closed_forms() {
    let face = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let [a, b, c] = face;
    for (x, by, is_open) in
        [(1.0, Some(0.75), false), (0.0, Some(0.75), false), (-1.0, None, false)]
    {
        let (start, end) = ([[x, 1.0, 3.0], a, b, c], [[x, 1.0, -1.0], a, b, c]);
        let contact = ExactPair::new(ElementKind::VertexFace, &start, &end).first_contact();
        assert_eq!((contact.by, contact.is_open), (by, is_open), "{x}");
    }
    let (start, end) = ([[1.0, 1.0, 3.0], a, b, c], [[1.0, 1.0, -7.0], a, b, c]);
    let pair = ExactPair::new(ElementKind::VertexFace, &start, &end);
    let by = pair.first_contact().by.expect("it falls through");
    assert!((by - 0.3).abs() < 1e-15 && by >= 0.3);
    assert!(pair.is_within(0.0, 3.0) && !pair.is_within(0.0, 3.0_f64.next_down()));
    assert!(pair.is_within(0.125, 1.75) && !pair.is_within(0.125, 1.75_f64.next_down()));
    let (start, end) = ([[-1.0, 1.0, 0.0], a, b, c], [[9.0, 1.0, 0.0], a, b, c]);
    let contact = ExactPair::new(ElementKind::VertexFace, &start, &end).first_contact();
    assert_eq!((contact.by, contact.is_open), (None, true));
}

/// Goal: times, normals and coordinates in closed form. Method: a vertex and an edge that fall on the middle and on the border of
/// a face or edge, with and without a minimum separation.
#[test]
fn first_times_of_elements_are_those_of_closed_forms() {
    let face = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let [a, b, c] = face;
    for (separation, first) in [(0.0, 0.75), (1.0, 0.5), (3.0, 0.0)] {
        let settings = ElementSettings { minimum_separation: separation, ..exactly() };
        let (start, end) = ([[1.0, 2.0, 3.0], a, b, c], [[1.0, 2.0, -1.0], a, b, c]);
        let toi = vertex_face::one_to_one(&start, &end, &settings).expect("valid");
        let ElementToi::Hit { t, normal, coordinates } = toi else { panic!("{toi:?}") };
        assert!(t <= first && t > first - 1e-12, "{toi:?}");
        assert_eq!((normal, coordinates), ([0.0, 0.0, -1.0], [0.25, 0.5]));
    }
    let (start, end) =
        ([a, b, [1.0, -1.0, 2.0], [1.0, 3.0, 2.0]], [a, b, [1.0, -1.0, -2.0], [1.0, 3.0, -2.0]]);
    let toi = edge_edge::one_to_one(&start, &end, &exactly()).expect("valid");
    let ElementToi::Hit { t, normal, coordinates } = toi else { panic!("{toi:?}") };
    assert!(t <= 0.5 && t > 0.5 - 1e-12, "{toi:?}");
    assert_eq!((normal, coordinates), ([0.0, 0.0, 1.0], [0.25, 0.25]));
    // It passes beside the end of the edge.
    let beside = |at: [[f64; 3]; 4]| [at[0], at[1], [4.5, -1.0, at[2][2]], [4.5, 3.0, at[3][2]]];
    let toi = edge_edge::one_to_one(&beside(start), &beside(end), &exactly()).expect("valid");
    assert_eq!(toi, ElementToi::Miss);
    let near = ElementSettings { minimum_separation: 0.5, ..exactly() };
    let toi = edge_edge::one_to_one(&beside(start), &beside(end), &near).expect("valid");
    let ElementToi::Hit { normal, coordinates, .. } = toi else { panic!("{toi:?}") };
    assert!(normal[0] > 1.0 - 1e-6 && coordinates == [1.0, 0.25], "{toi:?}");
}

/// Goal: if the nearest points coincide, the coordinates are theirs, and the normal is that of the face or of both edges. Method: common
/// vertices, a vertex on an edge, and edges on one line, at rest.
#[test]
fn coincident_points_have_their_own_coordinates() {
    let [o, a, b, c] = [[0.0; 3], [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    let at = |x: f64| [x, 0.0, 0.0];
    for (edges, expected) in [
        ([o, a, o, c], [0.0, 0.0]),
        ([a, o, c, o], [1.0, 1.0]),
        ([o, a, c, o], [0.0, 1.0]),
        ([a, o, o, c], [1.0, 0.0]),
        ([a, b, at(0.5), c], [0.75, 0.0]),
        ([a, b, at(0.5), at(3.0)], [1.0, 0.2]),
    ] {
        let toi = edge_edge::one_to_one(&edges, &edges, &ElementSettings::default());
        let Ok(ElementToi::Hit { t: 0.0, normal, coordinates }) = toi else { panic!("{toi:?}") };
        assert_eq!(coordinates, expected, "{edges:?}");
        // All these edges are perpendicular to this direction, or to any in a plane.
        let [p, q, r, s] = edges;
        for edge in [[p, q], [r, s]] {
            let along: f64 = (0..3).map(|k| (edge[1][k] - edge[0][k]) * normal[k]).sum();
            assert!(along.abs() < 1e-15, "{edges:?}: {toi:?}");
        }
    }
    let face = [o, b, [0.0, 1.0, 0.0]];
    for (vertex, expected) in
        [(face[0], [0.0, 0.0]), (face[1], [1.0, 0.0]), (face[2], [0.0, 1.0]), (at(0.5), [0.5, 0.0])]
    {
        let points = [vertex, face[0], face[1], face[2]];
        let toi = vertex_face::one_to_one(&points, &points, &ElementSettings::default());
        let Ok(ElementToi::Hit { t: 0.0, normal, coordinates }) = toi else { panic!("{toi:?}") };
        assert_eq!((coordinates, normal.map(f64::abs)), (expected, [0.0, 0.0, 1.0]), "{vertex:?}");
    }
}

/// Goal: elements that rest on each other touch at the start, and elements that do not move and are apart are a miss. Method: zero motion at
/// several scales.
#[test]
fn elements_at_rest_touch_at_the_start_or_never() {
    let settings = exactly();
    for scale in [1e-6, 1.0, 1e6] {
        let at = [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let mut at = at.map(|point| point.map(|x| x * scale));
        let toi = vertex_face::one_to_one(&at, &at, &settings).expect("valid");
        assert_eq!(toi.first(), Some(0.0), "{scale}");
        at[0][2] = 1e-9 * scale;
        let toi = vertex_face::one_to_one(&at, &at, &settings).expect("valid");
        assert_eq!(toi, ElementToi::Miss, "{scale}");
    }
    let point = [[2.0; 3]; 4];
    for toi in [vertex_face::one_to_one, edge_edge::one_to_one] {
        let toi = toi(&point, &point, &settings).expect("valid");
        assert_eq!(toi.first(), Some(0.0));
    }
}

/// Goal: the limit of rounds gives a time that is proved. Method: one round for cases that need more; with more rounds the time is
/// later, and the first time is not earlier.
#[test]
fn a_limit_of_rounds_gives_a_time_that_is_free() {
    let draw = &mut Draw::new(9);
    let mut unresolved = 0;
    for _ in 0..2_000 {
        let case = ElementCase::draw(draw);
        let all = first_time(&case, &exactly());
        let mut last = 0.0;
        for rounds_max in 1..4 {
            let some = first_time(&case, &ElementSettings { rounds_max, ..exactly() });
            if let ElementToi::Unresolved { t_safe } = some {
                unresolved += 1;
                assert!(last <= t_safe && t_safe <= all.safe_time(), "{case:?}");
                last = t_safe;
            } else {
                assert_eq!(some, all, "{case:?}");
            }
        }
    }
    assert!(unresolved > 100, "{unresolved}");
}

/// Goal: invalid positions and settings are errors. Method: each vertex and axis, and each setting.
#[test]
fn invalid_elements_and_settings_are_errors() {
    let good = [[0.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let settings = ElementSettings::default();
    for vertex in 0..4 {
        for axis in 0..3 {
            for (bad, reason) in [
                (f64::NAN, Invalid::NotFinite { axis }),
                (f64::INFINITY, Invalid::NotFinite { axis }),
                (f64::from(COORD_MAX).next_up(), Invalid::TooLarge { axis }),
            ] {
                let mut at = good;
                at[vertex as usize][axis as usize] = bad;
                let error = Err(ElementError::Vertex { vertex, reason });
                assert_eq!(vertex_face::one_to_one(&at, &good, &settings), error);
                assert_eq!(edge_edge::one_to_one(&good, &at, &settings), error);
            }
        }
    }
    for (bad, error) in [
        (ElementSettings { minimum_separation: -1.0, ..settings }, ElementError::Separation),
        (ElementSettings { minimum_separation: f64::NAN, ..settings }, ElementError::Separation),
        (ElementSettings { tolerance: -1e-300, ..settings }, ElementError::Tolerance),
        (ElementSettings { tolerance: f64::INFINITY, ..settings }, ElementError::Tolerance),
        (ElementSettings { rounds_max: 0, ..settings }, ElementError::Rounds),
    ] {
        assert_eq!(vertex_face::one_to_one(&good, &good, &bad), Err(error));
    }
    // The greatest numbers are valid, and so are the least ones.
    for size in [f64::from(COORD_MAX), f64::MIN_POSITIVE, f64::from_bits(1)] {
        let draw = &mut Draw::new(10);
        for _ in 0..100 {
            let mut at = [[[0.0; 3]; 4]; 2];
            for x in at.iter_mut().flatten().flatten() {
                *x = size * f64::from(draw.0.random_range(-1..=1));
            }
            for toi in [vertex_face::one_to_one, edge_edge::one_to_one] {
                let toi = toi(&at[0], &at[1], &settings).expect("valid");
                assert!((0.0..=1.0).contains(&toi.safe_time()), "{at:?}");
            }
        }
    }
}
