//! The bits of [`swath::batch::Contact`] and [`swath::batch::Faces`], written from their documentation and not taken from the library.

/// Bits of a contact.
pub(crate) mod contact {
    use swath::batch::Contact;

    pub(crate) const NEGATIVE_SHIFT: u32 = 3;
    pub(crate) const TOUCHING: u32 = 1 << 6;
    pub(crate) const OVERLAPPING: u32 = 2 << 6;
    pub(crate) const CLOSING: u32 = 1 << 8;
    pub(crate) const INSIDE: u32 = 1 << 9;
    pub(crate) const SURFACE: u32 = 1 << 10;

    pub(crate) fn from_bits(bits: u32) -> Contact {
        bytemuck::cast(bits)
    }
}

/// Bits of faces.
pub(crate) mod faces {
    use swath::batch::Faces;

    pub(crate) const NEGATIVE_SHIFT: u32 = 3;
    pub(crate) const EXIT_SHIFT: u32 = 6;
    pub(crate) const OUTSIDE: u32 = 1 << 12;
    pub(crate) const ON_SURFACE: u32 = 2 << 12;
    pub(crate) const INSIDE: u32 = 3 << 12;

    pub(crate) fn from_bits(bits: u32) -> Faces {
        bytemuck::cast(bits)
    }
}
