//! What a cell is known by in the database: a short text that follows from all that determines it.
//!
//! The same cell gives the same key in every process and every version, so that a sweep that was cut short finds what it
//! has. Keys need not withstand an attacker: a user who can write the database can write anything. So 128 bits of the FNV-1a
//! hash do (Fowler, Noll and Vo; IETF RFC 9923): among ten thousand cells two share a key once in 10^30 sweeps.

const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The key of these parts: 32 hexadecimal digits. Where one part ends and the next begins counts.
pub fn key(parts: &[&str]) -> String {
    let mut hash = BASIS;
    let mut take = |byte: u8| hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    for part in parts {
        (part.len() as u64)
            .to_le_bytes()
            .into_iter()
            .for_each(&mut take);
        part.bytes().for_each(&mut take);
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_never_changes() {
        assert_eq!(key(&[]), "6c62272e07bb014262b821756295c58d");
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
    }

    #[test]
    fn parts_are_kept_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a"]), key(&["a", ""]));
    }
}
