//! Tests of boxes, moving boxes and their serialisation.
//!
//! Sums of two floats are compared as fractions of integers, or in `f64` where that is exact; this shows that
//! they are rounded outwards.

use rand::RngExt;
use swath::batch::{Contact, ContactState};
use swath::{Aabb, COORD_MAX, Invalid, MovingBox, Pair, SweptPair};
use testkit::cases::HOSTILE;
use testkit::draw::{Draw, for_each};
use testkit::exact::Fraction;

/// Number of cases of each property.
const CASES: usize = 20_000;

/// A valid coordinate: hostile, ordinary, or of random bits.
fn coordinate(draw: &mut Draw) -> f32 {
    let size = match draw.0.random_range(0..4) {
        0 => draw.one_of(&HOSTILE),
        1 => draw.0.random_range(0.0..16.0),
        2 => draw.0.random_range(1e6..1.000_1e6),
        _ => f32::from_bits(draw.0.random_range(0..=COORD_MAX.to_bits())),
    };
    draw.sign() * size
}

fn corner(draw: &mut Draw) -> [f32; 3] {
    [(); 3].map(|()| coordinate(draw))
}

fn aabb(draw: &mut Draw) -> Aabb {
    let (p, q, flat) = (corner(draw), corner(draw), draw.0.random_range(0..8));
    let mut aabb = Aabb {
        min: std::array::from_fn(|axis| p[axis].min(q[axis])),
        max: std::array::from_fn(|axis| p[axis].max(q[axis])),
    };
    for axis in (0..3).filter(|axis| flat == 7 || flat == 1 << axis) {
        aabb.max[axis] = aabb.min[axis];
    }
    aabb
}

fn moving(draw: &mut Draw) -> MovingBox {
    MovingBox { aabb: aabb(draw), delta: corner(draw) }
}

fn sum(a: f32, b: f32) -> Fraction {
    &Fraction::of(a) + &Fraction::of(b)
}

/// Checks that `low` is the greatest float that is not above `a + b`.
fn is_sum_rounded_down(low: f32, a: f32, b: f32) -> bool {
    Fraction::of(low) <= sum(a, b) && Fraction::of(low.next_up()) > sum(a, b)
}

/// Checks that `high` is the least float that is not below `a + b`.
fn is_sum_rounded_up(high: f32, a: f32, b: f32) -> bool {
    Fraction::of(high) >= sum(a, b) && Fraction::of(high.next_down()) < sum(a, b)
}

#[test]
fn box_of_valid_corners_is_not_changed() {
    for_each(CASES, aabb, |aabb| {
        assert_eq!(Aabb::new(aabb.min, aabb.max), Ok(aabb));
        assert_eq!(aabb.validate(), Ok(()));
        let point = Aabb::point(aabb.min).expect("a valid corner");
        assert_eq!((point.min, point.max), (aabb.min, aabb.min));
        assert!(aabb.contains_point(aabb.min) && aabb.contains_point(aabb.max));
        assert!(aabb.contains(&aabb) && aabb.contains(&point));
    });
}

#[test]
fn box_from_its_center_is_the_least_that_contains_it() {
    for_each(
        CASES,
        |draw| (corner(draw), corner(draw)),
        |(center, half)| {
            let half = half.map(f32::abs);
            let made = Aabb::from_center(center, half);
            let Ok(made) = made else {
                let past =
                    |axis: usize| sum(center[axis].abs(), half[axis]) > Fraction::of(COORD_MAX);
                assert!((0..3).any(past), "{made:?} of {center:?} and {half:?}");
                return;
            };
            for axis in 0..3 {
                assert!(is_sum_rounded_down(made.min[axis], center[axis], -half[axis]));
                assert!(is_sum_rounded_up(made.max[axis], center[axis], half[axis]));
            }
            assert_eq!(Aabb::cube(center, half[0]), Aabb::from_center(center, [half[0]; 3]));
        },
    );
}

