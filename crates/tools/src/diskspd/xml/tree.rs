//! Text → a tree of elements, within bounds.
//!
//! Length, depth, and the number of elements and attributes are limited, document types and their entities are refused:
//! a hostile file costs a small multiple of its own length, in memory and in time. Text keeps its references until it is
//! asked for, so that blanks written as references survive the trimming. A results document is read the same way, but for
//! the time series, which are the bulk of it; there what is whole before a damage is kept.

use super::{XmlError, is_char, short};
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

/// Longest document: results of a long run on many processors have a few MiB.
pub const LENGTH_MAX: usize = 64 << 20;
/// Deepest nesting: a profile has 8 levels, inside a results file 9.
const DEPTH_MAX: usize = 16;
/// Most elements that are kept: more than 3000 targets.
const ELEMENTS_MAX: usize = 100_000;
/// Most attributes of an element: the profile's have two at most.
const ATTRIBUTES_MAX: usize = 16;
/// Longest name, and longest text in an element; paths have at most 4096 bytes.
const NAME_MAX: usize = 64;
const TEXT_MAX: usize = 64 << 10;
/// Elements of a results file that are not the profile.
const SKIPPED: [&str; 2] = ["System", "TimeSpan"];

/// An element, its attributes and what is in it.
pub struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    /// As it stands in the document, references included.
    raw: String,
    /// Where it begins, in bytes.
    pub(super) at: usize,
}

impl Element {
    /// Its text without the blanks around it.
    pub(super) fn text(&self, source: &str) -> Result<String, XmlError> {
        unescaped(self.raw.trim())
            .map_err(|why| XmlError::at(source, self.at, format!("{}: {why}", self.name)))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it begins, in bytes of the document.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is in it, in order.
    pub fn children(&self) -> &[Element] {
        &self.children
    }

    /// The first child of that name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The value of its attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Its text without the blanks around it; unchanged where its meaning is unclear.
    pub fn value(&self) -> String {
        let raw = self.raw.trim();
        unescaped(raw).unwrap_or_else(|_| raw.to_owned())
    }

    /// Whether there is anything but blanks in it other than elements.
    pub(super) fn has_text(&self) -> bool {
        !self.raw.trim().is_empty()
    }
}

/// Text without its references, or why it has none.
fn unescaped(text: &str) -> Result<String, String> {
    let text = unescape(text).map_err(|error| short(&error.to_string()))?;
    match text.chars().find(|c| !is_char(*c)) {
        Some(c) => Err(stranger(c)),
        None => Ok(text.into_owned()),
    }
}

fn stranger(c: char) -> String {
    format!("U+{:04X} is no character of XML; omit it", u32::from(c))
}

/// Reads the document and gives its outermost element. In a results file only the profile is kept.
pub(super) fn parse(source: &str) -> Result<Element, XmlError> {
    let mut growing = Growing::new(source, is_beside_profile);
    grow(&mut growing, source)?;
    growing.finish()
}

/// Reads a results document, without its time series, up to its end or to where it is damaged: what is whole inside of
/// its outermost element, and what is wrong.
pub fn read_results(source: &str) -> (Vec<Element>, Option<XmlError>) {
    let mut growing = Growing::new(source, is_of_a_series);
    let grown = grow(&mut growing, source);
    let whole = match growing.open.first_mut() {
        Some(open) => std::mem::take(&mut open.children),
        None => Vec::new(),
    };
    match grown.and_then(|()| growing.finish()) {
        Ok(root) => (root.children, None),
        Err(error) => (whole, Some(error)),
    }
}

fn is_beside_profile(open: &[Element], name: &str) -> bool {
    open.len() == 1 && open[0].name == "Results" && SKIPPED.contains(&name)
}

fn is_of_a_series(open: &[Element], name: &str) -> bool {
    name == "Bucket" && open.last().is_some_and(|parent| parent.name == "Iops")
}

/// Feeds the document to the tree.
fn grow(growing: &mut Growing, source: &str) -> Result<(), XmlError> {
    if source.len() > LENGTH_MAX {
        let what = format!(
            "the document has {} bytes; at most {LENGTH_MAX} are read",
            source.len()
        );
        return Err(XmlError::at(source, 0, what));
    }
    if let Some((at, c)) = source.char_indices().find(|(_, c)| !is_char(*c)) {
        return Err(XmlError::at(source, at, stranger(c)));
    }
    let mut reader = Reader::from_str(source);
    loop {
        let at = usize::try_from(reader.buffer_position()).unwrap_or(source.len());
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or(at);
            let why = short(&error.to_string());
            XmlError::at(source, at, format!("this is not well-formed XML: {why}"))
        })?;
        if matches!(event, Event::Eof) {
            return Ok(());
        }
        growing.take(&event, at)?;
    }
}

