//! Limits of the work of a query.

use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::Mesh;
use swath::mesh::toi::{self, PartToi};
use swath::{Motion, Pose, Shape};
use testkit::least_time::least_time;

/// A fan of triangles that all have the first vertex.
fn fan(count: u32) -> Mesh<'static> {
    let mut vertices = vec![[0.0; 3]];
    for k in 0..count {
        let angle = k as f32 * core::f32::consts::TAU / count as f32;
        vertices.push([angle.cos(), 0.05 * (k % 2) as f32, angle.sin()]);
    }
    let triangles: Vec<_> = (0..count).map(|k| [0, (k + 1) % count + 1, k + 1]).collect();
    Mesh::new(vertices, triangles).expect("a fan")
}

/// The time until which two parts are known to be apart.
fn free_until(found: &PartToi) -> f32 {
    match found.toi.result {
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
        _ => 0.0,
    }
}

/// Goal: a query begins no search after 1,024 times as many rounds as one pair of parts may take. The pairs that are left are
/// unresolved, from a time that is not later than their contact. Method: all contacts of two fans of which one turns, with one
/// round for each pair, compared with the contacts without a limit that is reached.
#[test]
fn pairs_after_too_many_rounds_are_unresolved_from_a_free_time() {
    let fan = fan(64);
    let body = (&fan).into();
    let still = Motion::default();
    let falling = Motion::new(Pose::at([0.05, 0.3, 0.02]).expect("near"), [0.0, -0.5, 0.0]);
    let falling = falling.expect("slow").spinning([0.1, 0.4, 0.2]).expect("a spin");
    let all = |rounds_max: u32| {
        let (settings, mut found) = (Settings { rounds_max, ..Settings::default() }, Vec::new());
        toi::each_part(&body, &still, &body, &falling, &settings, &mut found).expect("valid");
        found
    };
    let first = |rounds_max: u32| {
        let settings = Settings { rounds_max, ..Settings::default() };
        toi::one_to_one(&body, &still, &body, &falling, &settings).expect("valid")
    };
    let (exact, limited) = (all(2048), all(1));
    let rounds: u32 = limited.iter().map(|found| found.toi.rounds).sum();
    assert!(rounds <= 1024 && limited.len() > 2000, "{rounds} {}", limited.len());
    assert!(limited.iter().any(|found| found.toi.rounds == 0));
    let impacts: Vec<_> = exact.iter().filter(|found| found.toi.impact().is_some()).collect();
    assert!(impacts.len() > 500, "{}", impacts.len());
    for impact in impacts {
        let same = limited.iter().find(|found| found.parts == impact.parts);
        let same = same.unwrap_or_else(|| panic!("{impact:?} is missed"));
        assert!(free_until(same) <= free_until(impact) + 1e-3, "{same:?} {impact:?}");
    }
    assert!(free_until(&first(1)) <= free_until(&first(2048)));
}

/// Goal: the contacts of a body with all triangles at a vertex take no time in proportion to the square of their number. Method: a ball
/// that falls on the tip of a cone, and into a hollow one, of 16,000 triangles; each contact is at the tip, and its normal that of a
/// surface around the tip.
#[test]
fn contacts_at_a_vertex_of_many_triangles_are_found_in_linear_time() {
    const COUNT: u32 = 16_000;
    for (base, normals) in [(-4.0_f32, 0.999..1.1), (4.0, 0.6..0.8)] {
        let mut vertices = vec![[0.0; 3]];
        for k in 0..COUNT {
            let angle = k as f32 * core::f32::consts::TAU / COUNT as f32;
            vertices.push([4.0 * angle.cos(), base, 4.0 * angle.sin()]);
        }
        let triangles: Vec<_> = (0..COUNT).map(|k| [0, (k + 1) % COUNT + 1, k + 1]).collect();
        let cone = Mesh::new(vertices, triangles).expect("a cone");
        // A needle fits into the hollow.
        let body = Shape::segment([0.0; 3], [0.0, 1.0, 0.0]).expect("a segment");
        let body = if base < 0.0 { Shape::sphere(0.5).expect("a ball") } else { body };
        let falling = Motion::new(Pose::at([0.0, 2.0, 0.0]).expect("valid"), [0.0, -3.0, 0.0]);
        let (falling, still) = (falling.expect("valid"), Motion::default());
        let (settings, mut found) = (Settings::default(), Vec::new());
        let time = least_time(|| {
            found.clear();
            toi::each_part(&body.into(), &falling, &(&cone).into(), &still, &settings, &mut found)
                .expect("valid");
        });
        assert_eq!(found.len(), COUNT as usize);
        for found in &found {
            let ToiResult::Impact { normal, on_b, .. } = found.toi.result else {
                panic!("{found:?}")
            };
            assert!(on_b.iter().all(|x| x.abs() < 1e-3), "{found:?}");
            assert!(normals.contains(&-normal[1]), "{found:?}");
        }
        assert!(time.as_secs_f64() < 4.0, "{time:?}");
    }
}

/// Goal: the time for all contacts of a body grows with their number also where the boxes of all triangles overlap. Method: a plate falls on the tips
/// of 16,000 needles that lean across the same place; each tip has a contact, whose normal is vertical; least of three times.
#[test]
fn contacts_of_needles_that_cross_are_found_in_linear_time() {
    const COUNT: u32 = 16_000;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for k in 0..COUNT {
        let (angle, far) = (2.399_963 * k as f32, ((k + 1) as f32 / COUNT as f32).sqrt());
        let [x, z] = [far * angle.cos(), far * angle.sin()];
        triangles.push([0, 1, 2].map(|corner| 3 * k + corner));
        vertices.extend([[x, 0.0, z], [-x, -1.0, -z], [-x + 1e-3, -1.0, -z + 1e-3]]);
    }
    let needles = Mesh::new(vertices, triangles).expect("needles");
    let plate = Shape::cuboid([2.0, 0.1, 2.0]).expect("a plate");
    let falling = Motion::new(Pose::at([0.0, 0.5, 0.0]).expect("valid"), [0.0, -1.0, 0.0]);
    let (falling, still) = (falling.expect("valid"), Motion::default());
    let (settings, mut found) = (Settings::default(), Vec::new());
    let time = least_time(|| {
        found.clear();
        toi::each_part(&plate.into(), &falling, &(&needles).into(), &still, &settings, &mut found)
            .expect("valid");
    });
    assert_eq!(found.len(), COUNT as usize);
    for found in &found {
        let ToiResult::Impact { normal, .. } = found.toi.result else { panic!("{found:?}") };
        assert!(normal[1] < -0.999_999, "{found:?}");
    }
    assert!(time.as_secs_f64() < 2.0, "{time:?}");
}
