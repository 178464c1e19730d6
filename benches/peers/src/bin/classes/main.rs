//! Times convex pairs of one class after the other with swath, parry, Box3D, Jolt and PhysX, and checks the results.
//!
//! See `README.md` of this crate. All compute the same pairs in the same run and thread, in blocks, alternating in an order
//! that rotates. A time is the sum over the blocks of the median of the repetitions: CPU time of the thread. Results are
//! compared with `spec` first. Without the feature `engines` there are only swath and parry.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use cpu_time::ThreadTime;
use peers::engines::{self, Question};
use peers::time::{Call, alternately};
use peers::truth::{Truth, WRONG, judge, truths};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use scenes::convex::{Form, Hulls, Moves, form, formed};
use swath::Motion;

mod report;
mod systems;

use report::{Cell, print_classes};
use systems::Work;

type Stop = Box<dyn Error + Send + Sync>;

/// Number of pairs that one system computes before the next one does.
const BLOCK: usize = 125;
/// Seed of the random pairs.
const SEED: u64 = 1;
/// The classes of pairs: their names, and whether a shape may be the first or the second of a pair. There are no
/// cylinders, which Box3D and PhysX do not have.
const CLASSES: [&str; 8] =
    ["all", "box-box", "round", "hull 8", "hull 16", "hull 32", "hull 64", "hull 128"];
const QUESTIONS: [(&str, Question, Moves); 3] = [
    ("distance", Question::Distance, Moves::Linear),
    ("linear", Question::Linear, Moves::Linear),
    ("rotation", Question::Rotation, Moves::Spinning),
];
/// Times swath and other engines on the same pairs of convex shapes by classes, and writes `peers_convex.csv`.
#[derive(Debug, Parser)]
struct Args {
    /// Folder for `peers_convex.csv`; without it the tables are only printed.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Page whose tables are replaced by those of this run.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Name of this machine in the record; the default is the name of its CPU.
    #[arg(long)]
    machine: Option<String>,
    /// Number of pairs of each class.
    #[arg(long, default_value_t = 4_000)]
    pairs: usize,
    /// Number of pairs of each class that are compared with the specification.
    #[arg(long, default_value_t = 1_000)]
    checked: usize,
    /// Number of times that each pair is computed.
    #[arg(long, default_value_t = 25)]
    repeats: usize,
    /// Only the questions whose name contains this.
    #[arg(long, default_value = "")]
    question: String,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all systems; fails if a result of swath is wrong.
fn run(args: &Args) -> Result<(), Stop> {
    let machine = args.machine.clone().unwrap_or_else(peers::machine::this_machine);
    let hulls = Hulls::new(SEED);
    let head =
        ["machine", "version"].iter().chain(&report::HEAD).chain(&WRONG).chain(&["late_most"]);
    let mut rows: Vec<Vec<String>> = vec![head.map(|&name| name.to_owned()).collect()];
    let mut cells = Vec::new();
    for (name, question, moves) in QUESTIONS {
        if !name.contains(&args.question) {
            continue;
        }
        for class in CLASSES {
            let pairs = pairs_of(class, &hulls, moves, args.pairs);
            let checked = &pairs[..args.checked.min(pairs.len())];
            let truths = truths(checked, question == Question::Distance, &hulls);
            let work = Work::new(&hulls, &pairs);
            let engines = engines::of_pairs(&hulls, &pairs, question);
            let ours = work.systems(question);
            let mut systems: Vec<(&str, &str, Call<'_, f32>)> =
                ours.iter().map(|(name, package, call)| (*name, *package, &**call as _)).collect();
            systems.extend(engines.iter().map(|of| (of.name, of.package, of.call())));
            let calls: Vec<_> = systems.iter().map(|system| system.2).collect();
            let clock = (ThreadTime::now, ThreadTime::elapsed);
            let timed = alternately(&calls, pairs.len(), (BLOCK, args.repeats), clock);
            for ((system, package, _), (time, answers)) in systems.iter().zip(timed) {
                let nanoseconds = time.as_secs_f64() * 1e9 / pairs.len() as f64;
                let cell = judged((name, class, *system), nanoseconds, &truths, &answers);
                if *package == "swath" && cell.wrong.iter().sum::<usize>() > 0 {
                    return Err(format!("wrong: {cell:?}").into());
                }
                let version = peers::machine::version(package);
                rows.push([machine.clone(), version].into_iter().chain(cell.row()).collect());
                cells.push(cell);
            }
        }
    }
    peers::table::put(&rows, args.out.as_deref(), "peers_convex.csv")?;
    print_classes(&cells);
    match &args.page {
        Some(page) => peers::page::fill(page, "classes", &report::markdown(&cells)),
        None => Ok(()),
    }
}

/// Pairs of a class that do not overlap at the start, nor nearly so.
fn pairs_of(
    class: &str,
    hulls: &Hulls,
    moves: Moves,
    count: usize,
) -> Vec<([Form; 2], [Motion; 2])> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let belongs = |form: Form, row: usize| match (class, form) {
        (_, Form::Cylinder { .. }) => false,
        ("all", _) | ("box-box", Form::Cuboid(_)) => true,
        ("round", Form::Cuboid(_)) => row == 1,
        ("round", Form::Sphere(_) | Form::Capsule { .. }) => true,
        (_, Form::Hull(which)) => class == format!("hull {}", hulls.0[which].len()),
        _ => false,
    };
    let mut pairs = formed(hulls, moves, 2 * count, SEED + 1);
    for (forms, _) in &mut pairs {
        *forms = std::array::from_fn(|row| {
            loop {
                let form = form(&mut rng, hulls);
                if belongs(form, row) {
                    return form;
                }
            }
        });
    }
    pairs.retain(|(forms, motions)| systems::gap(hulls, *forms, motions) > systems::APART);
    pairs.truncate(count);
    assert_eq!(pairs.len(), count);
    pairs
}

/// Counts the wrong results of a system.
fn judged(
    (question, class, system): (&'static str, &'static str, &str),
    nanoseconds: f64,
    truths: &[Truth],
    answers: &[f32],
) -> Cell {
    let mut cell = Cell {
        question,
        class,
        system: system.to_owned(),
        nanoseconds,
        pairs: answers.len(),
        hits: answers.iter().filter(|&&answer| answer != f32::INFINITY).count(),
        checked: truths.len(),
        wrong: [0; WRONG.len()],
        late_most: 0.0,
    };
    for (truth, &answer) in truths.iter().zip(answers) {
        let (wrong, late) = judge(truth, (answer != f32::INFINITY).then_some(answer));
        cell.wrong.iter_mut().zip(wrong).for_each(|(count, wrong)| *count += usize::from(wrong));
        cell.late_most = cell.late_most.max(late);
    }
    cell
}
