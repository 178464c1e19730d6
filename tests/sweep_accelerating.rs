//! Is a sweep under acceleration what `spec` says it is, on every level, and never late?
//!
//! First inputs on which `f32` is exact; then hostile ones, compared with exact times: roots of
//! quadratics in whole numbers. What is compared to the bit says so.

mod support;

use support::accelerating::cases::cases;
use support::accelerating::exact;
use support::accelerating::promises::{gap, holds};
use support::cases::how_many;
use swath::sweep::accelerating;
use swath::{AcceleratingBox, Sweep};

fn one_to_one(a: &AcceleratingBox, b: &AcceleratingBox) -> Sweep {
    accelerating::one_to_one(a, b).expect("both are boxes")
}

/// Goal: never missed, never late, hardly early; masks, normals and states. Method: hostile pairs,
/// and times as roots of quadratics in whole numbers, which have no rounding of their own.
#[test]
fn contacts_under_acceleration_keep_their_promises() {
    let mut widest = 0.0_f64;
    let mut counts = [0; 4];
    for case in cases(1, how_many(100_000)) {
        let exact = exact::sweep(&case.a, &case.b);
        let answer = one_to_one(&case.a, &case.b);
        if let Err(promise) = holds(answer, &exact) {
            panic!("{promise}: {answer:?} for {:?}, {case:?}", exact.contact);
        }
        let hit = answer.contact.is_hit();
        counts[usize::from(exact.contact.is_some()) * 2 + usize::from(hit)] += 1;
        if hit {
            widest = widest.max(gap(&exact, answer.first.into())).max(gap(&exact, answer.last.into()));
        }
    }
    println!("widest gap {:.2} units, counts {counts:?}", widest * f64::from(1 << 24));
}
