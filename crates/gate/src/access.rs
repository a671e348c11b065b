//! How something that is pinned is opened, independent of the system. Omitted: what a system makes of it (`linux::flags`).

/// What a descriptor is for and how it passes data on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) direct: bool,
    pub(crate) data_sync: bool,
    pub(crate) sync: bool,
    pub(crate) appends: bool,
    pub(crate) without_waiting: bool,
    pub(crate) exclusive: bool,
    pub(crate) overlapped: bool,
    pub(crate) random: bool,
    pub(crate) sequential: bool,
}

impl Access {
    const NONE: Access = Access {
        reads: false,
        writes: false,
        direct: false,
        data_sync: false,
        sync: false,
        appends: false,
        without_waiting: false,
        exclusive: false,
        overlapped: false,
        random: false,
        sequential: false,
    };
    /// For reading.
    pub const READ: Access = Access {
        reads: true,
        ..Access::NONE
    };
    /// For writing.
    pub const WRITE: Access = Access {
        writes: true,
        ..Access::NONE
    };
    /// For both.
    pub const READ_WRITE: Access = Access {
        reads: true,
        writes: true,
        ..Access::NONE
    };

    /// Bypasses the system's cache. // `O_DIRECT`, `FILE_FLAG_NO_BUFFERING`
    #[must_use]
    pub const fn direct(self, direct: bool) -> Access {
        Access { direct, ..self }
    }

    /// Data is on the device when a write returns. // `O_DSYNC`, `FILE_FLAG_WRITE_THROUGH`
    #[must_use]
    pub const fn data_sync(self, data_sync: bool) -> Access {
        Access { data_sync, ..self }
    }

    /// Data and facts are on the device when a write returns. // `O_SYNC`, `FILE_FLAG_WRITE_THROUGH`
    #[must_use]
    pub const fn sync(self, sync: bool) -> Access {
        Access { sync, ..self }
    }

    /// Each write goes to the end. // `O_APPEND`, `FILE_APPEND_DATA`
    #[must_use]
    pub const fn append(self, appends: bool) -> Access {
        Access { appends, ..self }
    }

    /// Opening waits for no medium and for no other process. // `O_NONBLOCK`; Windows does not wait
    #[must_use]
    pub const fn without_waiting(self) -> Access {
        Access {
            without_waiting: true,
            ..self
        }
    }

    /// Fails while another process uses the device exclusively. // `O_EXCL` of block devices
    #[must_use]
    pub const fn exclusive(self) -> Access {
        Access {
            exclusive: true,
            ..self
        }
    }

    /// I/Os may be outstanding. Windows decides it when a file is opened, Linux never. // `FILE_FLAG_OVERLAPPED`
    #[must_use]
    pub const fn overlapped(self, overlapped: bool) -> Access {
        Access { overlapped, ..self }
    }

    /// I/Os are at random places: the system need not read ahead. On Linux advice after opening. // `FILE_FLAG_RANDOM_ACCESS`
    #[must_use]
    pub const fn random(self, random: bool) -> Access {
        Access { random, ..self }
    }

    /// I/Os follow one another: the system may read ahead. On Linux advice after opening. // `FILE_FLAG_SEQUENTIAL_SCAN`
    #[must_use]
    pub const fn sequential(self, sequential: bool) -> Access {
        Access { sequential, ..self }
    }
}
