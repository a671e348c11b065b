//! Every option of fio's that fathom knows, one row each: what it does here, or why it does nothing, or why it is refused.
//! Reading, help and the manual come from this table. Omitted: the rows (`honoured`, `noted`, `refused`).

use super::honoured::HONOURED;
use super::noted::NOTED;
use super::refused::REFUSED;
use super::row::Row;
use model::Field;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The row of an option.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    static BY_NAME: LazyLock<HashMap<&str, &Row>> = LazyLock::new(|| {
        let names = |row: &'static Row| row.names.iter().map(move |name| (*name, row));
        rows().flat_map(names).collect()
    });
    BY_NAME.get(name).copied()
}

/// Returns the option of a field.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "bs=",
        Field::QueueDepth => "iodepth=",
        Field::Threads => "numjobs=",
        Field::FileSize => "filesize=",
        Field::Create => "filesize=SIZE",
        Field::Duration => "runtime=",
        Field::Interval => "log_avg_msec=",
        Field::Amount => "io_size=",
        Field::Base => "offset=",
        Field::Length => "size=",
        Field::Stride => "blockalign=",
        Field::Distribution => "random_distribution=",
        Field::Rate => "rate_iops=",
        Field::Buffered => "direct=0",
        Field::Unbuffered => "direct=1",
        Field::ReadOnly => "rw=read",
        Field::Engine => "ioengine=",
        Field::Passthrough => "ioengine=io_uring_cmd",
        Field::CompletionPolling => "hipri",
        Field::SubmissionPolling => "sqthread_poll",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::ThreadStride | Field::Source | Field::Pool | Field::VerifyMemory => return None,
    })
}

/// All of them: honoured, then noted, then refused.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    HONOURED.iter().chain(NOTED).chain(REFUSED)
}

/// The name that fio's results have for an option.
pub(super) fn canonical(name: &str) -> &str {
    match name {
        "readwrite" => "rw",
        "blocksize" => "bs",
        "blocksize_range" => "bsrange",
        "ba" => "blockalign",
        "io_limit" => "io_size",
        "timeout" => "runtime",
        "ratemin" => "rate_min",
        "nr_files" => "nrfiles",
        "wait_for_previous" => "stonewall",
        "disable_bw" => "disable_bw_measurement",
        "iodepth_batch_submit" => "iodepth_batch",
        "iodepth_batch_complete" => "iodepth_batch_complete_min",
        "iomem" => "mem",
        "iomem_align" => "mem_align",
        other => other,
    }
}
