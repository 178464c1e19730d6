//! Tests of separations: the translation is the least one that separates two boxes, and it separates them in
//! `f32`.
//!
//! The six translations that separate two boxes are compared as exact numbers: in `f64` if that is exact,
//! otherwise in integers. Comparisons bit by bit are marked as such.

use std::cmp::Ordering;

use swath::batch::separate::{Moves, Separation, SeparationColumns};
use swath::batch::{BatchError, Body, Contact, ContactState, Hit, Hits, separate, sweep};
use swath::{Aabb, Invalid, Level, Pair};
use testkit::bodies::{bodies, meetings, neighbours, no_bodies};
use testkit::body_columns::BodyArrays;
use testkit::draw::how_many;
use testkit::exact::Fraction;

fn one_to_one(a: &Aabb, b: &Aabb) -> Option<Separation> {
    separate::one_to_one(a, b).expect("both are boxes")
}

/// The exact difference `x - y` of two floats.
#[derive(Clone, Copy, Debug)]
struct Difference(f32, f32);

impl Difference {
    fn compare(self, other: Self) -> Ordering {
        match (self.in_f64(), other.in_f64()) {
            (Some(x), Some(y)) => x.total_cmp(&y),
            _ => self.in_whole_numbers().cmp(&other.in_whole_numbers()),
        }
    }

    /// The difference in `f64`, if it is exact: then the difference plus `y` is `x`.
    fn in_f64(self) -> Option<f64> {
        let (x, y) = (f64::from(self.0), f64::from(self.1));
        let difference = x - y + 0.0;
        (x - difference == y && difference + y == x).then_some(difference)
    }

    fn in_whole_numbers(self) -> Fraction {
        &Fraction::of(self.0) - &Fraction::of(self.1)
    }
}

/// The six translations that separate two boxes: along x upwards, downwards, along y and so on.
fn ways(a: &Aabb, b: &Aabb) -> [Difference; 6] {
    std::array::from_fn(|way| match (way / 2, way % 2) {
        (axis, 0) => Difference(a.max[axis], b.min[axis]),
        (axis, _) => Difference(b.max[axis], a.min[axis]),
    })
}

/// The first of the shortest translations; `None` for boxes that are apart.
fn least(ways: &[Difference; 6]) -> Option<usize> {
    let overlap = ways.iter().all(|way| way.compare(Difference(0.0, 0.0)).is_ge());
    // Of several that are equally long, `min_by` returns the first.
    overlap.then(|| (0..6).min_by(|&x, &y| ways[x].compare(ways[y])))?
}

/// Checks the documented bits of a contact.
fn packed(way: usize, inside: bool) -> u32 {
    let (axis, falls) = (way / 2, way % 2);
    let (side, inside) = (falls as u32 * (8 << axis), u32::from(inside) << 9);
    (1 << axis) | side | (2 << 6) | (1 << 8) | inside
}

fn add(aabb: &Aabb, by: [f32; 3]) -> Aabb {
    let add = |corner: [f32; 3]| std::array::from_fn(|axis| corner[axis] + by[axis]);
    Aabb { min: add(aabb.min), max: add(aabb.max) }
}

/// Whether the boxes at most touch along the axis of the contact, on its side.
fn parted(a: &Aabb, b: &Aabb, contact: Contact) -> bool {
    let axis = contact.axis().expect("a separation has an axis");
    if contact.normal()[axis] > 0.0 {
        a.max[axis] <= b.min[axis]
    } else {
        b.max[axis] <= a.min[axis]
    }
}

/// All guarantees for one separation.
fn holds(a: &Aabb, b: &Aabb, answer: Option<Separation>) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let ways = ways(a, b);
    let (Some(way), Some(push)) = (least(&ways), answer) else {
        return must(least(&ways).is_none() && answer.is_none(), "an overlap is exact");
    };
    let Separation { depth, contact } = push;
    must(contact.bits() == packed(way, depth > 0.0), "the least way is chosen")?;
    let exact = ways[way];
    must(Difference(depth, 0.0).compare(exact).is_ge(), "a depth is enough")?;
    let less = Difference(depth.next_down(), 0.0);
    must(depth == 0.0 || less.compare(exact).is_lt(), "no lesser float is enough")?;
    must(depth.is_sign_positive() && depth.is_finite(), "a depth is a positive number")?;
    must(contact.is_surface() == (depth == 0.0), "a touch has no depth")?;
    must(contact.state() == ContactState::Overlapping, "they share a point")?;
    let moved = add(b, push.translation());
    must(parted(a, &moved, contact), "the sum in `f32` parts them")?;
    let along = push.translation().map(f32::abs).iter().sum::<f32>();
    must(along == depth, "the translation is along the axis")
}

