//! HTTP for a collector: one path, few connections, a thread each, and strict limits.
//!
//! A client that stalls delays no other client: each connection has its own thread and a time by which it is over, and where
//! too many are open the oldest is closed for the newest. A page in a browser on this machine may send requests here under
//! a name of its own (DNS rebinding), so only names that mean this server are answered. Written on the standard library
//! because so little of RFC 9112 is needed: a request line, a header, an answer with its length, and the connection
//! closed. Deliberately absent: TLS, compression, any writing.

use crate::metrics::CONTENT_TYPE;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A request's head that is longer is refused.
const HEAD_BYTES_MAX: usize = 8 << 10;
/// For a request and its answer together; a caller that is slower is left.
const PATIENCE: Duration = Duration::from_secs(5);
/// Connections at one time, and so threads.
const CONNECTIONS_MAX: usize = 16;
/// After a connection could not be accepted: out of files, for one.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers with what was published last, until the program ends.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    at: SocketAddr,
}

/// What the threads of the connections have in common.
#[derive(Debug)]
struct Shared {
    text: Mutex<String>,
    /// Names that mean this server in addition to those that always do.
    names: Vec<String>,
    /// The oldest first, each with its number.
    open: Mutex<VecDeque<(u64, TcpStream)>>,
}

/// `9435`, `:9435` and `ADDRESS:PORT`; without an address it is the loopback.
///
/// # Errors
/// What was read and what is accepted.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| {
        let accepted = "must be a port such as :9435, for this machine alone, or an address with one such as \
                        0.0.0.0:9435 or [::]:9435";
        model::invalid_value(text, "--openmetrics", accepted)
    })
}

impl Server {
    /// Begins to listen. `names` are those by which it is addressed in addition to `localhost` and its address.
    ///
    /// # Errors
    /// Where the port is taken, or this user may not have it.
    pub fn start(at: SocketAddr, names: Vec<String>) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let at = listener.local_addr()?;
        let shared = Arc::new(Shared {
            text: Mutex::new("# EOF\n".to_owned()),
            names,
            open: Mutex::default(),
        });
        let of_listener = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("openmetrics".to_owned())
            .spawn(move || listen(&listener, &of_listener))?;
        Ok(Server { shared, at })
    }

    /// Where it listens: the port that was given, or the one that was found for port 0.
    pub fn at(&self) -> SocketAddr {
        self.at
    }

    /// From now on this is the answer.
    pub fn publish(&self, text: String) {
        if let Ok(mut published) = self.shared.text.lock() {
            *published = text;
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for (number, stream) in (0..).zip(listener.incoming()) {
        if stream
            .and_then(|stream| serve(number, stream, shared))
            .is_err()
        {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Gives a connection its thread.
fn serve(number: u64, mut stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    {
        let mut open = shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back((number, stream.try_clone()?));
        if open.len() > CONNECTIONS_MAX
            && let Some((_, oldest)) = open.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both); // its thread ends by itself
        }
    }
    let of_thread = Arc::clone(shared);
    let answers = move || {
        let _ = answer(&mut stream, &of_thread);
        let mut open = of_thread
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        open.retain(|(other, _)| *other != number);
    };
    std::thread::Builder::new()
        .name("openmetrics".to_owned())
        .spawn(answers)
        .map(|_| ())
}

fn answer(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let until = now() + PATIENCE;
    let here = stream.local_addr()?.ip();
    let head = head(stream, until)?;
    let (status, kind, text, with_body) = match asked(&head, here, &shared.names) {
        Ok(with_body) => {
            let text = shared.text.lock().map(|text| text.clone());
            ("200 OK", CONTENT_TYPE, text.unwrap_or_default(), with_body)
        }
        Err(status) => (
            status,
            "text/plain; charset=utf-8",
            format!("{status}\n"),
            true,
        ),
    };
    let mut out = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    if with_body {
        out.push_str(&text);
    }
    let mut rest = out.as_bytes();
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left(until)?))?;
        let written = stream.write(rest)?;
        rest = &rest[written..];
    }
    Ok(())
}

/// How long the caller still has.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

/// Up to the empty line that ends it, or as much as there may be.
fn head(stream: &mut TcpStream, until: Instant) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    loop {
        stream.set_read_timeout(Some(left(until)?))?;
        let length = stream.read(&mut part)?;
        // The end may have begun in the part before.
        let from = head.len().saturating_sub(3);
        head.extend_from_slice(&part[..length]);
        let ended = head[from..].windows(4).any(|four| four == b"\r\n\r\n");
        if length == 0 || ended || head.len() > HEAD_BYTES_MAX {
            return Ok(head);
        }
    }
}

/// Whether the answer has a body; or what is wrong. `here` is the address that the caller reached.
fn asked(head: &[u8], here: IpAddr, names: &[String]) -> Result<bool, &'static str> {
    const BAD: &str = "400 Bad Request";
    if head.len() > HEAD_BYTES_MAX {
        return Err("431 Request Header Fields Too Large");
    }
    let head = str::from_utf8(head).map_err(|_| BAD)?;
    let (head, _) = head.split_once("\r\n\r\n").ok_or(BAD)?;
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = words[..] else {
        return Err(BAD);
    };
    if !version.starts_with("HTTP/1.") {
        return Err("505 HTTP Version Not Supported");
    }
    let headers = lines.filter_map(|line| line.split_once(':'));
    let mut hosts = headers.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    match (hosts.next(), hosts.next()) {
        // Browsers name the host; what does not is of old.
        (None, _) if version == "HTTP/1.0" => {}
        (Some((_, host)), None) if is_ours(host.trim(), here, names) => {}
        (Some(_), None) => return Err("421 Misdirected Request"),
        _ => return Err(BAD),
    }
    let path = target.split('?').next().unwrap_or_default();
    match (method, path) {
        ("GET", "/metrics") => Ok(true),
        ("HEAD", "/metrics") => Ok(false),
        ("GET" | "HEAD", _) => Err("404 Not Found"),
        _ => Err("405 Method Not Allowed"),
    }
}

