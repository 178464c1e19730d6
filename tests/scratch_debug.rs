//! s
#![allow(unsafe_code)]
mod support;
use support::convex_cases::*;
use swath::spec;
#[test]
fn debug() {
    unsafe {
        std::env::remove_var("DBG");
    }
    for (i, case) in convex_cases(2, 1917).enumerate() {
        let [a, b] = case.solids();
        if i != 1916 {
            continue;
        }
        println!("HERE");
        unsafe {
            std::env::set_var("DBG", "1");
        }
        for k in 0..1 {
            println!("{:?}", spec::distance(&a, &b, k as f64 / 4.0));
        }
    }
}
