// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads one file of RocksDB's write-ahead log: blocks of 32 KiB, in them records of u32 masked CRC-32C of type and
//! payload, u16 length, u8 type. A write batch begins with u64 sequence number, u32 count of entries.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;
const BATCH_HEAD_BYTES: usize = 12;

const FULL: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

/// What a log file holds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Of the first intact batch.
    pub first_sequence: Option<u64>,
    /// That the batch after the last one before the damage has, where every write is logged.
    pub next_sequence: Option<u64>,
    pub damage: Option<Damage>,
}

/// The first record that is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damage {
    /// Offset in the file.
    pub at: u64,
    /// Whether a record that was written later is intact.
    pub followed: bool,
}

/// Reads a log file to its end, or to the first intact record after a damage.
pub(super) fn scan(path: &Path) -> io::Result<Scan> {
    let mut file = File::open(path)?;
    let mut reading = Reading::default();
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    loop {
        block.clear();
        (&mut file).take(BLOCK_BYTES as u64).read_to_end(&mut block)?;
        reading.block(&block);
        reading.base += block.len() as u64;
        let followed = reading.scan.damage.is_some_and(|damage| damage.followed);
        if block.len() < BLOCK_BYTES || followed {
            return Ok(reading.end());
        }
    }
}

#[derive(Default)]
struct Reading {
    scan: Scan,
    /// Offset of the block in the file.
    base: u64,
    /// Where the record began that is being put together, and the first bytes of it.
    open: Option<u64>,
    head: Vec<u8>,
}

