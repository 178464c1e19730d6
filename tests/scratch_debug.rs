//! scratch
mod support;
use support::convex_cases::*;
use swath::spec::{self, FirstTime};
#[test]
fn debug() {
    let mut shown = 0;
    for (i, case) in convex_cases(1, 2000).enumerate() {
        let [a, b] = case.solids();
        if false {
            println!("{i} {:?}", case.shapes);
            for t in [0.0, 1e-9, 1e-6] {
                println!("{:?}", spec::distance(&a, &b, t));
            }
            continue;
        }

        let w = case.window.map(f64::from);
        let found = spec::first_time(&a, &b, case.target.into(), w);
        if let FirstTime::Hit { free_until, hit_at } = found {
            if hit_at - free_until > 1e-9 && shown < 20 && case.family != "grazing" {
                shown += 1;
                println!(
                    "{i} {} {} {:e} target {} r {:?} {:?}",
                    case.family,
                    free_until,
                    hit_at - free_until,
                    case.target,
                    case.shapes.clone().map(|s| s.radius),
                    case.shapes
                        .clone()
                        .map(|s| format!("{:?}", s.core).chars().take(60).collect::<String>())
                );
                for t in [free_until, (free_until + hit_at) / 2.0, hit_at] {
                    let d = spec::distance(&a, &b, t);
                    println!("   {:e} {:e} {:?} {:e}", d.lower, d.upper, d.normal, d.noise);
                }
            }
        }
    }
}