/// Whether a `Host` means this server: the loopback by name or address, the address that was reached, or a name that was
/// given. The port is ignored.
fn is_ours(host: &str, here: IpAddr, names: &[String]) -> bool {
    let bare = match host.rsplit_once(':') {
        Some((bare, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => host,
    };
    let address = bare
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    match address {
        Ok(address) => address.is_loopback() || address.to_canonical() == here.to_canonical(),
        Err(_) => {
            let known = names.iter().map(String::as_str).chain(["localhost"]);
            known
                .into_iter()
                .any(|name| name.eq_ignore_ascii_case(bare))
        }
    }
}

/// The clock that limits how long a caller is waited for.
#[allow(clippy::disallowed_methods, reason = "a limit, not a measurement")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_for_this_machine() {
        for text in [":9435", "9435", "127.0.0.1:9435"] {
            assert_eq!(
                address(text).unwrap().to_string(),
                "127.0.0.1:9435",
                "{text}"
            );
        }
        assert_eq!(address("0.0.0.0:1").unwrap().to_string(), "0.0.0.0:1");
        for text in ["", "localhost", ":x", ":99999"] {
            assert!(
                address(text)
                    .unwrap_err()
                    .starts_with(&format!("invalid value '{text}' for "))
            );
        }
    }

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7));

    fn status(head: &str) -> Result<bool, &'static str> {
        asked(head.as_bytes(), HERE, &["disks.example".to_owned()]).map_err(|status| &status[..3])
    }

    #[test]
    fn one_path_is_answered_and_everything_else_is_reported() {
        let host = "Host: localhost\r\n\r\n";
        assert_eq!(
            status(&format!("GET /metrics HTTP/1.1\r\n{host}")),
            Ok(true)
        );
        assert_eq!(
            status("HEAD /metrics?x=1 HTTP/1.0\r\nA: b\r\n\r\n"),
            Ok(false)
        );
        assert_eq!(status(&format!("GET / HTTP/1.1\r\n{host}")), Err("404"));
        assert_eq!(
            status(&format!("POST /metrics HTTP/1.1\r\n{host}")),
            Err("405")
        );
        assert_eq!(
            status(&format!("GET /metrics HTTP/2\r\n{host}")),
            Err("505")
        );
        assert_eq!(status("GET /metrics HTTP/1.1\r\n"), Err("400"));
        assert_eq!(status(&"x".repeat(HEAD_BYTES_MAX + 1)), Err("431"));
    }

    #[test]
    fn i5_only_names_of_this_server_are_answered() {
        let of = |host: &str| status(&format!("GET /metrics HTTP/1.1\r\n{host}\r\n\r\n"));
        for host in [
            "Host: localhost",
            "host:LOCALHOST:9435",
            "Host: 127.0.0.1:9435",
            "Host: [::1]:9435",
            "Host: [::1]",
            "Host: 10.0.0.7:9435",
            "Host: disks.example:1",
        ] {
            assert_eq!(of(host), Ok(true), "{host}");
        }
        for host in [
            "Host: evil.example",
            "Host: evil.example:9435",
            "Host: localhost.evil.example",
            "Host: 10.0.0.8",
            "Host:",
        ] {
            assert_eq!(of(host), Err("421"), "{host}");
        }
        assert_eq!(of("Accept: x"), Err("400"));
        assert_eq!(of("Host: localhost\r\nHost: evil.example"), Err("400"));
    }

    fn server() -> Server {
        let server = Server::start(address(":0").unwrap(), Vec::new()).unwrap();
        server.publish("a 1\n# EOF\n".to_owned());
        server
    }

    fn fetch(server: &Server) -> String {
        let mut stream = TcpStream::connect(server.at()).unwrap();
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn what_was_published_last_is_fetched() {
        let answer = fetch(&server());
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\na 1\n# EOF\n"), "{answer}");
    }

    /// A stalled caller is one whose connection is still open after the answer to another: nothing is to be read from it.
    #[test]
    fn h2_callers_that_stall_keep_nobody_waiting() {
        let server = server();
        let stalled: Vec<TcpStream> = (0..CONNECTIONS_MAX - 1)
            .map(|_| {
                let mut stream = TcpStream::connect(server.at()).unwrap();
                stream.write_all(b"GET /metrics HTTP/1.1\r\nX: ").unwrap();
                stream
            })
            .collect();
        assert!(fetch(&server).starts_with("HTTP/1.1 200 OK\r\n"));
        for mut stream in &stalled {
            stream.set_nonblocking(true).unwrap();
            let read = stream.read(&mut [0; 1]);
            let waits = read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
            assert!(waits, "the slow caller was still served");
        }
    }

    #[test]
    fn h2_more_callers_than_there_may_be_close_the_oldest() {
        let server = server();
        let mut stalled: Vec<TcpStream> = (0..CONNECTIONS_MAX + 5)
            .map(|_| TcpStream::connect(server.at()).unwrap())
            .collect();
        assert!(fetch(&server).starts_with("HTTP/1.1 200 OK\r\n"));
        assert_eq!(stalled[0].read(&mut [0; 1]).unwrap(), 0, "it was closed");
    }
}
