//! Tests that boxes in other layouts have the pairs of the same boxes as columns, bit by bit.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use swath::batch::AabbStore;
use swath::broadphase::{
    AabbInput, AabbRows, MovingBoxInput, PairInput, PlanarBoxColumns, RowsError, VectorRows,
};
use swath::{
    Aabb, AabbColumns, Bvh, FixedBoxes, Level, MovingBox, MovingBoxColumns, MovingBoxStore,
    PairFinder, Segment, SweptPair, Threads,
};
use testkit::every_pair::Rows;
use testkit::layouts::{Body, Layouts};

/// The bits of the pairs in their order, and of the rejected rows.
type Answer = (Vec<[u32; 2]>, Vec<[u32; 3]>, Vec<u32>, Vec<u32>);

fn bits(pairs: impl Iterator<Item = SweptPair>) -> Vec<[u32; 3]> {
    pairs.map(|pair| [pair.a, pair.b, pair.first.to_bits()]).collect()
}

/// The results of a finder for one set or two.
fn answer(finder: &mut PairFinder, a: PairInput<'_>, b: Option<PairInput<'_>>) -> Answer {
    let union = match b {
        None => finder.union_pairs(a).unwrap(),
        Some(b) => finder.union_pairs_between(a, b).unwrap(),
    };
    let union = union.iter().map(|pair| [pair.a, pair.b]).collect();
    let swept = match b {
        None => finder.swept_pairs(a).unwrap(),
        Some(b) => finder.swept_pairs_between(a, b).unwrap(),
    };
    let [first, second] = [swept.rejected(), swept.rejected_of_second()];
    let rejected = |of: &[swath::batch::Rejected]| of.iter().map(|bad| bad.row).collect();
    (union, bits(swept.iter()), rejected(first), rejected(second))
}

/// A scene with a few numbers that make rows invalid, and some at the limits of `f32`.
fn world(scene: Scene, boxes: usize) -> Rows {
    let world = World::new(scene, boxes, 31);
    let mut columns = world.min.iter().chain(&world.max).chain(&world.delta).cloned();
    let mut columns: [Vec<f32>; 9] = core::array::from_fn(|_| columns.next().unwrap());
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(boxes as u64);
    let hostile = [f32::NAN, f32::INFINITY, -1e38, f32::from_bits(1), -0.0, 1e30, -f32::MAX];
    for _ in 0..boxes.div_ceil(100) {
        let column = &mut columns[random.random_range(0..9)];
        if boxes > 0 {
            column[random.random_range(0..boxes)] = hostile[random.random_range(0..7)];
        }
    }
    Rows { columns, moves: Some(world.moves), filters: None }
}

fn boxes(rows: &Rows) -> impl Iterator<Item = MovingBox> {
    (0..rows.len()).map(|row| rows.boxes().get(row))
}

/// Numbers of boxes with full groups and chunks, and with others.
const COUNTS: [usize; 9] = [0, 1, 3, 15, 16, 17, 1100, 4097, 17_000];

/// Goal: a layout changes no bit of a result. Method: the pairs of the same boxes as columns, in their order,
/// for one set and for two in different layouts, with flags; some rows are invalid.
#[test]
fn structures_have_the_pairs_of_columns() {
    let mut found = 0;
    for (turn, count) in COUNTS.into_iter().enumerate() {
        let scene = [Scene::Uniform, Scene::Bullets, Scene::Pile, Scene::Mixed][turn % 4];
        let rows = world(scene, count);
        let layouts = Layouts::new(boxes(&rows));
        let moves = rows.moves.as_deref().unwrap();
        let [first, second] = rows.split(count / 3);
        let halves = [&first, &second].map(|half| Layouts::new(boxes(half)));
        for threads in [Threads::one(), Threads::current()] {
            let mut finder = PairFinder::new();
            finder.exec.threads = threads;
            let expected = answer(&mut finder, rows.set(), None);
            found += expected.1.len();
            let store: MovingBoxStore = layouts.moving.iter().copied().collect();
            let inputs: [MovingBoxInput<'_>; 5] = [
                (&store).into(),
                layouts.of_bodies().into(),
                layouts.of_vectors().into(),
                (&layouts.moving).into(),
                layouts.moving.as_slice().into(),
            ];
            for input in inputs {
                let set = PairInput::new(input).moving(moves);
                assert!(answer(&mut finder, set, None) == expected, "{scene}, {count}");
            }
            let expected = answer(&mut finder, first.boxes().into(), Some(second.boxes().into()));
            let (a, b) = (halves[0].of_bodies(), &halves[1].moving);
            assert!(answer(&mut finder, a.into(), Some(b.into())) == expected, "{scene}, {count}");
            let (a, b) = (first.boxes(), halves[1].of_vectors());
            assert!(answer(&mut finder, a.into(), Some(b.into())) == expected, "{scene}, {count}");
        }
    }
    assert!(found > 10_000, "{found} pairs");
}

