//! Runs the queries of a file of the continuous-collision literature, and compares with their exact answers.
//!
//! The format is that of the data of B. Wang et al., *A Large-Scale Benchmark and an Inclusion-Based Algorithm for
//! Continuous Collision Detection* (2021): a query has eight rows, a position each. They are the vertex and the three
//! vertices of the face, or the ends of the two edges, first at the start of the tick, then at the end. A row has the
//! numerator and the denominator of each coordinate, and may have the exact answer as a seventh number, 0 or 1, the
//! same in all rows of a query. The answers may instead be a JSON list in a file of their own.
//!
//! Columns are separated by commas, semicolons or blanks. Empty lines, lines that start with `#`, and a first line of names of columns
//! are skipped. Rows are read one at a time, and a query is kept as one number.
//!
//! A search that ends without a result has proved a time before which there is no contact. As nothing excludes a contact after it, the query is
//! a hit at that time, and is counted as unresolved too.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::str::{self, FromStr};

use serde_json::json;
use swath::batch::{ElementSettings, ElementToi, edge_edge, vertex_face};

use super::pairs::PairKind;
use super::rational::{self, NoNumber};
use examples::progress;

/// The longest line that is read. Published numbers have less than a thousand digits.
const LINE_MAX: u64 = 1 << 16;
/// Rows of a query.
const ROWS: usize = 8;

impl FromStr for PairKind {
    type Err = Fault;

    fn from_str(name: &str) -> Result<Self, Fault> {
        match name {
            "vf" | "vertex-face" => Ok(Self::VertexFace),
            "ee" | "edge-edge" => Ok(Self::EdgeEdge),
            _ => Err(Fault::Kind(name.to_owned())),
        }
    }
}

/// What is wrong with a file of queries.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0:?} is not a kind of queries: vf (vertex-face) or ee (edge-edge)")]
    Kind(String),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("line {0} is longer than {LINE_MAX} bytes")]
    Long(usize),
    #[error("line {0} is not text")]
    NoText(usize),
    #[error("line {line} has {found} columns instead of 6 or 7")]
    Columns { line: usize, found: usize },
    #[error("line {line}: {reason}")]
    Number { line: usize, reason: NoNumber },
    #[error("line {line}: the answer is {found:?} instead of 0 or 1")]
    Answer { line: usize, found: String },
    #[error("line {0}: the rows of a query have different answers, or only some have one")]
    Answers(usize),
    #[error("the last query has {0} rows instead of 8")]
    Rows(usize),
    #[error("the query that ends in line {line}: {reason}")]
    Query { line: usize, reason: swath::batch::ElementError },
    #[error("not a list of answers: {0}")]
    Json(#[from] serde_json::Error),
    #[error("answer {index} is {number} instead of true, false, 0 or 1")]
    Listed { index: usize, number: u8 },
    #[error("{found} answers for {queries} queries")]
    Count { found: usize, queries: usize },
}

/// The result of a query: its first time or the time that was proved, and how the search ended.
#[derive(Clone, Copy)]
enum Found {
    Hit(f64),
    Miss,
    Unresolved(f64),
}

/// The results of all queries of a file.
#[derive(Default)]
pub(crate) struct Results {
    found: Vec<Found>,
    hits: usize,
    unresolved: usize,
    /// Exact answers, false negatives and false positives, if there are answers.
    judged: Option<[usize; 3]>,
}

/// Runs all queries of a file. The exact answers are those of `answers`, if there is such a file.
pub(crate) fn run(
    kind: PairKind,
    path: &Path,
    answers: Option<&[bool]>,
    settings: &ElementSettings,
    quiet: bool,
) -> Result<Results, Fault> {
    let file = File::open(path)?;
    let bar = progress::steps("queries", "byte", file.metadata()?.len(), quiet);
    let mut reader = BufReader::new(file);
    let mut results = Results::default();
    let mut query = Query::default();
    let (mut line, mut text, mut is_first) = (0, Vec::new(), true);
    loop {
        line += 1;
        text.clear();
        if (&mut reader).take(LINE_MAX + 1).read_until(b'\n', &mut text)? == 0 {
            break;
        }
        if text.len() as u64 > LINE_MAX {
            return Err(Fault::Long(line));
        }
        bar.inc(text.len() as u64);
        let row = str::from_utf8(&text).map_err(|_| Fault::NoText(line))?;
        let row = row.trim_start_matches('\u{feff}').trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        if core::mem::take(&mut is_first) && is_names(row) {
            continue;
        }
        query.push(line, row)?;
        if query.rows == ROWS {
            let found =
                query.run(kind, settings).map_err(|reason| Fault::Query { line, reason })?;
            let given = answers.map(|answers| answers.get(results.found.len()).copied());
            results.push(found, given.unwrap_or(query.answer));
            query = Query::default();
        }
    }
    if query.rows > 0 {
        return Err(Fault::Rows(query.rows));
    }
    if let Some(answers) = answers
        && answers.len() != results.found.len()
    {
        return Err(Fault::Count { found: answers.len(), queries: results.found.len() });
    }
    Ok(results)
}

/// Whether a line has names of columns instead of numbers.
fn is_names(row: &str) -> bool {
    columns(row).all(|column| {
        let starts = column.starts_with(|first: char| first.is_alphabetic() || first == '_');
        starts && column.parse::<f64>().is_err()
    })
}

/// The columns of a line. A separator at the end of the line is ignored.
fn columns(row: &str) -> impl Iterator<Item = &str> {
    let separator = [',', ';'].into_iter().find(|&separator| row.contains(separator));
    let row = separator.and_then(|separator| row.strip_suffix(separator)).unwrap_or(row);
    let is_end = move |c: char| separator.map_or(c.is_whitespace(), |separator| c == separator);
    let columns = row.split(is_end).map(|column| column.trim().trim_matches('"'));
    columns.filter(move |column| separator.is_some() || !column.is_empty())
}

