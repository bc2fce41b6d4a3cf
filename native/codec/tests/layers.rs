// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each module of the codec uses only those before it in the table at the head of `lib.rs`, or of its folder.

use cassiterite_testkit::layers::Sources;

#[test]
fn modules_use_only_those_before_them() {
    assert_eq!(Sources::read(env!("CARGO_MANIFEST_DIR")).violations(), [""; 0]);
}
