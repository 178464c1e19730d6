//! One tick of moving boxes on several processes that exchange boxes by MPI.
//!
//! ```text
//! sample     each process sends some of its boxes to all, which compute the same Decomposition from them
//! exchange   each process sends each of its boxes to the parts that its path overlaps   (exchange.rs)
//! find       each process finds the pairs of the boxes it received, and keeps those it owns
//! reduce     numbers of pairs and a hash of them are summed over all processes
//! ```
//!
//! Each process owns an equal share of the rows, wherever these boxes are, as a simulation would whose bodies have moved
//! since they were distributed. The hash is a sum over pairs, so it does not depend on which process found a pair.
//!
//! ```text
//! mpirun -n 4 target/release/swath-mpi --boxes 1000000 --check
//! ```
//!
//! Exit code: 0, 1 if the pairs differ from those of one process, or 2 if there is no run.

mod exchange;
mod report;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use examples::limits::pairs_max;
use examples::usage::whole;
use exchange::{Sent, exchange, sample};
use mpi::collective::SystemOperation;
use mpi::traits::{Communicator, CommunicatorCollectives};
use report::{Numbers, report};
use scenes::{Scene, World};
use swath::broadphase::{Decomposition, DecompositionError, FindError};
use swath::{Aabb, Exec, MovingBox, PairFinder, SweptPair, Threads};

/// The most boxes of all processes together: the most that one finder can number, and a process makes the whole scene.
const BOXES_MAX: i64 = (1 << 26) - 1;
/// Boxes that each process contributes to the sample.
const SAMPLE: usize = 4096;

/// Finds the swept pairs of one tick on several processes.
#[derive(Debug, Parser)]
#[command(name = "swath-mpi")]
pub(crate) struct Args {
    /// Number of boxes of all processes together.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    #[arg(value_parser = whole::<u32>(0..=BOXES_MAX), allow_negative_numbers = true)]
    pub(crate) boxes: u32,
    /// The scene.
    #[arg(long, default_value_t = Scene::Uniform)]
    pub(crate) scene: Scene,
    /// Seed of the scene.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=i64::MAX))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Compare with the pairs that one process finds among all boxes.
    #[arg(long)]
    pub(crate) check: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error(transparent)]
    Decomposition(#[from] DecompositionError),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(
        "a process has more words to send or to receive than MPI can count: use more processes"
    )]
    TooMuch,
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("swath-mpi", &error),
    };
    let Some(universe) = mpi::initialize() else {
        let why = "MPI is initialised already";
        return examples::usage::end("swath-mpi", examples::usage::REFUSED, &why);
    };
    let world = universe.world();
    match run(&args, &world) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(examples::usage::WRONG),
        Err(stop) => {
            examples::usage::end("swath-mpi", examples::usage::REFUSED, &stop);
            // The other processes wait for this one, so it ends them.
            world.abort(i32::from(examples::usage::REFUSED))
        }
    }
}

/// Runs a tick. Returns whether the pairs are those of one process, or `true` if that was not compared.
fn run(args: &Args, world: &impl Communicator) -> Result<bool, Stop> {
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let all = boxes(args);
    let first = all.len() * rank / ranks;
    let own = &all[first..all.len() * (rank + 1) / ranks];

    world.barrier();
    let clock = Instant::now();
    let sample: Vec<Aabb> = sample(world, own, SAMPLE);
    let parts = Decomposition::balanced(&sample, ranks as u32)?;
    let sampled = clock.elapsed();

    let clock = Instant::now();
    let Sent { ids, boxes, words } = exchange(world, &parts, own, first as u32)?;
    let exchanged = clock.elapsed();

    let clock = Instant::now();
    let mut finder = PairFinder::with_exec(one_thread(boxes.len()));
    let found = finder.swept_pairs(&boxes[..])?;
    let of = |row: u32| (ids[row as usize], boxes[row as usize].bounds());
    let (mut pairs, mut hash) = (0u64, 0u64);
    for pair in &found {
        let ((a, bounds_of_a), (b, bounds_of_b)) = (of(pair.a), of(pair.b));
        if parts.owner(&bounds_of_a, &bounds_of_b) == rank as u32 {
            // Boxes are in the order of their ids, so `a < b` holds for the ids too.
            (pairs, hash) = (pairs + 1, hash.wrapping_add(hash_of(&SweptPair { a, b, ..pair })));
        }
    }
    let finding = clock.elapsed();

    let mut sums = [0u64; 2];
    world.all_reduce_into(&[pairs, hash], &mut sums, SystemOperation::sum());
    let numbers = Numbers {
        boxes: own.len() as u64,
        received: boxes.len() as u64,
        sent_bytes: words * 4,
        pairs,
        sample_us: sampled.as_micros() as u64,
        exchange_us: exchanged.as_micros() as u64,
        find_us: finding.as_micros() as u64,
    };
    let mut each = vec![0; Numbers::COUNT * ranks];
    world.all_gather_into(&numbers.words(), &mut each[..]);
    let equal = !args.check || rank != 0 || one_process(&all)? == sums;
    if rank == 0 {
        print!("{}", report(args, sums, &each, equal));
    }
    // Only the first process compares; its exit code is that of `mpirun`.
    Ok(equal)
}

/// All boxes of the scene.
fn boxes(args: &Args) -> Vec<MovingBox> {
    let world = World::new(args.scene, args.boxes as usize, args.seed);
    (0..world.len()).map(|row| world.columns().get(row)).collect()
}

/// How a process searches this number of boxes: on one thread, and with a limit of the pairs.
fn one_thread(boxes: usize) -> Exec {
    Exec { pairs_max: pairs_max(boxes), ..Exec::from(Threads::one()) }
}

/// Number and hash of the pairs that one process finds.
fn one_process(all: &[MovingBox]) -> Result<[u64; 2], Stop> {
    let mut finder = PairFinder::with_exec(one_thread(all.len()));
    let found = finder.swept_pairs(all)?;
    let sum = |hash: u64, pair| hash.wrapping_add(hash_of(&pair));
    Ok([found.len() as u64, found.iter().fold(0, sum)])
}

/// Hash of a pair and of the bits of its time: the finaliser of `SplitMix64` (Steele, Lea and Flood 2014) over its words.
fn hash_of(pair: &SweptPair) -> u64 {
    let mut hash = 0u64;
    for word in [pair.a, pair.b, pair.first.to_bits()] {
        hash = (hash ^ u64::from(word)).wrapping_add(0x9E37_79B9_7F4A_7C15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        hash ^= hash >> 31;
    }
    hash
}