/// Goal: the same on every level. Method: as above, for one scene.
#[test]
fn structures_have_the_same_pairs_on_every_level() {
    let rows = world(Scene::Bullets, 1500);
    let layouts = Layouts::new(boxes(&rows));
    let expected = answer(&mut PairFinder::new(), rows.boxes().into(), None);
    assert!(expected.0.len() > 1000 && !expected.2.is_empty());
    for level in Level::all() {
        let mut finder = PairFinder::with_exec(level);
        assert!(answer(&mut finder, layouts.of_bodies().into(), None) == expected, "{level}");
    }
}

/// Goal: boxes without displacements have the pairs of boxes with displacements of zero. Method: every way to
/// pass them, compared with columns of zeros; the finder has found pairs of moving boxes before, so its
/// memory contains other numbers.
#[test]
fn boxes_without_displacements_do_not_move() {
    for count in COUNTS {
        let mut rows = world(Scene::Dense, count);
        let mut finder = PairFinder::new();
        answer(&mut finder, Layouts::new(boxes(&rows)).of_bodies().into(), None);
        rows.columns[6..].iter_mut().for_each(|column| column.fill(0.0));
        rows.moves = None;
        let expected = answer(&mut finder, rows.set(), None);
        assert!(count < 1000 || !expected.0.is_empty());
        let layouts = Layouts::new(boxes(&rows));
        let corner = |first: usize| core::array::from_fn(|k| &rows.columns[first + k][..]);
        let columns = AabbColumns::new(corner(0), corner(3)).unwrap();
        let inputs: [MovingBoxInput<'_>; 4] = [
            columns.into(),
            layouts.corners_of_bodies().into(),
            (&layouts.still).into(),
            AabbRows::from(layouts.still.as_slice()).into(),
        ];
        for input in inputs {
            assert!(answer(&mut finder, input.into(), None) == expected, "{count}");
        }
    }
}

