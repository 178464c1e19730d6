//! A ball as a support map of the caller.

use swath::convex::SupportMap;

/// A ball with this radius.
#[derive(Debug)]
pub struct BallMap(pub f64);

impl SupportMap for BallMap {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction.map(|x| x / length * self.0)
    }

    fn bounding_radius(&self) -> f64 {
        self.0
    }
}
