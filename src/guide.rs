//! Pages about how swath is used and how it works. Their code is run as doc tests.
//!
//! The pages are files of `docs/guide`, which link to each other and to source files. Here the same labels lead to pages
//! and items of this documentation, because the first definition of a label counts.
//!
#![doc = include_str!("../docs/guide/links.md")]
#![doc = include_str!("../docs/guide/README.md")]

/// Makes a module of a page.
macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!("../docs/guide/links.md")]
        #[doc = include_str!("../docs/guide/drawings.md")]
        #[doc = include_str!(concat!("../docs/guide/", $file))]
        pub mod $name {}
    };
}

page!(embed, "embed.md");
page!(doors, "doors.md");
page!(layouts, "layouts.md");
page!(events, "events.md");
page!(bodies, "bodies.md");
page!(ticks, "ticks.md");
page!(recipes, "recipes.md");
page!(threads, "threads.md");
page!(rollback, "rollback.md");
page!(large_worlds, "large_worlds.md");
page!(two_dimensions, "two_dimensions.md");
page!(finder, "finder.md");
page!(toi, "toi.md");
page!(meshes, "meshes.md");
