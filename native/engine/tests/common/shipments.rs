// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments for tests of what receives them, and answers to compare.

use super::*;
use std::path::PathBuf;

/// The whole ring, as one range.
pub const EVERYWHERE: (i64, i64) = (i64::MIN, i64::MAX);

fn unused(directory: &Path) -> PathBuf {
    directory.join(format!("shipment-{}", std::fs::read_dir(directory).map_or(0, Iterator::count)))
}

/// A shipment of everything that a table holds, as whole files.
pub fn ship(table: &Table, directory: &Path) -> PathBuf {
    let shipment = unused(directory);
    table.snapshot(&shipment).unwrap();
    shipment
}

/// A shipment of token ranges: files that lie wholly in them, and rows for the rest.
pub fn ship_ranges(table: &Table, list: &[(i64, i64)], directory: &Path) -> PathBuf {
    let shipment = unused(directory);
    table.export(&ranges(list), &shipment).unwrap();
    shipment
}

/// The column families of a store that is closed.
pub fn families(directory: &Path) -> Vec<String> {
    let mut names = rocksdb::DB::list_cf(&rocksdb::Options::default(), directory.join("db")).unwrap();
    names.retain(|name| name != "default");
    names.sort();
    names
}

/// Merges in until nothing is left; the steps taken.
pub fn merge_in_all(table: &Table) -> usize {
    (1..1000).find(|_| table.merge_in().unwrap() == 0).expect("an end")
}

/// Everything, as a scan of whole partitions gives it.
pub fn whole(table: &Arc<Table>) -> Vec<Entry> {
    scan_all(table, &scan_request(WHOLE | WITH_STATIC, 1 << 20, b"", b"", &[]), 1 << 20)
}

/// Compares all kinds of answers of two tables about some partitions, whose clusterings are below a bound.
pub fn assert_same(found: &Arc<Table>, wanted: &Arc<Table>, partitions: &[String], clusterings: u32) {
    assert_eq!(whole(found), whole(wanted));
    let keys = scan_request(KEYS_ONLY, 100, b"", b"", &[]);
    assert_eq!(scan_all(found, &keys, 100), scan_all(wanted, &keys, 100));
    let half = clusterings / 2;
    let slices = [(bound(1, 0x20), bound(half, 0x60)), (bound(half, 0x60), bound(clusterings, 0x60))];
    let some = scan_request(WITH_STATIC, 200, b"", b"", &slices);
    assert_eq!(scan_all(found, &some, 300), scan_all(wanted, &some, 300));
    for name in partitions {
        let partition = partition(name);
        for flags in [0, REVERSED, WITH_STATIC, REVERSED | WITH_STATIC] {
            for (chunk, buffer) in [(0, 64), (1 << 16, 1 << 16)] {
                let request = read_request(flags, chunk, &partition, &slices);
                assert_eq!(read_all(found, &request, buffer), read_all(wanted, &request, buffer), "{name} {flags}");
            }
            let points: Vec<_> = (0..clusterings).step_by(3).map(point).collect();
            let request = read_request(flags | POINTS, 0, &partition, &points);
            assert_eq!(read_all(found, &request, 100), read_all(wanted, &request, 100), "{name} {flags}");
        }
        for at in 0..clusterings {
            let request = read_request(POINTS, 0, &partition, &[point(at)]);
            assert_eq!(read_all(found, &request, 100), read_all(wanted, &request, 100), "{name} {at}");
        }
    }
}
