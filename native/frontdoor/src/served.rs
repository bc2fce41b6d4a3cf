// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What was answered natively, for Cassandra's metrics.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::HEADER_BYTES;
use crate::rights::open_table::TableId;
use crate::rights::prepared::{Prepared, Standing};
use crate::statement::{Id, Served as Read};

/// Buckets of one octave.
const STEPS: usize = 8;
const STEP_BITS: u32 = STEPS.ilog2();
const BUCKETS: usize = 64 * STEPS;

/// Counts of latencies: eight buckets for each power of two nanoseconds.
#[derive(Clone)]
pub(crate) struct Histogram {
    counts: Box<[u32; BUCKETS]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: Box::new([0; BUCKETS]) }
    }
}

impl Histogram {
    fn add(&mut self, latency: Duration) {
        let nanos = (latency.as_nanos() as u64).max(STEPS as u64);
        let octave = nanos.ilog2();
        let step = (nanos >> (octave - STEP_BITS)) as usize - STEPS;
        if let Some(count) = self.counts.get_mut(octave as usize * STEPS + step) {
            *count = count.saturating_add(1);
        }
    }

    fn join(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(other.counts.iter()) {
            *count = count.saturating_add(*more);
        }
    }

    /// The largest latency of each bucket that is not empty, in nanoseconds, and its count.
    fn buckets(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(at, count)| {
            let (octave, step) = (at / STEPS, at % STEPS);
            let end = (STEPS + step + 1) as u128;
            ((end << octave >> STEP_BITS).min(u128::from(u64::MAX)) as u64 - 1, *count)
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.buckets().count() as u32).to_be_bytes());
        for (nanos, count) in self.buckets() {
            out.extend_from_slice(&nanos.to_be_bytes());
            out.extend_from_slice(&u64::from(count).to_be_bytes());
        }
    }
}

/// Answers of one statement at one consistency level.
#[derive(Clone, Default)]
struct Answers {
    table: TableId,
    reads: u64,
    rows: u64,
    live_rows: u64,
    tombstones: u64,
    latencies: Histogram,
}

impl Answers {
    fn add(&mut self, read: &Read, latency: Duration) {
        self.reads += 1;
        self.rows += u64::from(read.rows);
        self.live_rows += u64::from(read.live_rows);
        self.tombstones += u64::from(read.tombstones);
        self.latencies.add(latency);
    }

    fn join(&mut self, other: &Answers) {
        self.reads += other.reads;
        self.rows += other.rows;
        self.live_rows += other.live_rows;
        self.tombstones += other.tombstones;
        self.latencies.join(&other.latencies);
    }
}

/// Writes of one statement at one consistency level.
#[derive(Clone, Default)]
struct Writes {
    table: TableId,
    count: u64,
    latencies: Histogram,
}

impl Writes {
    fn join(&mut self, other: &Writes) {
        self.table = other.table;
        self.count += other.count;
        self.latencies.join(&other.latencies);
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.count.to_be_bytes());
        self.latencies.put(out);
    }
}

/// What the door has answered to one connection, and the bytes of requests and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    pub requests: u64,
    pub received_bytes: u64,
    pub sent_bytes: u64,
}

impl Answered {
    /// Adds one answer.
    pub(crate) fn add(&mut self, request: &[u8], body: &[u8]) {
        self.requests += 1;
        self.received_bytes += request.len() as u64;
        self.sent_bytes += (HEADER_BYTES + body.len()) as u64;
    }
}

/// What one loop, or the whole door, has answered.
#[derive(Default)]
pub(crate) struct Served {
    answers: HashMap<(Id, u16), Answers>,
    /// What other nodes have got digests of.
    digests: HashMap<TableId, Answers>,
    writes: HashMap<(Id, u16), Writes>,
    /// What other nodes have written here, too.
    copies: HashMap<TableId, Writes>,
    connections: HashMap<u64, u64>,
    received_bytes: u64,
    sent_bytes: u64,
}

impl Served {
    /// Adds one answer.
    pub(crate) fn add(&mut self, id: &Id, table: &TableId, level: u16, read: &Read, latency: Duration) {
        let answers = self.answers.entry((*id, level)).or_default();
        answers.table = *table;
        answers.add(read, latency);
    }

    /// Adds one digest: a read of the table, and no request of a client.
    pub(crate) fn add_digest(&mut self, table: &TableId, read: &Read, latency: Duration) {
        self.digests.entry(*table).or_default().add(read, latency);
    }

    /// Adds one write.
    pub(crate) fn add_write(&mut self, id: &Id, table: &TableId, level: u16, latency: Duration) {
        let writes = self.writes.entry((*id, level)).or_default();
        writes.table = *table;
        writes.count += 1;
        writes.latencies.add(latency);
    }

