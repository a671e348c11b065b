//! The versions of DISKSPD whose layout and defaults a run can have.
//!
//! One row each in [`VERSIONS`]; the manual's table is written from it. The layout of 2.3 follows its published source and
//! tests; no output of the released program was read, so it is experimental. Omitted: switches. All are accepted with
//! every version.

use super::profile::{BufferSeparation, TimeSpan};
use model::EfficiencyOrder;
use std::fmt::Write;

/// Whose layout and defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compat {
    /// 2.0.17: plain byte counts, one line a setting.
    V2_0,
    /// 2.0.21: a short block on the machine, and the charts titled.
    V2_0_21,
    /// 2.1: sizes in units.
    V2_1,
    /// 2.2: the topology of processors.
    #[default]
    V2_2,
    /// 2.3: indented by blanks, with the order of processors and the buffers.
    V2_3,
}

/// A version.
struct Version {
    compat: Compat,
    /// As `--compat` is given it.
    name: &'static str,
    /// What the results document states: version and date.
    form: (&'static str, &'static str),
    /// What differs in its text from the version before it.
    text: &'static str,
    /// What differs in its document.
    xml: &'static str,
    /// What differs in its defaults.
    defaults: &'static str,
}

const VERSIONS: [Version; 5] = [
    Version {
        compat: Compat::V2_0,
        name: "2.0",
        form: ("2.2.0", "2024/6/3"),
        text: "that of 2.0.17: sizes in bytes, `MB/s`, `proc count:`, no system information",
        xml: "as 2.2",
        defaults: "as 2.2",
    },
    Version {
        compat: Compat::V2_0_21,
        name: "2.0.21",
        form: ("2.2.0", "2024/6/3"),
        text: "`MiB/s`, `request count:`, the group of each processor where there are several. Charts are titled by the path of \
               the target, the last one `total:`; the system information is computer name and start time",
        xml: "as 2.2",
        defaults: "as 2.2",
    },
    Version {
        compat: Compat::V2_1,
        name: "2.1",
        form: ("2.2.0", "2024/6/3"),
        text: "sizes in units, `per thread:`, the stride of threads only where it is set, effective distributions",
        xml: "as 2.2",
        defaults: "as 2.2",
    },
    Version {
        compat: Compat::V2_2,
        name: "2.2",
        form: ("2.2.0", "2024/6/3"),
        text: "topology in the table of processors and in the system information, `Total latency distribution:`; no `proc count:`",
        xml: "as 2.2",
        defaults: "processors in ascending order, buffers where the system puts them",
    },
    Version {
        compat: Compat::V2_3,
        name: "2.3",
        form: ("2.3.0", "2026/06/15"),
        text: "experimental: blanks instead of tabs, the order of processors, the buffers, the name of the processor; without \
               its `effective affinity`, page size, table of caches and `IoRing Statistics`, which are not recorded",
        xml: "experimental: `ProcessorName`, `AffinityTraversal`, `Affinity` as masks, `BufferSeparation`; without its \
              `EffectiveAffinity`, `EffectiveBufferSeparation`, `PageSize`, `Cache` and `SubmitCount`",
        defaults: "`-ap` (P-cores first) and `-bsp` (buffers of threads 16 MiB apart); `-aup -bsn` are those of 2.2",
    },
];

impl Compat {
    /// What `--compat` accepts.
    pub(super) const NAMES: &'static str = "must be 2.0, 2.0.21, 2.1, 2.2 or 2.3";

    pub(super) fn of_name(name: &str) -> Option<Compat> {
        let found = VERSIONS.iter().find(|version| version.name == name);
        found.map(|version| version.compat)
    }

    fn version(self) -> &'static Version {
        let found = VERSIONS.iter().find(|version| version.compat == self);
        found.expect("each has a row")
    }

    /// Returns the version and its date, as the results document states them.
    pub(super) fn form(self) -> (&'static str, &'static str) {
        self.version().form
    }

    /// Specifies the defaults of this version that are not 2.2's, so that they are run and printed.
    pub(super) fn fill_in(self, span: &mut TimeSpan) {
        if self < Compat::V2_3 {
            return;
        }
        span.buffers.get_or_insert(BufferSeparation::Apart);
        if !span.affinity.disabled {
            let order = &mut span.affinity.order.efficiency;
            order.get_or_insert(EfficiencyOrder::PerformanceFirst);
        }
    }
}

/// Returns the manual's table of versions, in Markdown.
pub fn version_table() -> String {
    let mut text = String::from(
        "| `--compat` | text, compared with the row above | XML | defaults |\n|---|---|---|---|\n",
    );
    for Version {
        name,
        text: layout,
        xml,
        defaults,
        ..
    } in &VERSIONS
    {
        writeln!(text, "| `{name}` | {layout} | {xml} | {defaults} |").expect("a String takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_is_found_by_its_name_in_ascending_order() {
        for version in &VERSIONS {
            assert_eq!(Compat::of_name(version.name), Some(version.compat));
        }
        assert!(
            VERSIONS
                .windows(2)
                .all(|pair| pair[0].compat < pair[1].compat)
        );
        assert_eq!(Compat::of_name("2.4"), None);
    }
}
