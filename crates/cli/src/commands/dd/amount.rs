//! How far sgp_dd goes without `count=`: to the end of the smaller device. Blocks of devices are their logical ones.

use model::{Bytes, TargetFacts, TargetKind};
use tools::dd::{CopyLines, CopyRequest};

/// The amount, where the request leaves it to the devices.
#[derive(Debug, Default)]
pub(super) struct Amount {
    pub(super) bytes: Option<Bytes>,
    pub(super) problems: Vec<String>,
}

pub(super) fn of(request: &CopyRequest, input: &TargetFacts, output: &TargetFacts) -> Amount {
    let CopyLines::SgpDd { block, .. } = request.lines else {
        return Amount::default();
    };
    let copy = &request.copy;
    let devices = [
        (input, copy.input.start, "skip="),
        (output, copy.output.start, "seek="),
    ];
    let devices = devices
        .iter()
        .filter(|(facts, ..)| facts.kind == TargetKind::BlockDevice);
    let problems = devices.clone().filter_map(|(facts, ..)| {
        let logical = facts.chain.first()?.logical_block?;
        (logical != block).then(|| {
            format!(
                "invalid value '{}' for bs=: must be the logical block of {}: {}",
                block.0,
                facts.path.display(),
                logical.0
            )
        })
    });
    let mut problems: Vec<String> = problems.collect();
    let beyond = devices
        .clone()
        .filter(|(facts, before, _)| before.number >= facts.size.0);
    problems.extend(beyond.map(|(facts, _, operand)| {
        format!(
            "{operand}: {} ends before it: it has {} blocks of bs=",
            facts.path.display(),
            facts.size.0 / block.0
        )
    }));
    if copy.count.is_some() {
        return Amount {
            bytes: None,
            problems,
        };
    }
    let left = devices.map(|(facts, before, _)| facts.size.0.saturating_sub(before.number));
    let bytes = left.min().map(Bytes);
    let may_exist = !matches!(
        input.kind,
        TargetKind::Missing | TargetKind::MissingFolder | TargetKind::Forbidden
    );
    if bytes.is_none() && may_exist {
        problems
            .push("count=: a file needs it: specify how many blocks of bs= are copied".to_owned());
    }
    Amount { bytes, problems }
}
