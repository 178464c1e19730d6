//! Tests of the packed words of results: contacts of two boxes, faces of a box, planes of a polyhedron.
//!
//! Each word is decoded by its documented bits and compared with what its functions return.

use std::collections::BTreeSet;
use swath::batch::{Contact, ContactState, Faces, Facets, SegmentStart};

/// The lowest set bit of three.
fn lowest(mask: u32) -> Option<usize> {
    (0..3).find(|axis| mask >> axis & 1 == 1)
}

/// The unit vector of the lowest axis of a mask, with the sign that its bit in `negative` states.
fn unit(mask: u32, negative: u32) -> [f32; 3] {
    let mut normal = [0.0; 3];
    if let Some(axis) = lowest(mask) {
        normal[axis] = if negative >> axis & 1 == 1 { -1.0 } else { 1.0 };
    }
    normal
}

/// Goal: every contact has the meaning that its bits are documented to have. Method: all words of the eleven bits.
#[test]
fn every_contact_is_decoded_as_documented() {
    let mut states = BTreeSet::new();
    for bits in 0..1_u32 << 11 {
        let [mask, negative, state] = [bits & 7, bits >> 3 & 7, bits >> 6 & 3];
        let [closing, push, surface] = [8, 9, 10].map(|bit| bits >> bit & 1 == 1);
        if state == 3 || negative & !mask != 0 {
            continue;
        }
        let contact: Contact = bytemuck::cast(bits);
        let expected = [ContactState::Separated, ContactState::Touching, ContactState::Overlapping];
        assert_eq!(contact.bits(), bits);
        assert_eq!(contact.state(), expected[state as usize], "{bits:b}");
        assert_eq!(contact.is_hit(), state != 0, "{bits:b}");
        assert_eq!(u32::from(contact.axis_mask()), mask, "{bits:b}");
        assert_eq!(contact.axis(), lowest(mask), "{bits:b}");
        assert_eq!(contact.normal(), unit(mask, negative), "{bits:b}");
        assert_eq!(contact.is_closing(), closing, "{bits:b}");
        let on_surface = state == 2 && (surface || mask != 0 && !push);
        assert_eq!(contact.is_surface(), on_surface, "{bits:b}");
        states.insert((state, on_surface));
    }
    assert_eq!(states.len(), 4);
}

/// Goal: the faces of every segment have the meaning that their bits are documented to have. Method: all words of the fourteen bits.
#[test]
fn all_faces_are_decoded_as_documented() {
    let mut words = 0;
    for bits in 0..1_u32 << 14 {
        let [entry, entry_negative, exit, exit_negative] =
            [0, 3, 6, 9].map(|shift| bits >> shift & 7);
        let start = bits >> 12;
        if entry_negative & !entry != 0 || exit_negative & !exit != 0 {
            continue;
        }
        let faces: Faces = bytemuck::cast(bits);
        assert_eq!(faces.bits(), bits);
        assert_eq!(faces.is_hit(), start != 0, "{bits:b}");
        assert_eq!(faces.start(), start_of(start), "{bits:b}");
        let masks = [faces.entry_axis_mask(), faces.exit_axis_mask()].map(u32::from);
        assert_eq!(masks, [entry, exit], "{bits:b}");
        assert_eq!([faces.entry_axis(), faces.exit_axis()], [lowest(entry), lowest(exit)]);
        assert_eq!(faces.entry_normal(), unit(entry, entry_negative), "{bits:b}");
        assert_eq!(faces.exit_normal(), unit(exit, exit_negative), "{bits:b}");
        words += 1;
    }
    // Each axis has no face, or one of two; there are four starts.
    assert_eq!(words, 27 * 27 * 4);
    assert_eq!(Faces::MISS.bits(), 0);
}

/// The start of a segment from its number in a packed word; that of a miss is outside.
fn start_of(number: u32) -> SegmentStart {
    match number {
        0 | 1 => SegmentStart::Outside,
        2 => SegmentStart::OnSurface,
        _ => SegmentStart::Inside,
    }
}

/// Goal: the planes through which a segment passes are decoded as documented. Method: the least and the greatest numbers, missing
/// planes, and all starts.
#[test]
fn planes_of_a_polyhedron_are_decoded_as_documented() {
    const MISSING: u32 = 0x7fff;
    assert_eq!(Facets::PLANES_MAX, 32_767);
    let planes = [0, 1, 0x2aaa, 0x5555, MISSING - 1, MISSING];
    for start in 0..4 {
        for entry in planes {
            for exit in planes {
                let facets: Facets = bytemuck::cast(entry | exit << 15 | start << 30);
                let number =
                    |plane: u32| (start != 0 && plane != MISSING).then_some(plane as usize);
                assert_eq!(facets.bits(), entry | exit << 15 | start << 30);
                assert_eq!(facets.is_hit(), start != 0, "{facets:?}");
                assert_eq!(facets.start(), start_of(start), "{facets:?}");
                assert_eq!(facets.entry_plane(), number(entry), "{facets:?}");
                assert_eq!(facets.exit_plane(), number(exit), "{facets:?}");
            }
        }
    }
    assert_eq!(Facets::MISS.bits(), 0);
}