#[test]
fn center_and_half_extents_contain_the_box() {
    for_each(CASES, aabb, |aabb| {
        let (center, half) = (aabb.center(), aabb.half_extents());
        for axis in 0..3 {
            let (low, high) = (aabb.min[axis], aabb.max[axis]);
            assert!(low <= center[axis] && center[axis] <= high);
            assert!(sum(center[axis], -half[axis]) <= Fraction::of(low));
            assert!(sum(center[axis], half[axis]) >= Fraction::of(high));
        }
        if let Ok(back) = Aabb::from_center(center, half) {
            assert!(back.contains(&aabb));
        }
    });
}

#[test]
fn measures_are_finite_at_every_size() {
    for_each(CASES, aabb, |aabb| {
        let [x, y, z] = aabb.size();
        assert!(x >= 0.0 && y >= 0.0 && z >= 0.0);
        let (volume, area) = (aabb.volume(), aabb.surface_area());
        assert!(volume.is_finite() && volume >= 0.0);
        assert!(area.is_finite() && area >= 0.0);
        assert_eq!(volume == 0.0, x == 0.0 || y == 0.0 || z == 0.0);
        for axis in 0..3 {
            let exact = sum(aabb.max[axis], -aabb.min[axis]);
            let (size, half_step) = (Fraction::of([x, y, z][axis]), exact.slack(24, 149));
            assert!(&exact - &half_step <= size && size <= &exact + &half_step);
        }
    });
}

#[test]
fn union_is_the_least_box_that_contains_both() {
    for_each(
        CASES,
        |draw| (aabb(draw), aabb(draw)),
        |(a, b)| {
            let union = a.union(&b);
            assert!(union.contains(&a) && union.contains(&b));
            assert_eq!(union, b.union(&a));
            for axis in 0..3 {
                assert!([a.min[axis], b.min[axis]].contains(&union.min[axis]));
                assert!([a.max[axis], b.max[axis]].contains(&union.max[axis]));
            }
        },
    );
}

#[test]
fn translated_box_is_rounded_outwards_to_the_nearest_floats() {
    for_each(
        CASES,
        |draw| (aabb(draw), corner(draw)),
        |(aabb, by)| {
            let Ok(moved) = aabb.translated(by) else {
                let ends =
                    |axis: usize| [sum(aabb.min[axis], by[axis]), sum(aabb.max[axis], by[axis])];
                let limit = Fraction::of(COORD_MAX);
                let is_past = |end: &Fraction| *end > limit || *end < Fraction::of(-COORD_MAX);
                assert!((0..3).any(|axis| ends(axis).iter().any(is_past)), "{aabb:?} by {by:?}");
                return;
            };
            for (axis, by) in by.into_iter().enumerate() {
                assert!(is_sum_rounded_down(moved.min[axis], aabb.min[axis], by));
                assert!(is_sum_rounded_up(moved.max[axis], aabb.max[axis], by));
            }
        },
    );
}

/// Goal: a box is grown outwards to the nearest floats, and a margin that leaves nothing is an error, also if the rounding
/// would hide it. Method: fractions; points, and sides that are about twice the margin, near and far from the origin.
#[test]
fn margin_that_leaves_nothing_is_an_error() {
    let (mut valid, mut empty) = (0, 0);
    for low in [0.0, 1.0, -3.0, 1e10, -1e10, COORD_MAX] {
        for side in [0.0_f32, 1e-30, 2.0, 2048.0] {
            let Ok(aabb) = Aabb::new([low; 3], [low + side; 3]) else { continue };
            let half = 0.5 * side;
            for margin in
                [0.0, -f32::from_bits(1), -1.0, -half, -half.next_up(), -1025.0, 1.0, 1e-30]
            {
                let (min, max) = (sum(low, -margin), sum(low + side, margin));
                let Ok(grown) = aabb.grown(margin) else {
                    assert!(min > max || max > Fraction::of(COORD_MAX), "{aabb:?} by {margin}");
                    empty += 1;
                    continue;
                };
                assert!(min <= max, "{aabb:?} by {margin}: {grown:?}");
                assert!(is_sum_rounded_down(grown.min[0], low, -margin));
                assert!(is_sum_rounded_up(grown.max[2], low + side, margin));
                valid += 1;
            }
        }
    }
    assert!(valid > 50 && empty > 50, "{valid} {empty}");
    let point = Aabb::point([0.0, 1e10, 0.0]).expect("a point");
    let half = Aabb { min: [-4.0, 1e10, -4.0], max: [4.0, 1e10, 4.0] };
    assert_eq!(point.grown(-1.0), Err(Invalid::Inverted { axis: 0 }));
    assert_eq!(half.grown(-1.0), Err(Invalid::Inverted { axis: 1 }));
}

