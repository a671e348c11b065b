//! Security identifiers, owners and access control lists. Source: `securitybaseapi.h`, `sddl.h`, "Access Control Lists" of
//! Microsoft. Omitted: what follows from them (`trust`).
#![allow(unsafe_code, reason = "system calls on security descriptors")]

use super::handle::raw;
use std::fmt;
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::windows::io::{FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use windows_sys::Win32::Foundation::{HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, GetAce,
    GetKernelObjectSecurity, GetLengthSid, GetSecurityDescriptorDacl, GetSecurityDescriptorOwner,
    GetTokenInformation, INHERIT_ONLY_ACE, LookupAccountSidW, OWNER_SECURITY_INFORMATION,
    PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SetKernelObjectSecurity,
    TOKEN_INFORMATION_CLASS, TOKEN_OWNER, TOKEN_QUERY, TOKEN_USER, TokenOwner, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Entries that allow, with and without a condition; of objects, too. // ACCESS_ALLOWED_*_ACE_TYPE
const ALLOWS: [u8; 4] = [0, 5, 9, 11];
const ADMINISTRATORS: &str = "S-1-5-32-544";
/// Groups that decide on a machine anyway: the system, its administrators, TrustedInstaller; and placeholders for the owner:
/// CREATOR OWNER, OWNER RIGHTS.
const TRUSTED: [&str; 5] = [
    "S-1-5-18",
    ADMINISTRATORS,
    "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
    "S-1-3-0",
    "S-1-3-4",
];

/// A security identifier. The empty one has no user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sid(Vec<u8>);

impl Sid {
    /// That of the system, `S-1-5-18`.
    pub(super) fn system() -> Sid {
        Sid(vec![1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0])
    }

    /// Copies one. // valid for as long as this call
    fn copied(sid: PSID) -> Option<Sid> {
        if sid.is_null() {
            return None;
        }
        // SAFETY: the caller has it from the system, which describes a valid one.
        let length = unsafe { GetLengthSid(sid) } as usize;
        // SAFETY: it has that length.
        let bytes = unsafe { std::slice::from_raw_parts(sid.cast::<u8>(), length) };
        Some(Sid(bytes.to_vec()))
    }

    /// `S-1-5-18`; empty where it has no user.
    pub(super) fn text(&self) -> String {
        let mut text = null_mut();
        let sid = self.0.as_ptr().cast_mut().cast();
        // SAFETY: a copy of a valid one, and a result that outlives the call; empty ones are not asked for.
        if self.0.is_empty() || unsafe { ConvertSidToStringSidW(sid, &raw mut text) } == 0 {
            return String::new();
        }
        // SAFETY: the system gave a text that ends in a zero.
        let length = (0..)
            .take_while(|&at| unsafe { *text.add(at) } != 0)
            .count();
        // SAFETY: it has that length.
        let units = unsafe { std::slice::from_raw_parts(text, length) };
        let copied = String::from_utf16_lossy(units);
        // SAFETY: the system allocated it for us, and nothing refers to it any more.
        unsafe { LocalFree(text.cast()) };
        copied
    }

    /// `DOMAIN\name`, where the system knows it.
    fn account(&self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let (mut name, mut domain) = ([0u16; 256], [0u16; 256]);
        let (mut name_room, mut domain_room, mut kind) = (256, 256, 0);
        let sid = self.0.as_ptr().cast_mut().cast();
        // SAFETY: a copy of a valid one, and results that have the lengths that are passed.
        let good = unsafe {
            LookupAccountSidW(
                null(),
                sid,
                name.as_mut_ptr(),
                &raw mut name_room,
                domain.as_mut_ptr(),
                &raw mut domain_room,
                &raw mut kind,
            )
        };
        let text =
            |of: &[u16], length: u32| of.get(..length as usize).map(String::from_utf16_lossy);
        let (name, domain) = (text(&name, name_room)?, text(&domain, domain_room)?);
        match good {
            0 => None,
            _ if domain.is_empty() => Some(name),
            _ => Some(format!("{domain}\\{name}")),
        }
    }
}

impl fmt::Display for Sid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.account().unwrap_or_else(|| self.text()))
    }
}

/// A security descriptor in one piece, aligned as its pointers are.
#[derive(Debug)]
struct Descriptor(Vec<u64>);

