//! Values of elements: numbers, words, and children by name.
//!
//! Everything here knows a document and no profile.

use super::tree::Element;
use super::{XmlError, short};
use std::ops::RangeInclusive;

/// A document while it is read.
pub(super) struct Document<'s> {
    pub(super) source: &'s str,
}

impl Document<'_> {
    pub(super) fn error(&self, element: &Element, what: impl std::fmt::Display) -> XmlError {
        XmlError::at(self.source, element.at, format!("{}: {what}", element.name))
    }

    /// Text of an element without child elements.
    pub(super) fn text(&self, element: &Element) -> Result<String, XmlError> {
        if let Some(child) = element.children.first() {
            return Err(self.error(
                child,
                format!(
                    "not expected inside of {}, which contains text",
                    element.name
                ),
            ));
        }
        element.text(self.source)
    }

    /// That an element contains only other elements.
    pub(super) fn no_text(&self, element: &Element) -> Result<(), XmlError> {
        if element.has_text() {
            return Err(self.error(element, "contains text; only elements belong here"));
        }
        Ok(())
    }

    pub(super) fn number(
        &self,
        element: &Element,
        range: RangeInclusive<u64>,
    ) -> Result<u64, XmlError> {
        let text = self.text(element)?;
        self.number_in(element, &text, range)
    }

    pub(super) fn number_in(
        &self,
        element: &Element,
        text: &str,
        range: RangeInclusive<u64>,
    ) -> Result<u64, XmlError> {
        let digits = text.strip_prefix('+').unwrap_or(text);
        let value = crate::diskspd::number::digits(digits).filter(|value| range.contains(value));
        value.ok_or_else(|| {
            let (start, end) = range.into_inner();
            self.error(
                element,
                format!(
                    "invalid value '{}': must be a whole number from {start} to {end}",
                    short(text)
                ),
            )
        })
    }

    pub(super) fn u32(&self, element: &Element) -> Result<u32, XmlError> {
        let value = self.number(element, 0..=u64::from(u32::MAX))?;
        Ok(u32::try_from(value).expect("within the range"))
    }

    pub(super) fn u64(&self, element: &Element) -> Result<u64, XmlError> {
        self.number(element, 0..=u64::MAX)
    }

    pub(super) fn percent(
        &self,
        element: &Element,
        range: RangeInclusive<u64>,
    ) -> Result<u8, XmlError> {
        Ok(u8::try_from(self.number(element, range)?).expect("at most 100"))
    }

    /// `true`, `false`, and unlike the original `1` and `0` too, which its own schema allows.
    pub(super) fn bool(&self, element: &Element) -> Result<bool, XmlError> {
        let text = self.text(element)?;
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.error(
                element,
                format!("invalid value '{}': must be true or false", short(&text)),
            )),
        }
    }

    pub(super) fn word<T: Copy>(
        &self,
        element: &Element,
        words: &[(&str, T)],
    ) -> Result<T, XmlError> {
        let text = self.text(element)?;
        self.word_in(element, &text, words)
    }

    pub(super) fn word_in<T: Copy>(
        &self,
        element: &Element,
        text: &str,
        words: &[(&str, T)],
    ) -> Result<T, XmlError> {
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value)
            .ok_or_else(|| {
                let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.error(
                    element,
                    format!(
                        "invalid value '{}': must be one of {}",
                        short(text),
                        names.join(", ")
                    ),
                )
            })
    }

    pub(super) fn unexpected(&self, child: &Element, parent: &Element) -> XmlError {
        let what = format!(
            "not expected inside of {}; check the spelling (letters count as they are written), or omit it",
            parent.name
        );
        self.error(child, what)
    }

    /// That no name stands twice among the children.
    pub(super) fn each_once(&self, element: &Element) -> Result<(), XmlError> {
        self.no_text(element)?;
        for (place, child) in element.children.iter().enumerate() {
            if element.children[..place]
                .iter()
                .any(|other| other.name == child.name)
            {
                return Err(self.error(
                    child,
                    format!("is twice in {}; it may be there once", element.name),
                ));
            }
            if place > 64 {
                return Err(self.unexpected(child, element));
            }
        }
        Ok(())
    }

    /// The children of a list, which has at least one, all of this name.
    pub(super) fn list<'e>(
        &self,
        element: &'e Element,
        name: &str,
    ) -> Result<&'e [Element], XmlError> {
        self.no_text(element)?;
        if let Some(stranger) = element.children.iter().find(|child| child.name != name) {
            return Err(self.unexpected(stranger, element));
        }
        if element.children.is_empty() {
            return Err(self.error(
                element,
                format!("is empty; at least one {name} belongs here"),
            ));
        }
        Ok(&element.children)
    }
}
