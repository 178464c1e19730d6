//! The measurements as rows, as tables of classes, and as the tables of `docs/COMPARE.md`.

use std::fmt::Write;

use peers::truth::WRONG;

use crate::{CLASSES, QUESTIONS};

/// Columns of the record, before those of wrong results.
pub(crate) const HEAD: [&str; 7] =
    ["question", "shapes", "system", "ns_per_pair", "pairs", "hits", "checked"];
/// How much faster swath must be than the fastest other system, so that a class is not listed.
const CLEARLY: f64 = 1.3;

/// A system, for one question and one class.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) question: &'static str,
    pub(crate) class: &'static str,
    pub(crate) system: String,
    pub(crate) nanoseconds: f64,
    pub(crate) pairs: usize,
    pub(crate) hits: usize,
    /// Number of results that were compared with `spec`, and how many of them are wrong, by kind.
    pub(crate) checked: usize,
    pub(crate) wrong: [usize; WRONG.len()],
    pub(crate) late_most: f64,
}

impl Cell {
    /// The columns of the record from the question on.
    pub(crate) fn row(&self) -> Vec<String> {
        let names = [self.question, self.class, &self.system].map(str::to_owned);
        let counts = [self.pairs, self.hits, self.checked].into_iter().chain(self.wrong);
        let time = [format!("{:.1}", self.nanoseconds)];
        let late = [format!("{:.1e}", self.late_most)];
        names.into_iter().chain(time).chain(counts.map(|n| n.to_string())).chain(late).collect()
    }
}

/// The systems that answer a question, in the order in which they were measured, each with its cells.
fn systems<'c>(cells: &'c [Cell], question: &str) -> Vec<(&'c str, Vec<&'c Cell>)> {
    let mut systems: Vec<(&str, Vec<&Cell>)> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.question == question) {
        match systems.iter_mut().find(|(system, _)| *system == cell.system) {
            Some((_, row)) => row.push(cell),
            None => systems.push((&cell.system, vec![cell])),
        }
    }
    systems
}

/// The fastest system other than swath for a class, and how many times as long it takes as swath.
fn ahead<'c>(systems: &[(&'c str, Vec<&'c Cell>)], class: usize) -> Option<(&'c str, f64)> {
    let (_, ours) = systems.iter().find(|(system, _)| *system == "swath")?;
    let others = systems.iter().filter(|(system, _)| *system != "swath");
    let best =
        others.min_by(|(_, a), (_, b)| a[class].nanoseconds.total_cmp(&b[class].nanoseconds));
    best.map(|(system, row)| (*system, row[class].nanoseconds / ours[class].nanoseconds))
}

/// Prints a row for each system and a column for each class, and by how much swath is ahead of the fastest other system.
pub(crate) fn print_classes(cells: &[Cell]) {
    for (question, ..) in QUESTIONS {
        let systems = systems(cells, question);
        if systems.is_empty() {
            continue;
        }
        print!("\n{question:>18}");
        CLASSES.iter().for_each(|class| print!("{class:>10}"));
        for (system, row) in &systems {
            print!("\n{system:>18}");
            row.iter().for_each(|cell| print!("{:>10.0}", cell.nanoseconds));
        }
        print!("\n{:>18}", "ahead");
        for class in 0..CLASSES.len() {
            ahead(&systems, class).iter().for_each(|(_, ratio)| print!("{ratio:>10.2}"));
        }
        println!();
    }
}

/// The tables of the page.
pub(crate) fn markdown(cells: &[Cell]) -> String {
    let mut text =
        format!("| | {} |\n|---{}|\n", CLASSES.join(" | "), "|---".repeat(CLASSES.len()));
    let mut put = |line: String| text.push_str(&(line + "\n"));
    let [mut behind, mut close] = [Vec::new(), Vec::new()];
    for (question, ..) in QUESTIONS {
        let systems = systems(cells, question);
        let least = |class: usize| {
            let times = systems.iter().map(|(_, row)| row[class].nanoseconds);
            times.fold(f64::INFINITY, f64::min)
        };
        for (number, (system, row)) in systems.iter().enumerate() {
            let name =
                if number == 0 { format!("{question}: {system}") } else { (*system).to_owned() };
            let times = row.iter().enumerate().map(|(class, cell)| {
                let bold = if cell.nanoseconds == least(class) { "**" } else { "" };
                format!(" {bold}{:.0}{bold} |", cell.nanoseconds)
            });
            put(format!("| {name} |{}", times.collect::<String>()));
        }
        for (class, name) in CLASSES.iter().enumerate() {
            let Some((system, ratio)) = ahead(&systems, class) else { continue };
            let of = format!("{question} of *{name}* ({system}, {ratio:.2})");
            match ratio {
                ..1.0 => behind.push(of),
                1.0..CLEARLY => close.push(of),
                _ => {}
            }
        }
    }
    put("\nWrong results of all classes together:\n".to_owned());
    put("| | checked | missed | late | late by more than the tolerance | early | false hits |"
        .to_owned());
    put("|---|---|---|---|---|---|---|".to_owned());
    for (question, ..) in QUESTIONS {
        for (system, row) in systems(cells, question) {
            let sum = |of: fn(&Cell) -> usize| row.iter().map(|cell| of(cell)).sum::<usize>();
            let counts = [
                sum(|cell| cell.checked),
                sum(|cell| cell.wrong[0]),
                sum(|cell| cell.wrong[2]),
                sum(|cell| cell.wrong[3]),
                sum(|cell| cell.wrong[4]),
                sum(|cell| cell.wrong[5]),
            ];
            let counts = counts.map(|count| format!(" {count} |")).concat();
            put(format!("| {question}: {system} |{counts}"));
        }
    }
    let list = |of: &[String]| if of.is_empty() { "none".to_owned() } else { of.join("; ") };
    write!(
        text,
        "\n**Where they are better**, with the fastest other system and the quotient of its time and that of swath: {}.\n\n\
         Where swath is less than {CLEARLY} times as fast: {}.\n",
        list(&behind),
        list(&close)
    )
    .expect("a string");
    text
}
