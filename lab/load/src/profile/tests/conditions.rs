// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use crate::profile::conditions::Conditions;

#[test]
fn equalities_and_limits_are_seen() {
    let found = Conditions::of("SELECT a, b FROM ks.t WHERE k = ? AND \"C\" = ? ;").unwrap();
    assert_eq!(found.equal, [("k".to_owned(), 0), ("C".to_owned(), 1)]);
    assert!(found.selects && found.plain && !found.partial);
    let limited = Conditions::of("select * from t where k = ? and d >= ? and e = 5 limit 3").unwrap();
    assert_eq!(limited.equal, [("k".to_owned(), 0)]);
    assert!(limited.partial && limited.plain);
    assert_eq!(limited.mark_of("d"), None);
}

#[test]
fn answers_that_are_no_rows_are_told() {
    for cql in [
        "SELECT count(*) FROM t WHERE k = ?",
        "SELECT DISTINCT k FROM t",
        "SELECT k FROM t GROUP BY k",
        "SELECT JSON * FROM t",
    ] {
        assert!(!Conditions::of(cql).unwrap().plain, "{cql}");
    }
    assert!(!Conditions::of("UPDATE t SET a = ? WHERE k = ?").unwrap().selects);
    assert_eq!(Conditions::of("UPDATE t SET a = ? WHERE k = ?").unwrap().mark_of("k"), Some(1));
}
