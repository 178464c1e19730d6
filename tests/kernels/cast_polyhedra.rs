//! Tests of casts against polyhedra: never late, never missed, and points that count as inside are hardly
//! outside.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::batch::cast::polyhedron::{NoPolyhedron, Polyhedron};
use swath::batch::cast::{MISS, polyhedron};
use swath::batch::{Facets, SegmentStart, cast};
use swath::{Aabb, COORD_MAX, Invalid, Plane, Segment};
use testkit::cases::HOSTILE;
use testkit::draw::how_many;
use testkit::exact_cast::polyhedron_holds;
use testkit::rays::rays;

fn one_to_one(segment: &Segment, planes: &[Plane]) -> polyhedron::PolyhedronCast {
    let polyhedron = Polyhedron::new(planes).expect("half-spaces");
    polyhedron::one_to_one(segment, &polyhedron).expect("a segment")
}

/// The faces of a box; `length` scales the normals.
fn faces(aabb: &Aabb, length: impl Fn(usize) -> f32) -> Vec<Plane> {
    let mut planes = Vec::new();
    for axis in 0..3 {
        for (side, face) in [(-1.0, aabb.min[axis]), (1.0, aabb.max[axis])] {
            let length = length(planes.len());
            let mut normal = [0.0; 3];
            normal[axis] = side * length;
            planes.push(Plane { normal, offset: side * face * length });
        }
    }
    planes
}

type Family = fn(&mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>);

const FAMILIES: [(&str, Family); 7] = [
    ("whole numbers", whole_numbers),
    ("round", round),
    ("far out", far_out),
    ("nearly parallel", nearly_parallel),
    ("worst roundings", worst_roundings),
    ("hostile", hostile),
    ("any bits", any_bits),
];

fn whole(rng: &mut Xoshiro256PlusPlus, most: i32) -> f32 {
    rng.random_range(-most..=most) as f32
}

fn three(mut of: impl FnMut() -> f32) -> [f32; 3] {
    [of(), of(), of()]
}

fn max_fraction(rng: &mut Xoshiro256PlusPlus) -> f32 {
    let ends = [0.0, 0.5, 1.0, 1.0, 1.0, 3.0, f32::MAX, f32::INFINITY, f32::INFINITY];
    ends[rng.random_range(0..ends.len())]
}

/// Many planes and edges have the same fraction, and every sum is exact. Some planes have no normal.
fn whole_numbers(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let planes = (0..rng.random_range(0..9))
        .map(|_| Plane { normal: three(|| whole(rng, 2)), offset: rng.random_range(-2..9) as f32 })
        .collect();
    let (start, delta) = (three(|| whole(rng, 4)), three(|| whole(rng, 4)));
    (Segment { start, delta, max_fraction: max_fraction(rng) }, planes)
}

/// Planes around a ball, and a segment that passes near it.
fn around(rng: &mut Xoshiro256PlusPlus, center: [f32; 3], scale: f32) -> (Segment, Vec<Plane>) {
    let mut unit = |most: f32| rng.random_range(-most..=most);
    let mut planes = Vec::new();
    for _ in 0..8 {
        let normal = three(|| unit(1.0));
        let at = (0..3).map(|k| normal[k] * center[k]).sum::<f32>();
        let length = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
        planes.push(Plane { normal, offset: at + scale * length });
    }
    let near = three(|| unit(1.2));
    let delta = three(|| unit(4.0)).map(|d| d * scale);
    let until: f32 = unit(1.0);
    let start = [0, 1, 2].map(|k: usize| center[k] + near[k] * scale - delta[k] * until);
    // Sometimes the start is the centre of a face.
    let start = if until.abs() < 0.1 {
        let (normal, length) = (planes[0].normal, scale);
        let square = normal.iter().map(|x| x * x).sum::<f32>().sqrt();
        [0, 1, 2].map(|k: usize| center[k] + normal[k] / square * length)
    } else {
        start
    };
    (Segment { start, delta, max_fraction: max_fraction(rng) }, planes)
}

fn round(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let scale = [1.0, 1e-3, 1e3, 1e-18, 1e-38][rng.random_range(0..5)];
    around(rng, [0.0; 3], scale)
}

