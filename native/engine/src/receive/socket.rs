// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes of a file from the connection of a peer, straight into the block that goes to the device.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::{fcntl_dupfd_cloexec, Errno};
use rustix::net::{recv, RecvFlags};

use crate::error::{EngineError, Result};

/// A descriptor of its own for a connected socket: closing the other one leaves it open.
pub fn share_socket(socket: impl AsFd) -> Result<OwnedFd> {
    fcntl_dupfd_cloexec(socket, 0).map_err(|error| failed("sharing a connection", error))
}

/// Fills `block` from a socket, and returns early when `timeout` is over or the peer has ended the connection: how many
/// bytes there are, and whether the end was seen. Reads not one byte more than `block` holds.
pub fn receive_bytes(socket: impl AsFd, block: &mut [u8], timeout: Duration) -> Result<(usize, bool)> {
    let until = Instant::now() + timeout;
    let mut filled = 0;
    while filled < block.len() {
        match recv(&socket, &mut block[filled..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => return Ok((filled, true)),
            Ok((count, _)) => filled += count,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() || !wait(&socket, left)? {
                    break;
                }
            }
            Err(error) => return Err(failed("receiving", error)),
        }
    }
    Ok((filled, false))
}

/// Whether bytes, the end or an error come before the timeout.
fn wait(socket: &impl AsFd, timeout: Duration) -> Result<bool> {
    let timeout =
        Timespec::try_from(timeout).map_err(|error| EngineError::invalid(error.to_string()).caused_by(error))?;
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&timeout)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(failed("waiting for bytes", error)),
    }
}

fn failed(doing: &str, error: Errno) -> EngineError {
    EngineError::io(format!("{doing}: {error}")).caused_by(error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    const TRY_MAX: Duration = Duration::from_secs(120);

    fn connected() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        near.set_nonblocking(true).unwrap(); // as Netty's are
        (near, far)
    }

    fn pattern(length: usize) -> Vec<u8> {
        (0..length).map(|i| u8::try_from(i * 31 % 251).unwrap()).collect()
    }

    #[test]
    fn a_block_is_filled_and_what_follows_stays_in_the_socket() {
        let (near, mut far) = connected();
        let sent = pattern(5_000_000);
        let sender = thread::spawn({
            let sent = sent.clone();
            move || far.write_all(&sent).unwrap()
        });
        let (mut block, mut rest) = (vec![0; 4_999_990], vec![0; 10]);
        assert_eq!(receive_bytes(&near, &mut block, TRY_MAX).unwrap(), (block.len(), false));
        assert_eq!(receive_bytes(&near, &mut rest, TRY_MAX).unwrap(), (10, false));
        block.extend(rest);
        assert!(block == sent);
        sender.join().unwrap();
    }

    #[test]
    fn a_silent_peer_costs_no_more_than_the_timeout() {
        let (near, mut far) = connected();
        far.write_all(b"abc").unwrap();
        let mut block = [0; 8];
        let begun = Instant::now();
        let mut filled = 0;
        while filled < 3 {
            filled += receive_bytes(&near, &mut block[filled..], Duration::from_millis(20)).unwrap().0;
        }
        assert!(begun.elapsed() >= Duration::from_millis(20));
        assert_eq!(&block[..3], b"abc");
    }

    #[test]
    fn the_end_is_told_with_the_bytes_before_it() {
        let (near, mut far) = connected();
        far.write_all(b"last").unwrap();
        drop(far);
        let mut block = [0; 8];
        assert_eq!(receive_bytes(&near, &mut block, TRY_MAX).unwrap(), (4, true));
        assert_eq!(receive_bytes(&near, &mut block, TRY_MAX).unwrap(), (0, true));
    }

    #[test]
    fn a_shared_socket_outlives_the_one_it_was_shared_from() {
        let (near, mut far) = connected();
        let shared = share_socket(&near).unwrap();
        drop(near);
        far.write_all(b"more").unwrap();
        let mut block = [0; 4];
        assert_eq!(receive_bytes(&shared, &mut block, TRY_MAX).unwrap(), (4, false));
    }
}
