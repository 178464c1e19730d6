//! First times of bodies that make whole turns near many parts.

use swath::convex::toi as convex_toi;
use swath::convex::toi::{Settings, Toi, ToiResult};
use swath::mesh::toi::{self, PartToi};
use swath::mesh::{Geometry, HeightField, Mesh};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};
use testkit::finite::assert_finite;
use testkit::mesh_cases::{judged, mesh_case};

/// A fan of triangles that all have the first vertex.
fn fan(count: u32, reversed: bool) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let mut vertices = vec![[0.0; 3]];
    let mut triangles = Vec::new();
    for k in 0..count {
        let angle = k as f32 * core::f32::consts::TAU / count as f32;
        vertices.push([angle.cos(), 0.05 * (k % 2) as f32, angle.sin()]);
        triangles.push([0, (k + 1) % count + 1, k + 1]);
    }
    if reversed {
        triangles.reverse();
    }
    (vertices, triangles)
}

/// Searches each part alone, until the earliest time so far. Returns that time and the sum of the rounds.
fn one_by_one(parts: usize, mut find: impl FnMut(usize, &Settings) -> Toi) -> (f32, u32) {
    let (mut settings, mut rounds) = (Settings::default(), 0);
    for part in 0..parts {
        let toi = find(part, &settings);
        rounds += toi.rounds;
        settings.window[1] = toi.impact().unwrap_or(settings.window[1]);
    }
    (settings.window[1], rounds)
}

fn find(a: &Geometry<'_>, of_a: &Motion, b: &Geometry<'_>, of_b: &Motion) -> PartToi {
    toi::one_to_one(a, of_a, b, of_b, &Settings::default()).expect("valid")
}

/// Goal: the rounds of a search against parts that are all near are about those of a loop over the parts whose window ends at
/// the earliest contact so far. Method: a box over a fan, of which one rotates; both sides of the triangles and one of them.
#[test]
fn rounds_against_many_near_parts_are_those_of_a_loop() {
    let block = Shape::cuboid([0.2, 0.1, 0.3]).expect("a box");
    let falling = Motion::new(Pose::at([0.2, 0.15, 0.2]).expect("near"), [0.0, -0.1, 0.0]);
    let falling = falling.expect("slow");
    let mut tested = 0;
    for count in [64, 300] {
        for (spin, reversed) in
            [(4.0, false), (8.0, true), (30.0, false), (200.0, true), (580.0, false)]
        {
            let (vertices, triangles) = fan(count, reversed);
            let still = Motion::default();
            for (of_block, of_mesh) in [
                (falling.spinning([spin; 3]).expect("a spin"), still),
                (falling, still.spinning([spin; 3]).expect("a spin")),
            ] {
                let (best, rounds) = one_by_one(triangles.len(), |k, settings| {
                    let corners = triangles[k].map(|vertex| vertices[vertex as usize]);
                    let part = Shape::triangle(corners).expect("a triangle");
                    convex_toi::one_to_one(&block, &of_block, &part, &of_mesh, settings)
                        .expect("valid")
                });
                for one_sided in [false, true] {
                    let mesh = Mesh::new(&vertices[..], &triangles[..]).expect("a fan");
                    let mesh = if one_sided { mesh.one_sided() } else { mesh };
                    let found = find(&block.into(), &of_block, &(&mesh).into(), &of_mesh);
                    let Some(t) = found.toi.impact() else { panic!("{found:?}") };
                    assert!((t - best).abs() < 2e-3, "{spin}: {t} {best}");
                    assert!(found.toi.rounds < 4 * rounds + 100, "{spin} {rounds}: {found:?}");
                    tested += 1;
                }
            }
        }
    }
    assert_eq!(tested, 40);
}

/// Goal: a first time is never late, and no contact is missed, where a body makes many turns. Method: as for bodies that rotate
/// less; and for a one-sided mesh the first of all contacts, whose searches do not wait for each other.
#[test]
fn first_times_of_bodies_that_make_whole_turns_keep_all_promises() {
    let mut draw = Draw::new(71);
    let (mut impacts, mut of_front, mut other) = (0, 0, 0);
    let cases = how_many(400);
    for index in 0..cases {
        let mut case = mesh_case(&mut draw);
        let rate = draw.one_of(&[10.0, 30.0, 100.0]);
        let spin = [0; 3].map(|_| draw.between(-rate, rate));
        match index % 3 {
            0 => case.mesh_motion.spin = spin,
            _ => case.motion.spin = spin,
        }
        let mesh = case.mesh();
        let found = case.asked(&(&mesh).into());
        assert_finite(&found);
        let [a, b] = case.bodies();
        match judged(&a, &b, case.target.into(), &found) {
            Ok(impact) => impacts += usize::from(impact),
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
        let mesh = mesh.one_sided();
        let first = case.asked(&(&mesh).into());
        let [of_shape, of_mesh] = case.motions();
        let (mut all, settings) = (Vec::new(), case.settings());
        case.with_shape(|shape| {
            let (a, b) = (shape.into(), (&mesh).into());
            toi::each_part(&a, &of_shape, &b, &of_mesh, &settings, &mut all).expect("valid");
        });
        let end = |found: Option<&PartToi>| match found.map(|found| found.toi.result) {
            Some(ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t }) => t,
            Some(ToiResult::Overlapping { .. }) => 0.0,
            _ => 1.0,
        };
        let ends = [end(Some(&first)), end(all.first())];
        of_front += usize::from(ends[0] < 1.0);
        if (ends[0] - ends[1]).abs() > 1e-3 {
            other += 1;
        }
    }
    assert!(impacts > cases / 4 && of_front > cases / 6 && other * 100 < cases + 100);
}

/// Goal: the parts of a body that makes many turns are not tested while the shape is outside of the box that turns. Method: a ball
/// over a flat field that turns about its normal, and one that falls onto it: the field passes below the ball while that is at its height.
#[test]
fn parts_of_a_turning_body_are_tested_only_near_its_box() {
    let field = HeightField::new(vec![0.0; 128 * 128], [128, 128], [1.0, 1.0]).expect("a field");
    let field = Geometry::from(&field);
    let ball = Shape::sphere(0.5).expect("a ball").into();
    for spin in [10.0, 1000.0] {
        let turning = Motion::default().spinning([0.0, spin, 0.0]).expect("a spin");
        let over = Motion::new(Pose::at([64.0, 3.0, 64.0]).expect("valid"), [1.0, 0.0, 1.0]);
        let found = find(&ball, &over.expect("valid"), &field, &turning);
        assert_eq!((found.toi.result, found.tests), (ToiResult::Separated, 0), "{spin}");
        assert!(found.toi.rounds <= 32, "{found:?}");
        let falling = Motion::new(Pose::at([64.0, 3.0, 64.0]).expect("valid"), [0.0, -5.0, 0.0]);
        let found = find(&ball, &falling.expect("valid"), &field, &turning);
        assert!(found.toi.impact().is_some_and(|t| t > 0.499 && t < 0.7), "{found:?}");
    }
}