impl Descriptor {
    fn of(file: &File, what: u32) -> io::Result<Descriptor> {
        let mut room = vec![0u64; 64];
        loop {
            let size = size_of_val(room.as_slice()) as u32;
            let (into, mut needed) = (room.as_mut_ptr().cast(), 0);
            // SAFETY: the memory has the size that is passed, and both results outlive the call.
            let good =
                unsafe { GetKernelObjectSecurity(raw(file), what, into, size, &raw mut needed) };
            if good != 0 {
                return Ok(Descriptor(room));
            }
            let error = io::Error::last_os_error();
            if needed <= size {
                return Err(error);
            }
            room.resize(needed.div_ceil(8) as usize, 0);
        }
    }

    fn raw(&self) -> PSECURITY_DESCRIPTOR {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// Returns the owner of an open file.
pub(super) fn owner(file: &File) -> io::Result<Sid> {
    let descriptor = Descriptor::of(file, OWNER_SECURITY_INFORMATION)?;
    let (mut sid, mut is_default) = (null_mut(), 0);
    // SAFETY: a valid descriptor, and results that outlive the call.
    let good =
        unsafe { GetSecurityDescriptorOwner(descriptor.raw(), &raw mut sid, &raw mut is_default) };
    match good {
        0 => Err(io::Error::last_os_error()),
        _ => Sid::copied(sid).ok_or_else(|| io::ErrorKind::NotFound.into()),
    }
}

/// An access control list, in its descriptor.
#[derive(Debug)]
pub(super) struct AccessList(Descriptor);

/// Returns that of an open file.
pub(super) fn access_list(file: &File) -> io::Result<AccessList> {
    Descriptor::of(file, DACL_SECURITY_INFORMATION).map(AccessList)
}

/// Who may do something.
pub(super) enum Holder {
    Everybody,
    Account(Sid),
}

impl AccessList {
    /// Gives a file this list.
    pub(super) fn give_to(&self, file: &File) -> io::Result<()> {
        set(file, DACL_SECURITY_INFORMATION, self.0.raw())
    }

    /// Who is allowed any of these rights by an entry that is not only passed on. Entries that deny are not subtracted.
    pub(super) fn allowed(&self, rights: u32) -> io::Result<Vec<Holder>> {
        let (mut list, mut is_there, mut is_default) = (null_mut(), 0, 0);
        // SAFETY: a valid descriptor, and results that outlive the call.
        let good = unsafe {
            GetSecurityDescriptorDacl(
                self.0.raw(),
                &raw mut is_there,
                &raw mut list,
                &raw mut is_default,
            )
        };
        if good == 0 {
            return Err(io::Error::last_os_error());
        }
        if is_there == 0 || list.is_null() {
            return Ok(vec![Holder::Everybody]); // no list lets everybody do everything
        }
        let mut holders = Vec::new();
        let mut number = 0;
        while let Some((mask, sid)) = entry(list, number) {
            number += 1;
            match mask & rights {
                0 => {}
                _ if sid.text() == "S-1-1-0" => holders.push(Holder::Everybody),
                _ => holders.push(Holder::Account(sid)),
            }
        }
        Ok(holders)
    }
}

/// An entry of a list: whom it allows what, nothing for one that allows nothing here; `None` behind the last. // a valid list
fn entry(list: *const ACL, number: u32) -> Option<(u32, Sid)> {
    let mut entry = null_mut();
    // SAFETY: the list belongs to a descriptor that outlives the call, and the result too.
    if unsafe { GetAce(list, number, &raw mut entry) } == 0 {
        return None;
    }
    // SAFETY: every entry begins with this head.
    let head = unsafe { entry.cast::<ACE_HEADER>().read_unaligned() };
    let is_here = u32::from(head.AceFlags) & INHERIT_ONLY_ACE == 0;
    // Entries of objects, which files have none of, have fields between the rights and the identifier.
    if !ALLOWS.contains(&head.AceType) || !is_here || matches!(head.AceType, 5 | 11) {
        return Some((0, Sid::default()));
    }
    let allowed: *const ACCESS_ALLOWED_ACE = entry.cast_const().cast();
    // SAFETY: an entry that allows has these rights behind its head.
    let mask = unsafe { (&raw const (*allowed).Mask).read_unaligned() };
    // SAFETY: it has its identifier behind them.
    let sid = unsafe { entry.byte_add(offset_of!(ACCESS_ALLOWED_ACE, SidStart)) };
    Some((mask, Sid::copied(sid).unwrap_or_default()))
}

/// A descriptor that lets this user, the system and its administrators do everything, and no other user anything.
pub(super) struct Private(PSECURITY_DESCRIPTOR);

impl Private {
    /// For a file.
    pub(super) fn of_file() -> io::Result<Private> {
        Private::from("")
    }

    /// For a folder, and what is created in it.
    pub(super) fn of_folder() -> io::Result<Private> {
        Private::from("OICI")
    }

    fn from(passes_on: &str) -> io::Result<Private> {
        let user = own_user().map(|user| user.text()).unwrap_or_default();
        let user = match user.as_str() {
            "" => "OW", // OWNER RIGHTS
            user => user,
        };
        let text =
            format!("D:P(A;{passes_on};FA;;;{user})(A;{passes_on};FA;;;SY)(A;{passes_on};FA;;;BA)");
        let wide: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut descriptor = null_mut();
        let (revision, size) = (SDDL_REVISION_1, null_mut());
        // SAFETY: a text that ends in a zero, and a result that outlives the call.
        let good = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                wide.as_ptr(),
                revision,
                &raw mut descriptor,
                size,
            )
        };
        match good {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(Private(descriptor)),
        }
    }

