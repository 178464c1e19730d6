//! Finds when the vertices, edges and faces of a moving mesh first touch between two frames.
//!
//! It reads two frames of one mesh, makes a box around the path of each element, finds the pairs of boxes of
//! a vertex and a face and of two edges, and drops those that share a vertex. This is the broadphase of cloth
//! simulation as Belgrod, Wang, Ferguson et al., *Time of Impact Dataset and Scalable CCD* (2023), measure
//! it. With `--times` it computes the first time of contact of each pair, and the earliest of all. Pairs are found and searched
//! in batches, so the memory for them is bounded.
//!
//! ```text
//! cargo run --release --example mesh -- cloth_ball92.ply cloth_ball93.ply --times
//! cargo run --release --example mesh -- 227.ply 228.ply --boxes-json 227vf.json 227ee.json
//! cargo run --release --example mesh -- --queries vf 227vf.csv --answers 227vf_mma_bool.json
//! ```
//!
//! With `--queries` it runs the published queries of such pairs instead, and compares with their exact answers.
//!
//! An error is printed as one line on stderr. Exit code: 0, or 1 if a pair of a list or a contact of a query was not
//! found, or 2 if there is no run, for example because of a bad argument or a file that cannot be read.

mod contained;
mod elements;
mod pairs;
mod ply;
mod ply_header;
mod queries;
mod rational;
mod report;
mod times;

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use contained::{List, NotContained};
use elements::{Elements, NoBoxes};
use examples::progress;
use examples::usage::whole;
use pairs::{Finder, KindFigures, PairKind};
use rayon::ThreadPoolBuilder;
use report::Report;
use swath::Level;
use swath::batch::ElementSettings;
use times::{KindTimes, Searcher};

/// The default of `--batch-pairs`: more pairs than the published meshes have. A batch takes up to 24 bytes a pair.
const BATCH_PAIRS: u32 = 1 << 23;
/// More threads than any machine has, and few enough to start.
const THREADS_MAX: i64 = 1024;

/// Finds the vertex-face and the edge-edge pairs of a mesh that may touch between two frames.
///
/// Elements are numbered: all vertices, then all edges, each once and sorted by the higher, then the lower
/// vertex, then all faces. Times are medians; one run before that warms up and is not timed.
#[derive(Debug, Parser)]
#[command(name = "mesh")]
pub(crate) struct Args {
    /// The mesh at the start (PLY).
    #[arg(required_unless_present = "queries")]
    start: Option<PathBuf>,
    /// The same mesh at the end (PLY).
    #[arg(required_unless_present = "queries")]
    end: Option<PathBuf>,
    /// Lists `[[i, j], ...]` of pairs of elements that must be among those found.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    boxes_json: Vec<PathBuf>,
    /// Compute the first time of contact of each pair, and the earliest of all.
    #[arg(long)]
    times: bool,
    /// Distance at which elements count as touching. Boxes are enlarged by half of it.
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true)]
    minimum_separation: f64,
    /// How much greater the distance at a reported contact may be.
    /// It needs `--times` or `--queries`.
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Run the queries of a file instead: KIND is vf or vertex-face, or ee or edge-edge.
    #[arg(long, num_args = 2, value_names = ["KIND", "FILE"])]
    #[arg(conflicts_with_all = ["start", "end", "times", "boxes_json", "threads", "level", "ticks", "batch_pairs"])]
    queries: Vec<PathBuf>,
    /// The exact answers of the queries: a JSON list of true and false, or of 1 and 0. The file of queries may contain them too.
    #[arg(long, value_name = "FILE", requires = "queries", conflicts_with_all = ["start", "end"])]
    answers: Option<PathBuf>,
    /// Number of threads. The default is one for each logical core.
    #[arg(long, value_name = "T", value_parser = whole::<u16>(1..=THREADS_MAX))]
    #[arg(allow_negative_numbers = true)]
    threads: Option<u16>,
    /// The greatest number of pairs in memory. If there are more, they are found in several batches.
    #[arg(long, value_name = "N", default_value_t = BATCH_PAIRS)]
    #[arg(value_parser = whole::<u32>(1..=u32::MAX.into()), allow_negative_numbers = true)]
    batch_pairs: u32,
    /// Number of timed runs.
    #[arg(long, value_name = "K", default_value_t = 15)]
    #[arg(value_parser = whole::<u32>(1..=u32::MAX.into()), allow_negative_numbers = true)]
    ticks: u32,
    /// Instruction set: portable4, avx2 or avx512, if the CPU has it; with the feature `all-levels` also
    /// scalar and portable8.
    #[arg(long, default_value_t = Level::detect())]
    level: Level,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Args {
    fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(ElementSettings::TOLERANCE)
    }
}

