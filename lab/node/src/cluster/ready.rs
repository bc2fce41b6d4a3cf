// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether a node answers.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

const LIMIT: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The native protocol, version 4: OPTIONS, which a server answers before anybody has said who he is.
const OPTIONS: [u8; 9] = [4, 0, 0, 0, 5, 0, 0, 0, 0];
const RESPONSE: u8 = 0x80;
const SUPPORTED: u8 = 6;

/// Whether a CQL server answers there. One that speaks only TLS is there when it takes the connection.
pub(super) fn answers_cql(address: SocketAddr, tls_only: bool) -> bool {
    let Ok(mut stream) = TcpStream::connect_timeout(&address, LIMIT) else { return false };
    tls_only || options(&mut stream).unwrap_or(false)
}

fn options(stream: &mut TcpStream) -> std::io::Result<bool> {
    stream.set_read_timeout(Some(LIMIT))?;
    stream.set_write_timeout(Some(LIMIT))?;
    stream.write_all(&OPTIONS)?;
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    Ok(head[0] & RESPONSE != 0 && head[4] == SUPPORTED)
}

/// Waits until nothing listens on an address. Refuses one that is not free by then, or that this machine does not have.
pub(super) fn await_free(address: SocketAddr, what: &str, at_most: Duration) -> Result<()> {
    let deadline = Instant::now() + at_most;
    while let Err(error) = TcpListener::bind(address) {
        if error.kind() != ErrorKind::AddrInUse || Instant::now() >= deadline {
            return Err(error).with_context(|| format!("{address} ({what}) cannot be listened on"));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::thread;

    fn served(answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 9];
            stream.read_exact(&mut asked).unwrap();
            stream.write_all(answer).unwrap();
        });
        address
    }

    #[test]
    fn only_a_cql_server_counts() {
        // A machine that is busy enough gives the server no turn for a while.
        let supported = || served(&[0x84, 0, 0, 0, SUPPORTED, 0, 0, 0, 0]);
        assert!((0..30).any(|_| answers_cql(supported(), false)));
        assert!(!answers_cql(served(b"HTTP/1.1 400"), false));
        assert!(!answers_cql(served(b""), false));
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(!answers_cql(gone, true));
    }

    #[test]
    fn a_port_that_is_taken_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        assert!(await_free(address, "CQL", LOOK_EVERY).unwrap_err().to_string().contains("CQL"));
        let waiting = thread::spawn(move || await_free(address, "CQL", LIMIT * 30));
        thread::sleep(LOOK_EVERY);
        drop(listener);
        waiting.join().unwrap().unwrap();
    }
}
