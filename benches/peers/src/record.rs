//! Writes a record, reads it, and summarises it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cell::{Cell, ContactState, Outcome, Outcomes};
use crate::systems::Kind;
use peers::machine::version;

/// The name of the memory floor among the systems, and of its only state.
pub(crate) const FLOOR: &str = "memory-floor";
const FLOOR_STATE: &str = "any";

/// A line of `pairs.csv`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) machine: String,
    pub(crate) scene: String,
    pub(crate) boxes: usize,
    pub(crate) threads: usize,
    pub(crate) state: String,
    pub(crate) system: String,
    pub(crate) version: String,
    /// Median of the state's ticks; `None` if the system was stopped in the first three.
    pub(crate) ns_per_box: Option<f64>,
    /// Number of pairs in the last tick of the state.
    pub(crate) pairs: Option<usize>,
    /// Relative to the time of swath's union pairs in the same state: above 1 is slower than swath.
    pub(crate) ratio_to_swath: Option<f64>,
    /// Why there is no time, or one of fewer ticks.
    pub(crate) note: String,
}

fn round(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// The lines of one cell.
pub(crate) fn rows(machine: &str, cell: &Cell<'_>, outcomes: &Outcomes) -> Vec<Row> {
    let per_box = |time: Duration| time.as_secs_f64() * 1e9 / cell.boxes.max(1) as f64;
    let row = |state: &str, system: &str, version| Row {
        machine: machine.to_owned(),
        scene: cell.scene.to_string(),
        boxes: cell.boxes,
        threads: cell.threads,
        state: state.to_owned(),
        system: system.to_owned(),
        version,
        ns_per_box: None,
        pairs: None,
        ratio_to_swath: None,
        note: String::new(),
    };
    let swath = |wanted: ContactState| {
        outcomes.systems.iter().find_map(|(kind, state, outcome)| match outcome {
            Outcome::Took { median, .. } if *kind == Kind::Swath && *state == wanted => {
                Some(per_box(*median))
            }
            _ => None,
        })
    };
    let of_systems = outcomes.systems.iter().map(|(kind, state, outcome)| {
        let row = row(state.name(), kind.name(), version(kind.package()));
        match outcome {
            Outcome::Took { median, pairs, note } => Row {
                ns_per_box: Some(round(per_box(*median))),
                pairs: Some(*pairs),
                note: note.clone(),
                ratio_to_swath: swath(*state).map(|swath| round(per_box(*median) / swath)),
                ..row
            },
            Outcome::Skipped(reason) => Row { note: reason.clone(), ..row },
        }
    });
    let floor = Row {
        ns_per_box: Some(round(per_box(outcomes.floor))),
        pairs: Some(outcomes.floor_pairs),
        ..row(FLOOR_STATE, FLOOR, String::new())
    };
    of_systems.chain([floor]).collect()
}

/// Writes all lines.
pub(crate) fn write(path: &Path, rows: &[Row]) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_path(path)?;
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(writer.flush()?)
}

/// Reads a file of [`write`].
pub(crate) fn read(path: &Path) -> Result<Vec<Row>, csv::Error> {
    csv::Reader::from_path(path)?.deserialize().collect()
}

/// The times of swath and its fastest peer in one state of one cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contest<'a> {
    pub(crate) swath: Option<f64>,
    pub(crate) rows: Option<f64>,
    pub(crate) swept: Option<f64>,
    pub(crate) peer: Option<(&'a str, f64)>,
}

impl Contest<'_> {
    /// Time of the fastest peer relative to swath.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(self.peer?.1 / self.swath?)
    }

    /// The same relative to swath with rows and a list.
    fn ratio_of_rows(&self) -> Option<f64> {
        Some(self.peer?.1 / self.rows?)
    }
}

/// Scene, by its position in the record, boxes, threads, and state.
type Place<'a> = (usize, &'a str, usize, usize, ContactState);

/// The comparisons of a record, in its order of scenes.
pub(crate) fn contests(rows: &[Row]) -> BTreeMap<Place<'_>, Contest<'_>> {
    let mut scenes: Vec<&str> = Vec::new();
    let mut contests = BTreeMap::<Place<'_>, Contest<'_>>::new();
    for row in rows {
        let place = scenes.iter().position(|scene| *scene == row.scene).unwrap_or_else(|| {
            scenes.push(&row.scene);
            scenes.len() - 1
        });
        let state = ContactState::ALL.into_iter().find(|state| state.name() == row.state);
        let (Some(state), Some(time)) = (state, row.ns_per_box) else { continue };
        let key = (place, row.scene.as_str(), row.boxes, row.threads, state);
        let contest = contests.entry(key).or_default();
        match row.system.parse() {
            Ok(Kind::Swath) => contest.swath = Some(time),
            Ok(Kind::SwathRows) => contest.rows = Some(time),
            Ok(Kind::SwathSwept) => contest.swept = Some(time),
            _ if contest.peer.is_none_or(|(_, best)| time < best) => {
                contest.peer = Some((&row.system, time));
            }
            _ => (),
        }
    }
    contests
}

/// For each scene, size, number of threads and state: swath, its fastest peer, and the ratios.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<10}{:>9}{:>4}  {:<7}{:>10}{:>10}{:>10}  {:<14}{:>10}{:>8}{:>8}\n",
        "scene",
        "boxes",
        "thr",
        "state",
        "swath",
        "rows",
        "swept",
        "best peer",
        "ns a box",
        "ratio",
        "rows"
    );
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let times = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}x"));
    for ((_, scene, boxes, threads, state), contest) in contests(rows) {
        let (name, time) = contest.peer.map_or(("-", None), |(name, time)| (name, Some(time)));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{scene:<10}{boxes:>9}{threads:>4}  {:<7}{:>10}{:>10}{:>10}  {name:<14}{:>10}{:>8}{:>8}",
            state.name(),
            number(contest.swath),
            number(contest.rows),
            number(contest.swept),
            number(time),
            times(contest.ratio()),
            times(contest.ratio_of_rows()),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::systems::Kind;
    use peers::machine::version;

    /// Goal: the record contains the versions that were built. Method: none is unknown, and rstar, of which
    /// parry depends on another version, is our dependency.
    #[test]
    fn versions_are_those_of_the_lock_file() {
        for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Embree) {
            assert!(version(kind.package()).starts_with("0."), "{kind}");
        }
        assert!(version("rstar").starts_with("0.14."));
        assert_eq!(version("no such crate"), "unknown");
    }
}
