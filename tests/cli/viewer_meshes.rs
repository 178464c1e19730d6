//! Tests of the ticks that the example `viewer` shows by itself, and of its responses about terrains and elements of meshes.

use crate::command::folder;
use crate::page::{boxes, floats, page, pairs, recording, viewer};
use crate::viewer::{asked, ball, request, serve};
use serde_json::{Value, json};
use swath::Pair;

/// Goal: the ticks without a scene contain each kind of result, and a sentence about them. Method: the first tick, in
/// which nothing overlaps, a bullet hits the plate, and another one misses a crate.
#[test]
fn ticks_without_a_scene_tell_what_happens() {
    let recording = recording(&page(&mut viewer("--ticks 30"), &folder("viewer_story")));
    let ticks = recording["ticks"].as_array().expect("ticks");
    assert_eq!(ticks.len(), 30);
    let said = |tick: &Value| tick["caption"].as_str().expect("a sentence").to_owned();
    assert!(said(&ticks[0]).contains("bullet") && said(&ticks[0]) != said(&ticks[1]));
    let rows = boxes(&ticks[0]);
    let plate = rows.iter().position(|of| of.aabb.size()[0] < 0.01).expect("a plate") as u32;
    let bullets: Vec<u32> =
        (0..rows.len() as u32).filter(|&row| rows[row as usize].delta[0] > 3.0).collect();
    assert_eq!(bullets.len(), 3);
    let swept = pairs(&ticks[0]["swept"]);
    let hit = bullets.iter().map(|&bullet| Pair { a: plate, b: bullet });
    assert_eq!(hit.filter(|pair| swept.contains(pair)).count(), 1);
    assert!(floats(&ticks[0]["first"]).iter().all(|&first| first > 0.0));
    let misses: Vec<_> =
        pairs(&ticks[0]["union"]).into_iter().filter(|pair| !swept.contains(pair)).collect();
    assert_eq!(misses.len(), 1);
    assert!(bullets.contains(&misses[0].b) && misses[0].a != plate);
    // With CCD, the first bullet is in front of the plate in the next tick.
    let next = boxes(&ticks[1]);
    let front = rows[plate as usize].aabb.min[0];
    assert!(bullets.iter().any(|&bullet| next[bullet as usize].aabb.max[0] <= front));
}

/// Goal: a body that falls on a terrain hits the right triangle at the right time. Method: a ball above a flat terrain of eight
/// triangles, in both orders of the two; the path's distances have a closed form.
#[test]
fn response_for_a_terrain_names_the_triangle() {
    let (_server, address) = serve();
    let still = json!({ "position": [0, 0, 0], "rotation": [0, 0, 0, 1] });
    let terrain = |cells: u32, height: f32| {
        let form = json!({ "kind": "terrain", "cells": cells, "seed": 1, "half": [2, height, 2] });
        json!({ "shape": { "form": form }, "motion": still })
    };
    let falling = ball(0.5, [0.9, 3.0, 1.3], [0.0, -5.0, 0.0]);
    for terrain_first in [false, true] {
        let (a, b) = (falling.clone(), terrain(2, 0.0));
        let question =
            if terrain_first { json!({ "a": b, "b": a }) } else { json!({ "a": a, "b": b }) };
        let answer = asked(&address, "/pair", &question);
        let t = answer["toi"]["t"].as_f64().expect("an impact");
        assert!(t <= 0.5 && t > 0.499, "{t}");
        let triangle = &answer["triangle"];
        assert_eq!(
            (&triangle["of"], &triangle["body"]),
            (&json!(8), &json!(u8::from(!terrain_first)))
        );
        let corners: [[f64; 3]; 3] =
            serde_json::from_value(triangle["corners"].clone()).expect("three corners");
        let [low, high] = [f64::min as fn(f64, f64) -> f64, f64::max].map(|pick| {
            [0, 2]
                .map(|axis| corners.iter().map(|corner| corner[axis]).reduce(pick).expect("three"))
        });
        assert!(low[0] <= 0.9 && 0.9 <= high[0] && low[1] <= 1.3 && 1.3 <= high[1], "{corners:?}");
        assert!(!answer["steps"].as_array().expect("steps").is_empty());
        for sample in answer["path"].as_array().expect("a path") {
            let at = sample["t"].as_f64().expect("t");
            let distance = sample["distance"].as_f64().expect("a distance");
            let expected = (2.5 - 5.0 * at).max(-0.5);
            assert!(distance <= expected + 1e-5 || at > 0.5, "{sample}");
            assert!(at > 0.5 || distance >= expected - 1e-5, "{sample}");
        }
    }
    let mesh = asked(&address, "/mesh", &terrain(3, 0.5)["shape"]);
    assert_eq!(mesh["triangles"], 18);
    assert_eq!(floats(&mesh["positions"]).len(), 18 * 9);

    let refused = |question: &Value, why: &str| {
        let (status, says) = request(&address, "POST /pair", &question.to_string());
        assert!(status == 400 && says.contains(why) && says.lines().count() == 1, "{says}");
    };
    refused(&json!({ "a": terrain(2, 0.0), "b": terrain(2, 0.0) }), "only one of the two");
    refused(&json!({ "a": falling, "b": terrain(0, 0.0) }), "1 to 16 cells");
    refused(&json!({ "a": falling, "b": terrain(17, 0.0) }), "1 to 16 cells");
    refused(&json!({ "a": falling, "b": terrain(2, -1.0) }), "invalid terrain");
    let mut rounded = terrain(2, 0.0);
    rounded["shape"]["rounded"] = json!(0.1);
    refused(&json!({ "a": falling, "b": rounded }), "neither scaled nor rounded");
}

