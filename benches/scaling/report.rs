//! The measurements as a table, CSV or JSON, and the tables of `docs/bench/scaling.md`.
//!
//! The prediction for `n` cores is `max(s + (t - s) / n, b / w)`: `t` is the time on one thread and `s` the part of it that is not
//! divided, from the times on one thread and on the most that were measured, which had the cores that `machine.rs` found; `b` are the
//! bytes of the stage, and `w` the bytes a second that the memory of the machine moves.

use crate::Failure;
use crate::machine::Machine;
use crate::stages::Row;
use std::fmt::Write;

/// Memory for which a prediction is made, in units of 10⁹ bytes a second: two channels and eight channels of DDR5, of which about
/// three quarters can be used.
const MEMORIES: [(&str, f64); 2] = [("2 channels", 60.0), ("8 channels", 230.0)];
/// Numbers of cores for which a prediction is made.
const CORES: [f64; 2] = [8.0, 16.0];
/// The least number of cores that threads must have had, so that their times say how much is divided.
const CORES_MIN: f64 = 1.1;
/// The tables of the page are between these lines.
const BEGIN: &str = "<!-- The program `scaling` writes what follows. -->";
const END: &str = "<!-- End of what the program writes. -->";

/// A stage on one thread, and on all numbers of threads.
struct Stage<'r> {
    one: &'r Row,
    most: &'r Row,
    /// The number of cores on which `most` ran.
    cores: f64,
}

/// The stages in the order in which they were measured.
fn stages<'r>(machine: &[Machine], rows: &'r [Row]) -> Vec<Stage<'r>> {
    let ones = rows.iter().filter(|row| row.threads == 1);
    let stage = |one: &'r Row| {
        let same = rows.iter().filter(|row| row.stage == one.stage && row.boxes == one.boxes);
        let most = same.max_by_key(|row| row.threads).expect("one thread was measured");
        let cores = machine.iter().find(|of| of.threads == most.threads);
        Stage { one, most, cores: cores.map_or(most.threads as f64, |of| of.cores) }
    };
    ones.map(stage).collect()
}

impl Stage<'_> {
    fn bytes(&self) -> f64 {
        self.one.bytes * self.one.boxes as f64
    }

    /// Milliseconds of the part that is not divided.
    fn serial(&self) -> f64 {
        let (one, most) = (self.one.milliseconds, self.most.milliseconds);
        // The grid is chosen on one thread. If more threads have no more cores, nothing is known.
        match self.one.stage {
            "choose" => one,
            _ if self.cores < CORES_MIN => 0.0,
            _ => ((self.cores * most - one) / (self.cores - 1.0)).clamp(0.0, one),
        }
    }

    /// Milliseconds that the memory needs, at this many 10⁹ bytes a second.
    fn floor(&self, giga: f64) -> f64 {
        self.bytes() / giga / 1e6
    }

    /// The speed-up on this many cores.
    fn predicted(&self, cores: f64, giga: f64) -> f64 {
        let (one, serial) = (self.one.milliseconds, self.serial());
        one / (serial + (one - serial) / cores).max(self.floor(giga))
    }

    /// The number of cores from which the memory is the limit; `None` if it never is.
    fn memory_ends(&self, giga: f64) -> Option<f64> {
        let (one, serial) = (self.one.milliseconds, self.serial());
        let left = self.floor(giga) - serial;
        (left > 0.0).then(|| ((one - serial) / left).max(1.0))
    }
}

/// Nanoseconds a box.
fn each(row: &Row) -> f64 {
    row.milliseconds * 1e6 / row.boxes as f64
}

/// The speed-up compared with one thread.
fn gain(rows: &[Row], row: &Row) -> f64 {
    let one = |other: &&Row| (other.stage, other.boxes, other.threads) == (row.stage, row.boxes, 1);
    rows.iter().find(one).map_or(1.0, |one| one.milliseconds / row.milliseconds)
}

pub(crate) fn csv(machine: &[Machine], rows: &[Row]) -> String {
    let mut text =
        "stage,boxes,threads,ms,ns_per_box,bytes_per_box,gb_per_second,speed_up,hash\n".to_owned();
    for of in machine {
        for (name, giga) in [("memory-read", of.read), ("memory-copy", of.copy)] {
            writeln!(text, "{name},,{},,,,{giga:.1},,", of.threads).expect("a string");
        }
        writeln!(text, "arithmetic,,{},,,,,{:.2},", of.threads, of.cores).expect("a string");
    }
    for row in rows {
        let giga = row.bytes * row.boxes as f64 / row.milliseconds / 1e6;
        writeln!(
            text,
            "{},{},{},{:.3},{:.2},{:.0},{giga:.1},{:.2},{:016x}",
            row.stage,
            row.boxes,
            row.threads,
            row.milliseconds,
            each(row),
            row.bytes,
            gain(rows, row),
            row.hash
        )
        .expect("a string");
    }
    text
}

/// Prints a table, or JSON.
pub(crate) fn print(machine: &[Machine], rows: &[Row], json: bool) {
    let text = csv(machine, rows);
    let mut lines = text.lines();
    let head: Vec<_> = lines.next().into_iter().flat_map(|head| head.split(',')).collect();
    if !json {
        let widths = [15, 10, 8, 11, 11, 14, 14, 9, 17];
        for line in text.lines() {
            let cells = line.split(',').zip(widths);
            println!(
                "{}",
                cells.map(|(cell, width)| format!("{cell:>width$}")).collect::<String>()
            );
        }
        return;
    }
    for line in lines {
        let quoted = |name: &str| ["stage", "hash"].contains(&name);
        let cells = head.iter().zip(line.split(',')).filter(|(_, cell)| !cell.is_empty());
        let cells: Vec<_> = cells
            .map(|(name, cell)| {
                let quote = if quoted(name) { "\"" } else { "" };
                format!("\"{name}\":{quote}{cell}{quote}")
            })
            .collect();
        println!("{{{}}}", cells.join(","));
    }
}

