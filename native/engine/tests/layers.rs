// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each module of the engine uses only those before it in the table at the head of `lib.rs`. Tests may use all.

use cassiterite_testkit::layers::Sources;

/// Types whose methods lie in several modules, so that a call uses a module without naming it.
const SPREAD_TYPES: [&str; 4] = ["StoreCore", "TableCore", "Table", "Store"];
/// What variables of these types are called.
const RECEIVERS: [&str; 6] = ["self", "table", "core", "copy", "open", "store"];

#[test]
fn modules_use_only_those_before_them_at_the_head_of_the_crate() {
    assert_eq!(Sources::read(env!("CARGO_MANIFEST_DIR")).violations(), [""; 0]);
}

#[test]
fn modules_call_no_method_of_those_behind_them() {
    let calls = Sources::read(env!("CARGO_MANIFEST_DIR")).calls_of_later_methods(&SPREAD_TYPES, &RECEIVERS);
    assert_eq!(calls, [""; 0]);
}
