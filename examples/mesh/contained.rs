//! Checks that the pairs of a list are among those that were found.
//!
//! A list is JSON, `[[i, j], ...]`, of element numbers. The numbers determine the kind of each pair.

use std::io;
use std::path::Path;

use swath::Pair;

use super::elements::Elements;
use super::pairs::Kinds;

/// A list whose pairs were all found.
pub(crate) struct Contained {
    pub(crate) name: String,
    pub(crate) vertex_face: usize,
    pub(crate) edge_edge: usize,
}

/// What is wrong with a list, or with the pairs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotContained {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a list of pairs: {0}")]
    Json(#[from] serde_json::Error),
    #[error("({0}, {1}) is neither a vertex and a face nor two edges")]
    NoPair(u32, u32),
    #[error("pair ({0}, {1}) was not found")]
    Missing(u32, u32),
}

/// Looks up each pair of a file.
pub(crate) fn check(
    path: &Path,
    elements: &Elements,
    found: &Kinds,
) -> Result<Contained, NotContained> {
    let list: Vec<[u32; 2]> = serde_json::from_slice(&scenes::read_file(path)?)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut contained = Contained { name, vertex_face: 0, edge_edge: 0 };
    let [edge, face] = elements.borders();
    for [p, q] in list {
        let pair = Pair { a: p.min(q), b: p.max(q) };
        let [a, b] = [pair.a, pair.b].map(|element| element as usize);
        let (kind, count) = if a < edge && (face..elements.len()).contains(&b) {
            (&found.vertex_face, &mut contained.vertex_face)
        } else if edge <= a && a < b && b < face {
            (&found.edge_edge, &mut contained.edge_edge)
        } else {
            return Err(NotContained::NoPair(p, q));
        };
        if kind.pairs.binary_search(&pair).is_err() {
            return Err(NotContained::Missing(p, q));
        }
        *count += 1;
    }
    Ok(contained)
}
