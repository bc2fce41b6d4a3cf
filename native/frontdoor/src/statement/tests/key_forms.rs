// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Values are taken, and ordered, as Cassandra's own types do (tests/golden/README.md).

use super::support::unhex;
use crate::statement::key_type::KeyType;
use crate::statement::value::ClusteringColumn;

const GOLDEN: &str = include_str!("../../../tests/golden/key-forms.txt");
const TERMINATOR: u8 = 0x38;

struct Line<'a> {
    text: &'a str,
    of: KeyType,
    value: Vec<u8>,
    is_valid: bool,
    form: Option<Vec<u8>>,
    reversed: Option<Vec<u8>>,
}

fn lines() -> impl Iterator<Item = Line<'static>> {
    GOLDEN.lines().filter(|line| !line.starts_with('#')).map(|text| {
        let [code, value, is_valid, form, reversed] = text.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let some = |hex: &str| (hex != "-").then(|| unhex(hex));
        Line {
            text,
            of: KeyType::of(u8::from_str_radix(code, 16).unwrap()).unwrap(),
            value: if value == "." { Vec::new() } else { unhex(value) },
            is_valid: is_valid == "yes",
            form: some(form),
            reversed: some(reversed),
        }
    })
}

fn form(of: KeyType, reversed: bool, value: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    ClusteringColumn { of, reversed }.put_component(Some(value), &mut out).ok()?;
    out.push(TERMINATOR);
    Some(out)
}

#[test]
fn forms_are_those_of_cassandra() {
    for line in lines().filter(|line| line.is_valid) {
        assert_eq!(form(line.of, false, &line.value), line.form, "{}", line.text);
        assert_eq!(form(line.of, true, &line.value), line.reversed, "{}", line.text);
    }
}

#[test]
fn no_value_is_taken_that_cassandra_refuses() {
    for line in lines() {
        assert!(line.is_valid || !line.of.takes(&line.value), "{}", line.text);
    }
}

#[test]
fn few_values_are_left_to_cassandra() {
    for line in lines().filter(|line| line.is_valid && !line.of.takes(&line.value)) {
        let is_empty = line.value.is_empty() && !matches!(line.of, KeyType::Text | KeyType::Ascii | KeyType::Blob);
        let has_no_form = line.form.is_none();
        let is_modified_utf8 = line.of == KeyType::Text && std::str::from_utf8(&line.value).is_err();
        assert!(is_empty || has_no_form || is_modified_utf8, "{}", line.text);
    }
}

#[test]
fn every_type_is_in_the_golden_file() {
    for of in KeyType::ALL {
        assert!(lines().filter(|line| line.of == of && line.is_valid).count() > 5, "{of:?}");
    }
}
