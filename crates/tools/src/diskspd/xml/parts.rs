//! Elements of a target that contain others: written data, rate, distribution, threads.

use super::XmlError;
use super::elements::Document;
use super::tree::Element;
use crate::diskspd::distribution::{with_absolute_tail, with_percent_tail};
use crate::diskspd::profile::{Content, Distribution, Throughput};

pub(super) fn content(document: &Document, element: &Element) -> Result<Content, XmlError> {
    document.each_once(element)?;
    let mut pattern = "sequential";
    let mut source = None;
    for child in &element.children {
        match child.name.as_str() {
            "Pattern" => {
                let words = [
                    ("sequential", "sequential"),
                    ("zero", "zero"),
                    ("random", "random"),
                ];
                pattern = document.word(child, &words)?;
            }
            "RandomDataSource" => source = Some(data_source(document, child)?),
            _ => return Err(document.unexpected(child, element)),
        }
    }
    match (pattern, source) {
        ("zero", _) => Ok(Content::Zero),
        ("random", Some(source)) => Ok(source),
        ("random", None) => Err(document.error(
            element,
            "a random pattern has a RandomDataSource with its SizeInBytes",
        )),
        _ => Ok(Content::Pattern),
    }
}

fn data_source(document: &Document, element: &Element) -> Result<Content, XmlError> {
    document.each_once(element)?;
    let mut size = None;
    let mut file = None;
    for child in &element.children {
        match child.name.as_str() {
            "SizeInBytes" => size = Some(document.number(child, 1..=u64::MAX)?),
            "FilePath" => file = Some(document.text(child)?).filter(|path| !path.is_empty()),
            _ => return Err(document.unexpected(child, element)),
        }
    }
    let bytes = size.ok_or_else(|| {
        document.error(
            element,
            "has no SizeInBytes; specify how large the buffer is",
        )
    })?;
    Ok(Content::Source { bytes, file })
}

pub(super) fn throughput(document: &Document, element: &Element) -> Result<Throughput, XmlError> {
    let value = document.u32(element)?;
    let mut iops = false;
    for (name, unit) in &element.attributes {
        if name != "unit" {
            return Err(document.error(element, format!("has no attribute {name}; specify unit")));
        }
        iops = document.word_in(element, unit, &[("BPMS", false), ("IOPS", true)])?;
    }
    Ok(match (value, iops) {
        (0, _) => Throughput::Free,
        (value, true) => Throughput::Iops(value),
        (value, false) => Throughput::BytesPerMs(value),
    })
}

pub(super) fn distribution(
    document: &Document,
    element: &Element,
) -> Result<Distribution, XmlError> {
    document.no_text(element)?;
    let [kind] = element.children.as_slice() else {
        return Err(document.error(element, "contains one Percent or one Absolute"));
    };
    let mut ranges = Vec::new();
    let longest = match kind.name.as_str() {
        "Percent" => 1..=100,
        "Absolute" => 0..=u64::MAX,
        _ => return Err(document.unexpected(kind, element)),
    };
    for range in document.list(kind, "Range")? {
        let [(name, io)] = range.attributes.as_slice() else {
            return Err(document.error(range, "has one attribute, IO, the percentage of I/Os"));
        };
        if name != "IO" {
            return Err(document.error(range, format!("has no attribute {name}; specify IO")));
        }
        let io = document.number_in(range, io, 0..=100)?;
        let length = document.number(range, longest.clone())?;
        ranges.push((u8::try_from(io).expect("at most 100"), length));
    }
    if kind.name == "Absolute" {
        return Ok(Distribution::Absolute(with_absolute_tail(ranges)));
    }
    let percent = |(io, length)| (io, u8::try_from(length).expect("at most 100"));
    Ok(Distribution::Percent(with_percent_tail(
        ranges.into_iter().map(percent).collect(),
    )))
}

pub(super) fn thread_targets(
    document: &Document,
    element: &Element,
) -> Result<Vec<(u32, u32)>, XmlError> {
    let mut threads = Vec::new();
    for each in document.list(element, "ThreadTarget")? {
        document.each_once(each)?;
        let mut thread = None;
        let mut weight = 0;
        for child in &each.children {
            match child.name.as_str() {
                "Thread" => thread = Some(document.u32(child)?),
                "Weight" => weight = document.u32(child)?,
                _ => return Err(document.unexpected(child, each)),
            }
        }
        let thread = thread
            .ok_or_else(|| document.error(each, "has no Thread; specify which one, from 0 on"))?;
        threads.push((thread, weight));
    }
    Ok(threads)
}
