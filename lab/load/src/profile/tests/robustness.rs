// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whatever stands in a profile or after a word of the command line: a value or an error, never a panic.

use proptest::prelude::*;

use super::profile::file;
use crate::profile::{Distribution, Mix, Population, Profile, Ratio, Schema};
use lab_testkit::spoilt::spoilt;

fn profiles() -> Vec<Vec<u8>> {
    ["every-type.yaml", "spellings.yaml", "changes.yaml", "lwt.yaml"]
        .map(|name| std::fs::read(file(name)).unwrap())
        .into()
}

fn words() -> Vec<Vec<u8>> {
    let words = [
        "~gaussian(1..10K,5,2)",
        "qextreme(1..1M,1.5,10)",
        "zipf(1..100,1.1)",
        "seq(-9223372036854775808..-5)",
        "fixed(3B)",
        "fixed(1)/10",
        "ops(insert=2,get=1)",
        "no-population-seq=1..9 dist=UNIFORM(1..9)",
    ];
    words.map(|word| word.as_bytes().to_vec()).into()
}

proptest! {
    #[test]
    fn arbitrary_profiles_never_panic(text in spoilt(profiles())) {
        let Ok(profile) = Profile::parse(&String::from_utf8_lossy(&text)) else { return Ok(()) };
        let _ = (profile.definition(), profile.types(), profile.operation_names());
        let _ = Schema::of(&profile).statements(Some("{'class': 'SimpleStrategy'}"), "memtable = 'x' AND gc_grace_seconds = 1");
    }

    #[test]
    fn arbitrary_words_never_panic(text in spoilt(words()), draw in 0.0..1.0, word: u64) {
        let text = String::from_utf8_lossy(&text);
        if let Ok(distribution) = text.parse::<Distribution>() {
            let _ = (distribution.mean(), distribution.width(), distribution.real_quantile(draw));
            let drawn = [distribution.quantile(draw), distribution.sample(word), distribution.at(word, 1)];
            let within = distribution.min()..=distribution.max();
            prop_assert!(drawn.iter().all(|value| within.contains(value)), "{drawn:?} of {distribution:?}");
        }
        let _ = (text.parse::<Ratio>(), text.parse::<Mix>(), Population::parse(text.split(' ')));
    }
}

#[test]
fn types_within_types_without_end_are_refused() {
    let deep = format!("{}int{}", "frozen<list<".repeat(100_000), ">>".repeat(100_000));
    let text = std::fs::read_to_string(file("plain.yaml")).unwrap();
    let profile = text.replace(" int", &format!(" {deep}"));
    assert_ne!(text, profile);
    let refused = format!("{:#}", Profile::parse(&profile).unwrap_err());
    assert!(refused.contains("deep"), "{}", &refused[..refused.len().min(300)]);
}
