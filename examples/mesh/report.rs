//! The result of a run as a table or as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::Args;
use super::contained::List;
use super::elements::Elements;
use super::pairs::{KindFigures, PairKind};
use super::times::{KindTimes, earliest};
use examples::measure::{each, median, ns_each};
use examples::progress::count;
use swath::Pair;

/// Result of a run.
pub(crate) struct Report<'a> {
    pub(crate) args: &'a Args,
    /// The two frames.
    pub(crate) names: String,
    pub(crate) threads: usize,
    pub(crate) elements: &'a Elements,
    /// Time to make the boxes, once and on one thread.
    pub(crate) making: Duration,
    /// Of vertex-face and of edge-edge pairs.
    pub(crate) figures: [KindFigures; 2],
    pub(crate) lists: Vec<List>,
    pub(crate) times: Option<[KindTimes; 2]>,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median_ms(times: &[Duration]) -> f64 {
    ms(median(times))
}

impl Report<'_> {
    fn kinds(&self) -> [(&'static str, &KindFigures); 2] {
        let [vertex_face, edge_edge] = &self.figures;
        [("vertex-face", vertex_face), ("edge-edge", edge_edge)]
    }

    /// One JSON object on one line.
    pub(crate) fn json(&self) -> String {
        let Self { args, threads, elements, making, lists, times, .. } = self;
        let kinds = self.kinds().map(|(_, kind)| {
            let [finding, dropping] = [&kind.finding, &kind.dropping].map(|of| median_ms(of));
            json!({
                "pairs": kind.pairs,
                "dropped": kind.dropped,
                "boxes": kind.boxes,
                "batches": kind.batches,
                "find_ms": finding,
                "find_ns_per_box": ns_each(finding, kind.boxes),
                "drop_ms": dropping,
            })
        });
        let contained = lists.iter().map(|list| {
            json!({
                "list": list.name(),
                "vertex_face": list.count(PairKind::VertexFace),
                "edge_edge": list.count(PairKind::EdgeEdge),
            })
        });
        let [vertex_face, edge_edge] = kinds;
        let object = json!({
            "vertices": elements.vertices,
            "edges": elements.edges.len(),
            "faces": elements.faces.len(),
            "level": args.level.name(),
            "threads": threads,
            "ticks": args.ticks,
            "boxes_ms": ms(*making),
            "vertex_face": vertex_face,
            "edge_edge": edge_edge,
            "contained": contained.collect::<Value>(),
            "times": times.as_ref().map(|times| self.json_times(times)),
        });
        format!("{object}\n")
    }

    /// First times as JSON.
    fn json_times(&self, times: &[KindTimes; 2]) -> Value {
        let first = |first: Option<(f64, Pair)>| {
            first.map(|(t, pair)| json!({ "t": t, "pair": [pair.a, pair.b] }))
        };
        let kind = |of: &KindTimes, pairs: usize| {
            let searching = median_ms(&of.searching);
            json!({
                "hits": of.hits,
                "misses": pairs - of.hits - of.unresolved,
                "unresolved": of.unresolved,
                "search_ms": searching,
                "search_ns_per_pair": ns_each(searching, pairs),
                "search_cpu_ns_per_pair": ns_each(median_ms(&of.cpu), pairs),
                "first": first(of.first),
            })
        };
        json!({
            "minimum_separation": self.args.minimum_separation,
            "tolerance": self.args.tolerance(),
            "vertex_face": kind(&times[0], self.figures[0].pairs),
            "edge_edge": kind(&times[1], self.figures[1].pairs),
            "first": first(earliest(times)),
        })
    }

    /// A table of at most one screen, plus a line for each list.
    pub(crate) fn table(&self) -> String {
        let Self { args, names, threads, elements, making, lists, times, .. } = self;
        let mut lines = vec![
            names.clone(),
            format!(
                "{} vertices, {} edges, {} faces; level {}, threads {threads}, {}",
                elements.vertices,
                elements.edges.len(),
                elements.faces.len(),
                args.level,
                count(args.ticks as usize, "run")
            ),
            format!("boxes of all elements made in {:.3} ms", ms(*making)),
            String::new(),
            format!(
                "{:<12}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}",
                "medians", "find ms", "ns/box", "ns/pair", "drop ms", "pairs", "dropped"
            ),
        ];
        for (name, kind) in self.kinds() {
            let [finding, dropping] = [&kind.finding, &kind.dropping].map(|of| median_ms(of));
            let found = kind.pairs + kind.dropped;
            lines.push(format!(
                "{name:<12}{finding:>10.3}{:>10}{:>10}{dropping:>10.3}{:>12}{:>12}",
                each(finding, kind.boxes),
                each(finding, found),
                kind.pairs,
                kind.dropped
            ));
        }
        lines.push(String::new());
        lines.push("pairs share no vertex; those that do are found, then dropped".to_owned());
        let batches = self.figures.each_ref().map(|kind| kind.batches);
        if batches != [1, 1] {
            lines.push(format!("found in {} and {} batches", batches[0], batches[1]));
        }
        for list in lists {
            let [vertex_face, edge_edge] =
                [PairKind::VertexFace, PairKind::EdgeEdge].map(|kind| list.count(kind));
            lines.push(format!(
                "{}: all {vertex_face} vertex-face and {edge_edge} edge-edge pairs were found",
                list.name()
            ));
        }
        if let Some(times) = times {
            self.table_times(times, &mut lines);
        }
        lines.join("\n") + "\n"
    }

    /// Lines about first times.
    fn table_times(&self, times: &[KindTimes; 2], lines: &mut Vec<String>) {
        let first = |first: Option<(f64, Pair)>| match first {
            Some((t, pair)) => format!("{t:.9} of elements {} and {}", pair.a, pair.b),
            None => "none".to_owned(),
        };
        lines.push(String::new());
        lines.push(format!(
            "first times, minimum separation {}, tolerance {}",
            self.args.minimum_separation,
            self.args.tolerance()
        ));
        lines.push(format!(
            "{:<12}{:>10}{:>10}{:>12}{:>10}{:>12}  first",
            "medians", "search ms", "ns/pair", "CPU ns/pair", "hits", "unresolved"
        ));
        for ((name, kind), times) in self.kinds().into_iter().zip(times) {
            let searching = median_ms(&times.searching);
            lines.push(format!(
                "{name:<12}{searching:>10.3}{:>10}{:>12}{:>10}{:>12}  {}",
                each(searching, kind.pairs),
                each(median_ms(&times.cpu), kind.pairs),
                times.hits,
                times.unresolved,
                first(times.first)
            ));
        }
        lines.push(format!("earliest of all: {}", first(earliest(times))));
    }
}
