//! HTTP for a collector: one path, one thread, one connection at a time, and strict limits.
//!
//! Written on the standard library because so little of RFC 9112 is needed: a request line, headers that are read and
//! dropped, an answer with its length, and the connection closed. Deliberately absent: TLS, compression, any writing.

use crate::metrics::CONTENT_TYPE;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request's head that is longer is refused.
const HEAD_BYTES_MAX: usize = 8 << 10;
/// For reads and writes each; a caller that is slower is left.
const PATIENCE: Duration = Duration::from_secs(1);
/// Reads of one head: a caller that sends single bytes is left.
const READS_MAX: usize = 64;

/// Answers with what was published last, until the program ends.
#[derive(Debug)]
pub struct Server {
    text: Arc<Mutex<String>>,
    at: SocketAddr,
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
        format!("read `{text}`; accepted are a port such as :9435, for this machine alone, or an address with one such as 0.0.0.0:9435 or [::]:9435")
    })
}

impl Server {
    /// Begins to listen.
    ///
    /// # Errors
    /// Where the port is taken, or this user may not have it.
    pub fn start(at: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let at = listener.local_addr()?;
        let text = Arc::new(Mutex::new("# EOF\n".to_owned()));
        let published = Arc::clone(&text);
        std::thread::Builder::new()
            .name("openmetrics".to_owned())
            .spawn(move || listen(&listener, &published))?;
        Ok(Server { text, at })
    }

    /// Where it listens: the port that was given, or the one that was found for port 0.
    pub fn at(&self) -> SocketAddr {
        self.at
    }

    /// From now on this is the answer.
    pub fn publish(&self, text: String) {
        if let Ok(mut published) = self.text.lock() {
            *published = text;
        }
    }
}

fn listen(listener: &TcpListener, published: &Mutex<String>) {
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let _ = answer(stream, published);
            }
            // Out of files, for one: not to spin meanwhile.
            Err(_) => std::thread::sleep(PATIENCE),
        }
    }
}

fn answer(mut stream: TcpStream, published: &Mutex<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&mut stream)?;
    let (status, kind, body) = match asked(&head) {
        Ok(with_body) => {
            let text = published.lock().map(|text| text.clone());
            let text = text.unwrap_or_default();
            ("200 OK", CONTENT_TYPE, (text, with_body))
        }
        Err(status) => (
            status,
            "text/plain; charset=utf-8",
            (format!("{status}\n"), true),
        ),
    };
    let (text, with_body) = body;
    let mut out = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    if with_body {
        out.push_str(&text);
    }
    stream.write_all(out.as_bytes())
}

/// Up to the empty line that ends it, or as much as there may be.
fn head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    for _ in 0..READS_MAX {
        let length = stream.read(&mut part)?;
        head.extend_from_slice(&part[..length]);
        let ended = head.windows(4).any(|four| four == b"\r\n\r\n");
        if length == 0 || ended || head.len() > HEAD_BYTES_MAX {
            break;
        }
    }
    Ok(head)
}

/// Whether the answer has a body; or what is wrong.
fn asked(head: &[u8]) -> Result<bool, &'static str> {
    if head.len() > HEAD_BYTES_MAX {
        return Err("431 Request Header Fields Too Large");
    }
    if !head.windows(4).any(|four| four == b"\r\n\r\n") {
        return Err("400 Bad Request");
    }
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_| "400 Bad Request")?;
    let words: Vec<&str> = line.split(' ').collect();
    let [method, target, version] = words[..] else {
        return Err("400 Bad Request");
    };
    if !version.starts_with("HTTP/1.") {
        return Err("505 HTTP Version Not Supported");
    }
    let path = target.split('?').next().unwrap_or_default();
    match (method, path) {
        ("GET", "/metrics") => Ok(true),
        ("HEAD", "/metrics") => Ok(false),
        ("GET" | "HEAD", _) => Err("404 Not Found"),
        _ => Err("405 Method Not Allowed"),
    }
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
                    .starts_with(&format!("read `{text}`;"))
            );
        }
    }

    #[test]
    fn one_path_is_answered_and_everything_else_is_told() {
        let status = |head: &str| asked(head.as_bytes()).err().map(|status| &status[..3]);
        assert_eq!(asked(b"GET /metrics HTTP/1.1\r\n\r\n"), Ok(true));
        assert_eq!(
            asked(b"HEAD /metrics?x=1 HTTP/1.0\r\nA: b\r\n\r\n"),
            Ok(false)
        );
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), Some("404"));
        assert_eq!(status("POST /metrics HTTP/1.1\r\n\r\n"), Some("405"));
        assert_eq!(status("GET /metrics HTTP/2\r\n\r\n"), Some("505"));
        assert_eq!(status("GET /metrics HTTP/1.1\r\n"), Some("400"));
        assert_eq!(status(&"x".repeat(HEAD_BYTES_MAX + 1)), Some("431"));
    }

    #[test]
    fn what_was_published_last_is_fetched() {
        let server = Server::start(address(":0").unwrap()).unwrap();
        server.publish("a 1\n# EOF\n".to_owned());
        let mut stream = TcpStream::connect(server.at()).unwrap();
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\na 1\n# EOF\n"), "{answer}");
    }
}
