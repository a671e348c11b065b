//! The bytes of a read or write command, and what its status means.

use crate::backend::Io;
use model::{Operation, PlannedTarget};

/// `NVME_URING_CMD_IO`: `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
pub(super) const PASS_THROUGH: u32 = 0xC048_4E80;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
/// In command dword 12: the data is on stable storage before the command completes.
const FORCE_UNIT_ACCESS: u32 = 1 << 30;
/// Of a status: its type and code, without the bits for retries.
const STATUS: i32 = 0x7FF;

/// What the commands to one target have in common.
#[derive(Clone, Copy)]
pub(super) struct Command {
    namespace: u32,
    block_shift: u32,
    write_flags: u32,
}

impl Command {
    pub(super) fn to(target: &PlannedTarget) -> Self {
        let namespace = target.namespace.as_ref();
        let namespace = namespace.expect("the check gives this engine namespaces only");
        Command {
            namespace: namespace.id,
            block_shift: namespace.block.0.trailing_zeros(),
            write_flags: if target.write_through {
                FORCE_UNIT_ACCESS
            } else {
                0
            },
        }
    }

    /// `struct nvme_uring_cmd`, in the processor's byte order, in the room that a large entry has.
    #[inline]
    pub(super) fn bytes(&self, io: &Io) -> [u8; 80] {
        let (opcode, flags) = match io.operation {
            Operation::Read => (READ, 0),
            Operation::Write => (WRITE, self.write_flags),
        };
        let first = io.offset >> self.block_shift;
        let blocks = (io.length >> self.block_shift) - 1; // counted from 0
        let mut bytes = [0; 80];
        let mut put = |at: usize, word: u32| bytes[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        put(4, self.namespace);
        put(36, io.length);
        put(40, first as u32);
        put(44, (first >> 32) as u32);
        put(48, blocks | flags);
        bytes[0] = opcode;
        let address = io.memory.as_ptr() as u64;
        bytes[24..32].copy_from_slice(&address.to_ne_bytes());
        bytes
    }
}

/// Bytes transferred, or a negated errno: the one that the kernel's block device gives for the same status. Source:
/// `nvme_error_status` in `drivers/nvme/host/core.c`; NVM Express Base Specification 2.0, 3.3.3.2.1.
#[inline]
pub(super) fn outcome(result: i32, length: u32) -> i32 {
    match result {
        0 => length.cast_signed(),
        ..0 => result,
        _ => -errno_of(result & STATUS),
    }
}

#[cold]
fn errno_of(status: i32) -> i32 {
    match status {
        0x081 => libc::ENOSPC,
        0x021 | 0x080 | 0x082 => libc::EREMOTEIO,
        0x001 | 0x002 | 0x00B | 0x180 => libc::EOPNOTSUPP,
        0x182 | 0x280 | 0x281 | 0x286 | 0x287 => libc::ENODATA,
        0x282..=0x284 => libc::EILSEQ,
        0x083 => libc::EBADE,
        _ => libc::EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::planned;
    use model::{Bytes, Namespace, Nanos};
    use std::ptr::NonNull;

    fn command(write_through: bool) -> Command {
        let mut target = planned();
        target.write_through = write_through;
        target.namespace = Some(Namespace {
            id: 7,
            block: Bytes(4096),
            command_max: Bytes::kib(512),
            block_device: "/dev/nvme0n1".into(),
            block_identity: (1, 0),
        });
        Command::to(&target)
    }

    fn io(operation: Operation) -> Io {
        Io {
            operation,
            offset: (1 << 45) + 8192,
            memory: NonNull::without_provenance(
                std::num::NonZero::new(0x1122_3344_5566_7000).unwrap(),
            ),
            length: 16384,
            area: 0,
            seat: 0,
            slot: 3,
            issued: Nanos(0),
        }
    }

    #[test]
    fn a_command_says_where_how_much_and_from_which_memory() {
        let bytes = command(false).bytes(&io(Operation::Read));
        let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((bytes[0], word(4)), (READ, 7));
        let address = u64::from_ne_bytes(bytes[24..32].try_into().unwrap());
        assert_eq!(address, 0x1122_3344_5566_7000);
        assert_eq!((word(36), word(40), word(44), word(48)), (16384, 2, 2, 3));
        assert!(bytes[52..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn a_write_through_forces_the_unit_s_access_and_a_read_does_not() {
        let word = |bytes: [u8; 80]| u32::from_ne_bytes(bytes[48..52].try_into().unwrap());
        let through = command(true);
        assert_eq!(word(through.bytes(&io(Operation::Write))), 3 | 1 << 30);
        assert_eq!(word(through.bytes(&io(Operation::Read))), 3);
        assert_eq!(word(command(false).bytes(&io(Operation::Write))), 3);
    }

    #[test]
    fn a_status_becomes_the_errno_of_the_block_device() {
        assert_eq!(outcome(0, 4096), 4096);
        assert_eq!(outcome(-libc::EAGAIN, 4096), -libc::EAGAIN);
        assert_eq!(
            outcome(0x4281, 4096),
            -libc::ENODATA,
            "unrecovered read, do not retry"
        );
        assert_eq!(outcome(0x4080, 4096), -libc::EREMOTEIO);
        assert_eq!(outcome(0x0006, 4096), -libc::EIO);
    }
}
