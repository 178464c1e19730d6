//! Times a tick of each system, in one scene of one size on one number of threads.
//!
//! All systems run the same ticks of one scene, one after another, in an order that rotates, so other load of
//! the machine affects all alike. Ticks are numbered from 1.
//!
//! | state | ticks | what it shows |
//! |---|---|---|
//! | cold | 1, by a few systems newly made each time | no memory, no tree |
//! | warm | 2 to 10 | a tree that was built lately |
//! | steady | the last 11 | what a long run comes to: a refitted tree is worse by then |
//!
//! Times are medians. Between warm and steady only systems that keep data between ticks run; for the others
//! every tick is alike.
//!
//! Before times are used the pairs are compared, in the first tick, the first warm one and the last. A system
//! over its budget of seconds is stopped, and the states that it did not finish contain a note.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::agree::{self, Digest, Disagreement};
use crate::systems::{Kind, System, Tick};
use examples::measure::{floor, median};
use scenes::{Scene, World};

/// Number of repetitions of the first tick, while they take less than [`COLD_SECONDS`] together.
const COLD_TRIES: usize = 3;
const COLD_SECONDS: f64 = 2.0;
/// The last warm tick.
const WARM_LAST: u32 = 10;
/// Number of ticks of the steady state.
const STEADY_TICKS: u32 = 11;

/// Least number of ticks of a state for a median, if a system was stopped before its end.
const TICKS_MIN: usize = 3;

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ContactState {
    Cold,
    Warm,
    Steady,
}

impl ContactState {
    pub(crate) const ALL: [Self; 3] = [Self::Cold, Self::Warm, Self::Steady];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Steady => "steady",
        }
    }

    /// The state of a tick in a run of `ticks` ticks. A short run has no steady state.
    fn of(tick: u32, ticks: u32) -> Option<Self> {
        match tick {
            1 => Some(Self::Cold),
            2..=WARM_LAST => Some(Self::Warm),
            _ => (tick + STEADY_TICKS > ticks).then_some(Self::Steady),
        }
    }
}

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<'a> {
    pub(crate) scene: Scene,
    pub(crate) boxes: usize,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    pub(crate) ticks: u32,
    pub(crate) systems: &'a [Kind],
    /// Limit of seconds for each system over all its ticks.
    pub(crate) budget: Duration,
}

/// The times of one system in one state.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Took {
        median: Duration,
        pairs: usize,
        /// The reason, if it was stopped before the end of the state.
        note: String,
    },
    /// Why there is no time.
    Skipped(String),
}

/// All results.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    pub(crate) systems: Vec<(Kind, ContactState, Outcome)>,
    pub(crate) floor: Duration,
    pub(crate) floor_pairs: usize,
}

/// One system in the run.
struct Contestant {
    kind: Kind,
    system: Box<dyn System>,
    times: [Vec<Duration>; 3],
    pairs: [usize; 3],
    spent: Duration,
    /// Why it was stopped.
    stopped: Option<String>,
}

impl Contestant {
    fn new(kind: Kind) -> Self {
        let (times, pairs) = Default::default();
        Self { kind, system: kind.start(), times, pairs, spent: Duration::ZERO, stopped: None }
    }

    fn run(&mut self, tick: &Tick<'_>, state: Option<ContactState>) -> Duration {
        self.system.take(tick);
        // On one thread other load of the machine is not counted. Embree has threads of its own, so it is the time of the
        // process.
        let alone = rayon::current_num_threads() == 1;
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        let pairs = self.system.find(tick);
        let time = if alone { cpu.elapsed() } else { wall.elapsed() };
        self.spent += time;
        if let Some(state) = state {
            self.times[state as usize].push(time);
            self.pairs[state as usize] = pairs;
        }
        time
    }

    fn outcome(&self, state: ContactState, ticks: u32) -> Option<Outcome> {
        let times = &self.times[state as usize];
        let of_state =
            (1..=ticks).filter(|&tick| ContactState::of(tick, ticks) == Some(state)).count();
        let stopped = self.stopped.as_ref().filter(|_| times.len() < of_state);
        let note = stopped.map_or(String::new(), |reason| match times.len() {
            0 => reason.clone(),
            some => format!("{some} of {of_state} ticks: {reason}"),
        });
        if stopped.is_some() && times.len() < TICKS_MIN {
            return Some(Outcome::Skipped(note));
        }
        let pairs = self.pairs[state as usize];
        (of_state > 0).then(|| Outcome::Took { median: median(times), pairs, note })
    }
}

