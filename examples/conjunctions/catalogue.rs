//! A catalogue of objects, drawn at random.
//!
//! The shares of the kinds of orbit and their altitudes resemble those of the objects that are tracked today: most are in
//! low orbits, with crowded shells of constellations and of debris, some in the orbits of navigation satellites,
//! in geostationary orbits, and in ellipses between these.

use crate::orbit::Elements;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::f64::consts::TAU;

/// Radius of the Earth in km.
pub const EARTH_KM: f64 = 6378.137;

/// Altitude in km, its half width, greatest eccentricity, inclination in degrees, its half width, and share in a
/// thousand.
type Shell = ([f64; 3], [f64; 2], u32);

const SHELLS: [Shell; 12] = [
    ([550.0, 15.0, 3e-4], [53.1, 0.2], 170),
    ([570.0, 10.0, 3e-4], [70.0, 0.2], 40),
    ([1200.0, 10.0, 5e-4], [87.9, 0.1], 25),
    ([510.0, 60.0, 2e-3], [97.5, 0.5], 110),
    ([780.0, 15.0, 2e-3], [86.4, 0.5], 90),
    ([800.0, 110.0, 1e-2], [98.6, 0.8], 180),
    ([850.0, 130.0, 1.2e-2], [74.0, 1.5], 110),
    ([980.0, 60.0, 8e-3], [82.9, 0.5], 70),
    ([1450.0, 80.0, 8e-3], [82.0, 9.0], 45),
    ([20_200.0, 900.0, 8e-3], [56.0, 2.0], 25),
    ([35_786.0, 25.0, 5e-4], [4.0, 4.0], 35),
    ([35_950.0, 160.0, 3e-3], [8.0, 7.0], 20),
];
/// Perigees and apogees of the ellipses in km above the surface, and the inclinations in degrees.
const PERIGEE_KM: [f64; 2] = [200.0, 1100.0];
const APOGEE_KM: [f64; 2] = [2500.0, 39_000.0];
const INCLINATION: [f64; 2] = [5.0, 65.0];

/// Draws `objects` objects; the same seed draws the same objects.
#[must_use]
pub fn catalogue(objects: usize, seed: u64) -> Vec<Elements> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..objects).map(|_| object(&mut rng)).collect()
}

fn object(rng: &mut Xoshiro256PlusPlus) -> Elements {
    let mut share = rng.random_range(0..1000u32);
    let shell = SHELLS.iter().find(|&&(_, _, thousandths)| {
        let found = share < thousandths;
        share = share.saturating_sub(thousandths);
        found
    });
    // The mean of three has a peak, as the altitudes around a shell do.
    let mut around = |[middle, half]: [f64; 2]| {
        let sum: f64 = (0..3).map(|_| rng.random_range(-1.0..1.0)).sum();
        middle + half * sum / 1.5
    };
    let (semi_major_axis, eccentricity, inclination) = match shell {
        Some(&([altitude, half, eccentricity], inclination, _)) => {
            let (a, i) = (EARTH_KM + around([altitude, half]), around(inclination));
            (a, eccentricity * rng.random_range(0.0..1.0f64), i)
        }
        None => {
            let perigee = EARTH_KM + rng.random_range(PERIGEE_KM[0]..PERIGEE_KM[1]);
            let apogee = EARTH_KM + rng.random_range(APOGEE_KM[0]..APOGEE_KM[1]);
            let a = f64::midpoint(perigee, apogee);
            (a, 1.0 - perigee / a, rng.random_range(INCLINATION[0]..INCLINATION[1]))
        }
    };
    let mut angle = || rng.random_range(0.0..TAU);
    Elements {
        semi_major_axis,
        eccentricity,
        inclination: inclination.to_radians(),
        node: angle(),
        perigee: angle(),
        mean_anomaly: angle(),
    }
}

#[cfg(test)]
mod tests {
    use super::catalogue;

    /// Goal: every drawn orbit is valid, above the atmosphere, and the seed alone decides it.
    #[test]
    fn drawn_orbits_are_valid_and_repeatable() {
        let objects = catalogue(20_000, 1);
        assert_eq!(objects.len(), 20_000);
        for elements in &objects {
            let perigee = elements.semi_major_axis * (1.0 - elements.eccentricity);
            assert!(elements.is_valid() && perigee > super::EARTH_KM + 150.0, "{elements:?}");
        }
        assert_eq!(objects[..100], catalogue(100, 1));
        assert_ne!(objects[..100], catalogue(100, 2));
    }
}