impl Reading {
    fn block(&mut self, block: &[u8]) {
        let mut rest = block;
        while self.scan.damage.is_none() {
            let at = self.base + (block.len() - rest.len()) as u64;
            if rest.len() < HEADER_BYTES && (block.len() == BLOCK_BYTES || rest.is_empty()) {
                return; // the end of a block too short for a record is left empty
            }
            match Record::at_start(rest) {
                Some(record) => {
                    self.record(at, &record);
                    rest = rest.get(HEADER_BYTES + record.payload.len()..).unwrap_or_default();
                }
                None => {
                    self.damage(self.open.unwrap_or(at), false);
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
        }
        self.search(rest);
    }

    fn record(&mut self, at: u64, record: &Record<'_>) {
        match (record.of, self.open) {
            (FULL | FIRST, None) => {
                self.head.clear();
                self.open = Some(at);
            }
            (MIDDLE | LAST, Some(_)) => {}
            (FULL | FIRST, Some(start)) => return self.damage(start, true),
            (MIDDLE | LAST, None) => return self.damage(at, false),
            _ => return, // not a batch
        }
        let missing = BATCH_HEAD_BYTES.saturating_sub(self.head.len()).min(record.payload.len());
        self.head.extend_from_slice(record.payload.get(..missing).unwrap_or_default());
        if matches!(record.of, FULL | LAST) {
            self.complete(at);
        }
    }

    fn complete(&mut self, at: u64) {
        let start = self.open.take().unwrap_or(at);
        let sequence = self.head.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
        let count = self.head.last_chunk::<4>().map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
        match (self.head.len(), sequence, count) {
            (BATCH_HEAD_BYTES, Some(sequence), Some(count)) => {
                self.scan.first_sequence.get_or_insert(sequence);
                self.scan.next_sequence = Some(sequence.saturating_add(count));
            }
            _ => self.damage(start, false),
        }
    }

    fn damage(&mut self, at: u64, followed: bool) {
        self.scan.damage = Some(Damage { at, followed });
    }

    /// Searches the bytes after a damage for the start of a later record.
    fn search(&mut self, mut rest: &[u8]) {
        let Some(damage) = &mut self.scan.damage else { return };
        while !damage.followed && rest.len() >= HEADER_BYTES {
            damage.followed = Record::at_start(rest).is_some_and(|record| matches!(record.of, FULL | FIRST));
            rest = rest.get(1..).unwrap_or_default();
        }
    }

    fn end(mut self) -> Scan {
        if let (None, Some(at)) = (self.scan.damage, self.open) {
            self.damage(at, false);
        }
        self.scan
    }
}

struct Record<'a> {
    of: u8,
    payload: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record that begins here and ends within the block, if it is intact.
    fn at_start(block: &'a [u8]) -> Option<Record<'a>> {
        let (crc, rest) = block.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let (&of, rest) = rest.split_first()?;
        let payload = rest.get(..usize::from(u16::from_le_bytes(*length)))?;
        if of == 0 {
            return None; // space that was reserved
        }
        let found = crc32c::crc32c_append(crc32c::crc32c(&[of]), payload);
        (mask(found) == u32::from_le_bytes(*crc)).then_some(Record { of, payload })
    }
}

/// How RocksDB stores checksums.
fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;
    use std::io::Write;

    fn append(log: &mut Vec<u8>, of: u8, payload: &[u8]) {
        log.extend_from_slice(&mask(crc32c::crc32c_append(crc32c::crc32c(&[of]), payload)).to_le_bytes());
        log.extend_from_slice(&u16::try_from(payload.len()).unwrap_or(u16::MAX).to_le_bytes());
        log.push(of);
        log.extend_from_slice(payload);
    }

    fn batch(sequence: u64, count: u32) -> Vec<u8> {
        let mut batch = sequence.to_le_bytes().to_vec();
        batch.extend_from_slice(&count.to_le_bytes());
        batch.extend_from_slice(b"some bytes");
        batch
    }

    fn three() -> Vec<u8> {
        let mut log = Vec::new();
        (0..3).for_each(|number| append(&mut log, FULL, &batch(10 + 2 * number, 2)));
        log
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))] // each searches two blocks, byte by byte

        #[test]
        fn arbitrary_bytes_never_panic(log in spoilt(vec![three(), over_blocks()])) {
            let damage = scanned(&log).damage;
            prop_assert!(damage.is_none_or(|damage| damage.at <= log.len() as u64), "{damage:?}");
        }
    }

    fn scanned(log: &[u8]) -> Scan {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(log).expect("written");
        scan(file.path()).expect("read")
    }

    #[test]
    fn an_intact_log_has_its_sequence_numbers() {
        let scan = scanned(&three());
        assert_eq!((scan.first_sequence, scan.next_sequence, scan.damage), (Some(10), Some(16), None));
    }

    #[test]
    fn any_cut_is_a_torn_end() {
        let log = three();
        for length in 0..log.len() {
            let record = (length / 29 * 29) as u64;
            let damage = (length % 29 != 0).then_some(Damage { at: record, followed: false });
            assert_eq!(scanned(&log[..length]).damage, damage, "cut at {length}");
        }
    }

    #[test]
    fn any_flipped_bit_before_the_last_record_is_seen() {
        for at in 0..58 {
            for bit in 0..8 {
                let mut log = three();
                log[at] ^= 1 << bit;
                let damage = Damage { at: (at / 29 * 29) as u64, followed: true };
                assert_eq!(scanned(&log).damage, Some(damage), "byte {at} bit {bit}");
            }
        }
    }

    #[test]
    fn zeros_at_the_end_are_a_torn_end_and_in_the_middle_are_damage() {
        let mut log = three();
        log.extend_from_slice(&[0; 100]);
        assert_eq!(scanned(&log).damage, Some(Damage { at: 87, followed: false }));
        log[29..58].fill(0);
        assert_eq!(scanned(&log).damage, Some(Damage { at: 29, followed: true }));
    }

    fn over_blocks() -> Vec<u8> {
        let mut log = Vec::new();
        append(&mut log, FIRST, &[&batch(7, 3)[..], &vec![1; BLOCK_BYTES - HEADER_BYTES - 22]].concat());
        append(&mut log, MIDDLE, &vec![2; BLOCK_BYTES - HEADER_BYTES]);
        append(&mut log, LAST, b"end");
        log
    }

    #[test]
    fn a_record_goes_over_blocks_and_its_own_rest_is_no_later_record() {
        let mut log = over_blocks();
        let scan = scanned(&log);
        assert_eq!((scan.next_sequence, scan.damage), (Some(10), None));
        log[100] ^= 1;
        assert_eq!(scanned(&log).damage, Some(Damage { at: 0, followed: false }));
        log[100] ^= 1;
        log[BLOCK_BYTES + 100] ^= 1;
        append(&mut log, FULL, &batch(10, 1));
        assert_eq!(scanned(&log).damage, Some(Damage { at: 0, followed: true }));
    }
}
