// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How much memory nodes take.

use anyhow::{bail, Context, Result};
use procfs::Current;

const MIB: u64 = 1 << 20;
const STEP: u64 = 256 * MIB;
const LEAST: u64 = 512 * MIB;
const MOST: u64 = 4096 * MIB;
/// Metaspace, code, thread stacks, buffers and the engine's block cache.
const BESIDE_HEAP: u64 = 1024 * MIB;

/// Bytes of a size as `-Xmx` takes it: `768m`, `2g`.
pub(super) fn bytes(size: &str) -> Result<u64> {
    let (digits, unit) = match size.char_indices().last() {
        Some((at, 'm' | 'M')) => (&size[..at], MIB),
        Some((at, 'g' | 'G')) => (&size[..at], 1024 * MIB),
        _ => ("", 0),
    };
    match digits.parse::<u64>() {
        Ok(count) if count > 0 => Ok(count * unit),
        _ => bail!("heap '{size}' is not a size like 768m or 4g"),
    }
}

/// The heap that leaves room for all nodes, what they keep off heap, the page cache and the load: a third of the machine
/// divided among the nodes, 512m to 4g.
pub(super) fn default_for(nodes: u32) -> Result<String> {
    let share = total()? / 3 / u64::from(nodes.max(1));
    Ok(format!("{}m", (share / STEP * STEP).clamp(LEAST, MOST) / MIB))
}

/// Refuses nodes that together would not fit into the machine's memory.
pub(super) fn ensure_room(nodes: u32, heap: &str) -> Result<()> {
    let needed = needed(nodes, heap)?;
    let total = total()?;
    if needed > total {
        bail!(
            "{nodes} nodes with a heap of {heap} take about {} MiB, and this machine has {} MiB: say a smaller --heap or fewer --nodes",
            needed / MIB,
            total / MIB
        );
    }
    Ok(())
}

/// Memtables off heap take up to a quarter of the heap's size.
fn needed(nodes: u32, heap: &str) -> Result<u64> {
    let heap = bytes(heap)?;
    Ok(u64::from(nodes) * (heap + heap / 4 + BESIDE_HEAP.min(heap)))
}

fn total() -> Result<u64> {
    Ok(procfs::Meminfo::current().context("cannot read /proc/meminfo")?.mem_total)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn sizes_are_those_of_the_jvm() {
        assert_eq!(bytes("768m").unwrap(), 768 * MIB);
        assert_eq!(bytes("2G").unwrap(), 2048 * MIB);
        for wrong in ["", "2", "g", "2t", "-1g", "0m", "2 g", "2gb"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_default_fits() {
        for nodes in [1, 2, 3] {
            let heap = default_for(nodes).unwrap();
            assert!((LEAST..=MOST).contains(&bytes(&heap).unwrap()));
        }
        let three_of_24_gib = needed(3, "2560m").unwrap();
        assert!(three_of_24_gib < 13 * 1024 * MIB, "{three_of_24_gib}");
        assert!(ensure_room(1000, "4g").unwrap_err().to_string().contains("--heap"));
    }
}