/// Goal: the response about a vertex and a face, or about two edges, is that of the library, with the distances along the
/// way. Method: motions of which the first time has a closed form; then invalid requests.
#[test]
fn response_for_elements_is_correct() {
    let (_server, address) = serve();
    let face = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let with = |vertex: [f64; 3]| [vertex, face[0], face[1], face[2]];
    for (separation, t) in [(0.0, 0.75), (1.0, 0.5)] {
        let question = json!({
            "kind": "vertex_face",
            "start": with([1.0, 1.0, 3.0]),
            "end": with([1.0, 1.0, -1.0]),
            "minimum_separation": separation,
        });
        let answer = asked(&address, "/elements", &question);
        let found = answer["toi"]["t"].as_f64().expect("a contact");
        assert!(found <= t && found > t - 1e-6, "{found}");
        assert_eq!(answer["toi"]["coordinates"], json!([0.25, 0.25]));
        let path = answer["path"].as_array().expect("a path");
        assert_eq!(path.len(), 129);
        for sample in path {
            let [at, distance] = ["t", "distance"].map(|of| sample[of].as_f64().expect("a number"));
            assert!((distance - (3.0 - 4.0 * at).abs()).abs() < 1e-5, "{sample}");
        }
    }
    let edges =
        |height: f64| [[-1.0, height, 0.0], [1.0, height, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]];
    let question = json!({ "kind": "edge_edge", "start": edges(1.0), "end": edges(-1.0) });
    let answer = asked(&address, "/elements", &question);
    let found = answer["toi"]["t"].as_f64().expect("a contact");
    assert!(found <= 0.5 && found > 0.5 - 1e-6, "{found}");
    let question = json!({ "kind": "edge_edge", "start": edges(1.0), "end": edges(0.5) });
    assert_eq!(asked(&address, "/elements", &question)["toi"]["kind"], "separated");

    for (part, value, why) in [
        ("kind", json!("face_face"), "unknown variant"),
        ("start", json!([[0, 0, 0]]), "invalid length 1"),
        ("end", json!([[0, 0, 1e300], [0, 0, 0], [0, 0, 0], [0, 0, 0]]), "vertex 0"),
        ("minimum_separation", json!(-1), "minimum separation"),
        ("speed", json!(1), "unknown field"),
    ] {
        let mut bad = question.clone();
        bad[part] = value;
        let (status, says) = request(&address, "POST /elements", &bad.to_string());
        assert!(status == 400 && says.contains(why) && says.lines().count() == 1, "{part}: {says}");
    }
    assert_eq!(request(&address, "PUT /elements", "").0, 405);
    let (status, page) = request(&address, "GET /elements", "");
    assert!(status == 200 && page.contains("id=\"preset\"") && page.ends_with("</html>\n"));
}

/// Goal: the outline of a round body whose points are close together is drawn within seconds. Method: hulls and an ellipsoid far smaller than their
/// rounding, whose points are as near to each other as the movement that the search of the outline adds; a request waits at most 20 s.
#[test]
fn round_body_with_crowded_points_is_drawn_in_time() {
    let (_server, address) = serve();
    let hull = json!({ "kind": "hull", "points": 256, "seed": 1, "half": [1, 1, 1] });
    let half = [0.512_404_443_666_245_7, 1.0, 0.248_385_829_757_917_7];
    let ellipsoid = json!({ "kind": "ellipsoid", "half": half });
    for (form, rounded) in [(&hull, 9e6), (&hull, 1e7), (&hull, 1.6e7), (&ellipsoid, 16_777_216.0)]
    {
        asked(&address, "/mesh", &json!({ "form": form, "rounded": rounded }));
    }
}
