//! Who answers which request?
//!
//! Two pages and two questions, by exact path; a path is never that of a file. What is no question
//! is answered with a status and one line of text. Only this machine can connect.

use std::io::{self, Read, Write};
use std::net::SocketAddr;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tiny_http::{Header, Method, Request, Response, Server};

use super::stop::Stop;
use super::{mesh, pair};

/// A question is far shorter.
const QUESTION_BYTES_MAX: u64 = 64 << 10;
/// Requests that are answered at once: a browser asks for both meshes and the pair.
const WORKERS: usize = 4;

/// What is sent back.
struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn page(page: &str) -> Self {
        Self { status: 200, kind: "text/html; charset=utf-8", body: page.to_owned() }
    }

    fn text(status: u16, says: impl Into<String>) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: says.into() + "\n" }
    }

    fn json(value: &impl Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(body) => Self { status: 200, kind: "application/json", body },
            Err(error) => Self::text(500, error.to_string()),
        }
    }
}

/// Prints the address and serves both pages until the process is ended.
pub(crate) fn serve(port: u16, ticks: &str, pair: &str) -> Result<(), Stop> {
    let server = Server::http(SocketAddr::from(([127, 0, 0, 1], port)))
        .map_err(|error| Stop::Listen { port, reason: error.to_string() })?;
    let address = server.server_addr();
    writeln!(io::stdout(), "http://{address}/ and http://{address}/pair\nCtrl-C ends it.")
        .and_then(|()| io::stdout().flush())
        .map_err(Stop::Print)?;
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                for mut request in server.incoming_requests() {
                    let answer = answer(&mut request, ticks, pair);
                    // Who asked may have gone away.
                    let _ = respond(request, answer);
                }
            });
        }
    });
    Ok(())
}

fn respond(request: Request, answer: Answer) -> io::Result<()> {
    let header = |name: &str, value: &str| {
        Header::from_bytes(name, value).expect("names and values of ours are ASCII")
    };
    let response = Response::from_string(answer.body)
        .with_status_code(answer.status)
        // Its length is known, so it is told instead of sending pieces.
        .with_chunked_threshold(usize::MAX)
        .with_header(header("Content-Type", answer.kind))
        .with_header(header("X-Content-Type-Options", "nosniff"))
        .with_header(header("Cache-Control", "no-store"));
    request.respond(response)
}

fn answer(request: &mut Request, ticks: &str, pair: &str) -> Answer {
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    match (request.method(), path) {
        (Method::Get | Method::Head, "/") => Answer::page(ticks),
        (Method::Get | Method::Head, "/pair") => Answer::page(pair),
        (Method::Post, "/pair") => ask(request, pair::answer),
        (Method::Post, "/mesh") => ask(request, mesh::answer),
        (_, "/" | "/pair" | "/mesh") => Answer::text(405, "that is not done here"),
        _ => Answer::text(404, "there are / and /pair"),
    }
}

/// Reads a question and answers it, or says what is wrong with it.
fn ask<Q: DeserializeOwned, A: Serialize>(
    request: &mut Request,
    answer: fn(&Q) -> Result<A, String>,
) -> Answer {
    let mut bytes = Vec::new();
    let read = request.as_reader().take(QUESTION_BYTES_MAX + 1).read_to_end(&mut bytes);
    if let Err(error) = read {
        return Answer::text(400, format!("the question cannot be read: {error}"));
    }
    if bytes.len() as u64 > QUESTION_BYTES_MAX {
        return Answer::text(413, format!("a question has at most {QUESTION_BYTES_MAX} bytes"));
    }
    let question = match serde_json::from_slice(&bytes) {
        Ok(question) => question,
        Err(error) => return Answer::text(400, format!("that is no question: {error}")),
    };
    match answer(&question) {
        Ok(answer) => Answer::json(&answer),
        Err(why) => Answer::text(400, why),
    }
}
