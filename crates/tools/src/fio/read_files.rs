//! What options that concern the files and the memory of a job do: how files are created and removed, and where memory is.
//! Those that name files are in `read`.

use super::job::{Fallocate, Job};
use super::read::{OptionRead, flag, text};

macro_rules! done {
    ($e:expr) => {{
        $e;
        Ok(None)
    }};
}

pub(super) fn create_only(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.create_only = flag(value)?)
}

pub(super) fn unlink(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.unlink = flag(value)?)
}

pub(super) fn unlink_each_loop(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.unlink_each_loop = flag(value)?)
}

pub(super) fn fill_device(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rare.fills_device = flag(value)?)
}

pub(super) fn file_append(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rare.appends = flag(value)?)
}

pub(super) fn overwrite(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rare.overwrites = flag(value)?)
}

pub(super) fn create_on_open(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.rare.creates_on_open = flag(value)?)
}

pub(super) fn fallocate(job: &mut Job, value: Option<&str>) -> OptionRead {
    job.rare.fallocate = match text(value)? {
        "none" | "0" => Fallocate::None,
        "native" | "posix" | "1" => Fallocate::Native,
        "keep" => Fallocate::Keep,
        "truncate" => Fallocate::Truncate,
        _ => return Err("must be none, native, posix, keep or truncate".to_owned()),
    };
    Ok(None)
}

pub(super) fn invalidate(job: &mut Job, value: Option<&str>) -> OptionRead {
    done!(job.invalidate = flag(value)?)
}

/// Each thread allocates and first touches its own memory, which the system then has on the thread's node.
pub(super) fn numa_mem_policy(_: &mut Job, value: Option<&str>) -> OptionRead {
    match text(value)? {
        "local" | "default" => Ok(None),
        _ => Err("must be local or default: start fathom under numactl for other nodes".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::fio::tests::read;

    #[test]
    fn memory_is_local_to_each_thread_or_refused() {
        assert!(read("[a]\nsize=1m\nnuma_mem_policy=local\n").is_ok());
        let refused = read("[a]\nsize=1m\nnuma_mem_policy=bind:0\n").unwrap_err();
        assert!(refused.contains("must be local or default"), "{refused}");
    }
}
