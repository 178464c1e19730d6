//! Checks that the pairs of lists are among those that are found.
//!
//! A list is JSON, `[[i, j], ...]`, of element numbers. The numbers determine the kind of each pair. Pairs are found in
//! batches, and each batch is searched for the pairs of all lists.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use swath::Pair;

use super::Stop;
use super::elements::Elements;
use super::pairs::PairKind;

/// A list of pairs that must be found.
pub(crate) struct List {
    path: PathBuf,
    /// The pairs in the order of the file, their kinds, and whether they were found.
    pairs: Vec<([u32; 2], PairKind, bool)>,
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

impl List {
    /// Reads a list of pairs of elements.
    pub(crate) fn read(path: &Path, elements: &Elements) -> Result<Self, Stop> {
        let fault = |reason| Stop::List { path: path.to_owned(), reason };
        let file = scenes::read_file(path).map_err(|error| fault(error.into()))?;
        let list: Vec<[u32; 2]> = serde_json::from_slice(&file).map_err(|e| fault(e.into()))?;
        let [edge, face] = elements.borders();
        let pairs = list.into_iter().map(|[p, q]| {
            let [a, b] = [p.min(q), p.max(q)].map(|element| element as usize);
            if a < edge && (face..elements.len()).contains(&b) {
                Ok(([p, q], PairKind::VertexFace, false))
            } else if edge <= a && a < b && b < face {
                Ok(([p, q], PairKind::EdgeEdge, false))
            } else {
                Err(fault(NotContained::NoPair(p, q)))
            }
        });
        Ok(Self { path: path.to_owned(), pairs: pairs.collect::<Result<_, _>>()? })
    }

    /// Looks up each pair of the kind in a batch.
    pub(crate) fn look_up(lists: &mut [Self], kind: PairKind, batch: &mut [Pair]) {
        if lists.is_empty() {
            return;
        }
        batch.par_sort_unstable();
        for ([p, q], of, found) in lists.iter_mut().flat_map(|list| &mut list.pairs) {
            let pair = Pair { a: (*p).min(*q), b: (*p).max(*q) };
            *found |= *of == kind && batch.binary_search(&pair).is_ok();
        }
    }

    /// Checks that every pair was found.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        match self.pairs.iter().find(|(_, _, found)| !found) {
            Some(&([p, q], ..)) => {
                let reason = NotContained::Missing(p, q);
                Err(Stop::List { path: self.path.clone(), reason })
            }
            None => Ok(()),
        }
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The number of pairs of a kind.
    pub(crate) fn count(&self, kind: PairKind) -> usize {
        self.pairs.iter().filter(|(_, of, _)| *of == kind).count()
    }
}
