//! The flags of open(2) for an [`Access`].

use crate::access::Access;
use rustix::fs::OFlags;

/// Returns them.
pub(crate) fn flags(access: Access) -> OFlags {
    let mode = match (access.reads, access.writes) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    let more = [
        (access.direct, OFlags::DIRECT),
        (access.data_sync, OFlags::DSYNC),
        (access.sync, OFlags::SYNC),
        (access.appends, OFlags::APPEND),
        (access.without_waiting, OFlags::NONBLOCK),
        (access.exclusive, OFlags::EXCL),
    ];
    let more = more.iter().filter(|(is_requested, _)| *is_requested);
    more.fold(mode, |all, (_, flag)| all | *flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_its_own_flag() {
        assert_eq!(flags(Access::READ), OFlags::RDONLY);
        assert_eq!(flags(Access::READ.overlapped(true)), OFlags::RDONLY);
        let direct = Access::READ_WRITE.direct(true).data_sync(true);
        assert_eq!(flags(direct), OFlags::RDWR | OFlags::DIRECT | OFlags::DSYNC);
        let append = Access::WRITE.append(true).sync(true).direct(false);
        assert_eq!(
            flags(append),
            OFlags::WRONLY | OFlags::APPEND | OFlags::SYNC
        );
        let asked = Access::READ.without_waiting().exclusive();
        assert_eq!(
            flags(asked),
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::EXCL
        );
    }
}
