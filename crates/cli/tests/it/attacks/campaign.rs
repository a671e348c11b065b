//! A short part of the campaign of random attacks, with another seed each day. Omitted: the 30 minutes of
//! `cargo xtask attack`.

use attack::Options;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// For how long attempts are begun.
const TIME: Duration = Duration::from_secs(20);

#[test]
#[allow(clippy::disallowed_methods, reason = "any number will do")]
fn a_short_campaign_is_held() {
    let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let options = Options {
        program: env!("CARGO_BIN_EXE_fathom").into(),
        time: TIME,
        seed: today.as_secs() / 86_400,
        jobs: 1,
        only: None,
        case: None,
    };
    assert!(
        attack::campaign(&options).unwrap(),
        "see the broken attempts above"
    );
}