/// Goal: an inverted box is an error, also if growing it or rounding outwards would hide that. Method: each axis in turn.
#[test]
fn inverted_box_stays_invalid() {
    for axis in 0..3 {
        let mut inverted = Aabb { min: [0.0; 3], max: [1.0; 3] };
        inverted.min[axis] = 1.0_f32.next_up();
        let error = Err(Invalid::Inverted { axis: axis as u8 });
        assert_eq!((inverted.grown(1.0), inverted.grown(0.0)), (error, error));
        assert_eq!((inverted.translated([1e10; 3]), inverted.translated([0.0; 3])), (error, error));
    }
}

/// Goal: of two zeros of different sign, union and intersection take that of the second box, so the bits of a result do not depend on
/// the processor. Method: the point at zero with both signs.
#[test]
fn of_two_zeros_the_one_of_the_second_box_is_taken() {
    let [plus, minus] = [0.0, -0.0].map(|zero: f32| Aabb { min: [zero; 3], max: [zero; 3] });
    for (first, second) in [(plus, minus), (minus, plus)] {
        let bits = |aabb: Aabb| [aabb.min, aabb.max].map(|corner| corner.map(f32::to_bits));
        assert_eq!(bits(first.union(&second)), bits(second));
        assert_eq!(bits(first.intersection(&second).expect("the same point")), bits(second));
    }
}

#[test]
fn intersection_is_the_common_part() {
    for_each(
        CASES,
        |draw| (aabb(draw), aabb(draw), corner(draw)),
        |(a, b, point)| {
            assert_eq!(a.overlaps(&b), b.overlaps(&a));
            assert_eq!(Ok(a.overlaps(&b)), spec::overlap(&a, &b));
            let both = a.contains_point(point) && b.contains_point(point);
            match a.intersection(&b) {
                Some(shared) => {
                    assert_eq!(shared.validate(), Ok(()));
                    assert!(a.contains(&shared) && b.contains(&shared));
                    assert_eq!(shared.contains_point(point), both);
                }
                None => assert!(!a.overlaps(&b) && !both),
            }
            // Every box contains the box that it is clipped to, so a touch is found too.
            let edge = Aabb { min: a.max, max: std::array::from_fn(|k| a.max[k].max(b.max[k])) };
            assert!(a.overlaps(&edge) && a.intersection(&edge).is_some());
        },
    );
}

#[test]
fn bounds_contain_the_path_and_are_the_nearest_floats() {
    for_each(
        CASES,
        |draw| (moving(draw), draw.0.random_range(0.0_f64..=1.0)),
        |(moving, t)| {
            let MovingBox { aabb, delta } = moving;
            let bounds = moving.bounds();
            assert!(bounds.contains(&aabb));
            for (axis, delta) in delta.into_iter().enumerate() {
                let (low, high) = (bounds.min[axis], bounds.max[axis]);
                if delta < 0.0 {
                    assert!(is_sum_rounded_down(low, aabb.min[axis], delta));
                    assert_eq!(high, aabb.max[axis]);
                } else {
                    assert_eq!(low, aabb.min[axis]);
                    assert!(is_sum_rounded_up(high, aabb.max[axis], delta));
                }
                // At times in between the path is inside, except for the rounding of `f64`.
                let at = |x: f32| f64::from(x) + f64::from(delta) * t;
                let slack = at(aabb.min[axis]).abs().max(at(aabb.max[axis]).abs()) * 1e-15;
                assert!(f64::from(low) <= at(aabb.min[axis]) + slack);
                assert!(f64::from(high) >= at(aabb.max[axis]) - slack);
            }
        },
    );
}

