// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use super::*;
use cassiterite_testkit::spoilt::spoilt;
use proptest::prelude::*;

/// Each parameter with its default, in the units of users.
fn good() -> Vec<Vec<u8>> {
    let named = KNOWN.iter().map(|known| format!("directory=/d\n{}={}\n", known.name, known.default));
    named.chain(["directory=/d\nblock_cache_size=18446744073709551615GiB".to_owned()]).map(String::into_bytes).collect()
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(lines in spoilt(good())) {
        let lines = String::from_utf8_lossy(&lines);
        if let Ok(settings) = Settings::parse(&lines) {
            prop_assert_eq!(settings.report().count(), KNOWN.len());
            let _ = settings.changed("compaction_rate_limit=1MiB/s");
        }
    }
}

#[test]
fn background_jobs_grow_with_the_cores() {
    assert_eq!([1, 2, 4, 8, 16, 64, 1024].map(super::jobs_on), [2, 2, 4, 8, 10, 22, 64]);
}
