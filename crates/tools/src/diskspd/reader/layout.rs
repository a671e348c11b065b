//! Which version of DISKSPD prints so: the specification's section 9, from the newest mark to the oldest.

/// What was seen of the marks by which versions differ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    seen: usize,
}

/// A piece of a line, and the first version that prints it; the newest first.
const MARKS: [(&str, &str); 8] = [
    ("buffer separation: ", "2.3"),
    ("effective affinity (", "2.3"),
    ("heterogeneous cores:", "2.2"),
    ("operations per thread:", "2.1"),
    ("System information:", "2.0.21"),
    ("MiB/s", "2.0.18"),
    ("writethrough o", "2.0.17"),
    ("read/write ratio:", "2.0.16"),
];
/// The mark of the results alone, which no later version lacks.
const UNIT_ONLY: usize = 5;
const GATHERING: &str = "gathering IOPS at intervals";

impl Layout {
    pub(super) fn line(&mut self, line: &str) {
        for (number, (mark, _)) in MARKS.iter().enumerate() {
            if line.contains(mark) {
                self.seen |= 1 << number;
            }
        }
        if line.contains(GATHERING) {
            self.seen |= 1 << (MARKS.len() - 1);
        }
    }

    /// The oldest version that prints all of it. `None` where only numbers were pasted; 2.0.15 represents it and older.
    pub(super) fn version(self, has_parameters: bool) -> Option<&'static str> {
        let newest = (0..MARKS.len()).find(|number| self.seen & (1 << number) != 0);
        match newest {
            // The results alone distinguish no more than this.
            Some(UNIT_ONLY) if !has_parameters => None,
            Some(number) => Some(MARKS[number].1),
            None => has_parameters.then_some("2.0.15"),
        }
    }
}