#[test]
fn bounds_of_quarters_are_exact() {
    for_each(
        CASES,
        |draw| {
            (
                draw.0.random_range(-400_i16..400),
                draw.0.random_range(0_i16..400),
                draw.0.random_range(-400_i16..400),
            )
        },
        |(min, size, delta)| {
            let [low, high, delta] = [min, min + size, delta].map(|x| f32::from(x) * 0.25);
            let aabb = Aabb { min: [low; 3], max: [high; 3] };
            let bounds = MovingBox { aabb, delta: [delta; 3] }.bounds();
            assert_eq!(bounds.min, [low.min(low + delta); 3]);
            assert_eq!(bounds.max, [high.max(high + delta); 3]);
        },
    );
}

/// Goal: the bounds of a box at rest have the bits of the box, the signs of zeros among them. Method: zeros and numbers of both signs.
#[test]
fn bounds_of_a_box_at_rest_are_its_bits() {
    let bits = |aabb: Aabb| [aabb.min, aabb.max].map(|corner| corner.map(f32::to_bits));
    for low in [-0.0, 0.0, -1.5] {
        for high in [-0.0, 0.0, 2.5] {
            for delta in [-0.0, 0.0] {
                let aabb = Aabb { min: [low; 3], max: [high; 3] };
                let bounds = MovingBox { aabb, delta: [delta; 3] }.bounds();
                assert_eq!(bits(bounds), bits(aabb), "{low} {high} {delta}");
            }
        }
    }
}

#[test]
fn random_bits_are_a_valid_box_or_an_error() {
    for_each(
        CASES,
        |draw| draw.0.random::<[u32; 9]>(),
        |bits| {
            let moving: MovingBox = bytemuck::cast(bits);
            let numbers = |axis: usize| [moving.aabb.min[axis], moving.aabb.max[axis]];
            let what = |axis: usize, of: &[f32]| {
                let axis = axis as u8;
                if of.iter().any(|x| !x.is_finite()) {
                    Some(Invalid::NotFinite { axis })
                } else if of.iter().any(|x| x.abs() > COORD_MAX) {
                    Some(Invalid::TooLarge { axis })
                } else {
                    (of[0] > of[of.len() - 1]).then_some(Invalid::Inverted { axis })
                }
            };
            let wrong = (0..3).find_map(|axis| what(axis, &numbers(axis)));
            assert_eq!(moving.aabb.validate().err(), wrong);
            let wrong = wrong.or_else(|| (0..3).find_map(|axis| what(axis, &[moving.delta[axis]])));
            assert_eq!(moving.validate().err(), wrong);
            assert_eq!(MovingBox::new(moving.aabb, moving.delta).err(), wrong);
        },
    );
}

/// Goal: each reason is reported, for the lowest axis, and before those of the displacement. Method: each
/// number of each axis is invalid in each way.
#[test]
fn reason_contains_the_lowest_axis() {
    let good = Aabb { min: [-1.0, -2.0, -3.0], max: [1.0, 2.0, 3.0] };
    let (huge, inf) = (COORD_MAX.next_up(), f32::INFINITY);
    for axis in 0..3 {
        let at = axis as u8;
        let not_finite = Invalid::NotFinite { axis: at };
        let too_large = Invalid::TooLarge { axis: at };
        let wrong = [f32::NAN, -f32::NAN, inf, -inf].map(|x| (x, not_finite));
        for (number, reason) in wrong.into_iter().chain([huge, -huge].map(|x| (x, too_large))) {
            let (mut min, mut max, mut delta) = (good, good, MovingBox::from(good));
            min.min[axis] = number;
            max.max[axis] = number;
            delta.delta[axis] = number;
            assert_eq!((min.validate(), max.validate()), (Err(reason), Err(reason)), "{number}");
            assert_eq!(Aabb::new(min.min, min.max), Err(reason));
            assert_eq!(delta.validate(), Err(reason));
            assert_eq!(delta.aabb.validate(), Ok(()));
            // A higher axis is invalid too, or the displacement on a lower one: neither is reported.
            max.min[2] = 9.0;
            let both = MovingBox { aabb: max, delta: [f32::NAN; 3] };
            assert_eq!(both.validate(), Err(reason));
        }
        let mut inverted = good;
        inverted.min[axis] = good.max[axis].next_up();
        assert_eq!(inverted.validate(), Err(Invalid::Inverted { axis: at }));
        let mut half = [1.0; 3];
        half[axis] = -f32::from_bits(1);
        assert_eq!(Aabb::from_center([0.0; 3], half), Err(Invalid::Inverted { axis: at }));
        half[axis] = f32::NAN;
        assert_eq!(Aabb::from_center([0.0; 3], half), Err(not_finite));
        half[axis] = f32::MAX;
        assert_eq!(Aabb::from_center([0.0; 3], half), Err(too_large));
        assert_eq!(Aabb::from_center([1e37; 3], [1.0; 3]), Err(Invalid::TooLarge { axis: 0 }));
        let name = ["x", "y", "z"][axis];
        let reasons = [not_finite, too_large, Invalid::Inverted { axis: at }];
        let names = |reason: &Invalid| reason.to_string().contains(&format!("axis {name}"));
        assert!(reasons.iter().all(names), "{reasons:?}");
    }
    assert!(Aabb::cube([0.0; 3], -1.0).is_err() && Aabb::point([0.0, f32::NAN, 0.0]).is_err());
}

