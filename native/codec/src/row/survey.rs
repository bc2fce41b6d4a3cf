// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Facts about one row fragment, found without rewriting it.

use crate::columns::ColumnSet;
use crate::error::CodecError;
use crate::row::clustering::validate_raw_clustering;
use crate::row::counter;
use crate::row::reader::{ColumnStart, RowReader};

/// The smallest timestamp in the fragment; `i64::MAX` if it is empty.
pub(crate) fn min_timestamp(fragment: &[u8]) -> Result<i64, CodecError> {
    let (head, mut reader) = RowReader::new(fragment)?;
    let mut least = i64::MAX;
    if !head.liveness.is_none() {
        least = head.liveness.timestamp;
    }
    if !head.deletion.is_live() {
        least = least.min(head.deletion.marked_for_delete_at);
    }
    while let Some(column) = reader.next_column()? {
        if column.is_complex() {
            let start = reader.complex(column)?;
            if !start.deletion.is_live() {
                least = least.min(start.deletion.marked_for_delete_at);
            }
            reader.each_path_cell(start.cells, |found| {
                least = least.min(found.cell.timestamp);
                Ok(())
            })?;
        } else {
            least = least.min(reader.cell(column)?.timestamp);
        }
    }
    Ok(least)
}

/// The greatest timestamp in the fragment, deletions included; `i64::MIN` if it is empty.
pub(crate) fn max_timestamp(fragment: &[u8]) -> Result<i64, CodecError> {
    let (head, mut reader) = RowReader::new(fragment)?;
    let mut greatest = head.liveness.timestamp.max(head.deletion.marked_for_delete_at);
    while let Some(column) = reader.next_column()? {
        if column.is_complex() {
            let start = reader.complex(column)?;
            greatest = greatest.max(start.deletion.marked_for_delete_at);
            reader.each_path_cell(start.cells, |found| {
                greatest = greatest.max(found.cell.timestamp);
                Ok(())
            })?;
        } else {
            greatest = greatest.max(reader.cell(column)?.timestamp);
        }
    }
    Ok(greatest)
}

/// Whether there is a row deletion.
pub(crate) fn has_deletion(fragment: &[u8]) -> Result<bool, CodecError> {
    Ok(!RowReader::new(fragment)?.0.deletion.is_live())
}

/// Whether merging the fragment with any of these others leaves it as it is, byte for byte: those which have no
/// timestamp above `newest`, nor a clustering, nor a column outside of `columns`, nor, unless `with_deletions`, a row
/// deletion.
///
/// That is so if its row deletion is newer, or its liveness and something in each column: a cell, or the deletion of a
/// complex column. Equal timestamps leave it open, as counters do. So does a raw clustering, of which the bytewise
/// smaller one stays, and what the fragment itself deletes, which a merge would remove.
pub(crate) fn outlasts(
    fragment: &[u8],
    columns: &ColumnSet,
    newest: i64,
    with_deletions: bool,
) -> Result<bool, CodecError> {
    let (head, mut reader) = RowReader::new(fragment)?;
    let is_deleting = head.deletion.marked_for_delete_at > newest;
    let newer_than = head.deletion.marked_for_delete_at.max(newest);
    let has_newer_liveness = head.liveness.timestamp > newer_than;
    let is_open = if is_deleting { !head.liveness.is_none() && !has_newer_liveness } else { !has_newer_liveness };
    if head.clustering.is_some() || is_open || (with_deletions && !is_deleting) {
        return Ok(false);
    }
    let mut missing = columns.len();
    while let Some(column) = reader.next_column()? {
        let Some(timestamp) = age(&mut reader, column)? else { return Ok(false) };
        if timestamp > newer_than {
            missing -= usize::from(columns.contains(column.id));
        } else if is_deleting || columns.contains(column.id) {
            return Ok(false);
        }
    }
    Ok(is_deleting || missing == 0)
}

/// Up to when the column hides what is older; `None` for a counter, and where a merge would remove something of it.
fn age(reader: &mut RowReader<'_>, column: ColumnStart) -> Result<Option<i64>, CodecError> {
    if !column.is_complex() {
        let cell = reader.cell(column)?;
        return Ok((!cell.is_counter).then_some(cell.timestamp));
    }
    let start = reader.complex(column)?;
    let deleted_at = start.deletion.marked_for_delete_at;
    let mut is_canonical = true;
    reader.each_path_cell(start.cells, |found| {
        is_canonical &= found.cell.timestamp > deleted_at;
        Ok(())
    })?;
    Ok(is_canonical.then_some(deleted_at))
}

/// Whether there is neither liveness nor deletion nor column.
pub(crate) fn is_empty(fragment: &[u8]) -> Result<bool, CodecError> {
    let (head, mut reader) = RowReader::new(fragment)?;
    Ok(head.is_empty() && reader.next_column()?.is_none())
}

/// Checks structure, order and canonical encoding.
///
/// Given its flags every cell has one encoding, so what is canonical is a matter of flags, and of a base timestamp that
/// is the first cell's.
pub(crate) fn validate(fragment: &[u8]) -> Result<(), CodecError> {
    let (head, mut reader) = RowReader::new(fragment)?;
    if let Some(clustering) = head.clustering {
        validate_raw_clustering(clustering)?;
    }
    let mut first = head.liveness.is_none();
    while let Some(column) = reader.next_column()? {
        if column.is_complex() {
            validate_complex(&mut reader, column, &mut first)?;
        } else {
            let offset = reader.offset();
            let cell = reader.cell(column)?;
            reader.check_canonical(&cell, column.flags, std::mem::take(&mut first), offset)?;
            if cell.is_counter && !cell.value.is_empty() && !counter::is_canonical(cell.value) {
                return Err(CodecError::malformed("counter context (pre-2.1 local shards are refused)", offset));
            }
        }
    }
    if first && reader.has_base() {
        return Err(CodecError::malformed("base timestamp without a cell", fragment.len()));
    }
    Ok(())
}

fn validate_complex(reader: &mut RowReader<'_>, column: ColumnStart, first: &mut bool) -> Result<(), CodecError> {
    let offset = reader.offset();
    let start = reader.complex(column)?;
    if start.cells == 0 && start.deletion.is_live() {
        return Err(CodecError::malformed("complex column without content", offset));
    }
    let mut last: Option<&[u8]> = None;
    for _ in 0..start.cells {
        let offset = reader.offset();
        let (flags, found) = reader.path_cell_and_flags()?;
        reader.check_order(last, found.order)?;
        reader.check_canonical(&found.cell, flags, std::mem::take(first), offset)?;
        if found.raw == Some(found.order) {
            return Err(CodecError::malformed("path, which repeats its order bytes", offset));
        }
        last = Some(found.order);
    }
    Ok(())
}

/// An error at the first byte where a fragment differs from its canonical form.
pub(crate) fn same_bytes(fragment: &[u8], canonical: &[u8]) -> Result<(), CodecError> {
    if fragment == canonical {
        return Ok(());
    }
    let offset = fragment.iter().zip(canonical).take_while(|(one, two)| one == two).count();
    Err(CodecError::malformed("encoding, which is not canonical", offset))
}
