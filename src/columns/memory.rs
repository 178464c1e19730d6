//! How much memory a value has allocated, computed from its fields.

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