/// Goal: a box with the same fault on all axes is invalid, as one with the fault on one axis is. Method: each kind of fault.
#[test]
fn fault_on_all_axes_is_an_error_on_the_first() {
    let past = COORD_MAX.next_up();
    let far = Invalid::TooLarge { axis: 0 };
    let (endless, inverted) = (Invalid::NotFinite { axis: 0 }, Invalid::Inverted { axis: 0 });
    for (min, max, error) in [
        (0.0, past, far),
        (-past, 0.0, far),
        (1.0, 0.0, inverted),
        (f32::NAN, 0.0, endless),
        (0.0, f32::NAN, endless),
        (0.0, f32::INFINITY, endless),
        (f32::NEG_INFINITY, 0.0, endless),
    ] {
        assert_eq!(Aabb { min: [min; 3], max: [max; 3] }.validate(), Err(error), "{min} {max}");
        assert_eq!(Aabb::new([min; 3], [max; 3]), Err(error), "{min} {max}");
    }
}

/// Goal: the greatest coordinates are valid, and nothing overflows. Method: the largest box and the longest
/// path.
#[test]
fn the_largest_boxes_overflow_nothing() {
    let whole = Aabb { min: [-COORD_MAX; 3], max: [COORD_MAX; 3] };
    assert_eq!(whole.validate(), Ok(()));
    assert_eq!(COORD_MAX, 2_f32.powi(120));
    assert_eq!((whole.center(), whole.half_extents()), ([0.0; 3], [COORD_MAX; 3]));
    assert_eq!(whole.volume(), 2_f64.powi(363));
    assert_eq!(whole.surface_area(), 6.0 * 2_f64.powi(242));
    for delta in [COORD_MAX, -COORD_MAX] {
        let moving = MovingBox::new(whole, [delta; 3]).expect("not too large");
        let bounds = moving.bounds();
        assert!(bounds.min.into_iter().chain(bounds.max).all(f32::is_finite));
        assert!(bounds.volume().is_finite());
    }
    let flat = Aabb { min: [0.0, -COORD_MAX, -COORD_MAX], max: [0.0, COORD_MAX, COORD_MAX] };
    assert_eq!((flat.volume(), flat.surface_area()), (0.0, 2.0 * 2_f64.powi(242)));
}

