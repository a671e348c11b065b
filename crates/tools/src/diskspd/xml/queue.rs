//! Elements on threads and queues: the processors, their order, the ring, the buffers. Most are of 2.3.

use super::elements::Document;
use super::tree::Element;
use super::{XmlError, short};
use crate::diskspd::affinity::{AffinityOrder, EFFICIENCIES, GroupMask, Processors};
use crate::diskspd::profile::{Batch, BufferSeparation, Bypass, IoRing};
use crate::diskspd::validate::REQUESTS_MAX;

pub(super) const SEPARATIONS: [(&str, BufferSeparation); 2] = [
    ("SystemDefault", BufferSeparation::SystemDefault),
    ("PDECacheLine", BufferSeparation::Apart),
];
pub(super) const BYPASSES: [(&str, Bypass); 2] =
    [("Partial", Bypass::Partial), ("Full", Bypass::Full)];
/// Whether the first of each core comes first.
pub(super) const TRAVERSALS: [(&str, bool); 2] = [("Cpu", false), ("CoreAware", true)];
/// Whether groups are taken together.
pub(super) const SPANS: [(&str, bool); 2] = [("Fill", false), ("Span", true)];

/// The attributes of an element that may have these, each at most once.
fn attributes<'e, const N: usize>(
    document: &Document,
    element: &'e Element,
    names: [&str; N],
) -> Result<[Option<&'e str>; N], XmlError> {
    let mut values = [None; N];
    for (name, value) in &element.attributes {
        let Some(place) = names.iter().position(|known| known == name) else {
            let what = format!("has no attribute {name}; specify {}", names.join(" and "));
            return Err(document.error(element, what));
        };
        values[place] = Some(value.as_str());
    }
    Ok(values)
}

pub(super) fn affinity(
    document: &Document,
    element: &Element,
) -> Result<Vec<Processors>, XmlError> {
    let cpu = |value: u64| u8::try_from(value).expect("within the range");
    let first = element.children.first().map(|child| child.name.as_str());
    if first == Some("AffinityAssignment") {
        let list = document.list(element, "AffinityAssignment")?;
        let one = |each| {
            let cpu = cpu(document.number(each, 0..=255)?);
            Ok(Processors::One { group: 0, cpu })
        };
        return list.iter().map(one).collect();
    }
    if first == Some("Group") {
        return masks(document, element);
    }
    let list = document.list(element, "AffinityGroupAssignment")?;
    let mut processors = Vec::new();
    for each in list {
        document.text(each)?;
        document.no_text(each)?;
        let (mut group, mut number) = (0, 0);
        for (name, value) in &each.attributes {
            match name.as_str() {
                "Group" => group = group_of(document, each, value)?,
                "Processor" => number = cpu(document.number_in(each, value, 0..=255)?),
                _ => {
                    return Err(document.error(
                        each,
                        format!("has no attribute {name}; specify Group and Processor"),
                    ));
                }
            }
        }
        let cpu = number;
        processors.push(Processors::One { group, cpu });
    }
    Ok(processors)
}

fn group_of(document: &Document, element: &Element, value: &str) -> Result<u16, XmlError> {
    let group = document.number_in(element, value, 0..=65_535)?;
    Ok(u16::try_from(group).expect("within the range"))
}

/// Masks of groups; 0 represents all of a group.
fn masks(document: &Document, element: &Element) -> Result<Vec<Processors>, XmlError> {
    let mut processors = Vec::new();
    for each in document.list(element, "Group")? {
        document.text(each)?;
        document.no_text(each)?;
        let [group, mask] = attributes(document, each, ["Group", "Mask"])?;
        let group = group_of(document, each, group.unwrap_or("0"))?;
        let mask = mask.unwrap_or("0");
        let digits = mask.strip_prefix("0x").or_else(|| mask.strip_prefix("0X"));
        let bits = match digits {
            Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16).ok(),
            _ => crate::diskspd::number::digits(mask),
        };
        let mask = bits.ok_or_else(|| {
            let what = format!("invalid value '{}': must be a mask as 0x3", short(mask));
            document.error(each, what)
        })?;
        let group = u32::from(group);
        processors.extend(GroupMask { group, mask }.processors());
    }
    Ok(processors)
}

/// `<AffinityTraversal Group="Fill" Efficiency="PFirst">Cpu</AffinityTraversal>`
pub(super) fn order(document: &Document, element: &Element) -> Result<AffinityOrder, XmlError> {
    let [group, efficiency] = attributes(document, element, ["Group", "Efficiency"])?;
    let span = group.map(|word| document.word_in(element, word, &SPANS));
    let efficiency = efficiency.map(|word| document.word_in(element, word, &EFFICIENCIES));
    Ok(AffinityOrder {
        core_first: document.word(element, &TRAVERSALS)?,
        span_groups: span.transpose()?.unwrap_or(false),
        efficiency: efficiency.transpose()?,
    })
}

/// The ring, with the defaults of `-u` where an element is missing.
pub(super) fn ring(document: &Document, element: &Element) -> Result<IoRing, XmlError> {
    document.each_once(element)?;
    let mut ring = IoRing::default();
    for child in &element.children {
        match child.name.as_str() {
            "UseRegBuffer" => ring.registered = document.bool(child)?,
            "IoRingBatchSize" => {
                let [percent] = attributes(document, child, ["Percent"])?;
                let words = [("true", true), ("false", false), ("1", true), ("0", false)];
                let percent = percent.map(|word| document.word_in(child, word, &words));
                ring.batch = match percent.transpose()?.unwrap_or(true) {
                    true => Batch::Percent(document.percent(child, 1..=100)?),
                    false => {
                        let ios = document.number(child, 1..=u64::from(REQUESTS_MAX))?;
                        Batch::Ios(u32::try_from(ios).expect("within the range"))
                    }
                };
            }
            _ => return Err(document.unexpected(child, element)),
        }
    }
    Ok(ring)
}
