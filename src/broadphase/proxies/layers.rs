//! A collision matrix of up to 32 layers.

use crate::geom::Filter;
#[cfg(feature = "serde")]
use crate::geom::deserialize;

/// A symmetric matrix of the layers that pair with each other, for engines that assign each box to a
/// layer.
///
/// A layer is a category, and the matrix computes its [`Filter`], so a box in a layer costs no more
/// than any other box with a filter. A filter does not follow later changes of the matrix.
///
/// ```
/// use swath::broadphase::Layers;
///
/// const GHOSTS: usize = 3;
/// const PLAYERS: usize = 4;
/// let layers = Layers::all().without(GHOSTS, GHOSTS).without(GHOSTS, PLAYERS);
/// let (ghost, player) = (layers.filter(GHOSTS), layers.filter(PLAYERS));
/// assert!(!ghost.allows(player) && !ghost.allows(ghost) && player.allows(player));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Layers {
    /// Bit `k` of the mask of a layer is set if it pairs with layer `k`.
    masks: [u32; Self::COUNT],
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Layers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "Layers")]
        struct UncheckedLayers {
            masks: [u32; Layers::COUNT],
        }
        deserialize::checked(deserializer, "a symmetric matrix", |UncheckedLayers { masks }| {
            let layers = Self { masks };
            let mirrors = |a: usize| (0..a).all(|b| layers.pair(a, b) == layers.pair(b, a));
            (0..Self::COUNT).all(mirrors).then_some(layers)
        })
    }
}

impl Default for Layers {
    /// Returns [`Layers::all`].
    fn default() -> Self {
        Self::all()
    }
}

impl Layers {
    /// The number of layers.
    pub const COUNT: usize = 32;

    /// Every layer pairs with every layer, itself included.
    #[must_use]
    pub const fn all() -> Self {
        Self { masks: [u32::MAX; Self::COUNT] }
    }

    /// No layer pairs with any layer.
    #[must_use]
    pub const fn none() -> Self {
        Self { masks: [0; Self::COUNT] }
    }

    /// Sets whether the two layers pair.
    ///
    /// # Panics
    ///
    /// If a layer is 32 or more.
    pub const fn set(&mut self, a: usize, b: usize, pair: bool) {
        assert!(a < Self::COUNT && b < Self::COUNT, "a layer must be below 32");
        let (bit_a, bit_b) = (1 << a, 1 << b);
        if pair {
            self.masks[a] |= bit_b;
            self.masks[b] |= bit_a;
        } else {
            self.masks[a] &= !bit_b;
            self.masks[b] &= !bit_a;
        }
    }

    /// The same matrix, except that these two layers pair.
    ///
    /// # Panics
    ///
    /// If a layer is 32 or more.
    #[must_use]
    pub const fn with(mut self, a: usize, b: usize) -> Self {
        self.set(a, b, true);
        self
    }

    /// The same matrix, except that these two layers do not pair.
    ///
    /// # Panics
    ///
    /// If a layer is 32 or more.
    #[must_use]
    pub const fn without(mut self, a: usize, b: usize) -> Self {
        self.set(a, b, false);
        self
    }

    /// Whether the two layers pair.
    ///
    /// # Panics
    ///
    /// If a layer is 32 or more.
    #[must_use]
    pub const fn pair(&self, a: usize, b: usize) -> bool {
        assert!(a < Self::COUNT && b < Self::COUNT, "a layer must be below 32");
        self.masks[a] & 1 << b != 0
    }

    /// The filter of a box in this layer.
    ///
    /// # Panics
    ///
    /// If the layer is 32 or more.
    #[must_use]
    pub const fn filter(&self, layer: usize) -> Filter {
        assert!(layer < Self::COUNT, "a layer must be below 32");
        Filter::new(1 << layer, self.masks[layer])
    }
}
