//! The result of a run as text or as JSON.

use std::fmt::Write;

use serde_json::json;

use crate::Args;

/// What one process did.
pub(crate) struct Numbers {
    /// Boxes that it owns.
    pub(crate) boxes: u64,
    /// Boxes that it received, its own ones and ghosts.
    pub(crate) received: u64,
    /// Bytes that it sent to other processes.
    pub(crate) sent_bytes: u64,
    /// Pairs that it owns.
    pub(crate) pairs: u64,
    pub(crate) sample_us: u64,
    pub(crate) exchange_us: u64,
    pub(crate) find_us: u64,
}

impl Numbers {
    pub(crate) const COUNT: usize = 7;

    pub(crate) fn words(&self) -> [u64; Self::COUNT] {
        let Self { boxes, received, sent_bytes, pairs, sample_us, exchange_us, find_us } = *self;
        [boxes, received, sent_bytes, pairs, sample_us, exchange_us, find_us]
    }
}

/// Greatest value of a column, over its mean.
fn imbalance(rows: &[&[u64]], column: usize) -> f64 {
    let (most, sum) =
        rows.iter().fold((0, 0), |(most, sum), row| (row[column].max(most), sum + row[column]));
    if sum == 0 { 1.0 } else { most as f64 * rows.len() as f64 / sum as f64 }
}

/// Returns the text of a run: numbers of all processes together, and of each.
pub(crate) fn report(args: &Args, [pairs, hash]: [u64; 2], each: &[u64], equal: bool) -> String {
    let rows: Vec<&[u64]> = each.chunks_exact(Numbers::COUNT).collect();
    let received: u64 = rows.iter().map(|row| row[1]).sum();
    let copies = received as f64 / f64::from(args.boxes.max(1));
    let hash = format!("{hash:016x}");
    let checked = args.check.then_some(equal);
    if args.json {
        let ranks = rows.iter().map(|row| {
            json!({
                "boxes": row[0], "received": row[1], "sent_bytes": row[2], "pairs": row[3],
                "sample_ms": row[4] as f64 / 1e3, "exchange_ms": row[5] as f64 / 1e3,
                "find_ms": row[6] as f64 / 1e3,
            })
        });
        let object = json!({
            "scene": args.scene.to_string(), "boxes": args.boxes, "seed": args.seed, "pairs": pairs,
            "hash": hash, "equal_to_one_process": checked, "copies_per_box": copies,
            "imbalance_received": imbalance(&rows, 1), "imbalance_find": imbalance(&rows, 6),
            "ranks": ranks.collect::<serde_json::Value>(),
        });
        return format!("{object}\n");
    }
    let mut text = format!(
        "scene {}, {} boxes on {} processes: {pairs} pairs, hash {hash}\n",
        args.scene,
        args.boxes,
        rows.len()
    );
    if let Some(equal) = checked {
        text += if equal { "equal to one process: yes\n" } else { "equal to one process: NO\n" };
    }
    let _ = writeln!(
        text,
        "{copies:.3} copies a box; the most loaded process received {:.3} times the mean, and its time is {:.3} times the mean\n",
        imbalance(&rows, 1),
        imbalance(&rows, 6)
    );
    let _ = writeln!(
        text,
        "{:>5}{:>10}{:>10}{:>12}{:>10}{:>11}{:>13}{:>9}",
        "rank", "boxes", "received", "sent bytes", "pairs", "sample ms", "exchange ms", "find ms"
    );
    for (rank, row) in rows.iter().enumerate() {
        let ms = |column: usize| row[column] as f64 / 1e3;
        let _ = writeln!(
            text,
            "{rank:>5}{:>10}{:>10}{:>12}{:>10}{:>11.2}{:>13.2}{:>9.2}",
            row[0],
            row[1],
            row[2],
            row[3],
            ms(4),
            ms(5),
            ms(6)
        );
    }
    text
}
