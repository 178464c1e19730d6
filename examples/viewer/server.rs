//! Serves the pages and answers their requests.
//!
//! There are three pages and three requests, each with an exact path, which is never the path of a file.
//! Everything else is answered with a status and one line of text. Only this machine can connect.
//!
//! A page of another server, open in the same browser, can send requests here too, also under a host name of
//! its own that resolves to this machine (DNS rebinding). So the host of a request must be one of [`HOSTS`],
//! and if there is an origin, it must be that host.

use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::http::{self, Answer, Request};
use super::stop::Stop;
use super::{elements, mesh, pair};

/// The most connections at once; further ones wait. A connection ends within seconds, whatever the client
/// sends.
const CONNECTIONS_MAX: usize = 64;
/// Pause before the server checks again whether a connection has ended, or whether connecting works again.
const PAUSE: Duration = Duration::from_millis(20);

impl Answer {
    fn page(page: &str) -> Self {
        Self { status: http::OK, kind: "text/html; charset=utf-8", body: page.to_owned() }
    }

    fn json(value: &impl Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(body) => Self { status: http::OK, kind: "application/json", body },
            Err(error) => Self::text(http::INTERNAL_ERROR, error.to_string()),
        }
    }
}

/// Names of this machine, on any port, because the port may be forwarded.
const HOSTS: [&str; 2] = ["127.0.0.1", "localhost"];

/// The pages: of ticks, of a pair, and of elements.
struct Pages<'a>(&'a [&'a str; 3]);

/// Prints the address and serves the pages until the process ends.
pub(crate) fn serve(port: u16, pages: &[&str; 3]) -> Result<(), Stop> {
    let listen = |reason: io::Error| Stop::Listen { port, reason: reason.to_string() };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    writeln!(
        io::stdout(),
        "http://{address}/, http://{address}/pair and http://{address}/elements\nPress Ctrl-C to stop."
    )
    .and_then(|()| io::stdout().flush())
    .map_err(Stop::Print)?;
    let (pages, open) = (Pages(pages), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        loop {
            while open.load(Ordering::Acquire) >= CONNECTIONS_MAX {
                std::thread::sleep(PAUSE);
            }
            let Ok((stream, _)) = listener.accept() else {
                // Too many files are open, or the client has disconnected.
                std::thread::sleep(PAUSE);
                continue;
            };
            open.fetch_add(1, Ordering::AcqRel);
            let (pages, counted) = (&pages, Counted(&open));
            let serves = move || {
                pages.connection(stream);
                drop(counted);
            };
            // If no thread can be started, the connection is closed and no longer counted.
            if std::thread::Builder::new().spawn_scoped(scope, serves).is_err() {
                std::thread::sleep(PAUSE);
            }
        }
    })
}

/// A connection; it counts as open until this is dropped.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Pages<'_> {
    fn connection(&self, mut stream: TcpStream) {
        let (answer, head_alone) = match http::read(&mut stream) {
            Ok(request) => (self.answer(&request), request.method == "HEAD"),
            Err(Some(answer)) => (answer, false),
            Err(None) => return,
        };
        // The client may have disconnected.
        let _ = http::respond(&mut stream, &answer, head_alone);
    }

    fn answer(&self, request: &Request) -> Answer {
        let Request { host, origin, .. } = request;
        let name = host.rsplit_once(':').map_or(&host[..], |(name, _)| name);
        if !HOSTS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
            let message = format!("the host of a request must be {}", HOSTS.join(" or "));
            return Answer::text(http::FORBIDDEN, message);
        }
        if origin.as_ref().is_some_and(|origin| *origin != format!("http://{host}")) {
            return Answer::text(
                http::FORBIDDEN,
                "requests of pages of other origins are rejected",
            );
        }
        match (&request.method[..], &request.path[..]) {
            ("GET" | "HEAD", "/") => Answer::page(self.0[0]),
            ("GET" | "HEAD", "/pair") => Answer::page(self.0[1]),
            ("GET" | "HEAD", "/elements") => Answer::page(self.0[2]),
            ("POST", "/pair") => respond_to(request, pair::answer),
            ("POST", "/elements") => respond_to(request, elements::answer),
            ("POST", "/mesh") => respond_to(request, mesh::answer),
            (_, "/" | "/pair" | "/elements" | "/mesh") => {
                Answer::text(http::METHOD_NOT_ALLOWED, "this method is not supported for this path")
            }
            _ => Answer::text(http::NOT_FOUND, "the pages are /, /pair and /elements"),
        }
    }
}

/// Answers a request, or states what is wrong with it.
fn respond_to<Q: DeserializeOwned, A: Serialize>(
    request: &Request,
    answer: fn(&Q) -> Result<A, String>,
) -> Answer {
    let question = match serde_json::from_slice(&request.body) {
        Ok(question) => question,
        Err(error) => {
            return Answer::text(http::BAD_REQUEST, format!("the request is invalid: {error}"));
        }
    };
    match answer(&question) {
        Ok(answer) => Answer::json(&answer),
        Err(why) => Answer::text(http::BAD_REQUEST, why),
    }
}
