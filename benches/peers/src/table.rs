//! Prints and writes the rows of a record.

use std::error::Error;
use std::path::Path;

/// Prints `rows`, of which the first is the head, and writes them to `file` in the folder `out`.
pub fn put(
    rows: &[Vec<String>],
    out: Option<&Path>,
    file: &str,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    // All columns except those of the machine and the version.
    for row in rows {
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let line = |column: usize| format!("{:>1$}", row[column], width(column) + 2);
        println!("{}", (2..row.len()).map(line).collect::<String>());
    }
    let Some(out) = out else { return Ok(()) };
    std::fs::create_dir_all(out)?;
    let mut writer = csv::Writer::from_path(out.join(file))?;
    rows.iter().try_for_each(|row| writer.write_record(row))?;
    writer.flush()?;
    Ok(())
}