struct Growing<'s> {
    source: &'s str,
    open: Vec<Element>,
    root: Option<Element>,
    count: usize,
    /// Depth inside of what is passed over.
    skipped: usize,
    /// Whether an element inside of the open ones is passed over.
    skip: fn(&[Element], &str) -> bool,
}

impl<'s> Growing<'s> {
    fn new(source: &'s str, skip: fn(&[Element], &str) -> bool) -> Self {
        Growing {
            source,
            open: Vec::new(),
            root: None,
            count: 0,
            skipped: 0,
            skip,
        }
    }

    fn error(&self, at: usize, what: impl Into<String>) -> XmlError {
        XmlError::at(self.source, at, what)
    }

    fn take(&mut self, event: &Event, at: usize) -> Result<(), XmlError> {
        match event {
            Event::Start(tag) => self.start(tag, at),
            Event::Empty(tag) => {
                self.start(tag, at)?;
                self.end();
                Ok(())
            }
            Event::End(_) => {
                self.end();
                Ok(())
            }
            Event::Text(text) => self.text(text, at),
            Event::CData(text) => self.text(&quick_xml::escape::escape(&**text), at),
            Event::GeneralRef(name) => self.text(&format!("&{};", &**name), at),
            Event::DocType(_) => Err(self.error(
                at,
                "a document type; profiles have none, and entities are not read",
            )),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart, at: usize) -> Result<(), XmlError> {
        let name = tag.name().as_ref().to_owned();
        if name.len() > NAME_MAX {
            let what = format!(
                "<{}>: no element of a profile has so long a name",
                short(&name)
            );
            return Err(self.error(at, what));
        }
        let depth = self.open.len() + self.skipped;
        if depth >= DEPTH_MAX {
            return Err(self.error(
                at,
                format!("<{name}>: nested deeper than {DEPTH_MAX} elements; a profile is not"),
            ));
        }
        if self.skipped > 0 || (self.skip)(&self.open, &name) {
            self.skipped += 1;
            return Ok(());
        }
        if self.root.is_some() {
            return Err(self.error(
                at,
                format!("<{name}>: a second document behind the first; there is one"),
            ));
        }
        self.count += 1;
        if self.count > ELEMENTS_MAX {
            return Err(self.error(
                at,
                format!("more than {ELEMENTS_MAX} elements; a profile has fewer"),
            ));
        }
        let attributes = self.attributes(tag, &name, at)?;
        self.open.push(Element {
            name,
            attributes,
            children: Vec::new(),
            raw: String::new(),
            at,
        });
        Ok(())
    }

    fn attributes(
        &self,
        tag: &BytesStart,
        name: &str,
        at: usize,
    ) -> Result<Vec<(String, String)>, XmlError> {
        let error = |why: &str| self.error(at, format!("<{name}>: {why}"));
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|why| error(&short(&why.to_string())))?;
            let key = attribute.key.as_ref();
            if attributes.len() == ATTRIBUTES_MAX || key.len() > NAME_MAX {
                return Err(error(
                    "too many attributes, or too long a name of one; a profile has neither",
                ));
            }
            let value = unescaped(&attribute.value).map_err(|why| error(&why))?;
            attributes.push((key.to_owned(), value.trim().to_owned()));
        }
        Ok(attributes)
    }

    fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(mut element) = self.open.pop() else {
            return;
        };
        // Room for four is what a list of one takes, and an element is larger than the text that it costs.
        element.children.shrink_to_fit();
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
    }

    fn text(&mut self, text: &str, at: usize) -> Result<(), XmlError> {
        if self.skipped > 0 {
            return Ok(());
        }
        match self.open.last_mut() {
            // Between elements, and before a text that is trimmed later.
            Some(element) if element.raw.is_empty() && text.trim().is_empty() => {}
            Some(element) if element.raw.len() + text.len() <= TEXT_MAX => {
                element.raw.push_str(text);
            }
            Some(element) => {
                let what = format!(
                    "{}: more than {TEXT_MAX} bytes of text; a profile has less",
                    element.name
                );
                return Err(self.error(at, what));
            }
            None if text.trim_start_matches('\u{feff}').trim().is_empty() => {}
            None => {
                return Err(self.error(
                    at,
                    "text outside of all elements; a document begins with <Profile>",
                ));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Element, XmlError> {
        let end = self.source.len();
        if let Some(open) = self.open.last() {
            let what = format!("the document ends inside of <{}>", open.name);
            return Err(self.error(end, what));
        }
        let missing = self.error(end, "there is no element; a document begins with <Profile>");
        self.root.take().ok_or(missing)
    }
}
