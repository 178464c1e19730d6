use cpu_time::ThreadTime;
use scenes::convex::{Hulls, Moves};
use scenes::mesh::Terrain;
use swath::Motion;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::toi;
use swath::mesh::{Geometry, Mesh};
fn main() {
    let hulls = Hulls::new(1);
    let terrain = Terrain::new(708);
    let mesh = Mesh::new(&terrain.vertices[..], &terrain.triangles[..]).unwrap();
    for touch in [Touch::IfClosing, Touch::Hit] {
        for moves in [Moves::Linear, Moves::Accelerated, Moves::Spinning] {
            let thrown = terrain.thrown(&hulls, moves, 10_000, 2);
            let (mut best, mut tests, mut rounds, mut supports, mut hits) =
                (f64::MAX, 0u64, 0u64, 0u64, 0);
            for rep in 0..5 {
                let start = ThreadTime::now();
                for (form, motion) in &thrown {
                    let found = toi::one_to_one(
                        &form.shape(&hulls).into(),
                        motion,
                        &Geometry::from(&mesh),
                        &Motion::default(),
                        &Settings { touch, ..Settings::default() },
                    )
                    .unwrap();
                    if rep == 0 {
                        tests += u64::from(found.tests);
                        rounds += u64::from(found.toi.rounds);
                        supports += u64::from(found.toi.supports);
                        hits += usize::from(matches!(found.toi.result, ToiResult::Impact { .. }));
                    }
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let n = thrown.len() as f64;
            println!(
                "{touch:?} {moves:?} {:.0} ns tests {:.1} rounds {:.1} supports {:.1} hits {hits}",
                best / n * 1e9,
                tests as f64 / n,
                rounds as f64 / n,
                supports as f64 / n
            );
            let (mut nodes, mut leaves, mut boxes) = (0, 0, 0);
            let _ = (&mut nodes, &mut leaves, &mut boxes);
        }
    }
}
