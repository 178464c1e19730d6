//! Tests of the server of the example `viewer` with hostile clients.
//!
//! Requests are sent over plain TCP.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::viewer::{asked, ball, request, send, serve};
use serde_json::json;

/// The status of the response to these bytes, after which the client waits, and how long that took.
#[track_caller]
fn status_of(address: &str, bytes: &[u8]) -> (u16, String, Duration) {
    let clock = Instant::now();
    let (status, body) = send(address, bytes);
    (status, body, clock.elapsed())
}

/// Goal: a client that does not finish its request blocks no other one, and is disconnected. Method: thirty
/// clients that send a head without its body, half a head, or nothing; meanwhile the pages and a request are
/// served; then each of those clients gets a response within a time limit.
#[test]
fn unfinished_requests_block_no_other_client() {
    let (_server, address) = serve();
    let unfinished = [
        format!("POST /pair HTTP/1.1\r\nHost: {address}\r\nContent-Length: 500\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nX-Slow: "),
        String::new(),
    ];
    let mut senders = Vec::new();
    for bytes in unfinished.iter().cycle().take(30) {
        let mut stream = TcpStream::connect(&address).expect("the server listens");
        stream.write_all(bytes.as_bytes()).expect("it is accepted");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time is set");
        senders.push(stream);
    }
    let clock = Instant::now();
    for path in ["/", "/pair"] {
        assert_eq!(request(&address, &format!("GET {path}"), "").0, 200);
    }
    let still = ball(0.5, [0.0; 3], [0.0; 3]);
    asked(&address, "/pair", &json!({ "a": still, "b": ball(1.0, [4.0; 3], [-9.0; 3]) }));
    // Long before the first of these clients is disconnected.
    assert!(clock.elapsed() < Duration::from_secs(4), "{:?}", clock.elapsed());
    for mut stream in senders {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the response is sent and the connection closed");
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}

/// Goal: a page of another server gets no response, whatever host name it uses. Method: our hosts and origins
/// and others, on both pages and both requests.
#[test]
fn other_hosts_and_origins_are_rejected() {
    let (_server, address) = serve();
    let port = address.rsplit(':').next().expect("an address has a port");
    let ask = |line: &str, head: &str| {
        send(&address, format!("{line} HTTP/1.1\r\n{head}\r\n\r\n").as_bytes())
    };
    let ours =
        [address.clone(), format!("localhost:{port}"), "LOCALHOST:1".into(), "127.0.0.1".into()];
    for host in &ours {
        assert_eq!(ask("GET /", &format!("Host: {host}")).0, 200, "{host}");
        assert_eq!(
            ask("GET /", &format!("Host: {host}\r\nOrigin: http://{host}")).0,
            200,
            "{host}"
        );
    }
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1.evil.example", "", "["]
    {
        for line in ["GET /", "HEAD /pair", "POST /pair", "POST /mesh", "GET /none"] {
            let (status, body) = ask(line, &format!("Host: {host}"));
            assert_eq!(status, 403, "{host}: {body}");
        }
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://localhost:1"] {
        let (status, body) = ask("POST /pair", &format!("Host: {address}\r\nOrigin: {origin}"));
        assert_eq!(status, 403, "{origin}: {body}");
    }
    assert_eq!(ask("GET /", "Accept: text/html").0, 400, "without a host");
}

/// Goal: no bytes make the server panic, block or take much memory, and each rejection is one line. Method:
/// heads and bodies that are too long, cut, duplicate or random; paths that climb; every method; the server
/// responds afterwards.
#[test]
fn hostile_requests_are_rejected() {
    let (mut server, address) = serve();
    let with = |line: &str, head: &str, body: &[u8]| {
        let mut bytes = format!("{line}\r\nHost: {address}\r\n{head}\r\n").into_bytes();
        bytes.extend(body);
        bytes
    };
    let get = "GET / HTTP/1.1";
    let post = "POST /pair HTTP/1.1";
    let long = "a".repeat(20_000);
    let many = "A: b\r\n".repeat(5_000);
    let garbage: Vec<u8> =
        (0..20_000_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (bytes, status) in [
        (with(get, &format!("A: {long}\r\n"), b""), 431),
        (with(get, &many, b""), 431),
        (with(&format!("GET /{long} HTTP/1.1"), "", b""), 431),
        (garbage, 431),
        (with(post, "Content-Length: 65537\r\n", &[b' '; 65537]), 413),
        (with(post, "Content-Length: 99999999999999999999999\r\n", b"{}"), 413),
        (with(post, "Content-Length: -1\r\n", b"{}"), 400),
        (with(post, "Content-Length: +2\r\n", b"{}"), 400),
        (with(post, "Content-Length: 2\r\nContent-Length: 2\r\n", b"{}"), 400),
        (with(post, "Host: 127.0.0.1\r\nContent-Length: 2\r\n", b"{}"), 400),
        (with(post, "Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"), 501),
        (with(post, "Content-Length: 2\r\n", b"{}"), 400),
        (with(post, "Content-Length: 4\r\n", &[0xFF; 4]), 400),
        (with(post, "Content-Length : 2\r\n", b"{}"), 400),
        (with(post, "A\r\n", b""), 400),
        (with(post, " A: b\r\n", b""), 400),
        (with("GET  / HTTP/1.1", "", b""), 400),
        (with("GET /", "", b""), 400),
        (with("GET / FTP/1.1", "", b""), 400),
        (with("GET / HTTP/9.9", "", b""), 505),
        (with("GET http://127.0.0.1/ HTTP/1.1", "", b""), 400),
        (with("GET ../../etc/passwd HTTP/1.1", "", b""), 400),
        (with("GET /../../etc/passwd HTTP/1.1", "", b""), 404),
        (with("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", "", b""), 404),
        (with("GET //etc/passwd HTTP/1.1", "", b""), 404),
        (with("GET /\0 HTTP/1.1", "", b""), 404),
        (with("OPTIONS / HTTP/1.1", "", b""), 405),
        (with("DELETE /pair HTTP/1.1", "", b""), 405),
        (with("GET /mesh HTTP/1.1", "", b""), 405),
        (b"\xFF\xFE\r\n\r\n".to_vec(), 400),
        (b"\r\n\r\n".to_vec(), 400),
        (b"\x16\x03\x01\x02\0\x01\0\x01\xFC\x03\x03\r\n\r\n".to_vec(), 400),
    ] {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        let (found, body, time) = status_of(&address, &bytes);
        assert_eq!(found, status, "{shown:?}: {body}");
        assert!(body.ends_with('\n') && body.lines().count() == 1, "{shown:?}: {body}");
        assert!(time < Duration::from_secs(4), "{shown:?}: {time:?}");
    }
    // Only the head was requested.
    let (status, body) = send(&address, &with("HEAD / HTTP/1.1", "", b""));
    assert_eq!((status, &body[..]), (200, ""));
    // Some clients wait for permission to send the body.
    let question =
        json!({ "a": ball(1.0, [0.0; 3], [0.0; 3]), "b": ball(1.0, [0.0; 3], [0.0; 3]) });
    let question = question.to_string();
    let head = format!("Expect: 100-continue\r\nContent-Length: {}\r\n", question.len());
    let mut stream = TcpStream::connect(&address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time is set");
    stream.write_all(&with(post, &head, b"")).expect("it is accepted");
    let mut told = [0; 25];
    stream.read_exact(&mut told).expect("it is reported");
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(question.as_bytes()).expect("it is accepted");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("there is a result");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    // A client that connects and disconnects does no harm.
    for _ in 0..200 {
        drop(TcpStream::connect(&address).expect("the server listens"));
    }
    assert_eq!(request(&address, "GET /", "").0, 200);
    assert!(server.0.try_wait().expect("the query is valid").is_none(), "it still runs");
}
