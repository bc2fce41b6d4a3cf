// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows as maps; reconciliation as Cassandra's sources state it, clause by clause; and an encoder of its own.

use std::collections::{BTreeMap, BTreeSet};

/// (marked for delete at, local deletion time in seconds)
pub type Deletion = (i64, i64);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expiry {
    pub ttl_s: u32,
    pub at_s: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    pub is_global: bool,
    pub clock: i64,
    pub count: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Live(Vec<u8>),
    Expiring(Expiry, Vec<u8>),
    Tombstone(i64),
    Counter(BTreeMap<[u8; 16], Shard>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub timestamp: i64,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    Simple(Cell),
    Complex(Option<Deletion>, BTreeMap<Vec<u8>, (Vec<u8>, Cell)>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub clustering: Option<Vec<u8>>,
    pub liveness: Option<(i64, Option<Expiry>)>,
    pub deletion: Option<Deletion>,
    pub columns: BTreeMap<u32, Column>,
}

fn deletes(deletion: Option<Deletion>, timestamp: i64) -> bool {
    deletion.is_some_and(|(marked, _)| timestamp <= marked)
}

fn local_deletion_s(cell: &Cell) -> Option<i64> {
    match &cell.content {
        Content::Live(_) | Content::Counter(_) => None,
        Content::Expiring(expiry, _) => Some(expiry.at_s),
        Content::Tombstone(at_s) => Some(*at_s),
    }
}

fn value(cell: &Cell) -> &[u8] {
    match &cell.content {
        Content::Live(value) | Content::Expiring(_, value) => value,
        _ => &[],
    }
}

/// Cells.resolveRegular; true if left stays.
fn left_stays(left: &Cell, right: &Cell) -> bool {
    if left.timestamp != right.timestamp {
        return left.timestamp > right.timestamp;
    }
    let (left_s, right_s) = (local_deletion_s(left), local_deletion_s(right));
    if left_s.is_some() || right_s.is_some() {
        if left_s.is_some() != right_s.is_some() {
            return left_s.is_some();
        }
        let is_tombstone = |cell: &Cell| matches!(cell.content, Content::Tombstone(_));
        if is_tombstone(left) != is_tombstone(right) {
            return is_tombstone(left);
        }
        if left_s != right_s {
            return left_s > right_s;
        }
        if let (Content::Expiring(left, _), Content::Expiring(right, _)) = (&left.content, &right.content) {
            if left.ttl_s != right.ttl_s {
                return left.ttl_s < right.ttl_s;
            }
        }
    }
    value(left) >= value(right)
}

/// Cells.reconcile.
pub fn reconcile(left: &Cell, right: &Cell) -> Cell {
    match (&left.content, &right.content) {
        (Content::Counter(one), Content::Counter(two)) => {
            let mut shards = one.clone();
            for (id, shard) in two {
                let kept = shards.entry(*id).or_insert_with(|| shard.clone());
                if (shard.is_global, shard.clock, shard.count) > (kept.is_global, kept.clock, kept.count) {
                    *kept = shard.clone();
                }
            }
            Cell { timestamp: left.timestamp.max(right.timestamp), content: Content::Counter(shards) }
        }
        (Content::Counter(_), _) => right.clone(),
        (_, Content::Counter(_)) => left.clone(),
        _ if left_stays(left, right) => left.clone(),
        _ => right.clone(),
    }
}

/// LivenessInfo.supersedes.
fn liveness_supersedes(this: &(i64, Option<Expiry>), other: &(i64, Option<Expiry>)) -> bool {
    if this.0 != other.0 {
        return this.0 > other.0;
    }
    let expired = |expiry: &Option<Expiry>| expiry.as_ref().is_some_and(|expiry| expiry.ttl_s == i32::MAX as u32);
    if expired(&this.1) != expired(&other.1) {
        return expired(&this.1);
    }
    match (&this.1, &other.1) {
        (Some(one), Some(two)) => one.at_s > two.at_s || (one.at_s == two.at_s && one.ttl_s < two.ttl_s),
        (one, _) => one.is_some(),
    }
}

/// Row.Merger.merge of any number of rows.
pub fn merge(rows: &[Row]) -> Row {
    let mut merged = Row { clustering: rows.iter().filter_map(|row| row.clustering.clone()).min(), ..Row::default() };
    for row in rows {
        if let Some(liveness) = &row.liveness {
            if merged.liveness.as_ref().is_none_or(|known| liveness_supersedes(liveness, known)) {
                merged.liveness = Some(liveness.clone());
            }
        }
        merged.deletion = merged.deletion.max(row.deletion);
    }
    if merged.liveness.as_ref().is_some_and(|liveness| deletes(merged.deletion, liveness.0)) {
        merged.liveness = None;
    }
    let ids: BTreeSet<u32> = rows.iter().flat_map(|row| row.columns.keys().copied()).collect();
    for id in ids {
        let versions: Vec<&Column> = rows.iter().filter_map(|row| row.columns.get(&id)).collect();
        if let Some(column) = merge_column(&versions, merged.deletion) {
            merged.columns.insert(id, column);
        }
    }
    merged
}

fn merge_column(versions: &[&Column], active: Option<Deletion>) -> Option<Column> {
    if let Column::Simple(_) = versions[0] {
        let cells = versions.iter().map(|version| match version {
            Column::Simple(cell) => cell.clone(),
            _ => unreachable!(),
        });
        return cells
            .filter(|cell| !deletes(active, cell.timestamp))
            .reduce(|one, two| reconcile(&one, &two))
            .map(Column::Simple);
    }
    let mut deletion = None;
    let mut cells: BTreeMap<Vec<u8>, Vec<(Vec<u8>, Cell)>> = BTreeMap::new();
    for version in versions {
        let Column::Complex(own, found) = version else { unreachable!() };
        deletion = deletion.max(*own);
        for (order, cell) in found {
            cells.entry(order.clone()).or_default().push(cell.clone());
        }
    }
    let deletion = deletion.filter(|deletion| Some(*deletion) > active);
    let under = active.max(deletion);
    let mut kept = BTreeMap::new();
    for (order, mut found) in cells {
        found.retain(|(_, cell)| !deletes(under, cell.timestamp));
        found.sort_by(|one, two| one.0.cmp(&two.0));
        let best = found.into_iter().reduce(|one, two| if left_stays(&one.1, &two.1) { one } else { two });
        best.map(|best| kept.insert(order, best));
    }
    (deletion.is_some() || !kept.is_empty()).then_some(Column::Complex(deletion, kept))
}

/// What a reader at `now_s` sees of the row under `covering`: its liveness, and the live cells by column and path.
pub type View = (Option<i64>, BTreeMap<(u32, Vec<u8>), (i64, Content)>);

pub fn view(row: &Row, covering: Option<Deletion>, now_s: i64) -> View {
    let active = covering.max(row.deletion);
    let alive = |expiry: &Expiry| now_s < expiry.at_s && expiry.ttl_s != i32::MAX as u32;
    let liveness = row
        .liveness
        .as_ref()
        .filter(|(timestamp, expiry)| !deletes(active, *timestamp) && expiry.as_ref().is_none_or(alive));
    let mut seen = BTreeMap::new();
    let mut see = |id: u32, path: &[u8], cell: &Cell, under: Option<Deletion>| {
        let dead = match &cell.content {
            Content::Tombstone(_) => true,
            Content::Expiring(expiry, _) => now_s >= expiry.at_s,
            _ => false,
        };
        if !dead && !deletes(under, cell.timestamp) {
            seen.insert((id, path.to_vec()), (cell.timestamp, cell.content.clone()));
        }
    };
    for (id, column) in &row.columns {
        match column {
            Column::Simple(cell) => see(*id, &[], cell, active),
            Column::Complex(deletion, cells) => {
                for (path, (_, cell)) in cells {
                    see(*id, path, cell, active.max(*deletion));
                }
            }
        }
    }
    (liveness.map(|liveness| liveness.0), seen)
}

// --- the encoder

fn uvarint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let group = (value % 128) as u8;
        value /= 128;
        if value == 0 {
            return out.push(group);
        }
        out.push(group + 128);
    }
}

