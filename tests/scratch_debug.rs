//! s
mod support;
use support::convex_cases::*;
use swath::spec::{self, FirstTime};
#[test]
fn debug() {
    for (i, case) in convex_cases(8, 2000).enumerate() {
        let [a, b] = case.solids();
        let found = spec::first_time(&a, &b, case.target.into(), case.window.map(f64::from));
        if let FirstTime::Hit { free_until, hit_at } = found {
            if hit_at == free_until && hit_at > case.window[0].into() {
                println!(
                    "{i} {} {found:?} {} {:?} {:?}",
                    case.family,
                    case.target,
                    case.shapes.clone().map(|s| s.radius),
                    case.shapes
                        .clone()
                        .map(|s| format!("{:?}", s.core).chars().take(60).collect::<String>())
                );
                for t in [-1e-6, -1e-8, -1e-10, 0.0, 1e-10] {
                    let d = spec::distance(&a, &b, hit_at + t);
                    println!(
                        "   {:e} {:e} {:e} {:?}",
                        d.lower - case.target as f64,
                        d.upper - case.target as f64,
                        d.noise,
                        d.normal
                    );
                }
            }
        }
    }
}