fn far_out(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let center = three(|| rng.random_range(-1e6..1e6));
    around(rng, center, 1.0)
}

/// The segment runs along an oblique plane except for its last digits, near the plane or in it.
fn nearly_parallel(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let (mut segment, mut planes) = around(rng, [0.0; 3], 1.0);
    let [nx, ny, _] = planes[0].normal;
    let delta = [-ny, nx, 0.0].map(|d| d * rng.random_range(0.5..4.0_f32));
    segment.delta = delta;
    segment.delta[0] += f32::EPSILON * whole(rng, 3);
    planes[0].normal[2] = 0.0;
    let length = (nx * nx + ny * ny).sqrt();
    planes[0].offset = length;
    let off = f32::EPSILON * whole(rng, 6);
    segment.start = [nx / length * (1.0 + off), ny / length * (1.0 + off), 0.0];
    planes.truncate(rng.random_range(1..9));
    (segment, planes)
}

/// Products and sums just above powers of two, where the relative rounding error is greatest, and an offset
/// that cancels them except for a few units in the last place.
fn worst_roundings(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let mut above_one = |scale: f32| (1.0 + f32::EPSILON * whole(rng, 2048).abs()) * scale;
    let normal = [above_one(1.0), above_one(1.0), above_one(2.0)];
    let start = three(|| above_one(1.0));
    let sum = normal[0] * start[0] + normal[1] * start[1] + normal[2] * start[2];
    let steps = whole(rng, 3);
    let offset = sum * (1.0 + f32::EPSILON * steps);
    let delta = three(|| if rng.random_range(0..2) == 0 { whole(rng, 1) } else { 0.0 });
    (Segment { start, delta, max_fraction: max_fraction(rng) }, vec![Plane { normal, offset }])
}

fn hostile(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let mut number = |most: f32| {
        let number = HOSTILE[rng.random_range(0..HOSTILE.len())].min(most);
        if rng.random_range(0..2) == 0 { number } else { -number }
    };
    let (start, delta) = (three(|| number(COORD_MAX)), three(|| number(COORD_MAX)));
    let max_fraction = number(f32::MAX).abs();
    let planes = (0..4)
        .map(|_| Plane { normal: three(|| number(Plane::NORMAL_MAX)), offset: number(COORD_MAX) })
        .collect();
    (Segment { start, delta, max_fraction }, planes)
}

fn any_bits(rng: &mut Xoshiro256PlusPlus) -> (Segment, Vec<Plane>) {
    let shift = rng.random_range(0..4);
    let mut number = |most: f32| {
        let bits: u32 = rng.random_range(0..=most.to_bits()) >> shift;
        let number = f32::from_bits(bits);
        if rng.random_range(0..2) == 0 { number } else { -number }
    };
    let (start, delta) = (three(|| number(COORD_MAX)), three(|| number(COORD_MAX)));
    let max_fraction = number(f32::INFINITY).abs();
    let planes = (0..3)
        .map(|_| Plane { normal: three(|| number(Plane::NORMAL_MAX)), offset: number(COORD_MAX) })
        .collect();
    (Segment { start, delta, max_fraction }, planes)
}

/// Goal: never missed, never late, and hardly beyond a plane between entry and exit. Method: both sides of
/// each half-space's inequality in integers.
#[test]
fn polyhedron_casts_keep_their_promises() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut hits, count) = (0, how_many(100_000));
    for (name, family) in FAMILIES.into_iter().cycle().take(count) {
        let (segment, planes) = family(&mut rng);
        let cast = one_to_one(&segment, &planes);
        if let Err(promise) = polyhedron_holds(&segment, &planes, &cast) {
            panic!("{promise}: {cast:?}, {name}, {segment:?}, {planes:?}");
        }
        hits += usize::from(cast.facets.is_hit());
    }
    assert!(hits > count / 8 && hits < count - count / 8, "{hits} of {count} hit");
}