/// Goal: centres, half extents and velocities give the boxes of the functions for one box. Method: each row
/// is compared with [`Aabb::from_center`] and a product; then the pairs with those of these boxes as columns.
#[test]
fn centres_and_velocities_are_boxes_and_displacements() {
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Mover {
        mass: f32,
        center: [f32; 3],
        half: [f32; 3],
        velocity: [f32; 3],
    }
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(3);
    let hostile =
        [-0.0, 1e-45, -1e-45, -1.0, f32::NAN, f32::INFINITY, f32::MIN, 1e36, -1e36, 1.4e36, 3e38];
    let movers: Vec<Mover> = (0..6000)
        .map(|_| {
            let mut vector = |reach: f32, base: f32| {
                core::array::from_fn::<f32, 3, _>(|_| {
                    let number = base + reach * random.random_range(-1.0..1.0_f32);
                    let odd = random.random_range(0..200_usize);
                    hostile.get(odd).copied().unwrap_or(number)
                })
            };
            let [center, half, velocity] = [vector(9.0, 0.0), vector(0.3, 0.3), vector(60.0, 0.0)];
            Mover { mass: 1.0, center, half, velocity }
        })
        .collect();
    let vector = |offset| VectorRows::new(&movers, offset).unwrap();
    let boxes = AabbRows::from_center(
        vector(core::mem::offset_of!(Mover, center)),
        vector(core::mem::offset_of!(Mover, half)),
    );
    let tick = 1.0 / 60.0;
    let rows =
        boxes.unwrap().moving_at(vector(core::mem::offset_of!(Mover, velocity)), tick).unwrap();
    let (mut columns, mut invalid) = (core::array::from_fn::<Vec<f32>, 9, _>(|_| Vec::new()), 0);
    for (row, mover) in movers.iter().enumerate() {
        let moving = rows.get(row);
        assert_eq!(moving.delta.map(f32::to_bits), mover.velocity.map(|v| (v * tick).to_bits()));
        match Aabb::from_center(mover.center, mover.half) {
            Ok(aabb) => assert_eq!(moving.aabb, aabb),
            Err(_) => {
                invalid += 1;
                assert!(moving.validate().is_err());
            }
        }
        let numbers = moving.aabb.min.into_iter().chain(moving.aabb.max).chain(moving.delta);
        columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
    }
    assert!(invalid > 100 && invalid < 3000, "{invalid} boxes are invalid");
    let columns = MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    let expected = answer(&mut PairFinder::new(), columns.into(), None);
    assert!(expected.1.len() > 1000);
    assert!(answer(&mut PairFinder::new(), rows.into(), None) == expected);
}

/// Goal: a vector outside of the row, and incomplete rows, are errors, and no call panics. Method: every
/// offset and length near the limits, compared with the definition.
#[test]
fn vectors_outside_of_a_row_are_errors() {
    let bytes = [0; 64];
    let mut valid = 0;
    for stride in 0..=20 {
        for offset in (0..=24).chain([usize::MAX - 11, usize::MAX]) {
            for len in 0..=64 {
                let made = VectorRows::from_bytes(&bytes[..len], stride, offset);
                if offset > stride || stride - offset < 12 {
                    assert_eq!(made.err(), Some(RowsError::Offset { offset, stride }));
                } else if len % stride != 0 {
                    assert_eq!(made.err(), Some(RowsError::PartialRow { bytes: len, stride }));
                } else {
                    let rows = made.unwrap();
                    assert_eq!((rows.len(), rows.is_empty()), (len / stride, len == 0));
                    valid += 1;
                }
            }
        }
    }
    assert!(valid > 100);
    assert_eq!(
        VectorRows::new(&[(); 4], 0).err(),
        Some(RowsError::Offset { offset: 0, stride: 0 })
    );
    let bodies: [Body; 0] = [];
    assert!(VectorRows::new(&bodies, 0).unwrap().is_empty());
    let [two, three] = [[[0.0; 3]; 2].as_slice(), &[[0.0; 3]; 3]];
    assert!(AabbRows::new(two, three).is_err() && AabbRows::from_center(three, two).is_err());
    let still = AabbRows::new(two, two).unwrap();
    let errors = [still.moving(three), still.moving_at(three, 1.0)].map(Result::unwrap_err);
    assert_eq!(errors.map(|error| error.what), ["delta", "velocity"]);
}

/// Goal: a row that does not exist is a bug of the caller, also if the position of its bytes wraps around. Method: the
/// rows just behind the last one, and those whose position is a multiple of 2³² or 2⁶⁴, plus that of row 0.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn row_that_does_not_exist_is_a_panic() {
    let bytes = [0; 64];
    let rows = VectorRows::from_bytes(&bytes, 16, 4).expect("four rows");
    assert_eq!(rows.get(3), [0.0; 3]);
    for row in [4, 5, usize::MAX / 16 + 1, usize::MAX / 16 + 2, usize::MAX] {
        assert!(std::panic::catch_unwind(|| rows.get(row)).is_err(), "{row}");
    }
}

