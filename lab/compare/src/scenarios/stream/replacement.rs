// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Replaces one node with no other load, and measures the streaming at both ends.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::copy::{copy, Copied};
use super::ends::{busy_s, used, Ends};
use crate::files::table_files;
use crate::streams::{self, Received, Replacement, Shares};
use crate::subject::Subject;
use lab_load::observe::{now_unix_ms, ProcessSampler, ProcessSamples};
use lab_node::cluster::Cluster;
use lab_node::cpus::Cpus;

/// Kills the newest node and lets a fresh one take its place. The nodes that send are the same ones each time, and what
/// they send from does not change.
pub(super) fn replace(subject: &mut Subject<'_>) -> Result<Replacement> {
    let victim = newest(subject.cluster())?;
    subject.cluster_mut().kill(victim)?;
    let sampler = watch(subject.cluster());
    let number = subject.cluster_mut().replace(victim)?;
    let joined_unix_ms = now_unix_ms();
    subject.members_changed()?;
    let quiet = subject.settle()?;
    let samples = sampler.stop();
    let ends = Ends::of(subject.cluster(), number)?;
    let received = received(subject, &ends)?;
    let shares = shares(subject, &ends, &received)?;
    let copied = plain_copy(subject, &ends, shares.bytes())?;
    let record = record(&samples, &ends, &received, joined_unix_ms, shares, copied);
    Ok(if quiet { record } else { record.never_quiet() })
}

/// Number of the node that came last.
pub(super) fn newest(cluster: &Cluster) -> Result<u32> {
    cluster.nodes().iter().map(|node| node.number).max().context("the cluster has no node")
}

pub(super) fn received(subject: &Subject<'_>, ends: &Ends) -> Result<Received> {
    subject.block_on_session(|session| async move { Received::of(&session, &ends.receiver).await })
}

/// The cluster's processes, the new one among them as soon as it is there.
fn watch(cluster: &Cluster) -> ProcessSampler {
    let base = cluster.spec().base.clone();
    ProcessSampler::start(move || {
        let cluster = Cluster::open(&base);
        cluster.map(|cluster| cluster.nodes().iter().filter_map(|node| node.pid).collect()).unwrap_or_default()
    })
}

fn shares(subject: &mut Subject<'_>, ends: &Ends, received: &Received) -> Result<Shares> {
    let (keyspace, engine) = (subject.keyspace().to_owned(), subject.cluster().engine());
    let plans = received.plans.as_slice();
    let (shares, reasons) = subject.block_on_session(|session| async move {
        let mut reasons = Vec::new();
        for sender in ends.senders.iter().filter(|_| engine.has_plugin()) {
            let found = streams::reasons(&session, sender, plans, &keyspace).await?;
            reasons.extend(found.into_iter().map(|reason| format!("{} sent rows: {reason}", sender.name)));
        }
        let shares = streams::shares(&session, engine, (&ends.senders, &ends.receiver), plans, &keyspace).await?;
        anyhow::Ok((shares, reasons))
    })?;
    subject.notes.extend(reasons);
    Ok(shares)
}

/// Copies out of the files that the streaming has just read, into a file on the same disk.
fn plain_copy(subject: &Subject<'_>, ends: &Ends, bytes: u64) -> Result<Copied> {
    let of_table = |folders: &[PathBuf]| -> Vec<PathBuf> {
        let files = folders.iter().flat_map(|folder| table_files(folder, subject.keyspace()));
        files.map(|(path, _)| path).collect()
    };
    // Each sender sent about as much as the other.
    let each = bytes.div_ceil(ends.senders.len().max(1) as u64);
    let mut files = Vec::new();
    for sender in &ends.senders {
        let mut left = i128::from(each);
        for path in of_table(&sender.folders) {
            if left > 0 {
                left -= i128::from(std::fs::metadata(&path).map_or(0, |metadata| metadata.len()));
                files.push(path);
            }
        }
    }
    let target = ends.receiver.base.join("plain-copy");
    let servers = subject.settings().cpus.as_ref().map(|split| &split.servers);
    Cpus::run_on(servers, || copy(&files, bytes, &target))
}

fn record(
    samples: &ProcessSamples,
    ends: &Ends,
    received: &Received,
    joined_unix_ms: f64,
    shares: Shares,
    copied: Copied,
) -> Replacement {
    let (from, to) = (received.from_unix_ms, received.to_unix_ms);
    let of_receiver = ends.receiver.pid.and_then(|pid| samples.span_unix_ms(pid));
    let quiet = |pid: i32| samples.span_unix_ms(pid).map(|(_, last)| last);
    let busy_until_quiet_s = |pid: i32| busy_s(samples, pid, from, quiet(pid)?);
    let written_bytes = |pid: i32| samples.disk_written_bytes(pid, from, quiet(pid)?);
    let pids = ends.pids();
    Replacement {
        streaming_s: received.length_s(),
        joining_s: of_receiver.map(|(began, _)| (joined_unix_ms - began) / 1e3),
        bytes: shares.bytes(),
        shares,
        senders: used(samples, &ends.senders.iter().collect::<Vec<_>>(), from, to),
        receiver: used(samples, &[&ends.receiver], from, to),
        cpu_until_quiet_s: pids.iter().copied().map(busy_until_quiet_s).sum(),
        written_until_quiet_bytes: pids.into_iter().map(written_bytes).sum(),
        quiet_after_s: of_receiver.map(|(_, quiet)| (quiet - to) / 1e3),
        copy_s: copied.written.as_secs_f64(),
        copy_synced_s: copied.synced.as_secs_f64(),
        copy_cpu_s: copied.cpu.as_secs_f64(),
    }
}