/// Goal: never late, also if every rounding error delays the entry. Method: one plane, and the exact fraction
/// in integers.
///
/// The products on the first axis are rounded by nearly half a step: that of the start away from zero, that
/// of the displacement towards zero. Each other term is just below half a step, so adding it changes no
/// sum, although it would reduce the distance or increase the speed. At 1.16 also the sums with the error
/// bounds are rounded in this direction.
#[test]
fn roundings_that_all_delay_the_entry_do_not_make_it_late() {
    const HALF_STEP: f32 = f32::EPSILON / 2.0;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let root = 1.0 / 4096.0;
    let below_root = -root * (1.0 - HALF_STEP);
    for _ in 0..2000 {
        let normal = 1.0 + f32::EPSILON * rng.random_range(2048..4096_i32) as f32;
        // For one factor in eight the error has this direction and is more than 3/4 of half a step.
        let mut factor = |away_from_zero: bool| {
            let is_delayed = |factor: &f32| {
                let exact = f64::from(normal) * f64::from(*factor);
                let error = f64::from(normal * factor) - exact;
                let delay = if away_from_zero { error } else { -error };
                delay > 0.75 * f64::from(HALF_STEP)
            };
            let mut factors = (0..1000).map(|_| rng.random_range(1.15..1.165_f32) / normal);
            factors.find(is_delayed).expect("one of a thousand factors")
        };
        let start = [factor(true), below_root, below_root];
        let delta = [-factor(false), below_root, below_root];
        let plane = Plane { normal: [normal, root, root], offset: -root * below_root };
        let segment = Segment::ray(start, delta).expect("a ray");
        let cast = one_to_one(&segment, &[plane]);
        assert_eq!(cast.facets.entry_plane(), Some(0), "{segment:?}, {plane:?}");
        assert_eq!(polyhedron_holds(&segment, &[plane], &cast), Ok(()), "{segment:?}, {plane:?}");
    }
}

/// Goal: fractions that are zero have no sign. Method: `max_fraction` is minus zero, for starts inside a box
/// and on its surface; the bits of the results of the polyhedron and of the box.
#[test]
fn a_limit_of_minus_zero_gives_an_exit_of_plus_zero() {
    let aabb = Aabb::cube([0.0; 3], 1.0).expect("a box");
    let planes = faces(&aabb, |_| 1.0);
    for start in [[0.0; 3], [0.5, -0.25, -0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 1.0]] {
        for delta in [[1.0, 0.0, 0.0], [-1.0, 2.0, -0.5], [0.0; 3], [-0.0; 3]] {
            let segment = Segment { start, delta, max_fraction: -0.0 };
            let cast = one_to_one(&segment, &planes);
            let of_box = cast::one_to_one(&segment, &aabb).expect("a segment and a box");
            assert!(cast.facets.is_hit() && of_box.faces.is_hit(), "{segment:?}");
            let fractions = [cast.entry, cast.exit, of_box.entry, of_box.exit];
            assert_eq!(fractions.map(f32::to_bits), [0; 4], "{segment:?}");
        }
    }
}

/// Goal: if the start is beyond a plane by less than a float can represent, that plane is reported, not one
/// whose fraction underflows. Method: a case that ten million random ones once found.
#[test]
fn start_beyond_a_plane_by_an_underflow_reports_that_plane() {
    let (least, tiny) = (f32::MIN_POSITIVE, f32::MIN_POSITIVE.next_up());
    let segment = Segment {
        start: [least, -0.0, 0.0],
        delta: [-tiny, 1e30, -1e30],
        max_fraction: f32::from_bits(1),
    };
    let planes = [
        Plane { normal: [f32::from_bits(2), 3.0, least], offset: -least },
        Plane { normal: [-16.0; 3], offset: tiny },
        Plane { normal: [16.0, -1.000_000_1, -0.1], offset: -tiny },
        Plane { normal: [least, -16.0, 16.0], offset: -tiny },
    ];
    let cast = one_to_one(&segment, &planes);
    assert_eq!(polyhedron_holds(&segment, &planes, &cast), Ok(()), "{cast:?}");
    assert_eq!((cast.facets.start(), cast.facets.entry_plane()), (SegmentStart::Outside, Some(0)));
}

