//! Do boxes keep what their documentation promises?
//!
//! Sums of two floats are compared as fractions of whole numbers or in `f64` where that is exact,
//! so what is called rounded outwards is.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use swath::{Aabb, COORD_MAX, Contact, Invalid, MovingBox, Pair, State, SweptPair};
use testkit::cases::HOSTILE;
use testkit::exact::Fraction;

/// A valid coordinate: hostile, ordinary, or any bits.
fn coordinate() -> impl Strategy<Value = f32> {
    let hostile = prop::sample::select(HOSTILE.to_vec());
    let any_bits = (0..=COORD_MAX.to_bits()).prop_map(f32::from_bits);
    let size = prop_oneof![hostile, 0.0_f32..16.0, 1e6_f32..1.000_1e6, any_bits];
    (size, any::<bool>()).prop_map(|(size, negative)| if negative { -size } else { size })
}

fn corner() -> impl Strategy<Value = [f32; 3]> {
    [coordinate(), coordinate(), coordinate()]
}

fn aabb() -> impl Strategy<Value = Aabb> {
    (corner(), corner(), 0_u8..8).prop_map(|(p, q, flat)| {
        let mut aabb = Aabb {
            min: std::array::from_fn(|axis| p[axis].min(q[axis])),
            max: std::array::from_fn(|axis| p[axis].max(q[axis])),
        };
        for axis in (0..3).filter(|axis| flat == 7 || flat == 1 << axis) {
            aabb.max[axis] = aabb.min[axis];
        }
        aabb
    })
}

fn moving() -> impl Strategy<Value = MovingBox> {
    (aabb(), corner()).prop_map(|(aabb, delta)| MovingBox { aabb, delta })
}

fn sum(a: f32, b: f32) -> Fraction {
    &Fraction::of(a) + &Fraction::of(b)
}

/// `low` is the greatest float that is not above `a + b`.
fn is_sum_rounded_down(low: f32, a: f32, b: f32) -> bool {
    Fraction::of(low) <= sum(a, b) && Fraction::of(low.next_up()) > sum(a, b)
}

/// `high` is the least float that is not below `a + b`.
fn is_sum_rounded_up(high: f32, a: f32, b: f32) -> bool {
    Fraction::of(high) >= sum(a, b) && Fraction::of(high.next_down()) < sum(a, b)
}