/// All guarantees for the shares of one separation.
fn shares_hold(a: &Body, b: &Body, push: &Separation) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let masses = [a.inverse_mass, b.inverse_mass];
    let moves = push.shares(masses).expect("the inverse masses are valid");
    let Some([of_a, of_b]) = moves else {
        return must(masses == [0.0; 2], "only two fixed bodies stay");
    };
    must(masses != [0.0; 2], "two fixed bodies stay")?;
    let boxes = [add(&a.moving.aabb, of_a), add(&b.moving.aabb, of_b)];
    must(parted(&boxes[0], &boxes[1], push.contact), "both moves in `f32` part them")?;
    let axis = push.contact.axis().expect("a separation has an axis");
    let normal = push.contact.normal()[axis];
    must((0..3).all(|k| k == axis || of_a[k] == 0.0 && of_b[k] == 0.0), "one axis is moved along")?;
    let lengths = [-of_a[axis] * normal, of_b[axis] * normal];
    must(lengths.iter().all(|&length| length >= 0.0), "each moves to its side")?;
    let depth = f64::from(push.depth);
    must(f64::from(lengths[0]) + f64::from(lengths[1]) >= depth, "the shares make up the depth")?;
    for (k, &mass) in masses.iter().enumerate() {
        must(mass > 0.0 || lengths[k] == 0.0 && lengths[1 - k] == push.depth, "fixed stays")?;
    }
    must(masses[0] != masses[1] || lengths[0] == lengths[1], "equals share equally")?;
    let exact = spec::shares(depth, masses).expect("one of them can be moved");
    for k in 0..2 {
        // Three rounding errors, and for the lighter body the rest, rounded up; then the errors below the
        // normal range.
        let bound = 6.0 * 2_f64.powi(-24) * exact[k] + 2_f64.powi(-148) * (1.0 + depth);
        must((f64::from(lengths[k]) - exact[k]).abs() <= bound, "shares go by inverse mass")?;
    }
    let turned = push.contact.bits() ^ (8 << axis);
    let turned = Separation { depth: push.depth, contact: bytemuck::cast(turned) };
    let swapped = turned.shares([masses[1], masses[0]]).expect("the inverse masses are valid");
    must(swapped == Some([of_b, of_a]), "swapped bodies swap their moves")
}

/// Goal: the translation is the least and is sufficient, and the shares of both bodies separate them. Method:
/// hostile pairs, and the six translations as exact numbers.
#[test]
fn translations_are_the_least_and_separate() {
    let (mut deep, mut apart, mut touches) = (0, 0, 0);
    let count = how_many(1_000_000);
    for case in meetings(1, count) {
        let (a, b) = (&case.a.moving.aabb, &case.b.moving.aabb);
        let answer = one_to_one(a, b);
        if let Err(promise) = holds(a, b, answer) {
            panic!("{promise}: {answer:?}, {case:?}");
        }
        match answer {
            None => apart += 1,
            Some(push) => {
                if let Err(promise) = shares_hold(&case.a, &case.b, &push) {
                    panic!("{promise}: {push:?}, {case:?}");
                }
                deep += usize::from(push.depth > 0.0);
                touches += usize::from(push.depth == 0.0);
            }
        }
    }
    let enough = count / 20;
    assert!(deep > enough && apart > enough && touches > enough, "{deep} {apart} {touches}");
}

