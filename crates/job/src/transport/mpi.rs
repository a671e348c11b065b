//! MPI, loaded when it is used: eleven functions of the library that started this process. Only bytes travel.
//!
//! Each receive names its peer, so that no status is read, whose layout differs between libraries. No collective call is
//! called: a dead rank would leave it waiting. Every wait is a test and a sleep of the caller. Omitted: building against any
//! MPI, and what the bytes mean.
#![allow(unsafe_code, reason = "a library of C, loaded at run time")]

use super::{Received, Transport};
use crate::frame::Frame;
use crate::launcher::{Launch, Launcher};
use crate::link::JobError;
use crate::system::library::{self, find, open};
use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;
use std::time::Duration;

/// Bytes of the first message of a frame; what is beyond goes into a second one.
const FIRST: usize = 4096;
/// Tags of the two.
const TAGS: [c_int; 2] = [1, 2];
/// How often the end looks whether what was sent has left, a millisecond apart.
const CLOSE_LOOKS: u32 = 2000;
/// `MPI_MAX_LIBRARY_VERSION_STRING` of the largest.
const VERSION_MAX: usize = 8192;

/// A handle: a pointer, or a number of 32 bits that is passed in a register of 64.
type Handle = usize;

/// Where a constant of MPI is found.
#[derive(Clone, Copy)]
enum Constant {
    Value(Handle),
    AddressOf(&'static CStr),
}

/// How one family of libraries calls its constants.
struct Abi {
    launcher: Option<Launcher>,
    libraries: &'static [&'static CStr],
    world: Constant,
    byte: Constant,
    errors_return: Constant,
    funneled: c_int,
}

/// The families, in the order in which they are tried.
const ABIS: [Abi; 3] = [
    Abi {
        launcher: Some(Launcher::OpenMpi),
        libraries: library::OPEN_MPI,
        world: Constant::AddressOf(c"ompi_mpi_comm_world"),
        byte: Constant::AddressOf(c"ompi_mpi_byte"),
        errors_return: Constant::AddressOf(c"ompi_mpi_errors_return"),
        funneled: 1,
    },
    Abi {
        launcher: Some(Launcher::Mpich),
        libraries: library::MPICH,
        world: Constant::Value(0x4400_0000),
        byte: Constant::Value(0x4c00_010d),
        errors_return: Constant::Value(0x5400_0001),
        funneled: 1,
    },
    // The standard ABI of MPI 5.0, chapter 20.
    Abi {
        launcher: None,
        libraries: library::STANDARD,
        world: Constant::Value(0x101),
        byte: Constant::Value(0x247),
        errors_return: Constant::Value(0x143),
        funneled: 1024,
    },
];

type InitThread =
    unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int;
type Finalize = unsafe extern "C" fn() -> c_int;
type Abort = unsafe extern "C" fn(Handle, c_int) -> c_int;
type CommNumber = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type SetErrhandler = unsafe extern "C" fn(Handle, Handle) -> c_int;
type LibraryVersion = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
/// `MPI_Isend` and `MPI_Irecv`; the former does not write to its buffer.
type Transfer =
    unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle) -> c_int;
type Cancel = unsafe extern "C" fn(*mut Handle) -> c_int;
type Test = unsafe extern "C" fn(*mut Handle, *mut c_int, *mut c_void) -> c_int;

/// The functions and constants of the loaded library.
struct Api {
    finalize: Finalize,
    abort: Abort,
    isend: Transfer,
    irecv: Transfer,
    test: Test,
    cancel: Cancel,
    world: Handle,
    byte: Handle,
}

/// A message that is on its way, with the bytes that it is in.
struct Message {
    request: Handle,
    bytes: Box<[u8]>,
}

/// What is expected from one rank.
struct Inbox {
    from: u32,
    message: Message,
    /// The first part of the frame whose second one is on its way.
    first: Option<Box<[u8]>>,
}

/// One rank of an MPI job.
pub struct Mpi {
    api: Api,
    rank: u32,
    size: u32,
    version: String,
    inboxes: Vec<Inbox>,
    sent: VecDeque<Message>,
}

