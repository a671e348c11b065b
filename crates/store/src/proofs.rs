//! Which files contain nothing but what fathom wrote: one row for each file, replaced by every run that writes it.
//!
//! A row applies to the very file, of the very size and time of the last change. So an old row does no harm, and none
//! of them is flushed to the disk: what a power cut takes away is proven again, or refused. Deliberately absent: how
//! the state of a file is found out, and what follows from a row (`cli`).

use crate::error::Fault;
use crate::{Result, Store};
use rusqlite::{OptionalExtension, params};

/// What fathom knows of a file that it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProof {
    /// Device and inode number.
    pub identity: (u64, u64),
    /// Which file of those that had this inode number.
    pub generation: u32,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970 of its last change; `None` while it is written.
    pub changed_ns: Option<i64>,
    /// `blocks`, or why its content carries no block headers.
    pub content: String,
}

impl Store {
    /// What is known of the file with this device and inode number.
    pub fn proof_of(&self, device: u64, inode: u64) -> Result<Option<FileProof>> {
        let read = || {
            let sql = "SELECT generation, size, changed_ns, content FROM proofs WHERE device = ?1 AND inode = ?2";
            let key = params![device.cast_signed(), inode.cast_signed()];
            let found = self.connection.query_row(sql, key, |row| {
                Ok(FileProof {
                    identity: (device, inode),
                    generation: row.get(0)?,
                    size: row.get::<_, i64>(1)?.cast_unsigned(),
                    changed_ns: row.get(2)?,
                    content: row.get(3)?,
                })
            });
            Ok(found.optional()?)
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// Keeps what is known of a file: before its first write without a time, after it was closed with one.
    pub fn record_proof(&self, proof: &FileProof) -> Result<()> {
        let quick = |mode: &str| self.connection.pragma_update(None, "synchronous", mode);
        quick("NORMAL").map_err(|error| Fault::from(error).at(self.path()))?;
        let kept = self.writing(|transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO proofs (device, inode, generation, size, changed_ns, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    proof.identity.0.cast_signed(),
                    proof.identity.1.cast_signed(),
                    proof.generation,
                    proof.size.cast_signed(),
                    proof.changed_ns,
                    proof.content,
                ],
            )?;
            Ok(())
        });
        quick("FULL").map_err(|error| Fault::from(error).at(self.path()))?;
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_row_which_the_next_run_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.db")).unwrap();
        let mut proof = FileProof {
            identity: (u64::MAX, 7),
            generation: u32::MAX,
            size: 4096,
            changed_ns: None,
            content: "pattern".to_owned(),
        };
        assert_eq!(store.proof_of(u64::MAX, 7), Ok(None));
        store.record_proof(&proof).unwrap();
        assert_eq!(store.proof_of(u64::MAX, 7), Ok(Some(proof.clone())));
        proof.changed_ns = Some(-5);
        store.record_proof(&proof).unwrap();
        assert_eq!(store.proof_of(u64::MAX, 7), Ok(Some(proof)));
        assert_eq!(store.proof_of(1, 7), Ok(None));
    }
}