/// Goal: every order of four interval ends gives the right result. Method: all of them, on each axis, with
/// the other two axes just wider; integers, so equality with `spec` needs no tolerance.
#[test]
fn every_order_of_two_intervals_equals_the_spec() {
    let ends: Vec<[f32; 2]> = (0_i16..=5)
        .flat_map(|min| (min..=5).map(move |max| [f32::from(min), f32::from(max)]))
        .collect();
    let aabb = |axis: usize, [min, max]: [f32; 2], wide: f32| {
        let mut aabb = Aabb { min: [-wide; 3], max: [wide; 3] };
        (aabb.min[axis], aabb.max[axis]) = (min, max);
        aabb
    };
    for (&of_a, &of_b) in ends.iter().flat_map(|a| ends.iter().map(move |b| (a, b))) {
        for axis in 0..3 {
            for wide in [0.0, 1.0, 1.5, 2.0, 64.0] {
                let (a, b) = (aabb(axis, of_a, wide), aabb(axis, of_b, 1.0));
                let meant = spec::separate(&a, &b).expect("both are boxes");
                let meant = meant.map(|push| (push.depth, push.contact));
                let got = one_to_one(&a, &b).map(|push| (f64::from(push.depth), push.contact));
                assert_eq!(got, meant, "{a:?} and {b:?}");
                assert_eq!(holds(&a, &b, one_to_one(&a, &b)), Ok(()), "{a:?} and {b:?}");
            }
        }
    }
}

/// Goal: the faults of the published code are absent. Method: its cases, by hand.
#[test]
fn contained_tied_concentric_and_flat_boxes_are_separated() {
    let cube = |center: [f32; 3], half| Aabb::cube(center, half).expect("a box");
    let push = |a: &Aabb, b: &Aabb| one_to_one(a, b).map(|push| push.translation());
    let outer = cube([0.0; 3], 4.0);
    // The intersection is the inner box, which is 2 long; the translation is 5 or more.
    assert_eq!(push(&outer, &cube([0.0, 0.0, 2.0], 1.0)), Some([0.0, 0.0, 3.0]));
    assert_eq!(push(&outer, &cube([0.0, -2.0, 0.0], 1.0)), Some([0.0, -3.0, 0.0]));
    assert_eq!(push(&cube([0.0, -2.0, 0.0], 1.0), &outer), Some([0.0, 3.0, 0.0]));
    // All six translations tie, for equal and different sizes.
    assert_eq!(push(&outer, &outer), Some([8.0, 0.0, 0.0]));
    assert_eq!(push(&outer, &cube([0.0; 3], 1.0)), Some([5.0, 0.0, 0.0]));
    // The shortest sides of the intersection tie.
    assert_eq!(push(&outer, &cube([4.0, 4.0, 0.0], 1.0)), Some([1.0, 0.0, 0.0]));
    assert_eq!(push(&outer, &cube([0.0, 4.0, -4.0], 1.0)), Some([0.0, 1.0, 0.0]));
    // Points and planes.
    assert_eq!(push(&outer, &cube([0.0, 0.0, 3.0], 0.0)), Some([0.0, 0.0, 1.0]));
    let point = cube([1.0; 3], 0.0);
    let touch = one_to_one(&point, &point).expect("they share the point");
    assert_eq!((touch.depth, touch.contact.normal()), (0.0, [1.0, 0.0, 0.0]));
    assert_eq!(push(&point, &cube([1.0, 1.0, 1.5], 0.25)), None);
    let zero = Aabb { min: [0.0; 3], max: [-0.0; 3] };
    let touch = one_to_one(&zero, &zero).expect("they share the point");
    assert_eq!(touch.depth.to_bits(), 0);
}

/// Goal: a touch has the contact of a sweep. Method: hostile pairs that do not move.
#[test]
fn touch_has_the_contact_of_the_sweep() {
    let mut touches = 0;
    for case in meetings(2, 60_000) {
        let (a, b) = (case.a.moving.aabb, case.b.moving.aabb);
        let swept = sweep::one_to_one(&a.into(), &b.into()).expect("both are boxes").contact;
        let push = one_to_one(&a, &b);
        assert_eq!(push.is_some(), swept.is_hit(), "{case:?}");
        let touch = push.is_some_and(|push| push.contact.is_surface());
        assert_eq!(touch, swept.is_surface(), "{case:?}");
        if let Some(push) = push.filter(|_| touch) {
            assert_eq!(push.contact.axis(), swept.axis(), "{case:?}");
            assert_eq!(push.contact.normal(), swept.normal(), "{case:?}");
            touches += 1;
        }
    }
    assert!(touches > 3000, "only {touches}");
}

fn bits(push: Option<Separation>) -> [u32; 2] {
    push.map_or([0; 2], |push| [push.depth.to_bits(), push.contact.bits()])
}

fn map(aabb: &Aabb, on_axis: impl Fn([f32; 2], usize) -> [f32; 2]) -> Aabb {
    let axes: [_; 3] = std::array::from_fn(|k| on_axis([aabb.min[k], aabb.max[k]], k));
    Aabb { min: axes.map(|axis| axis[0]), max: axes.map(|axis| axis[1]) }
}

