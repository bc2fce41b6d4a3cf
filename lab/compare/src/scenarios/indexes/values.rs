// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The values of the indexed columns: how many rows have each is known without looking.

/// The table, with its keyspace.
pub(super) const TABLE: &str = "lab_indexed.indexed";

/// A column with an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Each value has one row.
    Single,
    /// Each value has 100 rows.
    Hundred,
    /// Each value has 10,000 rows.
    Many,
}

impl Column {
    pub(super) const ALL: [Self; 3] = [Self::Single, Self::Hundred, Self::Many];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Hundred => "hundred",
            Self::Many => "many",
        }
    }

    pub(super) fn index(self) -> String {
        format!("by_{}", self.name())
    }
}

/// Rows with keys from 0. Version 0 has each value exactly as often as the columns say, where the number of rows is a multiple of
/// 10,000; later versions give each row the values of the next key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    pub(super) rows: u64,
}

impl Values {
    /// Different values of a column.
    pub(super) fn distinct(self, column: Column) -> u64 {
        match column {
            Column::Single => self.rows,
            Column::Hundred => (self.rows / 100).max(1),
            Column::Many => (self.rows / 10_000).max(1),
        }
    }

    /// Independent of one another: the values of `many` turn over the fastest, those of `hundred` next.
    pub(super) fn of(self, column: Column, key: u64, version: u64) -> u64 {
        let key = (key + version) % self.rows;
        match column {
            Column::Single => key,
            Column::Hundred => key / self.distinct(Column::Many) % self.distinct(Column::Hundred),
            Column::Many => key % self.distinct(Column::Many),
        }
    }

    /// Rows of version 0 that have all these values.
    pub(super) fn matching(self, asked: &[(Column, u64)]) -> u64 {
        let (many, hundred) = (self.distinct(Column::Many), self.distinct(Column::Hundred));
        // Keys of one value of `hundred` are runs of `many` keys.
        let asks = |of: Column| asked.iter().find(|(column, _)| *column == of).map(|(_, value)| *value);
        if let Some(single) = asks(Column::Single) {
            let others = asked.iter().all(|(column, value)| self.of(*column, single, 0) == *value);
            return u64::from(single < self.rows && others);
        }
        let runs = self.rows.div_ceil(many);
        let in_run = |run: u64| {
            let length = many.min(self.rows - run * many);
            asks(Column::Many).map_or(length, |value| u64::from(value < length))
        };
        match asks(Column::Hundred) {
            Some(value) => (value..runs).step_by(hundred as usize).map(in_run).sum(),
            None => (0..runs).map(in_run).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_rows_that_their_names_say() {
        let values = Values { rows: 200_000 };
        for (column, rows) in [(Column::Single, 1), (Column::Hundred, 100), (Column::Many, 10_000)] {
            assert!([0, 1, values.distinct(column) - 1]
                .iter()
                .all(|value| values.matching(&[(column, *value)]) == rows));
        }
    }

    #[test]
    fn rows_are_counted_without_looking() {
        for rows in [1, 400, 12_345, 30_000] {
            let values = Values { rows };
            let (hundred, many) = (values.distinct(Column::Hundred) - 1, values.distinct(Column::Many) - 1);
            for asked in [
                vec![(Column::Hundred, hundred)],
                vec![(Column::Many, many)],
                vec![(Column::Hundred, hundred), (Column::Many, many)],
                vec![(Column::Hundred, 0), (Column::Many, many)],
                vec![(Column::Single, rows - 1), (Column::Many, many)],
            ] {
                let has = |key: &u64| asked.iter().all(|(column, value)| values.of(*column, *key, 0) == *value);
                assert_eq!(values.matching(&asked), (0..rows).filter(has).count() as u64, "{rows} {asked:?}");
            }
        }
    }

    #[test]
    fn the_next_version_has_other_values() {
        let values = Values { rows: 30_000 };
        assert_ne!(values.of(Column::Single, 7, 0), values.of(Column::Single, 7, 1));
        assert_eq!(values.of(Column::Many, 29_999, 1), values.of(Column::Many, 0, 0));
    }
}
