//! Questions to devices and file systems, and their answers as bytes: those of this machine, or saved ones of another. The
//! only place that calls DeviceIoControl and GetFileInformationByHandleEx. Omitted: what an answer means.
#![allow(unsafe_code)]

use crate::root::Root;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::ERROR_MORE_DATA;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_INFO_BY_HANDLE_CLASS, FILE_SHARE_DELETE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, GetFileInformationByHandleEx,
};
use windows_sys::Win32::System::IO::DeviceIoControl;

/// An answer longer than this is cut off.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Other processes may do with it what they want meanwhile.
pub(super) const SHARED: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// What was answered. Reading behind its end is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer(Vec<u8>);

impl Answer {
    fn of(words: &[u64], length: usize) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes());
        Answer(bytes.take(length).collect())
    }

    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub(super) fn u8(&self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&self, at: usize) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }

    /// Reads a byte that is not zero where something is so.
    pub(super) fn flag(&self, at: usize) -> Option<bool> {
        self.u8(at).map(|byte| byte != 0)
    }

    /// Reads text of one byte a character up to its zero, without white space around it; `None` where there is none.
    pub(super) fn text(&self, at: usize) -> Option<String> {
        let rest = self.0.get(at..).filter(|_| at > 0)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let text = String::from_utf8_lossy(&rest[..end]).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn length(&self) -> usize {
        self.0.len()
    }
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Answer(bytes)
    }
}

/// Asks a device by its name in the system, such as `PhysicalDrive0` or `C:`. `None` where it does not answer.
pub(super) fn device(root: &Root, name: &str, code: u32, question: &[u8]) -> Option<Answer> {
    if root.is_live() {
        return control(&for_facts(name).ok()?, code, question, 4096).ok();
    }
    let hex: String = question.iter().map(|byte| format!("{byte:02x}")).collect();
    let dash = if hex.is_empty() { "" } else { "-" };
    let saved = root.at.join(name).join(format!("{code:08x}{dash}{hex}"));
    std::fs::read(saved).ok().map(Answer)
}

/// Opens a device for its facts alone, which needs no rights and disturbs no other process.
pub(super) fn for_facts(name: &str) -> io::Result<File> {
    for_facts_at(&format!(r"\\.\{name}"))
}

/// Opens a file, folder or device by its path for its facts alone.
pub(super) fn for_facts_at(path: impl AsRef<std::path::Path>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.access_mode(0).share_mode(SHARED);
    let flags = FILE_FLAG_BACKUP_SEMANTICS;
    options.custom_flags(flags).open(path)
}

/// Asks an open file or device. An answer that is longer than `most` bytes is cut off there. Source: DeviceIoControl.
///
/// # Errors
/// Those of the system.
pub(super) fn control(file: &File, code: u32, question: &[u8], most: usize) -> io::Result<Answer> {
    let mut words = vec![0u64; most.min(ANSWER_BYTES_MAX).div_ceil(8)];
    let asked: Vec<u64> = question.chunks(8).map(padded).collect();
    let (mut length, room) = (0u32, (words.len() * 8) as u32);
    let from = match question.is_empty() {
        true => null(),
        false => asked.as_ptr(),
    };
    let handle = file.as_raw_handle();
    // SAFETY: the handle is open as long as `file` is borrowed; both buffers have the given lengths and outlive the call, which is
    // not asynchronous.
    let code = unsafe {
        DeviceIoControl(
            handle,
            code,
            from.cast(),
            question.len() as u32,
            words.as_mut_ptr().cast(),
            room,
            &raw mut length,
            null_mut(),
        )
    };
    if code == 0 {
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(ERROR_MORE_DATA as i32) {
            return Err(error);
        }
    }
    Ok(Answer::of(&words, length as usize))
}

fn padded(piece: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..piece.len()].copy_from_slice(piece);
    u64::from_ne_bytes(bytes)
}

/// Asks the file system about an open file. Source: GetFileInformationByHandleEx.
///
/// # Errors
/// Those of the system.
pub(super) fn file(
    file: &File,
    class: FILE_INFO_BY_HANDLE_CLASS,
    bytes: usize,
) -> io::Result<Answer> {
    let mut words = vec![0u64; bytes.div_ceil(8)];
    let handle = file.as_raw_handle();
    let into = words.as_mut_ptr().cast();
    // SAFETY: the handle is open as long as `file` is borrowed; the buffer has at least the given length and outlives the call.
    let code = unsafe { GetFileInformationByHandleEx(handle, class, into, bytes as u32) };
    match code {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(Answer::of(&words, bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_does_not_contain_is_none() {
        let answer = Answer(b"\x01\x02\x03\x04\x05 a b \0rest".to_vec());
        assert_eq!(answer.u32(0), Some(0x0403_0201));
        assert_eq!(answer.text(5).as_deref(), Some("a b"));
        assert_eq!((answer.text(0), answer.text(11)), (None, None));
        assert_eq!(answer.u64(8), None);
        assert_eq!(answer.u16(usize::MAX), None);
    }

    #[test]
    fn a_saved_answer_is_found_by_device_and_question() {
        let folder = tempfile::tempdir().unwrap();
        let drive = folder.path().join("PhysicalDrive0");
        std::fs::create_dir(&drive).unwrap();
        std::fs::write(drive.join("002d1400-0700"), [9]).unwrap();
        let root = Root::at(folder.path().to_owned());
        let ask = |question: &[u8]| device(&root, "PhysicalDrive0", 0x2d_1400, question);
        assert_eq!(ask(&[7, 0]), Some(Answer(vec![9])));
        assert_eq!(ask(&[8, 0]), None);
    }
}
