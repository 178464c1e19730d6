//! Maps the elements of short arrays.
//!
//! The standard library's `map` is a chain of half a dozen generic functions, compiled again for
//! each closure; here it is one. Library code uses this one, because short arrays are everywhere.

/// An array of two to nine elements.
pub(crate) trait MapEach<T: Copy> {
    /// The array of the same length with other elements.
    type Of<U: Copy>;

    /// Returns the array of `apply` of each element, in order.
    fn map_each<U: Copy>(self, apply: impl Fn(T) -> U + Copy) -> Self::Of<U>;
}

/// Implements [`MapEach`] for arrays of one length.
macro_rules! map_each {
    ($count:literal: $($element:ident)*) => {
        impl<T: Copy> MapEach<T> for [T; $count] {
            type Of<U: Copy> = [U; $count];

            #[inline(always)]
            fn map_each<U: Copy>(self, apply: impl Fn(T) -> U + Copy) -> [U; $count] {
                let [$($element),*] = self;
                [$(apply($element)),*]
            }
        }
    };
}

map_each!(2: a b);
map_each!(3: a b c);
map_each!(4: a b c d);
map_each!(6: a b c d e f);
map_each!(7: a b c d e f g);
map_each!(9: a b c d e f g h i);
