//! Copying, serialising and deserialising a whole broadphase.

use super::Broadphase;
#[cfg(feature = "serde")]
use super::snapshot::Snapshot;

impl Clone for Broadphase {
    /// Copies the proxies, the pairs, and how the broadphase runs. The copy gives the same results from now on; its
    /// [`Broadphase::changes`] are empty until it is updated. The copy builds trees of its own.
    fn clone(&self) -> Self {
        let mut copy = Self::with_exec(self.exec.clone());
        copy.restore(&self.snapshot());
        copy
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Broadphase {
    /// Serialises what [`Broadphase::snapshot`] copies.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.snapshot().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Broadphase {
    /// Restores a serialised broadphase or [`Snapshot`], which is validated, with the default
    /// [`Exec`](crate::Exec).
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut broadphase = Self::new();
        broadphase.restore(&Snapshot::deserialize(deserializer)?);
        Ok(broadphase)
    }
}