/// Goal: a box is a polyhedron. Method: its six faces, with normals of any length, compared with integer
/// arithmetic and with the cast of the box.
#[test]
fn polyhedron_of_the_faces_of_a_box_is_hit_like_the_box() {
    for (k, ray) in rays(20, 20_000).enumerate() {
        let lengths = [1.0, 0.5, 16.0, 1.0, 0.125, 2.0];
        let planes = faces(&ray.aabb, |plane| if k % 2 == 0 { 1.0 } else { lengths[plane] });
        if planes.iter().any(|plane| plane.validate().is_err()) {
            continue;
        }
        let cast = one_to_one(&ray.segment, &planes);
        // Offsets that underflow belong to other boxes.
        let same = planes.iter().all(|plane| plane.offset == 0.0 || plane.offset.is_normal());
        let of_box = cast::one_to_one(&ray.segment, &ray.aabb).expect("a segment and a box");
        let meant = spec::cast(&ray.segment, &ray.aabb).expect("a segment and a box");
        if same && meant.faces.is_hit() && of_box.faces.is_hit() {
            assert!(cast.facets.is_hit(), "missed: {ray:?}");
            assert!(f64::from(cast.entry) <= meant.entry * (1.0 + 1e-14), "late: {ray:?}");
        }
        if let Err(promise) = polyhedron_holds(&ray.segment, &planes, &cast) {
            panic!("{promise}: {cast:?}, {ray:?}, {planes:?}");
        }
    }
}

/// Goal: if sums are exact and nothing is nearly equal, results are those of the specification. Method:
/// integers; planes, hits, misses and the start.
#[test]
fn integers_agree_with_the_spec() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..200_000 {
        let (segment, planes) = whole_numbers(&mut rng);
        let (cast, meant) =
            (one_to_one(&segment, &planes), spec::polyhedron(&segment, &planes).expect("valid"));
        let parallel = planes.iter().any(|plane| {
            plane.normal.iter().zip(segment.delta).map(|(n, d)| n * d).sum::<f32>() == 0.0
        });
        if !meant.entry.is_finite() {
            // No gap is so small that 2^-20 of sums below 64 closes it, except if it is zero, or if the sums
            // grow with the fraction.
            let near = meant.margin > -1e-3 || parallel && cast.entry > 1e4;
            assert!(
                near || !cast.facets.is_hit(),
                "{cast:?} for {meant:?}, {segment:?}, {planes:?}"
            );
            misses += 1;
            continue;
        }
        let near = |x: f32, y: f64| f64::from(x) == y || (f64::from(x) - y).abs() < 1e-3;
        assert!(near(cast.entry, meant.entry), "{cast:?} for {meant:?}, {segment:?}, {planes:?}");
        // If a segment runs along a plane, a reported exit may be late, but not early.
        let late = parallel && f64::from(cast.exit) >= meant.exit;
        assert!(near(cast.exit, meant.exit) || late, "{cast:?} for {meant:?}, {segment:?}");
        assert_eq!(cast.facets.start(), meant.start, "{segment:?}, {planes:?}");
        match cast.facets.entry_plane() {
            Some(plane) => assert!(meant.entry_planes >> plane & 1 == 1, "{segment:?}, {planes:?}"),
            None => assert_eq!(meant.entry_planes, 0, "{segment:?}, {planes:?}"),
        }
        if let (Some(plane), false) = (cast.facets.exit_plane(), parallel) {
            assert!(meant.exit_planes >> plane & 1 == 1, "{cast:?}, {segment:?}, {planes:?}");
        }
        // For a segment that ends on the plane of exit, the reported end may be before it.
        let told = cast.facets.exit_plane().is_some() || cast.exit == segment.max_fraction;
        assert!(meant.exit_planes == 0 || told || parallel, "{cast:?}, {segment:?}, {planes:?}");
        hits += 1;
    }
    assert!(hits > 20_000 && misses > 20_000, "{hits} hits, {misses} misses");
}