/// The same cases in every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_box_of_valid_corners_is_made_as_it_is(aabb in aabb()) {
        prop_assert_eq!(Aabb::new(aabb.min, aabb.max), Ok(aabb));
        prop_assert_eq!(aabb.validate(), Ok(()));
        let point = Aabb::point(aabb.min).expect("a valid corner");
        prop_assert_eq!((point.min, point.max), (aabb.min, aabb.min));
        prop_assert!(aabb.contains_point(aabb.min) && aabb.contains_point(aabb.max));
        prop_assert!(aabb.contains(&aabb) && aabb.contains(&point));
    }

    #[test]
    fn a_box_from_its_center_is_the_least_that_holds_it(center in corner(), half in corner()) {
        let half = half.map(f32::abs);
        let made = Aabb::from_center(center, half);
        let Ok(made) = made else {
            let past = |axis: usize| sum(center[axis].abs(), half[axis]) > Fraction::of(COORD_MAX);
            prop_assert!((0..3).any(past), "{made:?} of {center:?} and {half:?}");
            return Ok(());
        };
        for axis in 0..3 {
            prop_assert!(is_sum_rounded_down(made.min[axis], center[axis], -half[axis]));
            prop_assert!(is_sum_rounded_up(made.max[axis], center[axis], half[axis]));
        }
        prop_assert_eq!(Aabb::cube(center, half[0]), Aabb::from_center(center, [half[0]; 3]));
    }

    #[test]
    fn center_and_half_extents_hold_the_box(aabb in aabb()) {
        let (center, half) = (aabb.center(), aabb.half_extents());
        for axis in 0..3 {
            let (low, high) = (aabb.min[axis], aabb.max[axis]);
            prop_assert!(low <= center[axis] && center[axis] <= high);
            prop_assert!(sum(center[axis], -half[axis]) <= Fraction::of(low));
            prop_assert!(sum(center[axis], half[axis]) >= Fraction::of(high));
        }
        if let Ok(back) = Aabb::from_center(center, half) {
            prop_assert!(back.contains(&aabb));
        }
    }

    #[test]
    fn measures_are_numbers_at_every_size(aabb in aabb()) {
        let [x, y, z] = aabb.size();
        prop_assert!(x >= 0.0 && y >= 0.0 && z >= 0.0);
        let (volume, area) = (aabb.volume(), aabb.surface_area());
        prop_assert!(volume.is_finite() && volume >= 0.0);
        prop_assert!(area.is_finite() && area >= 0.0);
        prop_assert_eq!(volume == 0.0, x == 0.0 || y == 0.0 || z == 0.0);
        for axis in 0..3 {
            let exact = sum(aabb.max[axis], -aabb.min[axis]);
            let (size, half_step) = (Fraction::of([x, y, z][axis]), exact.slack(24, 149));
            prop_assert!(&exact - &half_step <= size && size <= &exact + &half_step);
        }
    }

    #[test]
    fn a_union_holds_both_and_no_more(a in aabb(), b in aabb()) {
        let union = a.union(&b);
        prop_assert!(union.contains(&a) && union.contains(&b));
        prop_assert_eq!(union, b.union(&a));
        for axis in 0..3 {
            prop_assert!([a.min[axis], b.min[axis]].contains(&union.min[axis]));
            prop_assert!([a.max[axis], b.max[axis]].contains(&union.max[axis]));
        }
    }

    #[test]
    fn an_intersection_is_what_both_hold(a in aabb(), b in aabb(), point in corner()) {
        prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
        prop_assert_eq!(Ok(a.overlaps(&b)), spec::overlap(&a, &b));
        let both = a.contains_point(point) && b.contains_point(point);
        match a.intersection(&b) {
            Some(shared) => {
                prop_assert_eq!(shared.validate(), Ok(()));
                prop_assert!(a.contains(&shared) && b.contains(&shared));
                prop_assert_eq!(shared.contains_point(point), both);
            }
            None => prop_assert!(!a.overlaps(&b) && !both),
        }
        // Every box holds the box that it is cut to, so a touch is found too.
        let edge = Aabb { min: a.max, max: std::array::from_fn(|k| a.max[k].max(b.max[k])) };
        prop_assert!(a.overlaps(&edge) && a.intersection(&edge).is_some());
    }

    #[test]
    fn bounds_hold_the_path_and_are_exact_where_a_float_can_be(
        moving in moving(),
        t in 0.0_f64..=1.0,
    ) {
        let MovingBox { aabb, delta } = moving;
        let bounds = moving.bounds();
        prop_assert!(bounds.contains(&aabb));
        for (axis, delta) in delta.into_iter().enumerate() {
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            if delta < 0.0 {
                prop_assert!(is_sum_rounded_down(low, aabb.min[axis], delta));
                prop_assert_eq!(high, aabb.max[axis]);
            } else {
                prop_assert_eq!(low, aabb.min[axis]);
                prop_assert!(is_sum_rounded_up(high, aabb.max[axis], delta));
            }
            // On the way the path is inside, but for what `f64` rounds.
            let at = |x: f32| f64::from(x) + f64::from(delta) * t;
            let slack = at(aabb.min[axis]).abs().max(at(aabb.max[axis]).abs()) * 1e-15;
            prop_assert!(f64::from(low) <= at(aabb.min[axis]) + slack);
            prop_assert!(f64::from(high) >= at(aabb.max[axis]) - slack);
        }
    }

    #[test]
    fn bounds_of_quarters_are_exact(
        min in -400_i16..400,
        size in 0_i16..400,
        delta in -400_i16..400,
    ) {
        let [low, high, delta] = [min, min + size, delta].map(|x| f32::from(x) * 0.25);
        let aabb = Aabb { min: [low; 3], max: [high; 3] };
        let bounds = MovingBox { aabb, delta: [delta; 3] }.bounds();
        prop_assert_eq!(bounds.min, [low.min(low + delta); 3]);
        prop_assert_eq!(bounds.max, [high.max(high + delta); 3]);
    }

    #[test]
    fn any_bits_are_a_box_or_are_named(bits in any::<[u32; 9]>()) {
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
        prop_assert_eq!(moving.aabb.validate().err(), wrong);
        let wrong = wrong.or_else(|| (0..3).find_map(|axis| what(axis, &[moving.delta[axis]])));
        prop_assert_eq!(moving.validate().err(), wrong);
        prop_assert_eq!(MovingBox::new(moving.aabb, moving.delta).err(), wrong);
    }
}

