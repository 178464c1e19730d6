//! Screening against dense propagation that shares no code with it.

use conjunctions::catalogue::catalogue;
use conjunctions::orbit::{Elements, MU};
use conjunctions::screen::{Conjunction, ScreenError, Screening, Settings, screen};
use std::ops::ControlFlow;

/// Position by solving Kepler's equation for the mean anomaly itself, by bisection and Newton's method.
fn position(elements: &Elements, seconds: f64) -> [f64; 3] {
    let (a, e) = (elements.semi_major_axis, elements.eccentricity);
    let mean = elements.mean_anomaly + (MU / (a * a * a)).sqrt() * seconds;
    let mut anomaly = mean;
    for _ in 0..100 {
        let step = (anomaly - e * anomaly.sin() - mean) / (1.0 - e * anomaly.cos());
        anomaly -= step.clamp(-0.5, 0.5);
        if step.abs() < 1e-14 {
            break;
        }
    }
    let true_anomaly = 2.0
        * ((1.0 + e).sqrt() * (anomaly / 2.0).sin())
            .atan2((1.0 - e).sqrt() * (anomaly / 2.0).cos());
    let radius = a * (1.0 - e * anomaly.cos());
    let angle = elements.perigee + true_anomaly;
    let (node, inclination) = (elements.node, elements.inclination);
    [
        radius * (node.cos() * angle.cos() - node.sin() * angle.sin() * inclination.cos()),
        radius * (node.sin() * angle.cos() + node.cos() * angle.sin() * inclination.cos()),
        radius * angle.sin() * inclination.sin(),
    ]
}