fn sized(out: &mut Vec<u8>, bytes: &[u8]) {
    uvarint(out, bytes.len() as u64);
    out.extend(bytes);
}

pub fn context(shards: &BTreeMap<[u8; 16], Shard>) -> Vec<u8> {
    let globals: Vec<u16> =
        shards.values().enumerate().filter(|(_, shard)| shard.is_global).map(|(at, _)| at as u16 + 0x8000).collect();
    let mut out = (globals.len() as u16).to_be_bytes().to_vec();
    globals.iter().for_each(|mark| out.extend(mark.to_be_bytes()));
    for (id, shard) in shards {
        out.extend(id);
        out.extend(shard.clock.to_be_bytes());
        out.extend(shard.count.to_be_bytes());
    }
    out
}

/// Writes a cell's flags, then what `between` writes, then the rest.
fn encode_cell(
    out: &mut Vec<u8>,
    cell: &Cell,
    base: Option<i64>,
    expiry: Option<&Expiry>,
    between: impl FnOnce(&mut Vec<u8>),
) {
    let same_timestamp = base == Some(cell.timestamp);
    let mut flags = if same_timestamp { 0x04 } else { 0 };
    let mut rest = Vec::new();
    let value = |flags: &mut u8, rest: &mut Vec<u8>, bytes: &[u8]| match bytes {
        [] => *flags |= 0x20,
        bytes => sized(rest, bytes),
    };
    match &cell.content {
        Content::Live(bytes) => value(&mut flags, &mut rest, bytes),
        Content::Counter(shards) => {
            flags |= 0x10;
            value(&mut flags, &mut rest, &context(shards));
        }
        Content::Tombstone(at_s) => {
            flags |= 0x01;
            uvarint(&mut rest, *at_s as u64);
        }
        Content::Expiring(own, bytes) => {
            flags |= 0x02;
            if expiry == Some(own) {
                flags |= 0x08;
            } else {
                uvarint(&mut rest, u64::from(own.ttl_s));
                uvarint(&mut rest, own.at_s as u64);
            }
            value(&mut flags, &mut rest, bytes);
        }
    }
    out.push(flags);
    between(out);
    if !same_timestamp {
        out.extend(cell.timestamp.to_le_bytes());
    }
    out.extend(rest);
}

