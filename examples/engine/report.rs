//! The result of a run as a table or as JSON.

use std::time::Duration;

use serde_json::json;

use super::run::Outcome;
use engine::DT;
use examples::progress::count;

use engine::range::{BRICKS, BULLET_SPEED, Plan};

/// Number of samples of the run with CCD.
pub(crate) const SAMPLES: u32 = 12;

/// A table of about half a screen.
pub(crate) fn table(plan: &Plan, ticks: u32, threads: usize, outcome: &Outcome) -> String {
    let Plan { bullets, ccd, space, .. } = *plan;
    let with = if ccd { "with CCD" } else { "without CCD" };
    let place = if space { ", in space" } else { "" };
    let step = BULLET_SPEED * DT;
    let mut lines = vec![
        format!(
            "{with}{place}: {} at {BULLET_SPEED} m/s ({step:.1} m a tick), {} of 1/60 s, threads {threads}",
            count(bullets as usize, "bullet"),
            count(ticks as usize, "tick")
        ),
        row([
            "s",
            "awake",
            "asleep",
            "impacts",
            "out",
            "kinetic kJ",
            "total kJ",
            "px Ns",
            "py Ns",
            "ms/tick",
        ]),
    ];
    for sample in &outcome.samples {
        let totals = &sample.totals;
        let total = totals.kinetic + totals.potential;
        lines.push(row([
            &format!("{:.2}", f64::from(sample.ticks) * f64::from(DT)),
            &sample.awake.to_string(),
            &sample.asleep.to_string(),
            &sample.impacts.to_string(),
            &sample.out.to_string(),
            &format!("{:.3}", totals.kinetic * 1e-3),
            &format!("{:.3}", total * 1e-3),
            &format!("{:.1}", totals.momentum[0]),
            &format!("{:.1}", totals.momentum[1]),
            &format!("{:.3}", ms(sample.time)),
        ]));
    }
    let Outcome { out: [of_bullets, of_bricks], impacts, stalled, .. } = outcome;
    lines.push(format!(
        "got out       {}, {of_bricks} of {BRICKS} bricks",
        count(*of_bullets, "bullet")
    ));
    lines.push(format!(
        "impacts       {impacts}; bodies stalled until the end of a tick after too many: {stalled}"
    ));
    lines.push(format!(
        "energy        {:.1} kJ brought; increased by at most {:.1e} of it in a tick",
        outcome.energy_brought * 1e-3,
        outcome.energy_gain
    ));
    if space {
        let change = outcome.momentum_change;
        lines.push(format!("momentum      changed by at most {change:.1e} of its parts in a tick"));
    }
    let awake = outcome.samples.last().map_or(0, |sample| sample.awake);
    let asleep = outcome.asleep.map_or(format!("{awake} bodies are awake at the end"), |time| {
        format!("{:.4} ms when all sleep", ms(time))
    });
    lines.push(format!("a tick        {:.3} ms at most, {asleep}", ms(outcome.slowest)));
    lines.push(format!("hash          {:016x}", outcome.hash));
    lines.join("\n") + "\n\n"
}

/// One JSON object on one line.
pub(crate) fn json(plan: &Plan, ticks: u32, threads: usize, outcome: &Outcome) -> String {
    let last = outcome.samples.last().copied().unwrap_or_default();
    let object = json!({
        "ccd": plan.ccd,
        "space": plan.space,
        "bullets": plan.bullets,
        "ticks": ticks,
        "threads": threads,
        "bullets_out": outcome.out[0],
        "bricks_out": outcome.out[1],
        "impacts": outcome.impacts,
        "stalled": outcome.stalled,
        "awake": last.awake,
        "asleep": last.asleep,
        "energy_brought_joule": outcome.energy_brought,
        "energy_joule": last.totals.kinetic + last.totals.potential,
        "energy_gain": outcome.energy_gain,
        "momentum": last.totals.momentum,
        "momentum_change": outcome.momentum_change,
        "ms_max": ms(outcome.slowest),
        "ms_asleep": outcome.asleep.map(ms),
        "hash": format!("{:016x}", outcome.hash),
    });
    format!("{object}\n")
}

fn row(cells: [&str; 10]) -> String {
    let [time, awake, asleep, impacts, out, cells @ ..] = cells;
    let cells = cells.map(|cell| format!("{cell:>11}")).concat();
    format!("{time:>6}{awake:>7}{asleep:>8}{impacts:>9}{out:>6}{cells}")
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