/// Goal: planes that cannot be distinguished from parallel ones do not cut a segment off. Method: a segment
/// that runs in an oblique plane, one perpendicular to it, and one beside a plane that is parallel to an
/// axis, however near.
#[test]
fn a_segment_along_a_plane_is_not_cut_off_by_it() {
    let slanted = Plane { normal: [0.6, 0.8, 0.0], offset: 0.0 };
    for d in [[0.8, -0.6, 0.0], [-0.8, 0.6, 0.0], [0.8, -0.6, 1.0], [0.0; 3]] {
        let along = Segment { start: [-4.0, 3.0, 0.0], delta: d, max_fraction: 1.0 };
        let cast = one_to_one(&along, &[slanted]);
        assert_eq!((cast.entry, cast.exit), (0.0, 1.0), "{d:?}");
        assert_eq!(
            (cast.facets.start(), cast.facets.entry_plane()),
            (SegmentStart::OnSurface, Some(0))
        );
    }
    let floor = Plane { normal: [0.0, 0.0, 1.0], offset: 1.0 };
    for (z, start) in [(1.0, SegmentStart::OnSurface), (0.5, SegmentStart::Inside)] {
        let above = Segment::ray([5.0, 6.0, z], [1.0, 2.0, 0.0]).expect("a ray");
        let cast = one_to_one(&above, &[floor]);
        assert_eq!((cast.entry, cast.exit, cast.facets.start()), (0.0, MISS, start));
        assert_eq!(cast.facets.exit_plane(), None);
    }
    for delta in [[1.0, 2.0, 0.0], [0.0; 3], [1e30, -0.0, -0.0]] {
        for gap in [1e-5, 1.0, 1e30] {
            let beside = Segment::ray([5.0, 6.0, 1.0 + gap], delta).expect("a ray");
            assert_eq!(
                one_to_one(&beside, &[floor]),
                polyhedron::PolyhedronCast::MISS,
                "{beside:?}"
            );
        }
    }
    let nothing = Plane { normal: [0.0; 3], offset: -f32::from_bits(1) };
    let everything = Plane { normal: [0.0; 3], offset: 0.0 };
    let ray = Segment::ray([1.0; 3], [1.0; 3]).expect("a ray");
    assert_eq!(one_to_one(&ray, &[everything, nothing]), polyhedron::PolyhedronCast::MISS);
    let cast = one_to_one(&ray, &[everything]);
    assert_eq!((cast.entry, cast.exit, cast.facets.start()), (0.0, MISS, SegmentStart::Inside));
}

/// Goal: invalid planes are rejected with the reason. Method: each kind, and one plane too many.
#[test]
fn invalid_planes_are_rejected() {
    let good = Plane { normal: [0.0, 1.0, 0.0], offset: 1.0 };
    let mut planes = vec![good; Facets::PLANES_MAX];
    assert_eq!(Polyhedron::new(&planes).map(|all| all.planes().len()), Ok(Facets::PLANES_MAX));
    // The greatest number of planes is accepted.
    let last = Facets::PLANES_MAX - 1;
    planes[last].offset = 0.5;
    let ray = Segment::ray([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]).expect("a ray");
    assert_eq!(one_to_one(&ray, &planes).facets.exit_plane(), Some(last));
    let ray = Segment::ray([0.0, 3.0, 0.0], [0.0, -1.0, 0.0]).expect("a ray");
    let facets = one_to_one(&ray, &planes).facets;
    assert_eq!((facets.entry_plane(), facets.exit_plane()), (Some(last), None));
    planes.push(good);
    let planes_max = Facets::PLANES_MAX + 1;
    let error = Polyhedron::new(&planes).expect_err("one too many");
    assert_eq!(error, NoPolyhedron::TooMany { planes: planes_max });
    for (number, reason) in [
        (f32::NAN, Invalid::NotFinite { axis: 1 }),
        (16.1, Invalid::Normal),
        (-f32::INFINITY, Invalid::NotFinite { axis: 1 }),
    ] {
        let mut planes = vec![good; 5];
        planes[3].normal[1] = number;
        let error = Polyhedron::new(&planes).expect_err("the plane is invalid");
        assert_eq!(error, NoPolyhedron::Plane { index: 3, reason });
    }
    let bad = Segment { max_fraction: -1.0, ..Segment::default() };
    let space = Polyhedron::new(&[]).expect("all of space");
    assert_eq!(polyhedron::one_to_one(&bad, &space), Err(Invalid::MaxFraction));
}
