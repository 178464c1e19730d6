//! Draws a record as a chart.
//!
//! There is one panel per number of boxes, one line in it per scene, and one mark on the line per system:
//! nanoseconds per box, on a logarithmic scale that all panels share. The latest state that was recorded on
//! the most threads is drawn. To the right of a line is the time of the fastest peer relative to swath, in
//! red if it is below 1. A system that was stopped has a hollow mark past the right end.
//!
//! Colours are classes of a style sheet with a dark variant, so the chart follows the settings of the reader.

use std::fmt::Write as _;

use crate::cell::ContactState;
use crate::record::{FLOOR, Row, contests};
use crate::systems::Kind;

const WIDTH: f64 = 1080.0;
const HEAD: f64 = 84.0;
const FOOT: f64 = 46.0;
const LINE: f64 = 24.0;
/// Space for the names of the scenes.
const NAMES: f64 = 76.0;
/// Space to the right of a panel's scale: for stopped systems, and for the ratio.
const STOPPED: f64 = 14.0;
const RATIO: f64 = 50.0;
const GAP: f64 = 12.0;
/// Half the height of a mark.
const MARK: f64 = 5.0;

const STYLE: &str = "
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 16px; font-weight: 600 }
.panel { font-size: 13px; font-weight: 600 }
.quiet { fill: #59636e }
.ratio, .behind { font-variant-numeric: tabular-nums; font-weight: 600 }
.behind { fill: #cf222e }
.end { text-anchor: end }
.middle { text-anchor: middle }
.back { fill: #ffffff }
.band { fill: #f3f5f7 }
.grid { stroke: #d8dee4 }
.floor { stroke: #818b98; stroke-width: 2 }
.mark { stroke-width: 1.5 }
.hollow { fill: none }
.swath { fill: #0a5fd0; stroke: #0a5fd0 }
.swath-rows { fill: #0a5fd0; fill-opacity: 0.4 }
.swath-swept { fill: none; stroke: #0a5fd0 }
.parry-refit { fill: #b35900; stroke: #b35900 }
.parry-tuned { fill: #e8a33d; stroke: #b35900 }
.parry-rebuild { fill: #c4314b; stroke: #c4314b }
.obvhs { fill: #1a7f37; stroke: #1a7f37 }
.rstar { fill: #8250df; stroke: #8250df }
.embree { fill: #9a6700; stroke: #9a6700 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.behind { fill: #ff7b72 }
.quiet { fill: #9aa5b1 }
.back { fill: #0d1117 }
.band { fill: #161b22 }
.grid { stroke: #30363d }
.floor { stroke: #7d8590 }
.swath { fill: #58a6ff; stroke: #58a6ff }
.swath-rows { fill: #58a6ff; fill-opacity: 0.4 }
.swath-swept { stroke: #58a6ff }
.parry-refit { fill: #e0823d; stroke: #e0823d }
.parry-tuned { fill: #f5cd8c; stroke: #e0823d }
.parry-rebuild { fill: #ff7b8a; stroke: #ff7b8a }
.obvhs { fill: #3fb950; stroke: #3fb950 }
.rstar { fill: #b394ff; stroke: #b394ff }
.embree { fill: #d4a72c; stroke: #d4a72c }
}
.hollow { fill: none }
";

/// The parts of a record that are drawn.
struct View<'a> {
    rows: &'a [Row],
    threads: usize,
    state: ContactState,
    scenes: Vec<&'a str>,
    sizes: Vec<usize>,
    /// Nanoseconds at both ends of the scale: powers of the root of ten.
    ends: [f64; 2],
}

impl<'a> View<'a> {
    fn new(rows: &'a [Row]) -> Option<Self> {
        let threads = rows.iter().map(|row| row.threads).max()?;
        let timed = |state: &ContactState| {
            let of_state = |row: &Row| row.threads == threads && row.state == state.name();
            rows.iter().any(|row| of_state(row) && row.ns_per_box.is_some())
        };
        let state = ContactState::ALL.into_iter().rev().find(timed)?;
        let (mut scenes, mut sizes) = (Vec::new(), Vec::new());
        let mut ends = [f64::INFINITY, 0.0_f64];
        let shown = |row: &&Row| {
            row.threads == threads && (row.state == state.name() || row.system == FLOOR)
        };
        for row in rows.iter().filter(shown) {
            if !scenes.contains(&row.scene.as_str()) {
                scenes.push(&row.scene);
            }
            if !sizes.contains(&row.boxes) {
                sizes.push(row.boxes);
            }
            if let Some(time) = row.ns_per_box.filter(|&time| time > 0.0) {
                ends = [ends[0].min(time), ends[1].max(time)];
            }
        }
        sizes.sort_unstable();
        let [low, high] = ends.map(|end| end.log10() * 2.0);
        let ends = [low.floor(), high.ceil()].map(|end| 10_f64.powf(end / 2.0));
        Some(Self { rows, threads, state, scenes, sizes, ends })
    }

    fn width(&self) -> f64 {
        (WIDTH - NAMES) / self.sizes.len() as f64
    }

    /// Start and end of the scale of a panel.
    fn scale(&self, panel: usize) -> [f64; 2] {
        let start = NAMES + self.width() * panel as f64 + MARK;
        [start, start + self.width() - STOPPED - RATIO - GAP - MARK]
    }

    /// Position of a time on the scale of a panel.
    fn x(&self, panel: usize, time: f64) -> f64 {
        let [low, high] = self.ends.map(f64::ln);
        let [start, end] = self.scale(panel);
        start + (end - start) * (time.ln() - low) / (high - low)
    }

    fn y(scene: usize) -> f64 {
        HEAD + LINE * (scene as f64 + 0.5)
    }

    fn height(&self) -> f64 {
        HEAD + LINE * self.scenes.len() as f64 + FOOT
    }

    fn row(&self, scene: &str, boxes: usize, system: &str) -> Option<&Row> {
        self.rows.iter().find(|row| {
            (row.scene.as_str(), row.boxes, row.system.as_str()) == (scene, boxes, system)
                && row.threads == self.threads
                && (row.state == self.state.name() || system == FLOOR)
        })
    }
}

/// The chart of a record, as SVG; for an empty record only its frame.
pub(crate) fn draw(rows: &[Row]) -> String {
    let mut out = String::new();
    let view = View::new(rows);
    let height = view.as_ref().map_or(HEAD, View::height);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"><style>{STYLE}</style><rect class="back" width="100%" height="100%"/>"#
    );
    if let Some(view) = view {
        frame(&mut out, &view);
        legend(&mut out, &view);
        for panel in 0..view.sizes.len() {
            marks(&mut out, &view, panel);
        }
    }
    out.push_str("</svg>\n");
    out
}

fn text(out: &mut String, class: &str, [x, y]: [f64; 2], words: &str) {
    let _ = writeln!(out, r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{words}</text>"#);
}

/// Bands, names, scales.
fn frame(out: &mut String, view: &View<'_>) {
    let bottom = HEAD + LINE * view.scenes.len() as f64;
    for (scene, name) in view.scenes.iter().enumerate() {
        let (y, top) = (View::y(scene), View::y(scene) - LINE / 2.0);
        if scene % 2 == 0 {
            let _ = writeln!(
                out,
                r#"<rect class="band" x="0" y="{top:.1}" width="{WIDTH}" height="{LINE}"/>"#
            );
        }
        text(out, "end", [NAMES - 10.0, y + 4.0], name);
    }
    for (panel, &boxes) in view.sizes.iter().enumerate() {
        let [start, end] = view.scale(panel);
        text(out, "panel", [start, HEAD - 10.0], &format!("{} boxes", grouped(boxes)));
        let ratio_at = end + STOPPED + RATIO;
        text(out, "quiet end", [ratio_at, HEAD - 10.0], "best peer ÷ swath");
        let mut time = 10_f64.powf((view.ends[0].log10() - 0.01).ceil());
        while time <= view.ends[1] * 1.01 {
            let x = view.x(panel, time);
            let _ = writeln!(
                out,
                r#"<line class="grid" x1="{x:.1}" y1="{HEAD}" x2="{x:.1}" y2="{:.1}"/>"#,
                bottom + 4.0
            );
            text(out, "quiet middle", [x, bottom + 18.0], &duration(time));
            time *= 10.0;
        }
        let middle = (start + end) / 2.0;
        text(out, "quiet middle", [middle, bottom + 36.0], "a box and tick");
    }
}

/// The name of each mark, from left to right.
fn legend(out: &mut String, view: &View<'_>) {
    let threads = view.threads;
    let title = format!(
        "All pairs of moving boxes: time a box, {} state, {threads} thread{}",
        view.state.name(),
        if threads == 1 { "" } else { "s" },
    );
    text(out, "title", [12.0, 24.0], &title);
    let mut x = 18.0;
    let mut next = |out: &mut String, name: &str| {
        text(out, "", [x + 10.0, 48.0], name);
        let at = x;
        x += 30.0 + 6.6 * name.len() as f64;
        at
    };
    for kind in Kind::ALL {
        if view.rows.iter().any(|row| row.system == kind.name()) {
            let at = next(out, kind.name());
            mark(out, kind, [at, 44.0], false);
        }
    }
    let at = next(out, "memory floor");
    floor_mark(out, at, 44.0);
    if view.rows.iter().any(|row| row.ns_per_box.is_none()) {
        let says = "hollow, at the right end: stopped, over its budget of time";
        text(out, "quiet end", [WIDTH - 12.0, 24.0], says);
    }
}

/// The systems of one panel; swath is last, on top of the others.
fn marks(out: &mut String, view: &View<'_>, panel: usize) {
    let boxes = view.sizes[panel];
    let contests = contests(view.rows);
    for (scene, &name) in view.scenes.iter().enumerate() {
        let y = View::y(scene);
        let time_of = |system| view.row(name, boxes, system).and_then(|row| row.ns_per_box);
        if let Some(time) = time_of(FLOOR) {
            floor_mark(out, view.x(panel, time), y);
        }
        let mut stopped = 0;
        for kind in Kind::ALL.into_iter().rev() {
            let Some(row) = view.row(name, boxes, kind.name()) else { continue };
            if let Some(time) = row.ns_per_box {
                mark(out, kind, [view.x(panel, time), y], false);
            } else {
                let x = view.scale(panel)[1] + STOPPED - 2.0 - 11.0 * f64::from(stopped);
                mark(out, kind, [x, y], true);
                stopped += 1;
            }
        }
        let contest = contests.iter().find(|((_, scene, size, threads, state), _)| {
            (*scene, *size, *threads, *state) == (name, boxes, view.threads, view.state)
        });
        if let Some(ratio) = contest.and_then(|(_, contest)| contest.ratio()) {
            let x = view.scale(panel)[1] + STOPPED + RATIO;
            let (class, digits) = if ratio < 1.0 { ("behind end", 2) } else { ("ratio end", 1) };
            text(out, class, [x, y + 4.0], &format!("{ratio:.digits$}×"));
        }
    }
}

fn floor_mark(out: &mut String, x: f64, y: f64) {
    let (top, bottom) = (y - 7.0, y + 7.0);
    let _ = writeln!(
        out,
        r#"<line class="floor" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#
    );
}

/// Each system has a shape of its own, so that they can be distinguished without colour.
fn mark(out: &mut String, kind: Kind, [x, y]: [f64; 2], stopped: bool) {
    let class = format!("mark {kind}{}", if stopped { " hollow" } else { "" });
    let polygon = |points: &[[f64; 2]]| {
        let points: Vec<_> = points
            .iter()
            .map(|[dx, dy]| format!("{:.1},{:.1}", x + dx * MARK, y + dy * MARK))
            .collect();
        format!(r#"<polygon class="{class}" points="{}"/>"#, points.join(" "))
    };
    let square = [[-0.8, -0.8], [0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]];
    let shape = match kind {
        Kind::Swath | Kind::SwathRows | Kind::SwathSwept => {
            format!(r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{MARK}"/>"#)
        }
        Kind::ParryRefit | Kind::ParryTuned => polygon(&square),
        Kind::ParryRebuild => polygon(&[[0.0, -1.1], [1.1, 0.0], [0.0, 1.1], [-1.1, 0.0]]),
        Kind::Obvhs => polygon(&[[0.0, -1.0], [1.0, 0.8], [-1.0, 0.8]]),
        Kind::Rstar => polygon(&[[-1.0, -0.8], [1.0, -0.8], [0.0, 1.0]]),
        Kind::Embree => polygon(&[[-1.0, -0.8], [0.0, 0.0], [-1.0, 0.8], [1.0, 0.8], [1.0, -0.8]]),
    };
    let _ = writeln!(out, "{shape}");
}

/// `1000000` as `1,000,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A power of ten of nanoseconds, in the unit that keeps it short.
fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ..1e3 => format!("{nanoseconds} ns"),
        ..1e6 => format!("{} µs", (nanoseconds / 1e3).round()),
        _ => format!("{} ms", (nanoseconds / 1e6).round()),
    }
}

#[cfg(test)]
mod tests {
    use super::{draw, duration, grouped};

    #[test]
    fn numbers_are_shown_short() {
        assert_eq!([1, 999, 10_000, 1_000_000].map(grouped), ["1", "999", "10,000", "1,000,000"]);
        assert_eq!(
            [0.1, 1.0, 1e3, 1e5, 1e6].map(duration),
            ["0.1 ns", "1 ns", "1 µs", "100 µs", "1 ms"]
        );
    }

    #[test]
    fn an_empty_record_is_a_picture_too() {
        assert!(draw(&[]).ends_with("</svg>\n"));
    }
}
