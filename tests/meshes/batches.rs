//! Batches, levels and threads.

use swath::convex::toi::Settings;
use swath::mesh::toi::{self, GeometryInput, PartToi};
use swath::mesh::{Geometry, Mesh};
use swath::{Level, Motion, Pair, Pose, Shape, Threads};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Goal: a batch has the results of its pairs, with the same bits on every level and any number of threads, and lists
/// invalid rows. Method: shapes that fly over a terrain whose tree is built on each level.
#[test]
fn batches_have_the_same_bits_on_every_level_and_thread() {
    let mut draw = Draw::new(31);
    let (vertices, triangles) = terrain(&mut draw, 30, 0.8);
    let mut shapes = Vec::new();
    let mut motions = vec![Motion::default()];
    for k in 0..700 {
        let half = [0; 3].map(|_| draw.between(0.1, 0.6));
        shapes.push(Shape::cuboid(half).expect("a box"));
        let at = [draw.between(-14.0, 14.0), draw.between(1.0, 3.0), draw.between(-14.0, 14.0)];
        let delta = [0; 3].map(|_| draw.between(-4.0, 2.0));
        let motion = Motion::new(Pose::at(at).expect("valid"), delta).expect("valid");
        let spin = [0; 3].map(|_| draw.between(-3.0, 3.0));
        motions.push(if k % 4 == 0 { motion.spinning(spin).expect("valid") } else { motion });
    }
    motions[5].delta[1] = f32::NAN;
    let pairs: Vec<_> = (1..=700).map(|b| Pair { a: 0, b }).collect();
    let settings = Settings::default();
    let mut wanted: Option<Vec<PartToi>> = None;
    for level in Level::all() {
        let mesh = Mesh::with_exec(&vertices[..], &triangles[..], level).expect("a terrain");
        let mut geometries = vec![Geometry::from(&mesh)];
        geometries.extend(shapes.iter().map(|&shape| Geometry::from(shape)));
        let input = GeometryInput { geometries: &geometries, motions: &motions, pairs: &pairs };
        for threads in [Threads::one(), Threads::current()] {
            let (mut out, mut rejected) = (vec![PartToi::default(); pairs.len()], Vec::new());
            toi::pairs(&input, &settings, &threads, &mut rejected, &mut out).expect("valid");
            assert_eq!(rejected.iter().map(|row| row.row).collect::<Vec<_>>(), [5]);
            let wanted = wanted.get_or_insert_with(|| {
                let alone = |pair: &Pair| {
                    let (a, b) = (&geometries[0], &geometries[pair.b as usize]);
                    let motion = &motions[pair.b as usize];
                    toi::one_to_one(a, &motions[0], b, motion, &settings).unwrap_or_default()
                };
                pairs.iter().map(alone).collect()
            });
            assert_eq!(format!("{out:?}"), format!("{wanted:?}"), "{level}");
        }
    }
    let impacts = wanted.expect("there are levels");
    let impacts = impacts.iter().filter(|found| found.toi.impact().is_some()).count();
    assert!(impacts > 200, "{impacts}");
}
