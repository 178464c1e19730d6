//! Tests that the parts of a decomposition find each pair of one process exactly once.

use scenes::{Scene, World};
use swath::broadphase::{Decomposition, DecompositionError, DividingPlane, PairInput};
use swath::{Aabb, COORD_MAX, MovingBox, PairFinder, SweptPair};
use testkit::draw::Draw;

fn boxes(scene: Scene, rows: usize) -> Vec<MovingBox> {
    let world = World::new(scene, rows, 3);
    (0..rows).map(|row| world.columns().get(row)).collect()
}

fn bits(pair: &SweptPair) -> (u32, u32, u32) {
    (pair.a, pair.b, pair.first.to_bits())
}

/// The pairs that each part finds among the boxes that overlap it, and owns.
fn by_parts(boxes: &[MovingBox], parts: &Decomposition) -> Vec<Vec<(u32, u32, u32)>> {
    let mut rows = vec![Vec::new(); parts.parts() as usize];
    let mut overlapped = Vec::new();
    for (row, moving) in boxes.iter().enumerate() {
        parts.overlapped(&moving.bounds(), &mut overlapped);
        assert!(overlapped.is_sorted());
        assert!(overlapped.contains(&parts.part_of(moving.aabb.min)));
        for part in overlapped.drain(..) {
            rows[part as usize].push(row as u32);
        }
    }
    let mut finder = PairFinder::new();
    let each = |(part, rows): (usize, Vec<u32>)| {
        let copies: Vec<MovingBox> = rows.iter().map(|&row| boxes[row as usize]).collect();
        let input = PairInput::new(&copies[..]).labelled(&rows);
        let found = finder.swept_pairs(input).expect("the pairs fit").sorted();
        let bounds = |row: u32| boxes[row as usize].bounds();
        let owned = found.iter().filter(|p| parts.owner(&bounds(p.a), &bounds(p.b)) == part as u32);
        owned.map(bits).collect()
    };
    rows.into_iter().enumerate().map(each).collect()
}

/// Goal: the union of what the parts own is what one process finds, each pair once and with the same bits.
#[test]
fn parts_own_each_pair_of_one_process_exactly_once() {
    for scene in [Scene::Uniform, Scene::Pile, Scene::Bullets, Scene::Walls, Scene::Sheet] {
        let boxes = boxes(scene, 3000);
        let mut finder = PairFinder::new();
        let expected: Vec<_> =
            finder.swept_pairs(&boxes[..]).unwrap().sorted().iter().map(bits).collect();
        assert!(expected.len() > 300, "{scene:?}");
        let sample: Vec<Aabb> = boxes.iter().step_by(3).map(MovingBox::bounds).collect();
        for count in [1, 2, 3, 4, 7, 64] {
            let parts = Decomposition::balanced(&sample, count).unwrap();
            assert_eq!(parts.parts(), count);
            let mut found: Vec<_> = by_parts(&boxes, &parts).concat();
            found.sort_unstable();
            assert!(found == expected, "{scene:?} in {count} parts");
        }
    }
}

