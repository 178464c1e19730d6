//! The result of a run as a table or as JSON.

use std::fmt::Display;
use std::time::Duration;

use serde_json::{Value, json};

use super::args::Args;
use super::check::Verdict;
use super::run::{Input, Outcome};
use examples::measure::{Costs, each, median, ns_each};
use examples::progress::count;

/// Medians over the ticks, in milliseconds, of one kind of pairs.
struct Medians {
    choose: f64,
    scatter: f64,
    sweep: f64,
    total: f64,
    cpu: f64,
}

impl Medians {
    /// Each stage has its own median, so the stages need not add up to the total.
    fn of(costs: &Costs) -> Self {
        let ms = |times: &[Duration]| ms(median(times));
        Self {
            choose: ms(&costs.choose),
            scatter: ms(&costs.scatter),
            sweep: ms(&costs.sweep),
            total: ms(&costs.total),
            cpu: ms(&costs.cpu),
        }
    }

    fn stages(&self) -> Value {
        json!({ "choose_ms": self.choose, "scatter_ms": self.scatter, "sweep_ms": self.sweep })
    }
}

pub(super) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Ratio of a time to the memory floor; `None` without boxes, because then there is no memory to move.
fn ratio(total: f64, floor: f64, boxes: usize) -> Option<f64> {
    (boxes > 0 && floor > 0.0).then(|| total / floor)
}

/// One JSON object on one line.
pub(crate) fn json(args: &Args, threads: usize, input: &Input, outcome: &Outcome) -> String {
    let boxes = input.world.len();
    let (union, swept) = (Medians::of(&outcome.union), Medians::of(&outcome.swept));
    let floor_ms = ms(outcome.floor);
    let object = json!({
        "input": input.name,
        "seed": input.seed,
        "boxes": boxes,
        "ticks": args.ticks,
        "threads": threads,
        "level": args.level.name(),
        "union_pairs": outcome.union_pairs,
        "swept_pairs": outcome.swept_pairs,
        "rejected": outcome.rejected,
        "ms_median": union.total,
        "ns_per_box": ns_each(union.total, boxes),
        "cpu_ns_per_box": ns_each(union.cpu, boxes),
        "union_stages": union.stages(),
        "swept_ms_median": swept.total,
        "swept_ns_per_box": ns_each(swept.total, boxes),
        "swept_cpu_ns_per_box": ns_each(swept.cpu, boxes),
        "swept_stages": swept.stages(),
        "floor_ms": floor_ms,
        "floor_ratio": ratio(union.total, floor_ms, boxes),
        "hash": format!("{:016x}", outcome.hash),
        "check": outcome.verdict.map(|verdict| json!({
            "ticks": verdict.ticks,
            "start_pairs": verdict.start,
            "near_ties": verdict.near_ties,
            "union_by_rounding": verdict.rounded,
        })),
    });
    format!("{object}\n")
}

/// A table of at most one screen.
pub(crate) fn table(args: &Args, threads: usize, input: &Input, outcome: &Outcome) -> String {
    let boxes = input.world.len();
    let (union, swept) = (Medians::of(&outcome.union), Medians::of(&outcome.swept));
    let floor = ms(outcome.floor);
    let seed = input.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
    let (name, ticks, level) = (&input.name, args.ticks, args.level);
    let mut lines = vec![
        format!(
            "{name}{seed}: {}, {}, level {level}, threads {threads}",
            count(boxes, "box"),
            count(ticks as usize, "tick")
        ),
        String::new(),
        row("medians", ["union ms", "ns/box", "swept ms", "ns/box"]),
    ];
    for (stage, union, swept) in [
        ("choose", union.choose, swept.choose),
        ("scatter", union.scatter, swept.scatter),
        ("sweep", union.sweep, swept.sweep),
        ("total", union.total, swept.total),
        ("CPU", union.cpu, swept.cpu),
    ] {
        let [union_each, swept_each] = [union, swept].map(|ms| each(ms, boxes));
        let [union, swept] = [union, swept].map(|ms| format!("{ms:.3}"));
        lines.push(row(stage, [union, union_each, swept, swept_each]));
    }
    let ratio =
        ratio(union.total, floor, boxes).map_or("none".to_owned(), |ratio| format!("{ratio:.2}"));
    lines.extend([
        String::new(),
        format!("union pairs   {}", outcome.union_pairs),
        format!("swept pairs   {}", outcome.swept_pairs),
        format!("rejected      {}", outcome.rejected),
        format!("memory floor  {floor:.3} ms to copy 24 B a box and write 8 B a union pair"),
        format!("ratio         {ratio}, union total to memory floor"),
        format!("hash          {:016x}", outcome.hash),
    ]);
    lines.extend(outcome.verdict.map(|verdict| format!("check         {}", passed(&verdict))));
    lines.join("\n") + "\n"
}

fn row(label: &str, cells: [impl Display; 4]) -> String {
    let [union, union_per_box, swept, swept_per_box] = cells;
    format!("{label:<8}{union:>14}{union_per_box:>12}{swept:>14}{swept_per_box:>12}")
}

fn passed(verdict: &Verdict) -> String {
    let Verdict { ticks, near_ties, rounded, start } = verdict;
    match start {
        None => {
            format!("passed: {} as by spec; near ties: {near_ties}", count(*ticks, "tick"))
        }
        Some(start) => format!(
            "passed: {} as recorded, {} at the start; \
             near ties: {near_ties}, union by rounding: {rounded}",
            count(*ticks, "tick"),
            count(*start, "pair")
        ),
    }
}
