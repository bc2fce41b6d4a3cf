// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A plain copy to compare streaming with: files go through a socket by `sendfile` and are written on the other side.
//!
//! One connection over loopback, a thread at each end. Nothing is parsed, checked or imported.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::sendfile::sendfile;
use nix::sys::time::TimeValLike;

/// The buffer of the receiver.
const BLOCK_BYTES: usize = 1 << 20;
/// One call of `sendfile` moves no more than 2 GiB anyway.
const CALL_BYTES: u64 = 1 << 30;

/// A copy that was made.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// The bytes that were copied.
    pub bytes: u64,
    /// Until the last byte was written.
    pub written: Duration,
    /// Until it was on the disk.
    pub synced: Duration,
    /// CPU time of both ends.
    pub cpu: Duration,
}

/// Copies `bytes` out of these files, in turn and over again when they are too few, into `target`, which is deleted again.
///
/// # Errors
/// Nothing to copy; a disk that is full; a file that cannot be read. One that has been deleted meanwhile is left out.
pub fn copy(files: &[PathBuf], bytes: u64, target: &Path) -> Result<Copied> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let began = Instant::now();
    let copied = std::thread::scope(|scope| {
        let received = scope.spawn(|| receive(&listener, target, began));
        let sent = TcpStream::connect(address).context("connecting to itself").and_then(|to| send(files, bytes, &to));
        let received = received.join().map_err(|_| anyhow::anyhow!("the receiver of the plain copy failed"))?;
        sent.and_then(|sent| received.map(|received| (sent, received)))
    });
    let _ = std::fs::remove_file(target);
    let (sender_cpu, received) = copied?;
    ensure!(bytes == received.bytes, "plain copy: {bytes} bytes were sent and {} came", received.bytes);
    Ok(Copied { cpu: received.cpu + sender_cpu, ..received })
}

/// CPU time that the calling thread has used.
fn thread_cpu() -> Result<Duration> {
    let used = getrusage(UsageWho::RUSAGE_THREAD)?;
    let cpu = used.user_time() + used.system_time();
    Ok(Duration::from_micros(u64::try_from(cpu.num_microseconds())?))
}

/// The CPU time that it took.
fn send(files: &[PathBuf], bytes: u64, to: &TcpStream) -> Result<Duration> {
    let before = thread_cpu()?;
    let mut left = bytes;
    while left > 0 {
        let left_before = left;
        for path in files {
            let Ok(file) = File::open(path) else { continue };
            left -= send_file(&file, left, to).with_context(|| format!("plain copy of {}", path.display()))?;
        }
        ensure!(left < left_before, "plain copy: there is no file of the table to copy");
    }
    Ok(thread_cpu()? - before)
}

fn send_file(file: &File, most_bytes: u64, to: &TcpStream) -> Result<u64> {
    let length = file.metadata()?.len().min(most_bytes);
    let mut sent = 0;
    while sent < length {
        let count = usize::try_from((length - sent).min(CALL_BYTES))?;
        match sendfile(to, file, None, count)? {
            0 => break,
            some => sent += some as u64,
        }
    }
    Ok(sent)
}

fn receive(listener: &TcpListener, target: &Path, began: Instant) -> Result<Copied> {
    let before = thread_cpu()?;
    let (mut from, _) = listener.accept()?;
    let mut file = File::create(target).with_context(|| format!("cannot write {}", target.display()))?;
    let (mut block, mut bytes) = (vec![0; BLOCK_BYTES], 0);
    loop {
        let read = from.read(&mut block)?;
        if read == 0 {
            break;
        }
        file.write_all(block.get(..read).unwrap_or_default())
            .with_context(|| format!("cannot write {}", target.display()))?;
        bytes += read as u64;
    }
    let written = began.elapsed();
    file.sync_all()?;
    Ok(Copied { bytes, written, synced: began.elapsed(), cpu: thread_cpu()? - before })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_go_over_as_often_as_is_wanted_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("1.db"), folder.path().join("2.db"));
        std::fs::write(&first, vec![1; 3 << 20]).unwrap();
        std::fs::write(&second, vec![2; 1 << 20]).unwrap();
        let (files, target) = ([first, folder.path().join("gone.db"), second], folder.path().join("copy"));
        let copied = copy(&files, (4 << 20) + 17, &target).unwrap();
        assert_eq!(copied.bytes, (4 << 20) + 17);
        assert!(copied.written <= copied.synced && copied.cpu > Duration::ZERO && !target.exists());
    }

    #[test]
    fn nothing_to_copy_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = copy(&[], 5, &folder.path().join("copy")).unwrap_err();
        assert!(error.to_string().contains("no file"), "{error:#}");
    }
}