impl Cell<'_> {
    /// Runs the ticks on the threads of the current pool; calls `ticked` after each.
    pub(crate) fn time(&self, mut ticked: impl FnMut(u32)) -> Result<Outcomes, Disagreement> {
        let mut world = World::new(self.scene, self.boxes, self.seed);
        let mut bounds = Vec::new();
        let mut all: Vec<_> = self.systems.iter().copied().map(Contestant::new).collect();
        for number in 1..=self.ticks {
            if number > 1 {
                world.step();
            }
            let state = ContactState::of(number, self.ticks);
            let runs = |one: &Contestant| {
                one.stopped.is_none() && (state.is_some() || one.kind.remembers())
            };
            if !all.iter().any(runs) {
                ticked(number);
                continue;
            }
            let tick = Tick::new(&world, &mut bounds);
            if number == 1 {
                self.start(&mut all, &tick);
            } else {
                let count = all.len();
                for turn in 0..count {
                    let one = &mut all[(turn + number as usize) % count];
                    if runs(one) {
                        one.run(&tick, state);
                        self.stop_if_late(one, number);
                    }
                }
            }
            if number <= 2 || number == self.ticks {
                agree(all.iter_mut().filter(|one| runs(one) || number == 1), &tick)?;
            }
            ticked(number);
        }
        let pairs = all.iter().filter(|one| one.kind.finds_union());
        let floor_pairs = pairs.flat_map(|one| one.pairs).max().unwrap_or(0);
        let systems = all.iter().flat_map(|one| {
            let outcomes = ContactState::ALL.into_iter();
            outcomes.filter_map(|state| Some((one.kind, state, one.outcome(state, self.ticks)?)))
        });
        let systems = systems.collect();
        Ok(Outcomes { systems, floor: floor(&world, floor_pairs), floor_pairs })
    }

    /// The first tick, repeated a few times.
    fn start(&self, all: &mut [Contestant], tick: &Tick<'_>) {
        let clock = Instant::now();
        for attempt in 0..COLD_TRIES {
            if attempt > 0 && clock.elapsed().as_secs_f64() > COLD_SECONDS {
                break;
            }
            let count = all.len();
            for turn in 0..count {
                let one = &mut all[(turn + attempt) % count];
                one.system = one.kind.start();
                one.run(tick, Some(ContactState::Cold));
            }
        }
        all.iter_mut().for_each(|one| self.stop_if_late(one, 1));
    }

    /// Stops a system whose time is over.
    fn stop_if_late(&self, one: &mut Contestant, number: u32) {
        if one.spent > self.budget && number < self.ticks {
            let (spent, budget) = (one.spent.as_secs_f64(), self.budget.as_secs_f64());
            let reason = format!("stopped after tick {number}: {spent:.1} s of {budget:.0} s used");
            one.stopped = Some(reason);
        }
    }

    /// Compares the pairs of every tick, without a clock.
    pub(crate) fn check(&self) -> Result<usize, Disagreement> {
        let mut world = World::new(self.scene, self.boxes, self.seed);
        let mut bounds = Vec::new();
        let mut all: Vec<_> = self.systems.iter().copied().map(Contestant::new).collect();
        let mut pairs = 0;
        for number in 1..=self.ticks {
            if number > 1 {
                world.step();
            }
            let tick = Tick::new(&world, &mut bounds);
            all.iter_mut().for_each(|one| {
                one.run(&tick, Some(ContactState::Warm));
            });
            agree(all.iter_mut(), &tick)?;
            pairs = all.first().map_or(0, |one| one.pairs[ContactState::Warm as usize]);
        }
        Ok(pairs)
    }
}

/// Whether all found the same pairs in this tick, and the swept pairs are among them.
fn agree<'a>(
    all: impl Iterator<Item = &'a mut Contestant>,
    tick: &Tick<'_>,
) -> Result<(), Disagreement> {
    let mut first: Option<(&mut Contestant, Digest)> = None;
    let mut swept = Vec::new();
    for one in all {
        if !one.kind.finds_union() {
            swept.push(one);
            continue;
        }
        let digest = agree::digest(one.system.as_mut(), tick);
        match &mut first {
            None => first = Some((one, digest)),
            Some((_, first_digest)) if *first_digest == digest => (),
            Some((first, _)) => agree::compare(
                (first.kind, first.system.as_mut()),
                (one.kind, one.system.as_mut()),
                tick,
            )?,
        }
    }
    let Some((first, _)) = first else { return Ok(()) };
    swept.into_iter().try_for_each(|swept| {
        agree::is_subset(
            (swept.kind, swept.system.as_mut()),
            (first.kind, first.system.as_mut()),
            tick,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::ContactState;

    /// Goal: the states consist of the ticks that the head of this file lists.
    #[test]
    fn ticks_belong_to_states() {
        let of = |ticks, state| -> Vec<u32> {
            (1..=ticks).filter(|&tick| ContactState::of(tick, ticks) == Some(state)).collect()
        };
        assert_eq!(of(80, ContactState::Cold), [1]);
        assert_eq!(of(80, ContactState::Warm), (2..=10).collect::<Vec<_>>());
        assert_eq!(of(80, ContactState::Steady), (70..=80).collect::<Vec<_>>());
        assert_eq!(of(10, ContactState::Steady), []);
        assert_eq!(of(1, ContactState::Warm), []);
    }
}
