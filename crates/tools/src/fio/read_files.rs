//! What options that concern the files of a job do: how they are created, and what becomes of them. Those that name them are in
//! `read`.

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
