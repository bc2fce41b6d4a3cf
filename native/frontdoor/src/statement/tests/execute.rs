// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an EXECUTE may bring, and what makes it Cassandra's.

use super::support::*;
use crate::reason::Reason;
use crate::statement::execute::{Absent, Execute};

fn forwarded(bytes: &ExecuteBytes) -> Reason {
    Execute::parse(bytes.version, &bytes.encode()).unwrap_err()
}

#[test]
fn all_options_are_read() {
    for version in 3..=5 {
        let bytes = ExecuteBytes::new(version, &[b"one", b""])
            .with(0x02, &[])
            .with(0x04, &5000i32.to_be_bytes())
            .with(0x08, &counted(b"state"))
            .with(0x10, &9u16.to_be_bytes())
            .with(0x20, &T.to_be_bytes());
        let bytes = if version == 5 { bytes.with(0x100, &u32::MAX.to_be_bytes()) } else { bytes };
        let body = bytes.encode();
        let execute = Execute::parse(version, &body).unwrap();
        assert_eq!(execute.version, version);
        assert_eq!(execute.statement_id, &STATEMENT);
        assert_eq!(execute.result_metadata_id, (version == 5).then_some(&METADATA_ID));
        assert_eq!(execute.consistency, 1);
        assert!(execute.skip_metadata);
        assert_eq!(execute.page_size, Some(5000));
        assert_eq!(execute.paging_state, Some(&b"state"[..]));
        assert_eq!(execute.now_in_seconds, (version == 5).then_some(i64::from(u32::MAX)));
        assert_eq!(execute.values(), 2);
        assert_eq!((execute.value(0), execute.value(1), execute.value(2)), (Some(&b"one"[..]), Some(&b""[..]), None));
        assert_eq!(Execute::statement_id(&body), Some(&STATEMENT));
    }
}

#[test]
fn what_a_read_seldom_brings_is_forwarded() {
    let plain = ExecuteBytes::new(4, &[b"one"]);
    for (bytes, reason) in [
        (plain.clone().with(0x10, &1u16.to_be_bytes()), Reason::SerialConsistency),
        (plain.clone().with(0x40, &[]), Reason::NamedValues),
        (plain.clone().with(0x80, &[0, 1, b'k']), Reason::Keyspace),
        (plain.clone().with(0x04, &0i32.to_be_bytes()), Reason::PageSize),
        (plain.clone().with(0x04, &(-1i32).to_be_bytes()), Reason::PageSize),
        (plain.clone().with(0x08, &(-1i32).to_be_bytes()), Reason::PagingState),
        (plain.clone().with(0x20, &i64::MIN.to_be_bytes()), Reason::Malformed),
        (plain.clone().with(0, &[0]), Reason::Malformed),
        (ExecuteBytes { values: vec![None], ..plain.clone() }, Reason::NullValue),
        (ExecuteBytes::new(5, &[]).with(0x200, &[]), Reason::UnknownFlags),
        (ExecuteBytes::new(5, &[]).with(0x80, &[0, 1, b'k']), Reason::Keyspace),
    ] {
        assert_eq!(forwarded(&bytes), reason, "{:#x}", bytes.flags);
    }
}

#[test]
fn a_value_that_is_unset_is_forwarded() {
    let mut body = ExecuteBytes::new(4, &[b"one"]).encode();
    let value = body.len() - 7;
    body.truncate(value);
    body.extend((-2i32).to_be_bytes());
    assert_eq!(Execute::parse(4, &body).unwrap_err(), Reason::NullValue);
    let absent = |version: u8, body: &[u8]| Execute::parse_write(version, body).map(|execute| execute.absent(0));
    assert_eq!(absent(4, &body), Ok(Some(Absent::Unset)));
    assert_eq!(absent(3, &body), Ok(Some(Absent::Null)), "version 3 knows nothing unset");
    body.truncate(value);
    body.extend((-3i32).to_be_bytes());
    assert_eq!(absent(4, &body), Err(Reason::Malformed));
    assert_eq!(absent(3, &body), Ok(Some(Absent::Null)));
}

#[test]
fn what_is_cut_short_is_malformed() {
    for version in 3..=5 {
        let body = ExecuteBytes::new(version, &[b"one"]).with(0x04, &1i32.to_be_bytes()).encode();
        for length in 0..body.len() {
            assert_eq!(Execute::parse(version, &body[..length]).unwrap_err(), Reason::Malformed, "{length}");
        }
    }
}

#[test]
fn ids_have_sixteen_bytes() {
    let mut body = ExecuteBytes::new(4, &[]).encode();
    body[1] = 15;
    assert_eq!(Execute::parse(4, &body).unwrap_err(), Reason::Malformed);
    assert_eq!(Execute::statement_id(&body), None);
}