impl Mpi {
    /// Loads the library that fits the launcher, or `library`, and joins.
    ///
    /// # Errors
    /// There is none, or it does not see the processes of the launcher.
    pub fn open(launch: Launch, library: Option<&Path>) -> Result<Mpi, JobError> {
        let (loaded, abi, name) = load(launch.launcher, library)?;
        let missing = |error: String| JobError(format!("{name}: {error}"));
        let symbol = |symbol: &CStr| find(loaded, symbol).map_err(missing);
        let constant = |of: Constant| match of {
            Constant::Value(value) => Ok(value),
            Constant::AddressOf(name) => symbol(name).map(|address| address as Handle),
        };
        let (world, byte) = (constant(abi.world)?, constant(abi.byte)?);
        let errors_return = constant(abi.errors_return)?;
        macro_rules! function {
            ($name:expr, $kind:ty) => {{
                let address = symbol($name)?;
                // SAFETY: a function of this name has this signature in every library of MPI, by the standard.
                unsafe { std::mem::transmute::<*mut c_void, $kind>(address) }
            }};
        }
        let init = function!(c"MPI_Init_thread", InitThread);
        let comm_rank = function!(c"MPI_Comm_rank", CommNumber);
        let comm_size = function!(c"MPI_Comm_size", CommNumber);
        let set_errhandler = function!(c"MPI_Comm_set_errhandler", SetErrhandler);
        let library_version = function!(c"MPI_Get_library_version", LibraryVersion);
        let api = Api {
            finalize: function!(c"MPI_Finalize", Finalize),
            abort: function!(c"MPI_Abort", Abort),
            isend: function!(c"MPI_Isend", Transfer),
            irecv: function!(c"MPI_Irecv", Transfer),
            test: function!(c"MPI_Test", Test),
            cancel: function!(c"MPI_Cancel", Cancel),
            world,
            byte,
        };
        let mut provided = 0;
        // SAFETY: MPI allows null for the arguments of main; this thread makes all further calls, as `funneled` promises.
        let code = unsafe {
            init(
                ptr::null_mut(),
                ptr::null_mut(),
                abi.funneled,
                &raw mut provided,
            )
        };
        checked(code, "MPI_Init_thread").map_err(missing)?;
        // SAFETY: both handles are those of the library that was loaded, and it is initialized.
        let code = unsafe { set_errhandler(world, errors_return) };
        checked(code, "MPI_Comm_set_errhandler").map_err(missing)?;
        let (rank, size) = (number(comm_rank, world), number(comm_size, world));
        let version = version_of(library_version);
        if size != launch.size {
            // SAFETY: it is initialized, and no message is on its way.
            unsafe { (api.finalize)() };
            return Err(JobError(unfit(launch, &name, &version, size)));
        }
        Ok(Mpi {
            api,
            rank,
            size,
            version,
            inboxes: Vec::new(),
            sent: VecDeque::new(),
        })
    }

    fn post(&self, mut bytes: Box<[u8]>, peer: u32, tag: c_int, transfer: Transfer) -> Message {
        let mut request: Handle = 0;
        let (data, length) = (bytes.as_mut_ptr().cast(), bytes.len());
        let length = c_int::try_from(length).expect("a body is at most 64 MiB");
        let peer = peer.cast_signed();
        // SAFETY: the bytes are in the message, which lives until the request is complete or the process ends.
        let code = unsafe {
            transfer(
                data,
                length,
                self.api.byte,
                peer,
                tag,
                self.api.world,
                &raw mut request,
            )
        };
        // What could not be posted shows as silence of that rank.
        let request = if code == 0 { request } else { 0 };
        Message { request, bytes }
    }

    fn inbox(&self, from: u32) -> Inbox {
        let bytes = vec![0; FIRST].into_boxed_slice();
        let message = self.post(bytes, from, TAGS[0], self.api.irecv);
        Inbox {
            from,
            message,
            first: None,
        }
    }

    /// Returns whether a message is complete.
    fn is_complete(&self, message: &mut Message) -> Result<bool, c_int> {
        let mut flag = 0;
        let mut status = [0u64; 8]; // the largest has 24 bytes; it is never read
        let request = &raw mut message.request;
        // SAFETY: the request is one of this library that is not complete, and a status has room.
        let code = unsafe { (self.api.test)(request, &raw mut flag, status.as_mut_ptr().cast()) };
        match code {
            0 => Ok(flag != 0),
            code => Err(code),
        }
    }

    /// Nothing more comes: a library complains of receives that are still posted when it ends.
    fn cancel_receives(&mut self) {
        let mut inboxes = std::mem::take(&mut self.inboxes);
        for inbox in &mut inboxes {
            // SAFETY: the request is one of this library that is not complete.
            unsafe { (self.api.cancel)(&raw mut inbox.message.request) };
        }
        for _ in 0..CLOSE_LOOKS {
            inboxes.retain_mut(|inbox| matches!(self.is_complete(&mut inbox.message), Ok(false)));
            if inboxes.is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        inboxes.into_iter().for_each(std::mem::forget);
    }

    fn forget_sent(&mut self) {
        let mut sent = std::mem::take(&mut self.sent);
        sent.retain_mut(|message| matches!(self.is_complete(message), Ok(false)));
        self.sent = sent;
    }

    /// Takes what has come into one inbox; `Err` where its rank is gone.
    fn empty(&self, inbox: &mut Inbox) -> Result<Option<Vec<u8>>, String> {
        match self.is_complete(&mut inbox.message) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(code) => return Err(format!("MPI reports error {code} on its connection")),
        }
        let came = &inbox.message.bytes;
        let frame = match inbox.first.take() {
            Some(first) => [&first[..], came].concat(),
            None => match Frame::whole_length(came) {
                Err(error) => return Err(error.to_string()),
                Ok(length) if length <= FIRST => came[..length].to_vec(),
                Ok(length) => {
                    let rest = vec![0; length - FIRST].into_boxed_slice();
                    let rest = self.post(rest, inbox.from, TAGS[1], self.api.irecv);
                    inbox.first = Some(std::mem::replace(&mut inbox.message, rest).bytes);
                    return Ok(None);
                }
            },
        };
        *inbox = self.inbox(inbox.from);
        Ok(Some(frame))
    }
}

