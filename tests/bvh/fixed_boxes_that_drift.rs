//! Tests that fixed boxes which move a little, and for which no tree is rebuilt, are found at their new
//! position.

use rand::{RngExt, SeedableRng};
use swath::{Aabb, Filter};
use testkit::filters::some_filter;
use testkit::fixed_model::{Model, Rng, random_box};

/// Goal: boxes that move a little are found at their new position, although no tree is rebuilt. Method:
/// crowds that drift by exact steps and return, some of which jump, grow, become flat or get another filter;
/// rows that occur twice, and changes that rebuild trees in between.
#[test]
fn drifting_boxes_are_found() {
    let mut rng = Rng::seed_from_u64(13);
    for rows in [5_u32, 16, 17, 300, 2_500] {
        let mut model = Model::default();
        let first: Vec<Aabb> =
            (0..rows).map(|_| random_box(&mut rng, 20.0, 1.0, 0.0).aabb).collect();
        model.put(&(0..rows).collect::<Vec<_>>(), &first);
        for step in 0..24 {
            let count = (rows / [1, 4, 40][step % 3]).max(1);
            let at: Vec<u32> = (0..count).map(|_| rng.random_range(0..rows)).collect();
            let boxes: Vec<Aabb> = at
                .iter()
                .map(|&row| {
                    let Aabb { mut min, mut max } =
                        model.rows[row as usize].map_or(first[0], |of| of.0);
                    let (axis, by) =
                        (rng.random_range(0..3), rng.random_range(-2..=2) as f32 / 8.0);
                    match rng.random_range(0..8) {
                        0 => max[axis] = min[axis],
                        1 => max[axis] += 0.25,
                        2 if rng.random_ratio(1, 8) => {
                            return random_box(&mut rng, 20.0, 9.0, 0.0).aabb;
                        }
                        3 => min[axis] = (-0.0_f32).max(min[axis]).min(max[axis]),
                        _ => {
                            [min, max] = [min, max].map(|mut end| {
                                end[axis] += by;
                                end
                            });
                        }
                    }
                    Aabb { min, max }
                })
                .collect();
            let filters: Vec<Filter> =
                at.iter().map(|&row| some_filter(row as usize + step)).collect();
            model.put_filtered(&at, &boxes, (step % 4 == 3).then_some(&filters));
            if step % 6 == 5 {
                let held = model.held();
                model.remove(&held[..held.len() / 5]);
            }
            let movers: Vec<_> = (0..10).map(|_| random_box(&mut rng, 20.0, 2.0, 20.0)).collect();
            model.check(&format!("{rows} rows that drift, step {step}"), &movers);
        }
    }
}

/// Goal: boxes that replace placeholders are found, and so are boxes of a world from which large ones are removed. Method: placeholders as large
/// as the world, which are replaced in parts, some of them twice, or removed.
#[test]
fn boxes_that_replace_placeholders_are_found() {
    let mut rng = Rng::seed_from_u64(15);
    let world = Aabb::cube([0.0; 3], 30.0).unwrap();
    for rows in [5_u32, 16, 17, 300, 2_500] {
        let mut model = Model::default();
        let all: Vec<u32> = (0..rows).collect();
        model.put(&all, &vec![world; all.len()]);
        for (step, part) in all.chunks(all.len().div_ceil(7)).enumerate() {
            let boxes: Vec<Aabb> =
                part.iter().map(|_| random_box(&mut rng, 20.0, 1.0, 0.0).aabb).collect();
            model.put(part, &boxes);
            let again = &part[part.len() / 2..];
            model.put(again, &boxes[..again.len()]);
            model.remove(&part[..part.len() / 5]);
            let movers: Vec<_> = (0..10).map(|_| random_box(&mut rng, 20.0, 2.0, 20.0)).collect();
            model.check(&format!("{rows} rows with placeholders, step {step}"), &movers);
        }
    }
}

/// Goal: no tree is rebuilt for boxes that remain inside the bounds of their leaf, and queries stay as fast
/// as before. Method: every second box shrinks and grows again; a query that overlaps all of them visits as
/// many nodes, but for those of a few boxes that are half as long as their leaf.
#[test]
fn boxes_inside_their_leaf_are_overwritten() {
    let mut rng = Rng::seed_from_u64(14);
    let fixed: Vec<Aabb> = (0..5_000).map(|_| random_box(&mut rng, 20.0, 0.5, 0.0).aabb).collect();
    let mut model = Model::of(&fixed);
    let before = model.looked();
    let rows: Vec<u32> = (0..fixed.len() as u32).step_by(2).collect();
    let old: Vec<Aabb> = rows.iter().map(|&row| fixed[row as usize]).collect();
    let small: Vec<Aabb> = old.iter().map(|of| Aabb { min: of.min, max: of.min }).collect();
    for boxes in [&small, &old, &small] {
        model.put(&rows, boxes);
        let after = model.looked();
        assert!(after.leaves <= before.leaves + 4 && after.nodes <= before.nodes + 2, "{after:?}");
    }
    let movers: Vec<_> = (0..50).map(|_| random_box(&mut rng, 20.0, 1.0, 9.0)).collect();
    model.check("shrunk", &movers);
    let before = model.looked();
    // One box leaves its leaf and is inserted again; the others remain.
    model.put(&[4], &[Aabb::cube([1e4; 3], 1.0).unwrap()]);
    assert!(model.looked().leaves <= before.leaves + 1);
    model.check("one left", &movers);
}
