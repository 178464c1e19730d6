//! Does the stepper lose no time, no momentum and no body?

mod conservation;
mod impulses;
mod limits;
mod proxies;
mod supports;
mod touches;