/// Goal: an input is empty exactly if it has no box. Method: every layout with no row and with two.
#[test]
fn inputs_are_empty_without_boxes() {
    for count in [0, 2] {
        let (corners, boxes) = (vec![[0.0; 3]; count], vec![Aabb::default(); count]);
        let moving = vec![MovingBox::default(); count];
        let still = AabbRows::new(&corners[..], &corners[..]).unwrap();
        let rows = still.moving(&corners[..]).unwrap();
        assert_eq!((rows.len(), rows.is_empty()), (count, count == 0));
        assert_eq!((still.len(), still.is_empty()), (count, count == 0));
        let zeros = [&[0.0; 2][..count]; 2];
        let planar = PlanarBoxColumns::new(zeros, zeros, zeros).unwrap();
        assert_eq!((planar.len(), planar.is_empty()), (count, count == 0));
        let store: AabbStore = boxes.iter().copied().collect();
        for input in [AabbInput::from(&boxes[..]), still.into(), AabbInput::from(&store)] {
            assert_eq!((input.len(), input.is_empty()), (count, count == 0));
        }
        let moving = MovingBoxInput::from(&moving[..]);
        for input in [moving, still.into(), rows.into(), planar.into(), (&store).into()] {
            assert_eq!((input.len(), input.is_empty()), (count, count == 0));
        }
    }
}

/// Goal: `FixedBoxes` has the boxes of every layout, and the pairs with movers of every layout. Method: the set that
/// was filled from columns; the numbers of boxes are above and below those of a chunk.
#[test]
fn fixed_boxes_have_the_pairs_of_columns() {
    for count in [0, 1, 17, 4096, 9000] {
        let rows = world(Scene::Uniform, count);
        let layouts = Layouts::new(boxes(&rows));
        let corner = |first: usize| core::array::from_fn(|k| &rows.columns[first + k][..]);
        let columns = AabbColumns::new(corner(0), corner(3)).unwrap();
        let listed: Vec<u32> = (0..count as u32).rev().collect();
        let mut of_columns = FixedBoxes::new();
        let expected_rejected = of_columns.put(&listed, columns).unwrap().to_vec();
        assert!(count < 100 || !expected_rejected.is_empty());
        let mut others = [FixedBoxes::new(), FixedBoxes::new()];
        let rejected = others[0].put(&listed, layouts.corners_of_bodies()).unwrap();
        assert_eq!(rejected, expected_rejected);
        assert_eq!(others[1].put(&listed, &layouts.still).unwrap(), expected_rejected);
        let swept = of_columns.swept_pairs(rows.boxes()).unwrap();
        let (expected, bad) = (bits(swept.iter()), swept.rejected().to_vec());
        assert!(count < 100 || !expected.is_empty());
        for fixed in &mut others {
            for row in 0..count as u32 {
                assert_eq!(fixed.get(row), of_columns.get(row));
            }
            for input in [layouts.of_bodies().into(), MovingBoxInput::from(&layouts.moving)] {
                let swept = fixed.swept_pairs(input).unwrap();
                assert_eq!(swept.rejected(), bad);
                assert!(bits(swept.iter()) == expected);
            }
        }
        let mut tree = Bvh::new();
        let expected_rejected = tree.build(columns).unwrap().to_vec();
        let expected = closest(&tree, count as u64);
        for input in [layouts.corners_of_bodies(), layouts.still.as_slice().into()] {
            assert_eq!(tree.build(input).unwrap(), expected_rejected);
            assert_eq!(closest(&tree, count as u64), expected);
        }
    }
}

/// The first box that each ray hits, and the position.
fn closest(tree: &Bvh, seed: u64) -> Vec<Option<(u32, u32)>> {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut rays = (0..200).map(|_| {
        let [start, end] = [(); 2].map(|()| [(); 3].map(|()| random.random_range(-50.0..50.0_f32)));
        Segment::ray(start, core::array::from_fn::<_, 3, _>(|k| end[k] - start[k])).unwrap()
    });
    let hit = |ray: Segment| tree.queries().cast(&ray).unwrap().closest();
    rays.by_ref().map(|ray| hit(ray).map(|hit| (hit.row, hit.value.to_bits()))).collect()
}