/// Why a run ended early. Each reason is shown as one line.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("{}: {fault}", path.display())]
    Ply { path: PathBuf, fault: ply::Fault },
    #[error("{}: {fault}", path.display())]
    Queries { path: PathBuf, fault: queries::Fault },
    #[error("{0} (try '--help')")]
    Kind(queries::Fault),
    #[error("--tolerance needs --times or --queries (try '--help')")]
    UnusedTolerance,
    #[error(transparent)]
    Times(#[from] swath::batch::ElementError),
    #[error("the contact of a query was not found")]
    FalseNegative,
    #[error(transparent)]
    NoBoxes(#[from] NoBoxes),
    #[error("{}: {reason}", path.display())]
    List { path: PathBuf, reason: NotContained },
    #[error(transparent)]
    Columns(#[from] swath::batch::LengthMismatch),
    #[error(transparent)]
    Find(#[from] swath::broadphase::FindError),
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("cannot write the result: {0}")]
    Output(io::Error),
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return examples::usage::say("mesh", &error),
    };
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            let missing = matches!(
                stop,
                Stop::List { reason: NotContained::Missing(..), .. } | Stop::FalseNegative
            );
            examples::usage::end(
                "mesh",
                if missing { examples::usage::WRONG } else { examples::usage::REFUSED },
                &stop,
            )
        }
    }
}

fn run(args: &Args) -> Result<(), Stop> {
    let settings = ElementSettings {
        minimum_separation: args.minimum_separation,
        tolerance: args.tolerance(),
        ..ElementSettings::default()
    };
    settings.validate()?;
    if args.tolerance.is_some() && !args.times && args.queries.is_empty() {
        return Err(Stop::UnusedTolerance);
    }
    if let [kind, file] = &args.queries[..] {
        return run_queries(args, kind, file, &settings);
    }
    let (Some(start), Some(end)) = (&args.start, &args.end) else {
        unreachable!("two frames are required")
    };
    let threads = args.threads.map_or(0, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    let names = format!("{} to {}", start.display(), end.display());
    let (start, end) = (read(start)?, read(end)?);
    let clock = Instant::now();
    let elements = Elements::new(start, end, args.minimum_separation)?;
    let making = clock.elapsed();
    let lists = args.boxes_json.iter().map(|path| List::read(path, &elements));
    let mut lists = lists.collect::<Result<Vec<_>, _>>()?;
    let (figures, times) = pool.install(|| search(args, &elements, &mut lists, settings))?;
    let threads = pool.current_num_threads();
    let report =
        Report { args, names, threads, elements: &elements, making, figures, lists, times };
    print(&if args.json { report.json() } else { report.table() })
}

/// Finds the pairs, once to warm up and to look up the lists, and then in timed runs with their first times.
fn search(
    args: &Args,
    elements: &Elements,
    lists: &mut [List],
    settings: ElementSettings,
) -> Result<([KindFigures; 2], Option<[KindTimes; 2]>), Stop> {
    let kinds = [PairKind::VertexFace, PairKind::EdgeEdge];
    let batch_max = usize::try_from(args.batch_pairs).unwrap_or(usize::MAX);
    let mut finders = kinds.map(|kind| Finder::new(elements, kind, args.level, batch_max));
    let mut rejected = Vec::new();
    let mut searcher = Searcher::new(elements, &mut rejected, args.level, settings)?;
    let mut times = kinds.map(|_| KindTimes::default());
    // Each batch is a step in each run, and so is each search of first times. How many there are is known after the first run.
    let runs = u64::from(args.ticks);
    let bar = progress::steps("pairs", "step", 2 * (runs + 1), args.json);
    for (finder, kind) in finders.iter_mut().zip(kinds) {
        let mut batches = 0;
        finder.run(false, |batch| {
            List::look_up(lists, kind, batch);
            let searches = if args.times { times::searches(batch) } else { 0 };
            let more = if batches > 0 { runs + 1 } else { 0 };
            batches += 1;
            bar.inc_length(more + runs * searches);
            bar.inc(1);
            Ok(())
        })?;
    }
    for list in &*lists {
        list.check()?;
    }
    for _ in 0..runs {
        for ((finder, kind), times) in finders.iter_mut().zip(kinds).zip(&mut times) {
            times.start();
            finder.run(true, |batch| {
                bar.inc(1);
                if args.times {
                    searcher.search(kind, batch, times, || bar.inc(1))?;
                }
                Ok(())
            })?;
        }
    }
    bar.finish_and_clear();
    Ok((finders.map(|finder| finder.figures), args.times.then_some(times)))
}

/// Runs the queries of a file.
fn run_queries(
    args: &Args,
    kind: &Path,
    file: &Path,
    settings: &ElementSettings,
) -> Result<(), Stop> {
    let kind: PairKind = kind.to_string_lossy().parse().map_err(Stop::Kind)?;
    let fault = |path: &Path| {
        let path = path.to_owned();
        |fault| Stop::Queries { path, fault }
    };
    let answers = args.answers.as_ref();
    let answers = answers.map(|path| queries::answers(path).map_err(fault(path))).transpose()?;
    let results =
        queries::run(kind, file, answers.as_deref(), settings, args.json).map_err(fault(file))?;
    let printed = print(&if args.json { results.json() } else { results.lines() });
    // Results that are wrong are reported also if the reader closed the pipe.
    if results.has_false_negatives() { Err(Stop::FalseNegative) } else { printed }
}

fn print(text: &str) -> Result<(), Stop> {
    io::stdout().write_all(text.as_bytes()).map_err(Stop::Output)
}

fn read(path: &Path) -> Result<ply::Mesh, Stop> {
    ply::read(path).map_err(|fault| Stop::Ply { path: path.to_owned(), fault })
}
