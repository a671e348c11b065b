//! Frames over the standard input and output of processes that rank 0 started on other hosts, by ssh or what does the same.
//!
//! A star: each rank has one connection, to rank 0. A process that ends closes its pipes, which is how a lost host is
//! noticed at once. What they print for people is passed on line by line, up to a bound: any host may send anything. Omitted: the
//! command lines that start them, and printing.

use super::{Received, Transport};
use crate::frame::{Frame, HEADER};
use crate::system::separate;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Passes on what a rank printed for people: its number and a line, which may contain anything.
pub type Printed = fn(u32, &str);

/// Most lines and bytes of one rank that are passed on, and most bytes of a line.
const LINES_MAX: usize = 200;
const BYTES_MAX: usize = 64 << 10;
const LINE_MAX: u64 = 4096;
/// How long the end waits for the last lines: what a rank leaves behind may keep the pipe open.
const LAST_LINES: Duration = Duration::from_millis(500);

/// A connection to one rank: threads read and write, so that no call of the transport waits.
struct Connection {
    rank: u32,
    /// None when it is closed.
    outgoing: Option<Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
}

/// One rank of a job over pipes.
pub struct Pipes {
    rank: u32,
    size: u32,
    program: String,
    connections: Vec<Connection>,
    arrived: Receiver<(u32, Received)>,
    /// Rank 0: the processes that it started.
    children: Vec<Child>,
    /// Rank 0: has a message for each rank whose last line was passed on.
    silent: Receiver<()>,
}

impl Pipes {
    /// Rank 0: starts a process for each further rank. `program` names what starts them, for people; `printed` gets what they
    /// print for people.
    ///
    /// # Errors
    /// A process cannot be started.
    pub fn start(program: &str, commands: Vec<Command>, printed: Printed) -> io::Result<Pipes> {
        let (sender, arrived) = channel();
        let (ended, silent) = channel();
        let mut pipes = Pipes {
            rank: 0,
            size: u32::try_from(commands.len() + 1).unwrap_or(u32::MAX),
            program: program.to_owned(),
            connections: Vec::new(),
            arrived,
            children: Vec::new(),
            silent,
        };
        for (mut command, rank) in commands.into_iter().zip(1..) {
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            command.stderr(Stdio::piped());
            separate(&mut command); // Ctrl-C is for rank 0 alone, which stops the others
            let mut child = command.spawn()?;
            let (input, output) = (child.stdin.take(), child.stdout.take());
            let (input, output) = input.zip(output).expect("both are piped");
            let (messages, ended) = (child.stderr.take().expect("it is piped"), ended.clone());
            let relay = std::thread::Builder::new().name("fathom-printed".to_owned());
            relay.spawn(move || {
                pass_on(messages, rank, printed);
                let _ = ended.send(());
            })?;
            pipes.children.push(child);
            pipes
                .connections
                .push(connect(rank, output, input, &sender)?);
        }
        Ok(pipes)
    }

    /// Another rank: over the standard input and output of this process.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn serve(rank: u32, size: u32) -> io::Result<Pipes> {
        let (sender, arrived) = channel();
        Ok(Pipes {
            rank,
            size,
            program: "pipes".to_owned(),
            connections: vec![connect(0, io::stdin(), io::stdout(), &sender)?],
            arrived,
            children: Vec::new(),
            silent: channel().1,
        })
    }
}

/// Passes on lines up to a bound, and reads the rest, so that the rank does not wait for it.
fn pass_on(messages: impl Read, rank: u32, printed: Printed) {
    let mut messages = BufReader::new(messages);
    let (mut lines, mut bytes) = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut messages).take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes += read,
        }
        lines += 1;
        let text = String::from_utf8_lossy(&line);
        if text.trim_end().is_empty() && bytes <= BYTES_MAX {
            continue;
        }
        if lines <= LINES_MAX && bytes <= BYTES_MAX {
            printed(rank, text.trim_end());
            continue;
        }
        printed(rank, "more messages of this rank are omitted");
        let _ = io::copy(&mut messages, &mut io::sink());
        return;
    }
}

