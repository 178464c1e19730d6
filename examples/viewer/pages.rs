//! Assembles a page from pieces of `web/` into one file.
//!
//! The page itself forbids to load anything from elsewhere; a page that is served may send requests to its
//! own server.

use super::recording::Recording;
use super::stop::Stop;

/// The pieces that all pages share.
const STYLE: &str = include_str!("web/style.css");
const SHARED: [&str; 5] = [
    include_str!("web/vectors.js"),
    include_str!("web/shaders.js"),
    include_str!("web/stage.js"),
    include_str!("web/camera.js"),
    include_str!("web/controls.js"),
];

/// The page of recorded ticks.
pub(crate) fn ticks(recording: &Recording) -> Result<String, Stop> {
    // A name may contain the end tag of a script; JSON allows to escape `<`.
    let data = serde_json::to_string(recording)?.replace('<', "\\u003c");
    let data = format!("<script type=\"application/json\" id=\"recording\">{data}</script>\n");
    let scripts = [
        include_str!("web/ticks.js"),
        include_str!("web/picking.js"),
        include_str!("web/ticks_view.js"),
    ];
    Ok(page("Ticks", include_str!("web/ticks.html"), &data, &scripts))
}

/// The page of one convex pair.
pub(crate) fn pair() -> String {
    let scripts = [
        include_str!("web/grab.js"),
        include_str!("web/pair_form.js"),
        include_str!("web/timeline.js"),
        include_str!("web/steps.js"),
        include_str!("web/pair.js"),
    ];
    page("A convex pair", include_str!("web/pair.html"), "", &scripts)
}

/// The page of a vertex and a face, or of two edges.
pub(crate) fn elements() -> String {
    let scripts = [
        include_str!("web/grab.js"),
        include_str!("web/timeline.js"),
        include_str!("web/elements.js"),
    ];
    page("Vertex and face", include_str!("web/elements.html"), "", &scripts)
}

fn page(title: &str, body: &str, data: &str, scripts: &[&str]) -> String {
    let script = SHARED.iter().chain(scripts).copied().collect::<Vec<_>>().join("\n");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
         img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title} · swath</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{body}{data}\
         <script>\n\"use strict\";\n{script}</script>\n</body>\n</html>\n"
    )
}