    pub(super) fn raw(&self) -> PSECURITY_DESCRIPTOR {
        self.0
    }

    /// Gives a file this list, and nothing of its folder's.
    pub(super) fn give_to(&self, file: &File) -> io::Result<()> {
        let what = DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
        set(file, what, self.0)
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // SAFETY: the system allocated it for us, and nothing refers to it any more.
        unsafe { LocalFree(self.0) };
    }
}

fn set(file: &File, what: u32, descriptor: PSECURITY_DESCRIPTOR) -> io::Result<()> {
    // SAFETY: a valid descriptor that outlives the call.
    match unsafe { SetKernelObjectSecurity(raw(file), what, descriptor) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Returns the user of this process.
pub(super) fn own_user() -> Option<Sid> {
    static USER: OnceLock<Option<Sid>> = OnceLock::new();
    let ask = || of_token(TokenUser, offset_of!(TOKEN_USER, User));
    USER.get_or_init(ask).clone()
}

/// Returns to whom files belong that this process creates: to the administrators where it runs as one of them, otherwise to its
/// user. (Wine names a group, and gives the files to the user.)
pub(super) fn own_owner() -> Option<Sid> {
    static OWNER: OnceLock<Option<Sid>> = OnceLock::new();
    let ask = || {
        let owner = of_token(TokenOwner, offset_of!(TOKEN_OWNER, Owner));
        let administrators = owner.filter(|owner| owner.text() == ADMINISTRATORS);
        administrators.or_else(own_user)
    };
    OWNER.get_or_init(ask).clone()
}

/// The identifier to which a fact of this process's token points, at this byte.
fn of_token(class: TOKEN_INFORMATION_CLASS, at: usize) -> Option<Sid> {
    let mut token: HANDLE = null_mut();
    // SAFETY: a pseudo handle, which is always valid.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: the result outlives the call.
    if unsafe { OpenProcessToken(process, TOKEN_QUERY, &raw mut token) } == 0 {
        return None;
    }
    // SAFETY: the handle was just opened and belongs to nothing else.
    let _closed_later = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut room = [0u64; 32];
    let size = size_of_val(&room) as u32;
    let (into, mut needed) = (room.as_mut_ptr().cast(), 0);
    // SAFETY: the memory has the size that is passed, and both results outlive the call.
    if unsafe { GetTokenInformation(token, class, into, size, &raw mut needed) } == 0 {
        return None;
    }
    // SAFETY: the fact has a pointer there, into the same memory.
    let sid = unsafe { room.as_ptr().byte_add(at).cast::<PSID>().read() };
    Sid::copied(sid)
}

/// Whether an account is this user's, or decides on this machine anyway.
pub(super) fn is_trusted(sid: &Sid) -> bool {
    Some(sid) == own_user().as_ref()
        || Some(sid) == own_owner().as_ref()
        || TRUSTED.contains(&sid.text().as_str())
}