    /// Adds a write of another node: one of the table, and no request of a client.
    pub(crate) fn add_copy(&mut self, table: &TableId, latency: Duration) {
        let writes = self.copies.entry(*table).or_default();
        writes.table = *table;
        writes.count += 1;
        writes.latencies.add(latency);
    }

    /// Adds answers of one connection.
    pub(crate) fn add_connection(&mut self, connection: u64, answered: &Answered) {
        *self.connections.entry(connection).or_default() += answered.requests;
        self.received_bytes += answered.received_bytes;
        self.sent_bytes += answered.sent_bytes;
    }

    /// Adds what another one has.
    pub(crate) fn join(&mut self, other: Served) {
        for (key, answers) in other.answers {
            let all = self.answers.entry(key).or_default();
            all.table = answers.table;
            all.join(&answers);
        }
        for (table, digests) in other.digests {
            self.digests.entry(table).or_default().join(&digests);
        }
        for (key, writes) in other.writes {
            self.writes.entry(key).or_default().join(&writes);
        }
        for (table, writes) in other.copies {
            self.copies.entry(table).or_default().join(&writes);
        }
        for (connection, requests) in other.connections {
            *self.connections.entry(connection).or_default() += requests;
        }
        self.received_bytes += other.received_bytes;
        self.sent_bytes += other.sent_bytes;
    }

    /// In the form of docs/internals/boundary.md, "What was answered". Of the statements with recipes those that were executed
    /// are in it, and those that have failed.
    pub(crate) fn encode(&self, recipes: &HashMap<Id, Arc<Prepared>>) -> Vec<u8> {
        let mut written_tables: HashMap<TableId, Writes> = HashMap::new();
        let mut written_levels: HashMap<u16, Writes> = HashMap::new();
        let mut tables: HashMap<TableId, Answers> = HashMap::new();
        let mut levels: HashMap<u16, Answers> = HashMap::new();
        let failed = recipes.iter().filter(|(_, prepared)| prepared.standing() == Standing::Failed);
        let mut statements: HashMap<Id, u64> = failed.map(|(id, _)| (*id, 0)).collect();
        for ((id, level), answers) in &self.answers {
            tables.entry(answers.table).or_default().join(answers);
            levels.entry(*level).or_default().join(answers);
            *statements.entry(*id).or_default() += answers.reads;
        }
        for ((id, level), writes) in &self.writes {
            written_tables.entry(writes.table).or_default().join(writes);
            written_levels.entry(*level).or_default().join(writes);
            *statements.entry(*id).or_default() += writes.count;
        }
        for (table, writes) in &self.copies {
            written_tables.entry(*table).or_default().join(writes);
        }
        for (table, digests) in &self.digests {
            tables.entry(*table).or_default().join(digests);
        }
        let mut out = Vec::new();
        put_count(tables.len(), &mut out);
        for (id, answers) in &tables {
            out.extend_from_slice(id);
            for figure in [answers.reads, answers.rows, answers.live_rows, answers.tombstones] {
                out.extend_from_slice(&figure.to_be_bytes());
            }
            answers.latencies.put(&mut out);
        }
        put_count(levels.len(), &mut out);
        for (level, answers) in &levels {
            out.extend_from_slice(&level.to_be_bytes());
            out.extend_from_slice(&answers.reads.to_be_bytes());
            answers.latencies.put(&mut out);
        }
        put_count(self.connections.len(), &mut out);
        for (connection, requests) in &self.connections {
            out.extend_from_slice(&connection.to_be_bytes());
            out.extend_from_slice(&requests.to_be_bytes());
        }
        out.extend_from_slice(&self.received_bytes.to_be_bytes());
        out.extend_from_slice(&self.sent_bytes.to_be_bytes());
        put_count(statements.len(), &mut out);
        for (id, executions) in &statements {
            out.extend_from_slice(id);
            out.extend_from_slice(&executions.to_be_bytes());
            // Those that write have no audition.
            out.push(recipes.get(id).map_or(Standing::Serving, |prepared| prepared.standing()) as u8);
        }
        put_count(written_tables.len(), &mut out);
        for (id, writes) in &written_tables {
            out.extend_from_slice(id);
            writes.put(&mut out);
        }
        put_count(written_levels.len(), &mut out);
        for (level, writes) in &written_levels {
            out.extend_from_slice(&level.to_be_bytes());
            writes.put(&mut out);
        }
        out
    }
}

