//! Copies of trees of boxes: what decides about results is copied, and scratch memory is not.

use super::forest::FixedBoxes;
use super::static_bvh::Bvh;

impl Clone for Bvh {
    /// Copies the boxes with their tree, the filters, and how the tree runs. Nothing is built, so the copy gives the same results in the same time. The
    /// memory of builds is not copied.
    fn clone(&self) -> Self {
        let mut copy = Self::with_exec(self.exec.clone());
        copy.tree = self.tree.clone();
        copy.filters.clone_from(&self.filters);
        copy.inexact_filters = self.inexact_filters;
        copy
    }
}

impl Clone for FixedBoxes {
    /// Copies the boxes with their trees, the filters, and how the set runs. Nothing is built, so the copy gives the same results in the same time. The
    /// memory of builds and ticks is not copied.
    fn clone(&self) -> Self {
        let mut copy = Self::with_exec(self.exec.clone());
        copy.trees = self.trees.clone();
        copy.locations = self.locations.clone();
        (copy.filtered, copy.all_filters) = (self.filtered, self.all_filters);
        copy.filters.clone_from(&self.filters);
        (copy.inexact_filters, copy.slack) = (self.inexact_filters, self.slack);
        copy
    }
}
