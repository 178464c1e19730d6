//! Conjunction screening: all close approaches of a catalogue of objects in orbit.
//!
//! ```text
//! catalogue   draw objects on Kepler orbits                        (catalogue.rs)
//! for each tick of the time span:
//!   propagate   advance all objects on their orbits, in f64        (orbit.rs)
//!   bound       make a moving box around each arc                  (screen.rs)
//!   find        find the pairs of boxes that touch in the tick     (swath::PairFinder)
//!   refine      compute the closest approach of each pair, in f64  (closest.rs)
//! merge approaches of one pair in consecutive ticks                (screen.rs)
//! ```
//!
//! Each box contains its object's arc, widened by half of the screening distance, so no pair that comes closer than
//! this distance is missed. Orbits are those of two bodies: perturbations, drag and the uncertainty of a real catalogue
//! are not modelled.

pub mod catalogue;
pub mod closest;
pub mod orbit;
pub mod screen;
