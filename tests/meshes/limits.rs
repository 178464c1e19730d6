//! Limits of the work of a query.

use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::Mesh;
use swath::mesh::toi::{self, PartToi};
use swath::{Motion, Pose};

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
