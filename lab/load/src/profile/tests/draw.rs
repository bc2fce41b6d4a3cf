// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use crate::profile::draw::draw;
use crate::profile::{builtin, InsertSpec, Mix, Population, Profile};

use super::profile::file;

#[test]
fn a_drawing_says_what_it_knows() {
    let profile = Profile::read(&file("lwt.yaml")).unwrap();
    let mix: Mix = "ops(insert=3,recent=1)".parse().unwrap();
    let drawing = draw(&profile, &mix, &Population::sequence(10_000), &InsertSpec::default()).unwrap();
    assert_eq!((drawing.partitions(), drawing.rows_per_partition()), (10_000, 1000.0));
    let text = drawing.to_string();
    for part in [
        "10000 partitions",
        "sample of 2000 partitions",
        "rows per partition",
        "75.0 %",
        "1.4 in 1.0 partitions",
        "limited",
        "####",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(
        draw(&profile, &"ops(other=1)".parse().unwrap(), &Population::sequence(10), &InsertSpec::default()).is_err()
    );
}

#[test]
fn fixed_rows_are_drawn_exactly() {
    let drawing =
        draw(&builtin::rows(1000).unwrap(), &Mix::only("write"), &Population::sequence(500), &InsertSpec::default())
            .unwrap();
    assert_eq!(drawing.total_bytes(), 500.0 * 1008.0);
}

#[test]
fn a_sample_takes_no_partition_twice() {
    let population = Population::sequence(20_000);
    let drawing = draw(&builtin::rows(10).unwrap(), &Mix::only("write"), &population, &InsertSpec::default())
        .unwrap()
        .to_string();
    assert!(drawing.contains("sample of 2000 partitions") && !drawing.contains("have only"), "{drawing}");
}