/// Goal: the same for planes and boxes with equal coordinates, where boxes touch planes and each other.
#[test]
fn parts_own_pairs_that_touch_the_planes_once() {
    let mut draw = Draw::new(5);
    for _ in 0..200 {
        let mut small = || draw.whole(-2, 2);
        let boxes: Vec<MovingBox> = (0..12)
            .map(|_| {
                let (a, b) = ([small(), small(), small()], [small(), small(), small()]);
                let min = [0, 1, 2].map(|axis: usize| a[axis].min(b[axis]));
                let max = [0, 1, 2].map(|axis: usize| a[axis].max(b[axis]));
                MovingBox { aabb: Aabb { min, max }, delta: [small(), 0.0, small()] }
            })
            .collect();
        let planes = (0..5).map(|k| DividingPlane { axis: k % 3, at: small() }).collect();
        let parts = Decomposition::from_planes(planes).unwrap();
        let mut finder = PairFinder::new();
        let expected: Vec<_> =
            finder.swept_pairs(&boxes[..]).unwrap().sorted().iter().map(bits).collect();
        let mut found = by_parts(&boxes, &parts).concat();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

/// Goal: parts have about equal shares of the boxes, and few copies are needed.
#[test]
fn balanced_parts_have_equal_shares_and_few_ghosts() {
    for (scene, copies_max) in [(Scene::Uniform, 1.35), (Scene::Pile, 1.4), (Scene::Clusters, 1.4)]
    {
        let boxes = boxes(scene, 20_000);
        // A scene may put every fourth box into the same crowd.
        let mut draw = Draw::new(6);
        let sampled = boxes.iter().filter(|_| draw.one_in(4));
        let sample: Vec<Aabb> = sampled.map(MovingBox::bounds).collect();
        for count in [2, 5, 16] {
            let parts = Decomposition::balanced(&sample, count).unwrap();
            let mut overlapped = Vec::new();
            let mut owned = vec![0; count as usize];
            for moving in &boxes {
                parts.overlapped(&moving.bounds(), &mut overlapped);
                owned[parts.part_of(moving.bounds().min) as usize] += 1;
            }
            let (most, mean) = (*owned.iter().max().unwrap(), boxes.len() / count as usize);
            assert!(most * 10 < mean * 15, "{scene:?}: {owned:?}");
            let copies = overlapped.len() as f64 / boxes.len() as f64;
            assert!((1.0..copies_max).contains(&copies), "{scene:?} {count}: {copies}");
        }
    }
}

/// Goal: boxes in one place do not take others into their part. Method: points and cubes, of which 60 are in one place and 40 on a line; the numbers of
/// boxes that start in each part are exact.
#[test]
fn boxes_in_one_place_leave_the_other_parts_to_the_others() {
    let cases: [(f32, &[usize]); 4] = [
        (0.0, &[60, 40]),
        (0.0, &[0, 0, 0, 60, 10, 10, 10, 10]),
        (0.5, &[61, 39]),
        (0.5, &[60, 1, 20, 19]),
    ];
    for (side, expected) in cases {
        let at = |k: u8| if k < 60 { 0.0 } else { f32::from(k) };
        let cube = |k| Aabb { min: [at(k); 3], max: [at(k) + side; 3] };
        let sample: Vec<Aabb> = (0..100).map(cube).collect();
        let parts = Decomposition::balanced(&sample, expected.len() as u32).unwrap();
        let mut owned = vec![0; expected.len()];
        sample.iter().for_each(|bounds| owned[parts.part_of(bounds.min) as usize] += 1);
        assert_eq!(owned, expected, "side {side}");
    }
}

/// Goal: invalid boxes are in no part and do not disturb the planes; impossible decompositions are errors.
#[test]
fn invalid_boxes_planes_and_counts_are_refused() {
    let good = boxes(Scene::Uniform, 500);
    let mut sample: Vec<Aabb> = good.iter().map(MovingBox::bounds).collect();
    let expected = Decomposition::balanced(&sample, 9).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        let mut invalid = sample[7];
        invalid.max[1] = bad;
        sample.push(invalid);
        let mut overlapped = vec![];
        expected.overlapped(&invalid, &mut overlapped);
        assert!(overlapped.is_empty());
        assert!(expected.part_of([bad; 3]) < 9);
    }
    assert_eq!(Decomposition::balanced(&sample, 9).unwrap(), expected);
    assert_eq!(Decomposition::balanced(&[], 9).unwrap().parts(), 9);
    for parts in [0, 1 << 21] {
        assert_eq!(Decomposition::balanced(&sample, parts), Err(DecompositionError::Parts(parts)));
    }
    for (axis, at) in [(3, 0.0), (0, f32::NAN), (1, f32::INFINITY)] {
        let planes = vec![DividingPlane { axis: 0, at: 1.0 }, DividingPlane { axis, at }];
        assert_eq!(Decomposition::from_planes(planes), Err(DecompositionError::Plane(1)));
    }
    let planes = vec![DividingPlane { axis: 0, at: 1.0 }; 1 << 20];
    let parts = (1 << 20) + 1;
    assert_eq!(Decomposition::from_planes(planes), Err(DecompositionError::Parts(parts)));
}

/// Goal: a path that ends outside of the world is found by the parts as by one process. Method: boxes near the greatest coordinate that move
/// away from the origin, so that the bounds of their paths are no valid rows; the sample has these bounds.
#[test]
fn paths_past_the_greatest_coordinate_are_in_parts() {
    for sign in [1.0, -1.0] {
        let boxes: Vec<MovingBox> = (0..40)
            .map(|k| {
                let far = sign * COORD_MAX;
                let aabb = Aabb { min: [far, k as f32, 0.0], max: [far, k as f32 + 1.0, 1.0] };
                MovingBox::new(aabb, [far, 0.0, 0.0]).expect("a valid box")
            })
            .collect();
        let sample: Vec<Aabb> = boxes.iter().map(MovingBox::bounds).collect();
        assert!(sample.iter().all(|bounds| bounds.validate().is_err()));
        let parts = Decomposition::balanced(&sample, 4).unwrap();
        assert!(parts.planes().iter().all(|plane| plane.at.is_finite()));
        let mut finder = PairFinder::new();
        let expected: Vec<_> =
            finder.swept_pairs(&boxes[..]).unwrap().sorted().iter().map(bits).collect();
        let each = by_parts(&boxes, &parts);
        assert!(expected.len() == 39 && each.iter().all(|found| (5..20).contains(&found.len())));
        let mut found = each.concat();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}