fn put_count(count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(count as u32).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rights::prepared::tests::recipe;

    /// No tables, no levels.
    const NO_WRITES: [u8; 8] = [0; 8];

    #[test]
    fn writes_are_told_by_table_and_by_level() {
        let mut whole = Served::default();
        for (id, level) in [([1; 16], 6), ([1; 16], 6), ([3; 16], 10)] {
            let mut one = Served::default();
            one.add_write(&id, &[2; 16], level, Duration::from_micros(3));
            whole.join(one);
        }
        let bytes = whole.encode(&HashMap::new());
        let levels = 4 + 2 * (2 + 8 + 4 + 16);
        let table = [&[0, 0, 0, 1][..], &[2; 16], &3u64.to_be_bytes(), &[0, 0, 0, 1]].concat();
        let at = bytes.len() - levels - 16 - table.len();
        assert_eq!(bytes[at..at + table.len()], table);
        assert_eq!(bytes[bytes.len() - levels..][..4], [0, 0, 0, 2]);
        assert_eq!(bytes[at - 2 * (16 + 8 + 1) - 4..][..4], [0, 0, 0, 2]);
    }

    #[test]
    fn a_latency_is_at_most_its_bucket_and_an_eighth_more() {
        for nanos in (0..60)
            .flat_map(|octave| [1u64 << octave, (1 << octave) + 1, (3 << octave) - 1])
            .filter(|nanos| *nanos >= 8)
        {
            let mut histogram = Histogram::default();
            histogram.add(Duration::from_nanos(nanos));
            let buckets: Vec<(u64, u32)> = histogram.buckets().collect();
            assert!(
                matches!(buckets[..], [(bound, 1)] if bound >= nanos && bound <= nanos + nanos / 8),
                "{nanos}: {buckets:?}"
            );
        }
    }

    fn prepared(id: Id) -> (Id, Arc<Prepared>) {
        (id, Arc::new(Prepared::new(recipe(id, [2; 16]))))
    }

    #[test]
    fn a_statement_that_failed_is_told_of_though_nothing_was_answered() {
        let (auditioning, failed) = (prepared([1; 16]), prepared([7; 16]));
        (0..3).for_each(|_| failed.1.judged(false));
        let bytes = Served::default().encode(&[auditioning, failed].into());
        let end = [&[0, 0, 0, 1][..], &[7; 16], &0u64.to_be_bytes(), &[2], &NO_WRITES].concat();
        assert_eq!(bytes[bytes.len() - end.len()..], end);
    }

    #[test]
    fn a_digest_is_a_read_of_its_table_and_no_request() {
        let mut whole = Served::default();
        whole.add(&[1; 16], &[2; 16], 6, &Read { rows: 5, live_rows: 5, tombstones: 0 }, Duration::from_micros(3));
        let mut one = Served::default();
        one.add_digest(&[2; 16], &Read { rows: 0, live_rows: 7, tombstones: 4 }, Duration::from_micros(300));
        whole.join(one);
        let bytes = whole.encode(&HashMap::new());
        let figures = [2u64, 5, 12, 4].map(u64::to_be_bytes).concat();
        assert_eq!(bytes[..52], [&[0, 0, 0, 1][..], &[2; 16], &figures].concat());
        // One latency of each, and then one level with one read.
        let levels = 52 + 4 + 2 * 16;
        assert_eq!(bytes[levels..levels + 14], [&[0, 0, 0, 1, 0, 6][..], &1u64.to_be_bytes()].concat());
    }

    #[test]
    fn what_loops_have_answered_is_added_up() {
        let mut whole = Served::default();
        for part in 0..3u32 {
            let mut one = Served::default();
            one.add(&[1; 16], &[2; 16], 1, &Read { rows: 1, live_rows: part, tombstones: 0 }, Duration::from_micros(3));
            one.add_connection(9, &Answered { requests: 1, received_bytes: 10, sent_bytes: 20 });
            whole.join(one);
        }
        let serving = prepared([1; 16]);
        (0..100).for_each(|_| serving.1.judged(true));
        let bytes = whole.encode(&[serving].into());
        let table = [
            &[0, 0, 0, 1][..],
            &[2; 16],
            &3u64.to_be_bytes(),
            &3u64.to_be_bytes(),
            &3u64.to_be_bytes(),
            &0u64.to_be_bytes(),
            &[0, 0, 0, 1],
        ]
        .concat();
        assert_eq!(bytes[..table.len()], table);
        let end = [
            &9u64.to_be_bytes()[..],
            &3u64.to_be_bytes(),
            &30u64.to_be_bytes(),
            &60u64.to_be_bytes(),
            &[0, 0, 0, 1],
            &[1; 16],
            &3u64.to_be_bytes(),
            &[1],
            &NO_WRITES,
        ]
        .concat();
        assert_eq!(bytes[bytes.len() - end.len()..], end);
    }
}