/// Goal: a mere touch is an overlap, of flat boxes too. Method: faces, edges and corners.
#[test]
fn boxes_are_closed() {
    let cube = Aabb::cube([0.0; 3], 1.0).expect("a small number");
    for [x, y, z] in [[2.0, 0.0, 0.0], [0.0, -2.0, 2.0], [-2.0, 2.0, -2.0]] {
        let other = Aabb::cube([x, y, z], 1.0).expect("a small number");
        assert!(cube.overlaps(&other) && !cube.contains(&other));
        let shared = cube.intersection(&other).expect("they touch");
        assert_eq!(shared.volume(), 0.0);
        assert!(cube.contains(&shared) && other.contains(&shared));
        let beyond = Aabb::cube([x, y, z].map(|x| x * 1.000_001), 1.0).expect("a small number");
        assert!(!cube.overlaps(&beyond) && cube.intersection(&beyond).is_none());
    }
    assert!(
        cube.contains_point([1.0, -1.0, 1.0])
            && !cube.contains_point([1.0_f32.next_up(), 0.0, 0.0])
    );
    assert!(!cube.contains_point([f32::NAN, 0.0, 0.0]));
}

/// Goal: the defaults of plain values are empty and at rest. Method: compare their fields.
#[test]
fn defaults_are_empty_and_at_rest() {
    let point = Aabb::point([0.0; 3]).expect("the origin");
    assert_eq!((Aabb::default(), MovingBox::default()), (point, MovingBox::from(point)));
    assert_eq!(Contact::default(), Contact::SEPARATED);
    assert_eq!(
        (Contact::SEPARATED.bits(), Contact::SEPARATED.state()),
        (0, ContactState::Separated)
    );
    let pair = SweptPair { a: 3, b: 4, first: 0.5 };
    assert_eq!(Pair::from(pair), Pair { a: 3, b: 4 });
    assert!(Pair { a: 1, b: 9 } < Pair { a: 2, b: 3 } && Pair { a: 2, b: 3 } < Pair { a: 2, b: 4 });
}

/// Goal: the bits of a contact have their documented meaning. Method: a face, a corner and an overlap, from
/// the sweep that computes them.
#[test]
fn bits_of_a_contact_are_as_documented() {
    let at = |center: [f32; 3], delta| {
        let aabb = Aabb::cube(center, 1.0).expect("a small number");
        MovingBox { aabb, delta }
    };
    let rest = at([0.0; 3], [0.0; 3]);
    let contact = |center, delta| {
        let sweep = swath::batch::sweep::one_to_one(&rest, &at(center, delta));
        sweep.expect("both are boxes").contact
    };
    let below = contact([0.0, -3.0, 0.0], [0.0, 2.0, 0.0]);
    assert_eq!(below.bits(), 0b010 | 0b010 << 3 | 1 << 6 | 1 << 8);
    assert_eq!((below.axis(), below.normal()), (Some(1), [0.0, -1.0, 0.0]));
    let corner = contact([-3.0, 3.0, -3.0], [2.0, -2.0, 2.0]);
    assert_eq!(corner.bits(), 0b111 | 0b101 << 3 | 1 << 6 | 1 << 8);
    assert_eq!((corner.axis(), corner.normal()), (Some(0), [-1.0, 0.0, 0.0]));
    let parts = contact([0.0, 0.0, 2.0], [0.0, 0.0, 1.0]);
    assert_eq!(parts.bits(), 0b100 | 2 << 6);
    let inside = contact([0.5; 3], [0.0; 3]);
    assert_eq!((inside.bits(), inside.normal()), (2 << 6 | 1 << 8, [0.0; 3]));
}

/// Goal: plain values are serialised without loss. Method: to JSON and back, compared bit by bit.
#[cfg(feature = "serde")]
#[test]
fn plain_values_are_serialised_without_loss() {
    fn same<T>(value: &T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = serde_json::to_string(value).expect("plain values are finite");
        assert_eq!(&serde_json::from_str::<T>(&text).expect("its own text"), value, "{text}");
    }
    let aabb = Aabb { min: [-0.1, 1e-40, -1e30], max: [1.0 / 3.0, 7.0, COORD_MAX] };
    let moving = MovingBox { aabb, delta: [0.3, -5.0, 1e6] };
    let sweep = swath::batch::sweep::one_to_one(&moving, &aabb.into()).expect("both are boxes");
    same(&aabb);
    same(&moving);
    same(&sweep);
    same(&sweep.contact);
    same(&Contact::SEPARATED);
    same(&ContactState::Touching);
    same(&Pair { a: 1, b: 2 });
    same(&SweptPair { a: 1, b: 2, first: 0.1 });
}