fn distance(p: [f64; 3], q: [f64; 3]) -> f64 {
    p.iter().zip(q).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// All minima of the distance below `within`, of samples `step` seconds apart, each improved by ternary search.
fn dense(objects: &[Elements], seconds: f64, step: f64, within: f64) -> Vec<Conjunction> {
    let samples = (seconds / step).round() as usize;
    let paths: Vec<Vec<[f64; 3]>> = objects
        .iter()
        .map(|object| (0..=samples).map(|k| position(object, k as f64 * step)).collect())
        .collect();
    let mut found = Vec::new();
    for a in 0..objects.len() {
        for b in a + 1..objects.len() {
            // Two objects approach each other by less than 22 km/s.
            let near = within + 22.0 * step;
            let apart = |k: usize| distance(paths[a][k], paths[b][k]);
            for k in 0..=samples {
                let d = apart(k);
                if d > near || (k > 0 && apart(k - 1) < d) || (k < samples && apart(k + 1) <= d) {
                    continue;
                }
                let at = |t: f64| distance(position(&objects[a], t), position(&objects[b], t));
                let (mut low, mut high) =
                    ((k as f64 - 1.0).max(0.0) * step, (k as f64 + 1.0).min(samples as f64) * step);
                for _ in 0..80 {
                    let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                    if at(p) <= at(q) { high = q } else { low = p }
                }
                let t = f64::midpoint(low, high);
                if at(t) <= within {
                    let (a, b) = (a as u32, b as u32);
                    found.push(Conjunction {
                        a,
                        b,
                        seconds: t,
                        distance_km: at(t),
                        speed_km_s: 0.0,
                    });
                }
            }
        }
    }
    found
}

/// Whether the two objects of an approach are within the distance at all times between it and another time.
fn stay_within(objects: &[Elements], of: &Conjunction, other: f64, within: f64) -> bool {
    let [a, b] = [of.a, of.b].map(|row| &objects[row as usize]);
    let (from, to) = (of.seconds.min(other), of.seconds.max(other));
    let steps = (to - from).ceil() as usize;
    (0..=steps).all(|k| {
        let t = (from + k as f64).min(to);
        distance(position(a, t), position(b, t)) <= within + 1e-3
    })
}

/// Continues a screening to its end.
fn all(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Goal: a screening that is cancelled ends at once, with the approaches of the ticks so far. Method: a screening that breaks after some ticks,
/// and one of as many ticks.
#[test]
fn cancelled_screening_ends_at_once() {
    let objects = catalogue(220, 7);
    let settings = Settings { tick_seconds: 60.0, ticks: 300, within_km: 90.0 };
    let mut done = Vec::new();
    let cancelled = screen(&objects, &settings, |tick| {
        done.push(tick);
        if tick == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(done.iter().copied().eq(1..=20));
    let shorter = screen(&objects, &Settings { ticks: 20, ..settings }, all).unwrap();
    let of = |screening: &Screening| format!("{:?}", screening.conjunctions);
    assert!(!shorter.conjunctions.is_empty());
    assert_eq!(of(&cancelled.unwrap()), of(&shorter));
}

/// Goal: no approach is missed, and none is invented. Method: dense propagation of a sample of a catalogue, with a large
/// distance so that there are many approaches, for two lengths of a tick.
#[test]
fn screening_finds_the_approaches_of_dense_propagation() {
    let objects = catalogue(220, 7);
    let (hours, within) = (5.0, 90.0);
    let expected = dense(&objects, hours * 3600.0, 5.0, within);
    assert!(expected.len() > 100, "{} approaches are too few for a test", expected.len());
    for tick_seconds in [60.0, 37.5, 300.0] {
        let ticks = (hours * 3600.0 / tick_seconds) as usize;
        let settings = Settings { tick_seconds, ticks, within_km: within };
        let found = screen(&objects, &settings, all).unwrap().conjunctions;
        for e in &expected {
            // Minima of one interval within the distance are one approach, so a deeper one may stand for it.
            let is = |c: &&Conjunction| {
                (c.a, c.b) == (e.a, e.b)
                    && c.distance_km <= e.distance_km + 1e-3
                    && ((c.seconds - e.seconds).abs() < 0.5
                        || c.distance_km < e.distance_km - 1e-3
                            && stay_within(&objects, e, c.seconds, within))
            };
            assert!(found.iter().any(|c| is(&c)), "missed {e:?} with ticks of {tick_seconds} s");
        }
        for c in &found {
            let is = |e: &&Conjunction| {
                (c.a, c.b) == (e.a, e.b)
                    && (c.seconds - e.seconds).abs() < 0.5
                    && (c.distance_km - e.distance_km).abs() < 1e-3
            };
            assert!(
                expected.iter().any(|e| is(&e)),
                "invented {c:?} with ticks of {tick_seconds} s"
            );
        }
    }
}

/// Goal: an approach across the end of a tick is reported once; two objects that stay together are one approach.
#[test]
fn approach_across_ticks_is_reported_once() {
    let leader = Elements {
        semi_major_axis: 42_164.0,
        eccentricity: 1e-4,
        inclination: 0.01,
        node: 1.0,
        perigee: 2.0,
        mean_anomaly: 3.0,
    };
    // It follows about four km behind.
    let follower = Elements { mean_anomaly: 3.0 - 1e-4, ..leader };
    let settings = Settings { tick_seconds: 60.0, ticks: 600, within_km: 5.0 };
    let found = screen(&[leader, follower], &settings, all).unwrap().conjunctions;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((4.2..4.22).contains(&found[0].distance_km), "{found:?}");
}

/// Goal: what is not an orbit is refused, with its index.
#[test]
fn invalid_elements_and_settings_are_errors() {
    let mut objects = catalogue(3, 1);
    let settings = Settings { tick_seconds: 60.0, ticks: 1, within_km: 5.0 };
    for eccentricity in [1.0, -0.1, f64::NAN, f64::INFINITY] {
        objects[1].eccentricity = eccentricity;
        let error = screen(&objects, &settings, all).unwrap_err();
        assert!(matches!(error, ScreenError::Elements(1)), "{error}");
    }
    for (tick_seconds, within_km) in
        [(0.0, 5.0), (f64::NAN, 5.0), (60.0, -1.0), (60.0, f64::NAN), (1e9, 1.0)]
    {
        let settings = Settings { tick_seconds, within_km, ..settings };
        let error = screen(&catalogue(2, 1), &settings, all).unwrap_err();
        assert!(matches!(error, ScreenError::Settings { .. }), "{error}");
    }
    assert!(screen(&[], &settings, all).unwrap().conjunctions.is_empty());
}

/// Goal: two objects that approach each other several times are reported once for each tick, and once for each approach if the ticks are
/// shorter. Method: two small circular orbits that cross twice in a period of five minutes.
#[test]
fn several_approaches_in_a_tick_are_one() {
    let [first, second] = [(0.3, 0.0, 0.11), (1.4, 0.9, 0.11 - 0.9 + 1e-5)].map(
        |(inclination, perigee, mean_anomaly)| Elements {
            semi_major_axis: 1000.0,
            eccentricity: 0.0,
            inclination,
            node: 0.5,
            perigee,
            mean_anomaly,
        },
    );
    for (ticks, tick_seconds, approaches) in [(120, 10.0, 7), (20, 60.0, 7), (2, 600.0, 2)] {
        let settings = Settings { tick_seconds, ticks, within_km: 5.0 };
        let found = screen(&[first, second], &settings, all).unwrap().conjunctions;
        assert_eq!(found.len(), approaches, "{tick_seconds} {found:?}");
    }
}
