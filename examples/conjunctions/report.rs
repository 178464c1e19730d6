//! The result of a run as text or as JSON.

use std::time::Duration;

use conjunctions::screen::{Conjunction, Screening, Settings};
use examples::fnv::Fnv;
use serde_json::{Value, json};

use super::Args;

/// The default number of approaches that are printed.
const LISTED: usize = 5;

/// Result of a run.
pub(crate) struct Report<'a> {
    pub(crate) args: &'a Args,
    pub(crate) settings: Settings,
    pub(crate) threads: usize,
    /// CPU time of all threads.
    pub(crate) cpu: Duration,
    pub(crate) screening: &'a Screening,
}

impl Report<'_> {
    fn seconds(&self) -> f64 {
        self.screening.times.iter().sum::<Duration>().as_secs_f64()
    }

    /// The closest approaches first.
    fn closest(&self, count: usize) -> Vec<Conjunction> {
        let mut all = self.screening.conjunctions.clone();
        all.sort_by(|p, q| p.distance_km.total_cmp(&q.distance_km));
        all.truncate(count);
        all
    }

    /// Hash of the pairs and of the bits of their numbers.
    fn hash(&self) -> String {
        let mut hash = Fnv::default();
        for c in &self.screening.conjunctions {
            hash.write(c.a);
            hash.write(c.b);
            for number in [c.seconds, c.distance_km, c.speed_km_s] {
                let bits = number.to_bits();
                hash.write(bits as u32);
                hash.write((bits >> 32) as u32);
            }
        }
        format!("{:016x}", hash.finish())
    }

    /// One JSON object on one line.
    pub(crate) fn json(&self) -> String {
        let Self { args, settings, threads, cpu, screening } = self;
        let [propagate, find, refine] = screening.times.map(|time| time.as_secs_f64());
        let list = match args.list {
            Some(count) => self.closest(count),
            None => screening.conjunctions.clone(),
        };
        let list = list.iter().map(|c| {
            json!({
                "a": c.a, "b": c.b, "seconds": c.seconds, "distance_km": c.distance_km,
                "speed_km_s": c.speed_km_s,
            })
        });
        let object = json!({
            "objects": args.objects,
            "hours": args.hours,
            "tick_seconds": settings.tick_seconds,
            "ticks": settings.ticks,
            "within_km": settings.within_km,
            "seed": args.seed,
            "threads": threads,
            "seconds": self.seconds(),
            "cpu_seconds": cpu.as_secs_f64(),
            "propagate_seconds": propagate,
            "find_seconds": find,
            "refine_seconds": refine,
            "candidates": screening.candidates,
            "conjunctions": screening.conjunctions.len(),
            "hash": self.hash(),
            "list": list.collect::<Value>(),
        });
        format!("{object}\n")
    }

    /// A summary and the closest approaches.
    pub(crate) fn table(&self) -> String {
        let Self { args, settings, threads, cpu, screening } = self;
        let [propagate, find, refine] = screening.times.map(|time| time.as_secs_f64());
        let mut lines = vec![
            format!(
                "{} objects, {} hours in {} ticks of {} s, pairs within {} km, threads {threads}",
                args.objects, args.hours, settings.ticks, settings.tick_seconds, settings.within_km
            ),
            format!(
                "{} approaches in {:.2} s ({:.2} s of CPU time)",
                screening.conjunctions.len(),
                self.seconds(),
                cpu.as_secs_f64()
            ),
            format!("  {propagate:>7.2} s  positions and boxes"),
            format!("  {find:>7.2} s  pairs of boxes"),
            format!("  {refine:>7.2} s  closest approaches of {} pairs", screening.candidates),
        ];
        let closest = self.closest(args.list.unwrap_or(LISTED));
        if !closest.is_empty() {
            lines.push(String::new());
            lines.push(format!(
                "{:>8}{:>9}{:>12}{:>14}{:>10}",
                "object", "object", "hours", "distance m", "km/s"
            ));
        }
        for c in closest {
            lines.push(format!(
                "{:>8}{:>9}{:>12.4}{:>14.1}{:>10.3}",
                c.a,
                c.b,
                c.seconds / 3600.0,
                c.distance_km * 1e3,
                c.speed_km_s
            ));
        }
        lines.join("\n") + "\n"
    }
}