/// The contact with the direction of its axis reversed, if `turns`. If rise and fall are equal, the normal
/// points up in both cases.
fn turned(
    a: &Aabb,
    b: &Aabb,
    [depth, contact]: [u32; 2],
    turns: impl Fn(usize) -> bool,
) -> [u32; 2] {
    let Some(axis) = (0..3).find(|axis| contact >> axis & 1 == 1) else {
        return [depth, contact];
    };
    let ways = ways(a, b);
    let symmetric = ways[2 * axis].compare(ways[2 * axis + 1]).is_eq();
    let turn = turns(axis) && !symmetric;
    [depth, contact ^ (u32::from(turn) * (8 << axis))]
}

/// Goal: swapping the boxes or mirroring an axis only reverses the normal. Method: hostile pairs, swapped,
/// and mirrored on each set of axes, compared bit by bit.
#[test]
fn swapped_and_mirrored_boxes_reverse_the_normal() {
    for (mirrored, case) in (1..8).cycle().zip(meetings(3, 60_000)) {
        let (a, b) = (case.a.moving.aabb, case.b.moving.aabb);
        let answer = bits(one_to_one(&a, &b));
        assert_eq!(bits(one_to_one(&b, &a)), turned(&a, &b, answer, |_| true), "{case:?}");
        let turns = |axis: usize| mirrored >> axis & 1 == 1;
        let mirror =
            |[min, max]: [f32; 2], axis| if turns(axis) { [-max, -min] } else { [min, max] };
        let got = bits(one_to_one(&map(&a, mirror), &map(&b, mirror)));
        assert_eq!(got, turned(&a, &b, answer, turns), "{mirrored:#b}, {case:?}");
    }
}

/// Goal: no axis is special, except that the lowest wins a tie. Method: each order of axes.
#[test]
fn permuted_axes_permute_the_axis() {
    let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (order, case) in orders.into_iter().cycle().zip(meetings(4, 60_000)) {
        let permute = |aabb: Aabb| Aabb {
            min: order.map(|axis| aabb.min[axis]),
            max: order.map(|axis| aabb.max[axis]),
        };
        let (a, b) = (case.a.moving.aabb, case.b.moving.aabb);
        let (push, got) = (one_to_one(&a, &b), one_to_one(&permute(a), &permute(b)));
        assert_eq!(push.map(|push| push.depth), got.map(|push| push.depth), "{case:?}");
        let (Some(push), Some(got)) = (push, got) else { continue };
        // If axes tie, another one may be the lowest after the permutation.
        let axis = |push: Separation| push.contact.axis().expect("a separation has an axis");
        let (was, is) = (axis(push), order[axis(got)]);
        let ways = ways(&a, &b);
        let of_axis = |axis: usize| {
            let (rise, fall) = (ways[2 * axis], ways[2 * axis + 1]);
            if rise.compare(fall).is_le() { rise } else { fall }
        };
        assert!(was == is || of_axis(was).compare(of_axis(is)).is_eq(), "{order:?}, {case:?}");
        let sign = |push: Separation| push.contact.normal().iter().sum::<f32>();
        assert!(was != is || sign(push) == sign(got), "{order:?}, {case:?}");
    }
}

/// Goal: the unit of length changes nothing. Method: powers of two, compared bit by bit, if all numbers
/// remain normal.
#[test]
fn a_power_of_two_scales_the_depth() {
    let mut scaled = 0;
    for (exponent, case) in (-60..=60).cycle().zip(meetings(5, 60_000)) {
        let factor = 2_f32.powi(exponent);
        let (a, b) = (case.a.moving.aabb, case.b.moving.aabb);
        let scale = |aabb: &Aabb| map(aabb, |ends, _| ends.map(|x| x * factor));
        let normal = |aabb: &Aabb| {
            let mut ends = aabb.min.into_iter().chain(aabb.max);
            let scaled = scale(aabb);
            let fits = |x: f32| x == 0.0 || x.abs() >= 1e-30 && (x * factor).abs() >= 1e-30;
            scaled.validate().is_ok() && ends.all(fits)
        };
        if [&a, &b].into_iter().all(normal) {
            let [depth, contact] = bits(one_to_one(&a, &b));
            let depth = f32::from_bits(depth) * factor;
            let expected = [depth.to_bits(), contact];
            assert_eq!(
                bits(one_to_one(&scale(&a), &scale(&b))),
                expected,
                "2^{exponent}, {case:?}"
            );
            scaled += 1;
        }
    }
    assert!(scaled > 15_000, "only {scaled} pairs were scaled");
}