/// Reads a JSON list of answers: true and false, or 1 and 0.
pub(crate) fn answers(path: &Path) -> Result<Vec<bool>, Fault> {
    let file = scenes::read_file(path)?;
    let error = match serde_json::from_slice(&file) {
        Ok(answers) => return Ok(answers),
        Err(error) => error,
    };
    let Ok(numbers) = serde_json::from_slice::<Vec<u8>>(&file) else {
        return Err(error.into());
    };
    let answers = numbers.into_iter().enumerate().map(|(index, number)| match number {
        0 | 1 => Ok(number == 1),
        number => Err(Fault::Listed { index, number }),
    });
    answers.collect()
}

/// The rows of a query that were read.
#[derive(Default)]
struct Query {
    rows: usize,
    positions: [[f64; 3]; ROWS],
    /// The greatest error of a coordinate.
    error: f64,
    answer: Option<bool>,
}

impl Query {
    fn push(&mut self, line: usize, row: &str) -> Result<(), Fault> {
        let mut columns = [""; 7];
        let mut found = 0;
        for column in self::columns(row) {
            if let Some(slot) = columns.get_mut(found) {
                *slot = column;
            }
            found += 1;
        }
        if found != 6 && found != 7 {
            return Err(Fault::Columns { line, found });
        }
        for axis in 0..3 {
            let rounded = rational::round(columns[2 * axis], columns[2 * axis + 1]);
            let (coordinate, error) = rounded.map_err(|reason| Fault::Number { line, reason })?;
            self.positions[self.rows][axis] = coordinate;
            self.error = self.error.max(error);
        }
        let answer = match (found, columns[6]) {
            (6, _) => None,
            (_, "0") => Some(false),
            (_, "1") => Some(true),
            (_, text) if text.eq_ignore_ascii_case("false") => Some(false),
            (_, text) if text.eq_ignore_ascii_case("true") => Some(true),
            (_, other) => {
                let found = other.chars().take(40).collect();
                return Err(Fault::Answer { line, found });
            }
        };
        if self.rows > 0 && self.answer != answer {
            return Err(Fault::Answers(line));
        }
        (self.answer, self.rows) = (answer, self.rows + 1);
        Ok(())
    }

    fn run(
        &self,
        kind: PairKind,
        settings: &ElementSettings,
    ) -> Result<Found, swath::batch::ElementError> {
        let [a, b, c, d, e, f, g, h] = self.positions;
        let (start, end) = ([a, b, c, d], [e, f, g, h]);
        let mut settings = *settings;
        if self.error > 0.0 {
            // Each of two points moves by at most √3 of the error of a coordinate.
            let separation = settings.minimum_separation + 4.0 * self.error;
            settings.minimum_separation = separation.next_up();
        }
        let toi = match kind {
            PairKind::VertexFace => vertex_face::one_to_one(&start, &end, &settings),
            PairKind::EdgeEdge => edge_edge::one_to_one(&start, &end, &settings),
        };
        Ok(match toi? {
            ElementToi::Hit { t, .. } => Found::Hit(t),
            ElementToi::Miss => Found::Miss,
            other => Found::Unresolved(other.safe_time()),
        })
    }
}

impl Results {
    fn push(&mut self, found: Found, answer: Option<bool>) {
        let is_hit = !matches!(found, Found::Miss);
        self.hits += usize::from(is_hit);
        self.unresolved += usize::from(matches!(found, Found::Unresolved(_)));
        if let Some(answer) = answer {
            let [count, negatives, positives] = self.judged.get_or_insert_default();
            *count += 1;
            *negatives += usize::from(answer && !is_hit);
            *positives += usize::from(!answer && is_hit);
        }
        self.found.push(found);
    }

    /// Whether a contact was not found.
    pub(crate) fn has_false_negatives(&self) -> bool {
        self.judged.is_some_and(|[_, negatives, _]| negatives > 0)
    }

    /// A line for each query, and the counts.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        for found in &self.found {
            text += &match found {
                Found::Hit(t) | Found::Unresolved(t) => format!("hit {t}\n"),
                Found::Miss => "miss\n".to_owned(),
            };
        }
        let (queries, hits, unresolved) = (self.found.len(), self.hits, self.unresolved);
        let misses = queries - hits;
        text += &format!(
            "{queries} queries: {hits} hits, {misses} misses; {unresolved} hits are unresolved\n"
        );
        text + &match self.judged {
            Some([count, negatives, positives]) => format!(
                "{count} exact answers: {negatives} false negatives, {positives} false positives\n"
            ),
            None => "no exact answers\n".to_owned(),
        }
    }

    /// One JSON object on one line.
    pub(crate) fn json(&self) -> String {
        let object = json!({
            "queries": self.found.len(),
            "hits": self.hits,
            "misses": self.found.len() - self.hits,
            "unresolved": self.unresolved,
            "answers": self.judged.map_or(0, |judged| judged[0]),
            "false_negatives": self.judged.map(|judged| judged[1]),
            "false_positives": self.judged.map(|judged| judged[2]),
        });
        let mut text = object.to_string();
        // Written by hand, because a JSON value takes many times the memory of a result.
        text.truncate(text.len() - 1);
        text += ",\"results\":[";
        for (index, found) in self.found.iter().enumerate() {
            text += if index > 0 { "," } else { "" };
            text += &match found {
                Found::Hit(t) => format!("{{\"hit\":{t}}}"),
                Found::Miss => "\"miss\"".to_owned(),
                Found::Unresolved(t) => format!("{{\"hit\":{t},\"unresolved\":true}}"),
            };
        }
        text + "]}\n"
    }
}