pub fn encode(row: &Row) -> Vec<u8> {
    let first = row.columns.values().find_map(|column| match column {
        Column::Simple(cell) => Some(cell.timestamp),
        Column::Complex(_, cells) => cells.values().next().map(|(_, cell)| cell.timestamp),
    });
    let expiry = row.liveness.as_ref().and_then(|liveness| liveness.1.as_ref());
    let base = row.liveness.as_ref().map(|liveness| liveness.0).or(first);
    let has_base = row.liveness.is_none() && first.is_some();
    let flags =
        [row.clustering.is_some(), row.liveness.is_some(), expiry.is_some(), row.deletion.is_some(), false, has_base];
    let mut out = vec![1, flags.iter().enumerate().map(|(bit, &set)| u8::from(set) << bit).sum()];
    row.clustering.iter().for_each(|clustering| sized(&mut out, clustering));
    row.liveness.iter().for_each(|liveness| out.extend(liveness.0.to_le_bytes()));
    if let Some(expiry) = expiry {
        uvarint(&mut out, u64::from(expiry.ttl_s));
        uvarint(&mut out, expiry.at_s as u64);
    }
    let encode_deletion = |out: &mut Vec<u8>, (marked, at_s): Deletion| {
        out.extend(marked.to_le_bytes());
        uvarint(out, at_s as u64);
    };
    row.deletion.iter().for_each(|deletion| encode_deletion(&mut out, *deletion));
    if has_base {
        out.extend(first.unwrap().to_le_bytes());
    }
    for (id, column) in &row.columns {
        uvarint(&mut out, u64::from(*id));
        match column {
            Column::Simple(cell) => encode_cell(&mut out, cell, base, expiry, |_| ()),
            Column::Complex(deletion, cells) => {
                out.push(if deletion.is_some() { 0xC0 } else { 0x40 });
                deletion.iter().for_each(|deletion| encode_deletion(&mut out, *deletion));
                uvarint(&mut out, cells.len() as u64);
                for (order, (raw, cell)) in cells {
                    encode_cell(&mut out, cell, base, expiry, |out| {
                        sized(out, order);
                        if raw == order {
                            out.push(0);
                        } else {
                            uvarint(out, raw.len() as u64 + 1);
                            out.extend(raw);
                        }
                    });
                }
            }
        }
    }
    out
}
