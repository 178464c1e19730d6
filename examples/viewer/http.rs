//! Reads a request and writes the response.
//!
//! This is the part of HTTP/1.1 (RFC 9112) that a browser and `curl` need for a page on the same machine: one
//! request per connection, and a body of known length. A client may send anything, so head and body have a
//! greatest length, and each connection has a deadline for reading and one for writing.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Limit of the length of a head; real ones are far shorter.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// Limit of the length of a body; real ones are far shorter.
const BODY_BYTES_MAX: usize = 64 << 10;
/// Time for the whole request.
const REQUEST_TIME: Duration = Duration::from_secs(5);
/// Time for the whole response.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// Time for what the client still sends after a rejected request. Closing at once could make it lose the
/// response.
const REST_TIME: Duration = Duration::from_millis(500);
const REST_BYTES_MAX: usize = 1 << 20;

/// A complete request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path, without what follows `?` or `#`.
    pub(crate) path: String,
    pub(crate) host: String,
    /// The origin of the page that sends the request; browsers add it to every `POST`.
    pub(crate) origin: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

/// A status code with its phrase.
pub(crate) type Status = (u16, &'static str);
pub(crate) const OK: Status = (200, "OK");
pub(crate) const BAD_REQUEST: Status = (400, "Bad Request");
pub(crate) const FORBIDDEN: Status = (403, "Forbidden");
pub(crate) const NOT_FOUND: Status = (404, "Not Found");
pub(crate) const METHOD_NOT_ALLOWED: Status = (405, "Method Not Allowed");
const REQUEST_TIMEOUT: Status = (408, "Request Timeout");
const CONTENT_TOO_LARGE: Status = (413, "Content Too Large");
const HEAD_TOO_LARGE: Status = (431, "Request Header Fields Too Large");
pub(crate) const INTERNAL_ERROR: Status = (500, "Internal Server Error");
const NOT_IMPLEMENTED: Status = (501, "Not Implemented");
const VERSION_NOT_SUPPORTED: Status = (505, "HTTP Version Not Supported");

impl Answer {
    pub(crate) fn text(status: Status, message: impl Into<String>) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: message.into() + "\n" }
    }
}

/// Why no request was read: a response that states it, or `None` if the connection is gone.
type Refused = Option<Answer>;

fn refused(status: Status, message: impl Into<String>) -> Refused {
    Some(Answer::text(status, message))
}

/// Reads the one request of a connection.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Request, Refused> {
    let until = Instant::now() + REQUEST_TIME;
    let mut bytes = Vec::new();
    let head_bytes = loop {
        // The end of the head may be split over two reads.
        if let Some(at) = bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at;
        }
        if bytes.len() > HEAD_BYTES_MAX {
            let message = format!("the head of a request has at most {HEAD_BYTES_MAX} bytes");
            return Err(refused(HEAD_TOO_LARGE, message));
        }
        more(stream, until, HEAD_BYTES_MAX + 4 - bytes.len().min(HEAD_BYTES_MAX), &mut bytes)?;
    };
    let rest = bytes.split_off(head_bytes + 4);
    bytes.truncate(head_bytes);
    let head = String::from_utf8(bytes);
    let head = head.map_err(|_| refused(BAD_REQUEST, "the head of a request is ASCII"))?;
    let (mut request, length, waits) = parse(&head)?;
    if length > BODY_BYTES_MAX {
        return Err(refused(
            CONTENT_TOO_LARGE,
            format!("a body has at most {BODY_BYTES_MAX} bytes, not {length}"),
        ));
    }
    if waits && rest.is_empty() {
        // A client that waits for this may have disconnected; the next read reports that.
        let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    request.body = rest;
    while request.body.len() < length {
        more(stream, until, length - request.body.len(), &mut request.body)?;
    }
    request.body.truncate(length);
    Ok(request)
}

