//! How much memory a value has allocated, computed from its fields.

use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A value that owns allocated memory. [`impl_memory!`] implements it for a structure.
pub(crate) trait Memory {
    /// Returns the number of bytes allocated, without the value itself.
    fn bytes(&self) -> usize;
}

/// The items own no memory. [`impl_memory!`] distinguishes lists whose items do.
impl<T> Memory for Vec<T> {
    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

/// A borrowed list has allocated nothing.
impl<T: Clone> Memory for Cow<'_, [T]> {
    fn bytes(&self) -> usize {
        match self {
            Self::Owned(list) => list.bytes(),
            Self::Borrowed(_) => 0,
        }
    }
}

impl<T: Memory, const N: usize> Memory for [T; N] {
    fn bytes(&self) -> usize {
        bytes_of_all(self)
    }
}

/// Returns the number of bytes that the items of a list have allocated.
pub(crate) fn bytes_of_all<T: Memory>(items: &[T]) -> usize {
    let mut bytes = 0;
    for item in items {
        bytes += item.bytes();
    }
    bytes
}

/// Implements [`Memory`] for a structure by its fields; generic parameters precede its name in brackets.
///
/// Every field has to be listed, so that a new one cannot be forgotten: first the fields that implement [`Memory`];
/// after `lists of`, the vectors of items that implement it; after `without`, the fields that own no memory.
macro_rules! impl_memory {
    (
        [$($generics:tt)*] $type:ty {
            $($field:tt),*
            $(; lists of $($list:ident),+)?
            $(; without $($(#[$attribute:meta])? $plain:ident),+)?
        }
    ) => {
        impl<$($generics)*> $crate::columns::Memory for $type {
            // Compiled once, and not once more in each structure that contains this one.
            #[inline(never)]
            fn bytes(&self) -> usize {
                let Self { $($field: _,)* $($($list: _,)+)? $($($(#[$attribute])? $plain: _,)+)? } = self;
                0 $(+ $crate::columns::Memory::bytes(&self.$field))*
                $($(+ $crate::columns::Memory::bytes(&self.$list) + $crate::columns::bytes_of_all(&self.$list))+)?
            }
        }
    };
    ($type:ty { $($fields:tt)* }) => {
        impl_memory!([] $type { $($fields)* });
    };
}

pub(crate) use impl_memory;

#[cfg(test)]
mod tests {
    use super::{Memory as _, bytes_of_all};
    use alloc::vec;
    use alloc::vec::Vec;

    struct TwoColumns([Vec<u16>; 2]);

    impl_memory!(TwoColumns { 0 });

    struct NestedLists {
        own: Vec<u64>,
        lists: Vec<TwoColumns>,
        without: [bool; 2],
    }

    impl_memory!(NestedLists { own; lists of lists; without without });

    /// Goal: the allocated memory is that of all lists, also of those in lists. Method: lists of known capacities, added by hand.
    #[test]
    fn bytes_are_those_of_all_capacities() {
        let columns = |first: usize, second: usize| TwoColumns([vec![0; first], vec![0; second]]);
        assert_eq!(columns(0, 0).bytes(), 0);
        assert_eq!(columns(5, 7).bytes(), 10 + 14);
        let mut shorter = vec![0_u64; 3];
        shorter.clear();
        assert_eq!(shorter.bytes(), 24);
        assert_eq!(bytes_of_all(&[columns(5, 7), columns(0, 1)]), 26);
        let lists = vec![columns(5, 7), columns(3, 0), columns(0, 0)];
        let all = NestedLists { own: shorter, lists, without: [true; 2] };
        assert_eq!(all.bytes(), 24 + 3 * size_of::<TwoColumns>() + 24 + 6);
        assert_eq!(all.without, [true; 2]);
    }
}
