//! scratch
mod support;
use std::collections::BTreeMap;
use support::cases::how_many;
use support::convex_cases::*;
use swath::spec::{self, FirstTime};
#[test]
fn stats() {
    let count = how_many(10_000);
    let mut by: BTreeMap<&str, [f64; 9]> = BTreeMap::new();
    for (i, case) in convex_cases(1, count).enumerate() {
        let [a, b] = case.solids();
        let now = std::time::Instant::now();
        let w = case.window.map(f64::from);
        let found = spec::first_time(&a, &b, case.target.into(), w);
        let took = now.elapsed().as_secs_f64();
        let row = by.entry(case.family).or_default();
        row[0] += 1.0;
        match found {
            FirstTime::Hit { free_until, hit_at } => {
                row[1] += 1.0;
                if hit_at - free_until > 1e-9 {
                    row[2] += 1.0;
                }
                if hit_at == w[0] {
                    row[8] += 1.0;
                }
            }
            FirstTime::Free => row[3] += 1.0,
            FirstTime::Graze { .. } => row[4] += 1.0,
            _ => {
                row[5] += 1.0;
                println!("open {i} {case:?} {found:?}");
            }
        }
        row[6] += took * 1e6;
        if took > row[7] {
            row[7] = took;
            if took > 0.02 {
                println!("{i} took {took} {found:?} {case:?}");
            }
        }
    }
    for (name, r) in by {
        println!(
            "{name:28} n {:6} hit {:6} start {:5} wide {:4} free {:6} graze {:5} open {} mean us {:8.1} worst ms {:.2}",
            r[0],
            r[1],
            r[8],
            r[2],
            r[3],
            r[4],
            r[5],
            r[6] / r[0],
            r[7] * 1e3
        );
    }
    for family in 0..20 {
        let mut worst = 0.0_f64;
        let mut bad = 0;
        let mut sum = 0.0;
        let mut n = 0;
        for (i, case) in convex_cases(2, 2000).enumerate() {
            if i % 20 != family {
                continue;
            }
            let [a, b] = case.solids();
            let now = std::time::Instant::now();
            for k in 0..5 {
                let d = spec::distance(&a, &b, k as f64 / 4.0);
                n += 1;
                let off = (d.upper - d.lower.max(0.0)) / d.noise;
                if off > 2.0 {
                    bad += 1;
                }
                if off > worst {
                    worst = off;
                    if off > 100.0 {
                        println!("{i} off {off} {d:?} {case:?}");
                    }
                }
            }
            sum += now.elapsed().as_secs_f64();
        }
        println!(
            "{family} {} worst {worst} bad {bad} of {n} us {}",
            FAMILIES[family].0,
            sum * 1e6 / n as f64
        );
    }
}