/// Reads some more bytes, at most `most`.
fn more(
    stream: &mut TcpStream,
    until: Instant,
    most: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), Refused> {
    let mut buffer = [0; 4096];
    let buffer = &mut buffer[..most.min(4096)];
    match within(until, |left| {
        stream.set_read_timeout(Some(left)).and_then(|()| stream.read(buffer))
    }) {
        Ok(0) => Err(None),
        Ok(count) => {
            bytes.extend(&buffer[..count]);
            Ok(())
        }
        Err(error) if is_timeout(&error) => Err(refused(
            REQUEST_TIMEOUT,
            format!("the whole request has to be sent within {} s", REQUEST_TIME.as_secs()),
        )),
        Err(_) => Err(None),
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}

/// Repeats a system call that was interrupted, with the time that is left.
fn within<T>(until: Instant, mut call: impl FnMut(Duration) -> io::Result<T>) -> io::Result<T> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        // A timeout of zero would mean to wait for ever.
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        match call(left) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// Parses the head: the request without its body, the length of the body, and whether the client waits for
/// `100 Continue`.
fn parse(head: &str) -> Result<(Request, usize, bool), Refused> {
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or_default();
    let words: Vec<_> = line.split(' ').collect();
    let [method, target, version] = words[..] else {
        return Err(refused(BAD_REQUEST, "the first line is not a request of HTTP/1.1"));
    };
    if !version.starts_with("HTTP/") {
        return Err(refused(BAD_REQUEST, "the first line is not a request of HTTP/1.1"));
    }
    if !["HTTP/1.1", "HTTP/1.0"].contains(&version) {
        return Err(refused(VERSION_NOT_SUPPORTED, "only HTTP/1.1 and HTTP/1.0 are supported"));
    }
    if !target.starts_with('/') {
        return Err(refused(BAD_REQUEST, "the path of a request begins with /"));
    }
    let (mut host, mut origin, mut length, mut waits) = (None, None, None, false);
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(refused(BAD_REQUEST, "a line of the head has no colon"));
        };
        // A blank before the colon or at the start of a continued line is used for request smuggling.
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(refused(BAD_REQUEST, "a name in the head is empty or has blanks in it"));
        }
        let value = value.trim();
        let once = |of: &mut Option<String>| match of.replace(value.to_owned()) {
            None => Ok(()),
            Some(_) => Err(refused(BAD_REQUEST, format!("{name} occurs twice"))),
        };
        match &name.to_ascii_lowercase()[..] {
            "host" => once(&mut host)?,
            "origin" => once(&mut origin)?,
            "content-length" => once(&mut length)?,
            "transfer-encoding" => {
                return Err(refused(NOT_IMPLEMENTED, "a body needs a Content-Length"));
            }
            "expect" => waits = value.eq_ignore_ascii_case("100-continue"),
            _ => {}
        }
    }
    let length = match length {
        None => 0,
        Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A number with too many digits is too large in any case.
            text.parse().unwrap_or(usize::MAX)
        }
        Some(_) => return Err(refused(BAD_REQUEST, "Content-Length is not a whole number")),
    };
    let host = host.ok_or_else(|| refused(BAD_REQUEST, "the head has no Host"))?;
    let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
    let method = method.to_owned();
    Ok((Request { method, path, host, origin, body: Vec::new() }, length, waits))
}

/// Sends a response, without its body if only the head was requested, and closes the connection.
pub(crate) fn respond(stream: &mut TcpStream, answer: &Answer, head_alone: bool) -> io::Result<()> {
    let Answer { status: (code, phrase), kind, body } = answer;
    let head = format!(
        "HTTP/1.1 {code} {phrase}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\r\n",
        body.len()
    );
    let until = Instant::now() + ANSWER_TIME;
    for mut bytes in [head.as_bytes(), if head_alone { b"" } else { body.as_bytes() }] {
        while !bytes.is_empty() {
            let sent = within(until, |left| {
                stream.set_write_timeout(Some(left)).and_then(|()| stream.write(bytes))
            })?;
            if sent == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            bytes = &bytes[sent..];
        }
    }
    stream.shutdown(std::net::Shutdown::Write)?;
    let (until, mut rest, mut buffer) = (Instant::now() + REST_TIME, 0, [0; 4096]);
    while rest < REST_BYTES_MAX {
        let read =
            |left| stream.set_read_timeout(Some(left)).and_then(|()| stream.read(&mut buffer));
        match within(until, read)? {
            0 => break,
            count => rest += count,
        }
    }
    Ok(())
}