/// Goal: a packed word that no kernel returns is rejected, and every word that one returns is serialised
/// without loss. Method: words with undefined bits, a sign without an axis, or an axis without a contact; then the contacts and faces of
/// many small boxes and segments.
#[cfg(feature = "serde")]
#[test]
fn packed_words_are_validated_by_serde() {
    for bits in [1, 256, 1 << 9, 1 << 11, 1 << 31, 3 << 6, 1 << 3, 0b010 | 1 << 3] {
        assert!(serde_json::from_str::<Contact>(&bits.to_string()).is_err(), "{bits}");
    }
    for bits in [1, 1 << 6, 1 << 14, 1 << 31, 1 << 3 | 1 << 12, 1 << 9 | 1 << 12] {
        assert!(serde_json::from_str::<swath::batch::Faces>(&bits.to_string()).is_err(), "{bits}");
    }
    for bits in [5, 0x7fff, 0x3fff_ffff] {
        assert!(serde_json::from_str::<swath::batch::Facets>(&bits.to_string()).is_err(), "{bits}");
    }
    for bits in [0, 1 << 30 | 5, 0xffff_ffff] {
        let read = serde_json::from_str::<swath::batch::Facets>(&bits.to_string()).expect("valid");
        assert_eq!(read.bits(), bits);
    }
    for bits in [8, 255] {
        assert!(
            serde_json::from_str::<swath::pipeline::BodyFlags>(&bits.to_string()).is_err(),
            "{bits}"
        );
    }
    let flags = swath::pipeline::BodyFlags::CCD | swath::pipeline::BodyFlags::SENSOR;
    assert_eq!(serde_json::from_str::<swath::pipeline::BodyFlags>("6").expect("two flags"), flags);
    let mut state = 1_u32;
    let mut draw = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        ((state >> 28) % 5) as f32 - 2.0
    };
    let unit = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let (mut contacts, mut faces) =
        (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for _ in 0..20_000 {
        let min = [(); 3].map(|()| draw());
        let aabb = Aabb { min, max: min.map(|x| x + 1.0) };
        let moving = MovingBox { aabb, delta: [(); 3].map(|()| draw()) };
        let sweep = swath::batch::sweep::one_to_one(&moving, &unit.into()).expect("both are boxes");
        contacts.insert(sweep.contact.bits());
        let push = swath::batch::separate::one_to_one(&aabb, &unit).expect("both are boxes");
        contacts.extend(push.map(|push| push.contact.bits()));
        let segment = swath::Segment { start: min, delta: moving.delta, max_fraction: 1.0 };
        faces.insert(swath::batch::cast::one_to_one(&segment, &unit).expect("valid").faces.bits());
    }
    assert!(contacts.len() > 40 && faces.len() > 40, "{} {}", contacts.len(), faces.len());
    for bits in contacts {
        let contact =
            serde_json::from_str::<Contact>(&bits.to_string()).expect("there was a result");
        assert_eq!(contact.bits(), bits);
    }
    for bits in faces {
        let read = serde_json::from_str::<swath::batch::Faces>(&bits.to_string())
            .expect("there was a result");
        assert_eq!(read.bits(), bits);
    }
}

/// Goal: the error of an invalid centre form contains the lowest axis and the right reason. Method: two
/// faults at once, and a corner that becomes infinite by rounding.
#[test]
fn error_of_the_centre_form_contains_the_lowest_axis() {
    let none = |center: [f32; 3], half: [f32; 3]| Aabb::from_center(center, half).unwrap_err();
    let nan = none([f32::NAN, 0.0, 0.0], [1.0, -1.0, 1.0]);
    assert_eq!(nan, Invalid::NotFinite { axis: 0 });
    assert_eq!(none([f32::MAX, 0.0, 0.0], [1.0; 3]), Invalid::TooLarge { axis: 0 });
    assert_eq!(none([0.0; 3], [1.0, -1.0, f32::NAN]), Invalid::Inverted { axis: 1 });
    assert_eq!(none([0.0, COORD_MAX, 0.0], [1.0, 1e30, 1.0]), Invalid::TooLarge { axis: 1 });
}