/// Goal: the translation out of a larger box is not shorter. Method: the union with a third box.
#[test]
fn translation_out_of_a_larger_box_is_not_shorter() {
    let mut before = Aabb::default();
    for case in meetings(6, 60_000) {
        let (a, b) = (case.a.moving.aabb, case.b.moving.aabb);
        let greater = a.union(&before);
        if let Some(push) = one_to_one(&a, &b) {
            let more = one_to_one(&greater, &b).expect("they still share a point");
            assert!(more.depth >= push.depth, "{case:?} with {before:?}");
        }
        before = b;
    }
}

/// Goal: a translation has no negative zero, so that equal translations have the same bits. Method: boxes that overlap or touch from either side.
#[test]
fn translation_has_no_negative_zero() {
    let cube = |x: f32| Aabb::cube([x, 0.25, 0.0], 0.5).expect("a cube");
    for (x, wanted) in [(0.75, 0.25), (-0.75, -0.25), (1.0, 0.0), (-1.0, 0.0)] {
        let push = one_to_one(&cube(0.0), &cube(x)).expect("they share a point");
        let found = push.translation().map(f32::to_bits);
        assert_eq!(found, [wanted, 0.0, 0.0].map(f32::to_bits), "{push:?}");
    }
}

/// Columns for results, of these lengths.
struct Outputs(Vec<f32>, Vec<Contact>);

const UNWRITTEN: (f32, Contact) = (-7.0, Contact::SEPARATED);

impl Outputs {
    fn new(depth: usize, contact: usize) -> Self {
        Self(vec![UNWRITTEN.0; depth], vec![UNWRITTEN.1; contact])
    }

    fn answers(&mut self) -> SeparationColumns<'_> {
        SeparationColumns { depth: &mut self.0, contact: &mut self.1 }
    }

    fn bits(&self) -> Vec<[u32; 2]> {
        self.0
            .iter()
            .zip(&self.1)
            .map(|(depth, contact)| [depth.to_bits(), contact.bits()])
            .collect()
    }

    fn is_unwritten(&self) -> bool {
        self.0.iter().all(|&x| x == UNWRITTEN.0) && self.1.iter().all(|&x| x == UNWRITTEN.1)
    }
}

