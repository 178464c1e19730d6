//! Tests of boxes of a two-dimensional world, without a third axis.

use swath::batch::Rejected;
use swath::broadphase::{FixedInput, PlanarBoxColumns};
use swath::{Broadphase, FixedBoxes, Invalid, MovingBox, MovingBoxColumns, PairFinder, Proxy};
use testkit::draw::Draw;

/// Goal: columns of two axes give the answers of columns of three, of which the third is zero: in the pair finder, with
/// fixed boxes, and in a broadphase, with more rows than are converted at once; invalid rows are rejected with the same
/// reason. Method: the same boxes in both layouts; one row has its corners exchanged, one is not a number.
#[test]
fn planar_columns_give_the_pairs_of_columns_with_zeros() {
    const COUNT: usize = 5000;
    let mut draw = Draw::new(31);
    let mut column =
        |low: f32, high: f32| -> Vec<f32> { (0..COUNT).map(|_| draw.between(low, high)).collect() };
    let mut min = [column(0.0, 60.0), column(0.0, 60.0)];
    let max = min.each_ref().map(|of| of.iter().map(|x| x + 0.75).collect::<Vec<f32>>());
    let delta = [column(-0.5, 0.5), column(-0.5, 0.5)];
    min[1][77] = 100.0;
    min[0][4500] = f32::NAN;
    let zeros = vec![0.0; COUNT];
    let [min, max, delta] = [&min, &max, &delta].map(|of| [&of[0][..], &of[1][..]]);
    let planar = PlanarBoxColumns::new(min, max, delta).expect("equally long");
    let [min, max, delta] = [min, max, delta].map(|of| [of[0], of[1], &zeros[..]]);
    let full = MovingBoxColumns::new(min, max, delta).expect("equally long");
    assert_eq!((planar.len(), planar.is_empty(), planar.get(3)), (COUNT, false, full.get(3)));

    let [mut one, mut other] = [PairFinder::new(), PairFinder::new()];
    let found = one.swept_pairs(planar).expect("no limit");
    let invalid = [
        Rejected { row: 77, reason: Invalid::Inverted { axis: 1 } },
        Rejected { row: 4500, reason: Invalid::NotFinite { axis: 0 } },
    ];
    assert_eq!(found.rejected(), invalid);
    let found = found.sorted();
    assert!(found.len() > 1000);
    assert_eq!(found, other.swept_pairs(full).expect("no limit").sorted());

    let [x0, y0, z0, x1, y1, z1, ..] = full.slice(0..1000).columns();
    let walls = swath::AabbColumns::new([x0, y0, z0], [x1, y1, z1]).expect("equally long");
    let mut fixed = FixedBoxes::new();
    fixed.extend(FixedInput::new(walls)).expect("they fit");
    let expected = fixed.swept_pairs(full).expect("no limit").sorted().to_vec();
    assert!(expected.len() > 1000);
    assert_eq!(fixed.swept_pairs(planar).expect("no limit").sorted(), expected);

    for margin in [0.0, 0.125] {
        let mut worlds = [Broadphase::new(), Broadphase::new()];
        let mut ids = Vec::new();
        for world in &mut worlds {
            ids.clear();
            let proxy = Proxy::dynamic().with_margin(margin);
            let start = vec![MovingBox::default(); COUNT];
            world.insert_many(&start, proxy, &mut ids).expect("they fit");
        }
        let [world, expected] = &mut worlds;
        assert_eq!(world.set_many(&ids, planar).expect("the ids are valid"), invalid);
        assert_eq!(expected.set_many(&ids, full).expect("the ids are valid"), invalid);
        assert_eq!(world.snapshot(), expected.snapshot());
    }
    let short = PlanarBoxColumns::new([&[0.0], &[]], [&[], &[]], [&[], &[]]).expect_err("uneven");
    assert_eq!((short.what, short.expected, short.found), ("min.y", 1, 0));
}