/// Goal: each reason is given, for the lowest axis, before those of the displacement. Method:
/// each number of each axis, wrong in each way.
#[test]
fn a_reason_names_the_lowest_axis() {
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
            // A higher axis is wrong too, or the displacement of a lower one: neither is named.
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

/// Goal: the greatest numbers are boxes, and nothing overflows in them. Method: the largest box
/// and the longest path.
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

/// Goal: a mere touch is an overlap, in a flat box. Method: faces, edges and corners.
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

/// Goal: the plain values start as nothing. Method: their defaults.
#[test]
fn defaults_are_empty_and_still() {
    let point = Aabb::point([0.0; 3]).expect("the origin");
    assert_eq!((Aabb::default(), MovingBox::default()), (point, MovingBox::from(point)));
    assert_eq!(Contact::default(), Contact::SEPARATED);
    assert_eq!((Contact::SEPARATED.bits(), Contact::SEPARATED.state()), (0, State::Separated));
    let pair = SweptPair { a: 3, b: 4, first: 0.5 };
    assert_eq!(Pair::from(pair), Pair { a: 3, b: 4 });
    assert!(Pair { a: 1, b: 9 } < Pair { a: 2, b: 3 } && Pair { a: 2, b: 3 } < Pair { a: 2, b: 4 });
}

/// Goal: the bits of a contact mean what is documented. Method: a face, a corner and an overlap,
/// from the sweep that makes them.
#[test]
fn the_bits_of_a_contact_are_as_documented() {
    let at = |center: [f32; 3], delta| {
        let aabb = Aabb::cube(center, 1.0).expect("a small number");
        MovingBox { aabb, delta }
    };
    let rest = at([0.0; 3], [0.0; 3]);
    let contact = |center, delta| {
        let sweep = swath::sweep::one_to_one(&rest, &at(center, delta));
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

/// Goal: plain values survive a file. Method: to JSON and back, to the bit.
#[cfg(feature = "serde")]
#[test]
fn plain_values_survive_serde() {
    fn same<T>(value: &T)
    where
        T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let text = serde_json::to_string(value).expect("plain values are finite");
        assert_eq!(&serde_json::from_str::<T>(&text).expect("its own text"), value, "{text}");
    }
    let aabb = Aabb { min: [-0.1, 1e-40, -1e30], max: [1.0 / 3.0, 7.0, COORD_MAX] };
    let moving = MovingBox { aabb, delta: [0.3, -5.0, 1e6] };
    let sweep = swath::sweep::one_to_one(&moving, &aabb.into()).expect("both are boxes");
    same(&aabb);
    same(&moving);
    same(&sweep);
    same(&sweep.contact);
    same(&Contact::SEPARATED);
    same(&State::Touching);
    same(&Pair { a: 1, b: 2 });
    same(&SweptPair { a: 1, b: 2, first: 0.1 });
}

/// Goal: a centre form that is no box names the lowest axis and the right reason. Method: two
/// faults at once, and a corner that only rounding makes infinite.
#[test]
fn the_centre_form_names_the_lowest_axis() {
    let none = |center: [f32; 3], half: [f32; 3]| Aabb::from_center(center, half).unwrap_err();
    let nan = none([f32::NAN, 0.0, 0.0], [1.0, -1.0, 1.0]);
    assert_eq!(nan, Invalid::NotFinite { axis: 0 });
    assert_eq!(none([f32::MAX, 0.0, 0.0], [1.0; 3]), Invalid::TooLarge { axis: 0 });
    assert_eq!(none([0.0; 3], [1.0, -1.0, f32::NAN]), Invalid::Inverted { axis: 1 });
    assert_eq!(none([0.0, COORD_MAX, 0.0], [1.0, 1e30, 1.0]), Invalid::TooLarge { axis: 1 });
}
