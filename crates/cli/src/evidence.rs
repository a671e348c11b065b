//! `--evidence DIR`: each corrupt block of a result as files, its bytes and a text.
//!
//! The folder has to be there, and no file in it is replaced. Omitted: what is damage (`analysis`).

use crate::{failure, output};
use gate::{OutputError, Replace, check_output, create_new};
use model::{CommandError, CorruptBlock};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The list of all blocks of a result: its name is taken once evidence is there.
const INDEX: &str = "evidence.txt";
/// Only this user may read what storage contained.
const MODE: u32 = 0o600;

/// A folder for evidence, checked before anything is measured.
pub(crate) struct Evidence {
    folder: PathBuf,
}

impl Evidence {
    /// Checks that the folder takes new files; none where no folder was named.
    pub(crate) fn check(folder: Option<&PathBuf>) -> Result<Option<Evidence>, CommandError> {
        let Some(folder) = folder else {
            return Ok(None);
        };
        if !folder.is_dir() {
            return Err(CommandError::refused(format!(
                "--evidence {}: there is no such folder; hint: create it first",
                folder.display()
            )));
        }
        let index = folder.join(INDEX);
        check_output(&index, Replace::Nothing).map_err(|error| failure::of_output(&error))?;
        Ok(Some(Evidence {
            folder: folder.clone(),
        }))
    }

    /// Writes the blocks, if there are any; what cannot be written is a failure of the command, whose result is stored.
    pub(crate) fn write(
        &self,
        cases: &[CorruptBlock],
        paths: &[String],
    ) -> Result<(), CommandError> {
        if cases.is_empty() {
            return Ok(());
        }
        let failed = |error: OutputError| CommandError::failed(error);
        let mut index = String::new();
        for case in cases {
            let name = format!("block-{}-{:012x}", case.target, case.offset.0);
            let path = paths.get(case.target as usize).map_or("", String::as_str);
            let text = analysis::case_text(case, path);
            index.push_str(&format!(
                "{name}: {}\n",
                text.lines().next().unwrap_or_default()
            ));
            self.put(&format!("{name}.txt"), text.as_bytes())
                .map_err(failed)?;
            if let Some(bytes) = case.bytes.as_deref().and_then(bytes_of) {
                self.put(&format!("{name}.bin"), &bytes).map_err(failed)?;
            }
        }
        self.put(INDEX, index.as_bytes()).map_err(failed)?;
        output::tell(&format!(
            "evidence of {}: {}",
            analysis::say::counted(cases.len() as u64, "corrupt block"),
            self.folder.join(INDEX).display()
        ));
        Ok(())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
        let path: &Path = &self.folder.join(name);
        let mut file = create_new(path, MODE)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(|error| OutputError::io(path, "written", error))
    }
}

/// The bytes of a block in hexadecimal.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks_exact(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.map(byte).collect()
}