fn connect(
    rank: u32,
    mut input: impl Read + Send + 'static,
    mut output: impl Write + Send + 'static,
    arrived: &Sender<(u32, Received)>,
) -> io::Result<Connection> {
    let (outgoing, queue) = channel::<Vec<u8>>();
    let arrived = arrived.clone();
    let spawn = |name: &str| std::thread::Builder::new().name(name.to_owned());
    spawn("fathom-reader").spawn(move || {
        // Until it is closed, or there is no receiver any more.
        let why = loop {
            let came = match read_frame(&mut input) {
                Ok(bytes) => Received::Frame(bytes),
                Err(why) => break why,
            };
            if arrived.send((rank, came)).is_err() {
                return;
            }
        };
        let _ = arrived.send((rank, Received::Gone(why)));
    })?;
    let writer = spawn("fathom-writer").spawn(move || {
        // A reader that is gone shows on the other pipe.
        for bytes in queue {
            if output
                .write_all(&bytes)
                .and_then(|()| output.flush())
                .is_err()
            {
                return;
            }
        }
    })?;
    Ok(Connection {
        rank,
        outgoing: Some(outgoing),
        writer: Some(writer),
    })
}

fn read_frame(input: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; HEADER];
    let closed = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => "its connection was closed".to_owned(),
        _ => format!("its connection broke: {error}"),
    };
    input.read_exact(&mut bytes).map_err(closed)?;
    let length = Frame::whole_length(&bytes).map_err(|error| error.to_string())?;
    bytes.resize(length, 0);
    input.read_exact(&mut bytes[HEADER..]).map_err(closed)?;
    Ok(bytes)
}

impl Transport for Pipes {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn name(&self) -> String {
        self.program.clone()
    }

    fn watch(&mut self, _rank: u32) {}

    fn send(&mut self, to: u32, bytes: Vec<u8>) {
        let connection = self.connections.iter().find(|one| one.rank == to);
        if let Some(outgoing) = connection.and_then(|one| one.outgoing.as_ref()) {
            let _ = outgoing.send(bytes); // its writer has ended with its receiver
        }
    }

    fn receive(&mut self) -> Option<(u32, Received)> {
        self.arrived.try_recv().ok()
    }

    fn close(&mut self, whole: bool) {
        for connection in &mut self.connections {
            connection.outgoing = None;
            if let Some(writer) = connection.writer.take().filter(|_| whole) {
                let _ = writer.join();
            }
        }
        for child in &mut self.children {
            if !whole {
                let _ = child.kill(); // a lost rank may not end by itself
            }
            let _ = child.wait();
        }
        for _ in &self.children {
            if self.silent.recv_timeout(LAST_LINES).is_err() {
                break;
            }
        }
    }

    fn abort(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;

    fn frame(body: &[u8]) -> Vec<u8> {
        let frame = Frame {
            kind: Kind::Reply,
            flags: 0,
            from: 1,
            step: 1,
            body: body.to_vec(),
        };
        frame.encode()
    }

    #[test]
    fn frames_are_read_one_after_another_and_a_broken_one_says_why() {
        let bytes = [frame(b"one"), frame(&[7; 100_000])].concat();
        let mut input = &bytes[..];
        assert_eq!(read_frame(&mut input), Ok(frame(b"one")));
        assert_eq!(read_frame(&mut input), Ok(frame(&[7; 100_000])));
        assert_eq!(
            read_frame(&mut input),
            Err("its connection was closed".to_owned())
        );
        let motd = b"Welcome to the cluster, please do not benchmark";
        let error = read_frame(&mut &motd[..]).unwrap_err();
        assert!(error.contains("does not begin"), "{error}");
    }

    #[test]
    fn what_a_rank_prints_is_passed_on_up_to_a_bound_and_read_to_its_end() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static PASSED: AtomicUsize = AtomicUsize::new(0);
        for (text, most) in [
            (b"x\n".repeat(100_000), 2),
            (vec![b'x'; 1 << 20], LINE_MAX as usize),
        ] {
            PASSED.store(0, Ordering::Relaxed);
            let mut input = &text[..];
            pass_on(&mut input, 1, |_, line| {
                PASSED.fetch_add(line.len(), Ordering::Relaxed);
            });
            assert!(input.is_empty());
            let passed = PASSED.load(Ordering::Relaxed);
            assert!(
                passed > 0 && passed <= (LINES_MAX * most).min(BYTES_MAX) + 100,
                "{passed}"
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_process_echoes_comes_back_and_its_end_is_noticed() {
        let mut pipes = Pipes::start("sh", vec![Command::new("cat")], |_, _| ()).unwrap();
        pipes.send(1, frame(b"hello"));
        let mut next = || loop {
            if let Some(came) = pipes.receive() {
                return came;
            }
            std::thread::yield_now();
        };
        assert_eq!(next(), (1, Received::Frame(frame(b"hello"))));
        pipes.close(true);
        assert!(matches!(
            pipes.arrived.recv().unwrap(),
            (1, Received::Gone(_))
        ));
    }
}
