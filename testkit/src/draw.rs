//! Random numbers from a seed, and the number of cases of a test.

use std::fmt::Debug;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// A sequence of random numbers that a seed determines. Files that need more have methods of their own.
pub struct Draw(pub Xoshiro256PlusPlus);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn whole(&mut self, from: i32, to: i32) -> f32 {
        self.0.random_range(from..=to) as f32
    }

    pub fn between(&mut self, from: f32, to: f32) -> f32 {
        self.0.random_range(from..=to)
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }

    pub fn one_in(&mut self, of: u32) -> bool {
        self.0.random_range(0..of) == 0
    }

    pub fn sign(&mut self) -> f32 {
        if self.one_in(2) { 1.0 } else { -1.0 }
    }
}

/// Number of cases of a test: the value of `SWATH_CASES` (`.ci/exact`: ten million), otherwise `ordinary`, or the share of it
/// that `SWATH_CASES_PERCENT` states (`.ci/emulated`, `.ci/mutants`). A test with at most 10,000 cases takes all of them, because many
/// tests also demand that rare cases are among those that they draw.
pub fn how_many(ordinary: usize) -> usize {
    let number = |name: &str| {
        let text = std::env::var(name).ok();
        text.map(|text| text.parse::<usize>().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let share = |percent: usize| (ordinary * percent / 100).max(ordinary.min(10_000));
    number("SWATH_CASES").unwrap_or_else(|| number("SWATH_CASES_PERCENT").map_or(ordinary, share))
}

/// Calls `check` with random values of `make`, the same in each run. Prints the value for which it panics.
pub fn for_each<T: Clone + Debug>(cases: usize, make: impl Fn(&mut Draw) -> T, check: impl Fn(T)) {
    let mut draw = Draw::new(1);
    for _ in 0..cases {
        let case = Case(make(&mut draw));
        check(case.0.clone());
    }
}

/// A value that is printed if the thread panics while it exists.
struct Case<T: Debug>(T);

impl<T: Debug> Drop for Case<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the case is {:?}", self.0);
        }
    }
}
