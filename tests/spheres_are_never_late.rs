//! Is a sweep of round shapes never late, never missed and hardly early?

mod support;
use support::balls::{Round, rounds};
use support::cases::how_many;
use support::nearing::Nearing;
use swath::sweep::{sphere_box, spheres};
use swath::{State, Sweep};

#[test]
fn probe() {
    let mut worst: std::collections::BTreeMap<(&str, usize, usize), (f64, Round)> = Default::default();
    let mut counts: std::collections::BTreeMap<(&str, usize, State2), usize> = Default::default();
    let mut slow = 0;
    for case in rounds(1, how_many(300_000)) {
        let q = [Nearing::spheres(&case.a, &case.b), Nearing::sphere_box(&case.ball, &case.boxed)];
        let answers = [spheres::one_to_one(&case.a, &case.b).unwrap(), sphere_box::one_to_one(&case.ball, &case.boxed).unwrap()];
        for (which, (n, s)) in q.iter().zip(answers).enumerate() {
            *counts.entry((case.family, which, State2(s.contact.bits()))).or_default() += 1;
            if !s.contact.is_hit() {
                assert!(n.misses(), "missed {which} {case:?}");
                continue;
            }
            let Sweep { first, last, contact } = s;
            assert!(0.0 <= first && first <= last && last <= 1.0, "{which} {s:?} {case:?}");
            assert!(n.is_not_late(first), "late {which} {s:?} {case:?}");
            assert!(n.is_not_early(last), "early {which} {s:?} {case:?}");
            if n.overlaps() { assert!(contact.state() == State::Overlapping && first == 0.0, "state {which} {s:?} {case:?}"); slow += 1; }
            let lengths = n.lengths();
            let total: f64 = lengths.iter().sum();
            for (k, t) in [(0, first), (1, last)] {
                if (k==0 && t == 0.0) || (k==1 && t==1.0) { }
                let gap = n.gap(t as f64).max(0.0) / total.max(1e-300) * (1 << 24) as f64;
                let w = worst.entry((case.family, which, k)).or_insert((0.0, case));
                if gap > w.0 { *w = (gap, case); }
            }
        }
    }
    for (k, v) in &worst { println!("{k:?} {:.2}", v.0); }
    for (k, v) in &counts { println!("{k:?} {v}"); }
    println!("{slow}");
}
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State2(u32);
