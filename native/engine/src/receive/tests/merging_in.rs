// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A crash between any two steps of merging in loses nothing.

use super::common::shipments::*;
use super::common::*;
use super::images::{images, steps};
use super::world::*;
use crate::faults::Step;

/// More than an empty memtable takes, and not compressible.
pub fn large() -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..4_000_000).map(|_| next()).collect()
}

#[test]
fn nothing_is_lost() {
    for receiver_is_larger in [true, false] {
        let world = World::new(true);
        let receiver = table(&world.receiver);
        let value = large();
        put(&table(&world.after), "large", 1, 1, &value);
        if receiver_is_larger {
            put(&receiver, "large", 1, 1, &value);
            put(&table(&world.before), "large", 1, 1, &value);
        } else {
            put(&table(&world.sender), "large", 1, 1, &value);
        }
        world.receive();
        let images = images(&world.path("receiver"), &world.path("images"), || {
            merge_in_all(&receiver);
        });
        let mut steps = steps(&images);
        let before = steps.len();
        steps.sort_by_key(|step| *step as u8); // the files of rows are ingested one after the other
        steps.dedup();
        assert!(before > steps.len() + 2, "several files: {before}");
        let swap = [Step::SwapRecorded, Step::Swapped];
        let rewrite = [Step::MergedIn, Step::FamilyUnrecorded, Step::Unpublished];
        let swap = if receiver_is_larger { &[][..] } else { &swap[..] };
        let expected = [&[Step::Ingested], swap, &rewrite[..]].concat();
        assert_eq!(steps, expected);
        for image in images {
            assert!(world.has_shipment(&image.path), "{:?}", image.step);
        }
    }
}