/// Results of the three batch functions in columns and lists: `a` with each of `b`, row with row, and pairs
/// of `b`; and the shares of the last two.
fn batches_answer_as_one_to_one(a: &[Body], b: &[Body], pairs: &[Pair], level: Level) {
    let answer = |a: &Body, b: &Body| match (a.validate(), b.validate()) {
        (Ok(()), Ok(())) => one_to_one(&a.moving.aabb, &b.moving.aabb),
        _ => None,
    };
    let row = |row: u32| &b[row as usize];
    let rows = b.len();
    let (mut list_a, mut list_b) = (Vec::new(), Vec::new());
    let (of_a, of_b) = (BodyArrays::new(a), BodyArrays::new(b));
    let of_a = of_a.bodies().check(level, &mut list_a);
    let of_b = of_b.bodies().check(level, &mut list_b);
    let one = a.first().filter(|a| a.validate().is_ok());

    let mut expected: [Vec<Option<Separation>>; 3] = [
        one.map_or(Vec::new(), |one| b.iter().map(|b| answer(one, b)).collect()),
        a.iter().zip(b).map(|(a, b)| answer(a, b)).collect(),
        pairs.iter().map(|pair| answer(row(pair.a), row(pair.b))).collect(),
    ];
    let mut outputs = expected.each_ref().map(|rows| Outputs::new(rows.len(), rows.len()));
    let [many, zip, of_pairs] = &mut outputs;
    if let Some(one) = one {
        let one = &one.moving.aabb;
        separate::one_to_many(level, one, &of_b.boxes(), many.answers()).expect("right lengths");
    }
    separate::zip(level, &of_a.boxes(), &of_b.boxes(), zip.answers()).expect("right lengths");
    separate::pairs(level, &of_b.boxes(), pairs, of_pairs.answers()).expect("the rows are there");
    for (expected, outputs) in expected.iter().zip(&mut outputs) {
        let columns = outputs.answers();
        for (row, push) in expected.iter().enumerate() {
            assert_eq!(columns.get(row).map(|push| push.depth), push.map(|push| push.depth));
        }
        let expected: Vec<_> = expected.iter().map(|push| bits(*push)).collect();
        assert_eq!(outputs.bits(), expected, "{level}, {rows} rows");
    }
    for (question, expected) in expected.iter_mut().enumerate() {
        if question == 0 && one.is_none() {
            continue;
        }
        let hit = |(row, push): (usize, &Option<Separation>)| {
            push.map(|push| (row as u32, push.depth.to_bits()))
        };
        let expected: Vec<_> = expected.iter().enumerate().filter_map(hit).collect();
        for room in [0, expected.len().saturating_sub(1), expected.len(), expected.len() + 20] {
            let mut to = vec![Hit::default(); room];
            let mut hits = Hits::new(&mut to);
            let result = match (question, one) {
                (0, Some(one)) => {
                    separate::one_to_many(level, &one.moving.aabb, &of_b.boxes(), &mut hits)
                }
                (1, _) => separate::zip(level, &of_a.boxes(), &of_b.boxes(), &mut hits),
                _ => separate::pairs(level, &of_b.boxes(), pairs, &mut hits),
            };
            let needed = expected.len();
            let short = BatchError::TooShort { needed, capacity: room };
            assert_eq!(result, if room < needed { Err(short) } else { Ok(()) });
            let found: Vec<_> = hits.iter().map(|hit| (hit.row, hit.value.to_bits())).collect();
            assert_eq!(found, expected[..room.min(needed)], "{level}");
        }
    }
    let moves = |a: &Body, b: &Body| {
        let push = answer(a, b)?;
        let [of_a, of_b] = push.shares([a.inverse_mass, b.inverse_mass]).expect("valid")?;
        let axis = push.contact.axis().expect("a separation has an axis");
        Some([of_a[axis].to_bits(), of_b[axis].to_bits()])
    };
    let zip_moves = a.iter().zip(b).map(|(a, b)| moves(a, b).unwrap_or([0; 2])).collect();
    let pair_moves = pairs.iter().map(|p| moves(row(p.a), row(p.b)).unwrap_or([0; 2])).collect();
    let expected: [Vec<[u32; 2]>; 2] = [zip_moves, pair_moves];
    for (which, (expected, Outputs(depth, contact))) in
        expected.iter().zip(&outputs[1..]).enumerate()
    {
        let (mut x, mut y) = (vec![-7.0; expected.len()], vec![-7.0; expected.len()]);
        let to = Moves { a: &mut x, b: &mut y };
        let result = match which {
            0 => separate::shares(level, depth, contact, &of_a, &of_b, to),
            _ => separate::shares_of_pairs(level, depth, contact, &of_b, pairs, to),
        };
        assert_eq!(result, Ok(()));
        let got: Vec<_> = x.iter().zip(&y).map(|(x, y)| [x.to_bits(), y.to_bits()]).collect();
        assert_eq!(&got, expected, "{level}, {rows} rows");
    }
}

/// Goal: a batch gives the bits of single calls, in columns and lists. Method: every level, every number of
/// rows near the number of lanes, hostile bodies.
#[test]
fn batches_give_the_bits_of_one_to_one_on_every_level() {
    for (round, rows) in (0..=40).cycle().take(41 * 4).enumerate() {
        let [a, b] = bodies(100 + round as u64, rows);
        let pairs = neighbours(rows);
        for level in Level::all() {
            batches_answer_as_one_to_one(&a, &b, &pairs, level);
        }
    }
}

/// Goal: an invalid row does not change other rows. Method: one at every row of every number of rows, of
/// every kind in turn, on either side.
#[test]
fn invalid_row_is_apart_and_changes_no_other_row() {
    let mut kinds = no_bodies().into_iter().cycle();
    for rows in 1..=40 {
        let [good_a, good_b] = bodies(500 + rows as u64, rows);
        let pairs = neighbours(rows);
        for at in 0..rows {
            let (mut a, mut b) = (good_a.clone(), good_b.clone());
            let side = if at % 2 == 0 { &mut a } else { &mut b };
            side[at] = kinds.next().expect("a cycle");
            let level = Level::all().nth(at % Level::all().count()).expect("a level");
            batches_answer_as_one_to_one(&a, &b, &pairs, level);
            batches_answer_as_one_to_one(&a, &b, &pairs, Level::detect());
        }
    }
}