/// Replaces the tables of the page.
pub(crate) fn fill(page: &str, machine: &[Machine], rows: &[Row]) -> Result<String, Failure> {
    let (before, rest) =
        page.split_once(BEGIN).ok_or("the page has no line where its tables begin")?;
    let (_, after) = rest.split_once(END).ok_or("the page has no line where its tables end")?;
    let mut text = format!("{before}{BEGIN}\n\n");
    tables(&mut text, machine, rows)?;
    Ok(format!("{text}\n{END}{after}"))
}

fn tables(text: &mut String, machine: &[Machine], rows: &[Row]) -> Result<(), Failure> {
    writeln!(
        text,
        "### The machine\n\n| threads | read, GB/s | copy, GB/s | arithmetic, speed-up |\n|---|---|---|---|"
    )?;
    for of in machine {
        writeln!(text, "| {} | {:.1} | {:.1} | {:.2} |", of.threads, of.read, of.copy, of.cores)?;
    }
    let stages = stages(machine, rows);
    let mut sizes: Vec<usize> = rows.iter().map(|row| row.boxes).collect();
    sizes.dedup();
    for boxes in sizes {
        writeln!(
            text,
            "\n### {boxes} boxes\n\nMeasured, and predicted from that.\n\n| stage | bytes a box | ns a box, 1 thread | GB/s, 1 thread | \
             measured speed-up | part not divided |\n|---|---|---|---|---|---|"
        )?;
        for stage in stages.iter().filter(|stage| stage.one.boxes == boxes) {
            let (one, most) = (stage.one, stage.most);
            writeln!(
                text,
                "| {} | {:.0} | {:.2} | {:.1} | {:.2} on {} | {:.0} % |",
                one.stage,
                one.bytes,
                each(one),
                stage.bytes() / one.milliseconds / 1e6,
                gain(rows, most),
                most.threads,
                100.0 * stage.serial() / one.milliseconds,
            )?;
        }
        write!(text, "\n| stage |")?;
        for (name, giga) in MEMORIES {
            for cores in CORES {
                write!(text, " {cores:.0} cores, {name} |")?;
            }
            write!(text, " memory ends it at {giga:.0} GB/s |")?;
        }
        writeln!(text, "\n|---|{}", "---|".repeat(MEMORIES.len() * (CORES.len() + 1)))?;
        for stage in stages.iter().filter(|stage| stage.one.boxes == boxes) {
            write!(text, "| {} |", stage.one.stage)?;
            for (_, giga) in MEMORIES {
                for cores in CORES {
                    write!(text, " {:.1} |", stage.predicted(cores, giga))?;
                }
                match stage.memory_ends(giga) {
                    Some(cores) => write!(text, " {cores:.0} cores |")?,
                    None => write!(text, " never |")?,
                }
            }
            writeln!(text)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(threads: usize, milliseconds: f64) -> Row {
        Row { stage: "scatter", boxes: 1_000_000, threads, milliseconds, bytes: 60.0, hash: 1 }
    }

    /// Goal: a stage is limited by what is not divided, and by memory. Method: 60 MB, of which memory moves 60 in a millisecond.
    #[test]
    fn predictions_have_both_limits() {
        let rows = [row(1, 16.0), row(2, 8.0)];
        let stage = &stages(&[], &rows)[0];
        assert_eq!(stage.serial(), 0.0);
        assert_eq!(stage.predicted(8.0, 60.0), 8.0);
        assert_eq!(stage.predicted(16.0, 30.0), 8.0);
        assert_eq!(stage.memory_ends(30.0), Some(8.0));
        let rows = [row(1, 16.0), row(2, 10.0)];
        let stage = &stages(&[], &rows)[0];
        assert_eq!(stage.serial(), 4.0);
        assert_eq!(stage.predicted(6.0, 60.0), 16.0 / 6.0);
        assert_eq!(stage.memory_ends(60.0), None);
    }

    /// Goal: threads that share a core do not count as a part that is not divided. Method: two threads on one and a half cores.
    #[test]
    fn cores_count_and_not_threads() {
        let cores = |cores| Machine { threads: 2, read: 1.0, copy: 1.0, cores };
        let rows = [row(1, 15.0), row(2, 10.0)];
        assert_eq!(stages(&[cores(1.5)], &rows)[0].serial(), 0.0);
        assert_eq!(stages(&[cores(2.0)], &rows)[0].serial(), 5.0);
        assert_eq!(stages(&[cores(1.0)], &rows)[0].serial(), 0.0);
    }

    /// Goal: only what the program wrote is replaced. Method: a page that is filled twice.
    #[test]
    fn page_is_filled_again() {
        let page = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let once = fill(&page, &[], &[row(1, 1.0)]).expect("it has both lines");
        assert!(
            once.starts_with("before\n") && once.ends_with("\nafter\n") && !once.contains("old")
        );
        assert_eq!(fill(&once, &[], &[row(1, 1.0)]).expect("it has both lines"), once);
        assert!(fill("no lines", &[], &[]).is_err());
    }
}
