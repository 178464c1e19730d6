//! Does a broadphase follow its rules?

mod rules;