/// Goal: wrong lengths, rows and values are errors, and nothing is written. Method: each in turn.
#[test]
fn failed_call_writes_nothing() {
    let [a, b] = bodies(7, 20);
    let (of_a, of_b) = (BodyArrays::new(&a), BodyArrays::new(&b));
    let (mut list, mut other) = (Vec::new(), Vec::new());
    let pairs = neighbours(20);
    let bad = Aabb { min: [0.0, 2.0, 0.0], max: [1.0; 3] };
    let reason = Invalid::Inverted { axis: 1 };
    let good = a[0].moving.aabb;
    assert_eq!(separate::one_to_one(&bad, &good), Err(reason));
    assert_eq!(separate::one_to_one(&good, &bad), Err(reason));
    for level in Level::all() {
        let of_a = of_a.bodies().check(level, &mut list);
        let shorter = of_b.bodies().slice(0..19).check(level, &mut other);
        for (depth, contact) in [(19, 20), (20, 21), (20, 0), (40, 20)] {
            let mut outputs = Outputs::new(depth, contact);
            let boxes = of_a.boxes();
            let length = |error: Result<(), BatchError>| match error {
                Err(BatchError::Length(error)) => (error.expected, error.found),
                other => panic!("{other:?}"),
            };
            let wrong = (20, if depth == 20 { contact } else { depth });
            assert_eq!(
                length(separate::one_to_many(level, &good, &boxes, outputs.answers())),
                wrong
            );
            assert_eq!(length(separate::zip(level, &boxes, &boxes, outputs.answers())), wrong);
            assert_eq!(length(separate::pairs(level, &boxes, &pairs, outputs.answers())), wrong);
            assert!(outputs.is_unwritten());
            let (mut x, mut y) = (vec![-7.0; 20], vec![-7.0; 20]);
            let to = Moves { a: &mut x, b: &mut y };
            _ = length(separate::shares(level, &outputs.0, &outputs.1, &of_a, &of_a, to));
            let (depth, contact) = ([0.0; 20], [Contact::SEPARATED; 20]);
            let mut long = vec![-7.0; 21];
            let to = Moves { a: &mut x, b: &mut long };
            let error = separate::shares(level, &depth, &contact, &of_a, &of_a, to);
            assert_eq!(length(error), (20, 21));
            let to = Moves { a: &mut long, b: &mut x };
            let error = separate::shares_of_pairs(level, &depth, &contact, &of_a, &pairs, to);
            assert_eq!(length(error), (20, 21));
            let to = Moves { a: &mut x, b: &mut y };
            let error = separate::shares(level, &depth, &contact, &of_a, &shorter, to);
            assert_eq!(length(error), (20, 19));
            assert!(x.iter().chain(&y).chain(&long).all(|&x| x == -7.0));
        }
        let mut outputs = Outputs::new(20, 20);
        let boxes = of_a.boxes();
        let error = separate::one_to_many(level, &bad, &boxes, outputs.answers());
        assert_eq!(error, Err(BatchError::Invalid(reason)));
        let error = separate::zip(level, &boxes, &shorter.boxes(), outputs.answers());
        assert!(matches!(error, Err(BatchError::Length(_))));
        for (index, pair) in [(0, Pair { a: 20, b: 3 }), (19, Pair { a: 3, b: u32::MAX })] {
            let mut pairs = pairs.clone();
            pairs[index] = pair;
            let no_row = Err(BatchError::NoSuchRow { index, row: pair.a.max(pair.b), rows: 20 });
            assert_eq!(separate::pairs(level, &boxes, &pairs, outputs.answers()), no_row);
            let (depth, contact) = ([0.0; 20], [Contact::SEPARATED; 20]);
            let (mut x, mut y) = (vec![-7.0; 20], vec![-7.0; 20]);
            let to = Moves { a: &mut x, b: &mut y };
            let error = separate::shares_of_pairs(level, &depth, &contact, &of_a, &pairs, to);
            assert_eq!(error, no_row);
            assert!(x.iter().chain(&y).all(|&x| x == -7.0));
        }
        assert!(outputs.is_unwritten());
    }
}
