//! Which of up to sixteen layers pair with which?

use crate::geom::Filter;

/// A symmetric matrix: which layers pair with which, for engines that sort boxes into layers.
///
/// A layer is a category, and the matrix makes its [`Filter`]: so a box in one layer costs what any
/// filtered box does. A filter does not change when the matrix does later.
///
/// ```
/// use swath::Layers;
///
/// const GHOSTS: usize = 3;
/// const PLAYERS: usize = 4;
/// let layers = Layers::all().without(GHOSTS, GHOSTS).without(GHOSTS, PLAYERS);
/// let (ghost, player) = (layers.filter(GHOSTS), layers.filter(PLAYERS));
/// assert!(!ghost.allows(player) && !ghost.allows(ghost) && player.allows(player));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers {
    /// By layer: bit `k` says that it pairs with layer `k`.
    masks: [u16; Self::COUNT],
}

impl Default for Layers {
    /// [`Layers::all`].
    fn default() -> Self {
        Self::all()
    }
}

impl Layers {
    /// How many layers there are.
    pub const COUNT: usize = 16;

    /// Each layer pairs with each, itself included.
    #[must_use]
    pub const fn all() -> Self {
        Self { masks: [u16::MAX; Self::COUNT] }
    }

    /// No layer pairs with any.
    #[must_use]
    pub const fn none() -> Self {
        Self { masks: [0; Self::COUNT] }
    }

    /// From now on the two layers pair, or do not.
    ///
    /// # Panics
    ///
    /// When there is no such layer.
    pub const fn set(&mut self, a: usize, b: usize, pair: bool) {
        assert!(a < Self::COUNT && b < Self::COUNT, "layers are below 16");
        let (bit_a, bit_b) = (1 << a, 1 << b);
        if pair {
            self.masks[a] |= bit_b;
            self.masks[b] |= bit_a;
        } else {
            self.masks[a] &= !bit_b;
            self.masks[b] &= !bit_a;
        }
    }

    /// The same, but that these two pair.
    ///
    /// # Panics
    ///
    /// When there is no such layer.
    #[must_use]
    pub const fn with(mut self, a: usize, b: usize) -> Self {
        self.set(a, b, true);
        self
    }

    /// The same, but that these two do not pair.
    ///
    /// # Panics
    ///
    /// When there is no such layer.
    #[must_use]
    pub const fn without(mut self, a: usize, b: usize) -> Self {
        self.set(a, b, false);
        self
    }

    /// Whether the two layers pair.
    ///
    /// # Panics
    ///
    /// When there is no such layer.
    #[must_use]
    pub const fn pair(&self, a: usize, b: usize) -> bool {
        assert!(b < Self::COUNT, "layers are below 16");
        self.masks[a] & 1 << b != 0
    }

    /// The filter of a box in this layer.
    ///
    /// # Panics
    ///
    /// When there is no such layer.
    #[must_use]
    pub const fn filter(&self, layer: usize) -> Filter {
        Filter::new(1 << layer, self.masks[layer])
    }
}