impl Transport for Mpi {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn name(&self) -> String {
        self.version.clone()
    }

    fn watch(&mut self, rank: u32) {
        if !self.inboxes.iter().any(|inbox| inbox.from == rank) {
            let inbox = self.inbox(rank);
            self.inboxes.push(inbox);
        }
    }

    fn send(&mut self, to: u32, bytes: Vec<u8>) {
        let parts: [&[u8]; 2] = bytes
            .split_at_checked(FIRST)
            .unwrap_or((&bytes, &[]))
            .into();
        for (part, tag) in parts.into_iter().zip(TAGS) {
            if !part.is_empty() {
                let message = self.post(part.into(), to, tag, self.api.isend);
                self.sent.push_back(message);
            }
        }
    }

    fn receive(&mut self) -> Option<(u32, Received)> {
        self.forget_sent();
        let mut inboxes = std::mem::take(&mut self.inboxes);
        let mut found = None;
        for at in 0..inboxes.len() {
            let from = inboxes[at].from;
            match self.empty(&mut inboxes[at]) {
                Ok(None) => continue,
                Ok(Some(frame)) => found = Some((from, Received::Frame(frame))),
                Err(reason) => {
                    let gone = inboxes.swap_remove(at);
                    std::mem::forget(gone.message.bytes); // the library may still write to it
                    found = Some((from, Received::Gone(reason)));
                }
            }
            break;
        }
        self.inboxes = inboxes;
        found
    }

    fn close(&mut self, whole: bool) {
        for _ in 0..CLOSE_LOOKS {
            self.forget_sent();
            if self.sent.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        if whole && self.sent.is_empty() {
            self.cancel_receives();
            // SAFETY: it is initialized, on this thread; buffers of receives outlive the process's last call.
            unsafe { (self.api.finalize)() };
        }
        std::mem::take(&mut self.inboxes)
            .into_iter()
            .for_each(std::mem::forget);
        std::mem::take(&mut self.sent)
            .into_iter()
            .for_each(std::mem::forget);
    }

    fn abort(&mut self) {
        // SAFETY: it is initialized, on this thread.
        unsafe { (self.api.abort)(self.api.world, 1) };
    }
}

fn checked(code: c_int, call: &str) -> Result<(), String> {
    match code {
        0 => Ok(()),
        code => Err(format!("{call} returned error {code}")),
    }
}

fn number(function: CommNumber, world: Handle) -> u32 {
    let mut number = 0;
    // SAFETY: the handle is that of the initialized library.
    unsafe { function(world, &raw mut number) };
    number.cast_unsigned()
}

/// The first part of the library's own description: `Open MPI v4.1.4`, `MPICH Version: 4.0.2`.
fn version_of(function: LibraryVersion) -> String {
    let mut text = vec![0u8; VERSION_MAX];
    let mut length = 0;
    // SAFETY: the buffer has the length that the standard asks for.
    unsafe { function(text.as_mut_ptr().cast(), &raw mut length) };
    let text = CStr::from_bytes_until_nul(&text)
        .unwrap_or_default()
        .to_string_lossy();
    let line = text.split([',', '\n']).next().unwrap_or_default();
    line.replace("Version:", "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn unfit(launch: Launch, library: &str, version: &str, size: u32) -> String {
    format!(
        "the launcher started {} processes as {} does, and {library} ({version}) sees {size}: the library belongs to another \
         MPI; hint: start fathom by the launcher of that library, or name the other library by --mpi-library PATH",
        launch.size,
        launch.launcher.name()
    )
}

/// Loads the first library that is there. The launcher's own family comes first; a library by its path is of the family of
/// which it has the symbols.
fn load(
    launcher: Launcher,
    path: Option<&Path>,
) -> Result<(*mut c_void, &'static Abi, String), JobError> {
    const { assert!(ABIS.len() == 3) };
    let mut tried = Vec::new();
    if let Some(path) = path {
        let name = CString::new(path.as_os_str().as_encoded_bytes())
            .map_err(|_| JobError("--mpi-library: a path has no byte 0".to_owned()))?;
        let library = open(&name).map_err(|error| JobError(format!("--mpi-library: {error}")))?;
        let abi = match find(library, c"ompi_mpi_comm_world") {
            Ok(_) => &ABIS[0],
            Err(_) if name.to_bytes().windows(7).any(|part| part == b"mpi_abi") => &ABIS[2],
            Err(_) => &ABIS[1],
        };
        return Ok((library, abi, path.display().to_string()));
    }
    let families = ABIS
        .iter()
        .filter(|abi| abi.launcher.is_none_or(|of| of == launcher));
    for abi in families {
        for name in abi.libraries {
            match open(name) {
                Ok(library) => return Ok((library, abi, name.to_string_lossy().into_owned())),
                Err(error) => tried.push(error),
            }
        }
    }
    Err(JobError(format!(
        "the launcher is that of {}, and its library cannot be loaded: {}; hint: install it on every host, or name it by \
         --mpi-library PATH",
        launcher.name(),
        tried.join("; ")
    )))
}
