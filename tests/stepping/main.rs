//! Do ticks in sub-steps lose no time, no momentum and no body?

mod conservation;
mod impulses;
mod proxies;
mod supports;
mod touches;
