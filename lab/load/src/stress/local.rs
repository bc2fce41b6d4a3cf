// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The servers of a cluster as this machine sees them: those whose CQL port a process here listens on.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::{FDTarget, Process};

use crate::observe::{Environment, WatchedServer};

/// The servers at these addresses, to be watched; of remote ones only the names are known.
pub fn servers(addresses: &[SocketAddr]) -> Vec<WatchedServer> {
    let processes = listeners();
    addresses.iter().map(|address| watched(*address, find(&processes, *address))).collect()
}

/// Adds the hashes of the configuration of local servers.
pub fn add_configuration(environment: &mut Environment, servers: &[WatchedServer]) {
    for server in servers {
        let words = server.pid.and_then(|pid| Process::new(pid).ok()?.cmdline().ok()).unwrap_or_default();
        let configuration = words.iter().find_map(|word| word.strip_prefix("-Dcassandra.config=file:"));
        if let Some(path) = configuration {
            // file:///a/b, file://a/b as the scripts of Cassandra write it, or file:/a/b
            let path = PathBuf::from(format!("/{}", path.trim_start_matches('/')));
            environment.add_file(&format!("cassandra.yaml of {}", server.name), &path);
        }
    }
}

fn watched(address: SocketAddr, pid: Option<i32>) -> WatchedServer {
    WatchedServer { name: address.ip().to_string(), pid, gc_log: pid.and_then(gc_log), compactions: None }
}

/// Cassandra's processes by the sockets that they listen on. Where another one listens on the port, as a tunnel to a node
/// elsewhere does, its CPU is nobody's figure.
fn listeners() -> HashMap<SocketAddr, i32> {
    let sockets: HashMap<u64, SocketAddr> = [procfs::net::tcp(), procfs::net::tcp6()]
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry: &TcpNetEntry| entry.state == TcpState::Listen)
        .map(|entry| (entry.inode, entry.local_address))
        .collect();
    let mut found = HashMap::new();
    let all = procfs::process::all_processes().into_iter().flatten().flatten();
    for process in all.filter(|process| process.cmdline().is_ok_and(|words| is_cassandra(&words))) {
        // Processes of other users keep their files to themselves.
        for file in process.fd().into_iter().flatten().flatten() {
            if let FDTarget::Socket(inode) = file.target {
                if let Some(address) = sockets.get(&inode) {
                    found.insert(*address, process.pid);
                }
            }
        }
    }
    found
}

fn is_cassandra(words: &[String]) -> bool {
    words.iter().any(|word| word.ends_with("CassandraDaemon") || word.starts_with("-Dcassandra."))
}

fn find(processes: &HashMap<SocketAddr, i32>, address: SocketAddr) -> Option<i32> {
    let plain = |ip: IpAddr| ip.to_canonical();
    let listens = |here: &SocketAddr| {
        here.port() == address.port()
            && (plain(here.ip()) == plain(address.ip()) || (here.ip().is_unspecified() && address.ip().is_loopback()))
    };
    processes.iter().find(|(here, _)| listens(here)).map(|(_, pid)| *pid)
}

/// Where the JVM says that it logs its collections: `-Xlog:gc*:file=PATH:...`.
fn gc_log(pid: i32) -> Option<PathBuf> {
    let process = Process::new(pid).ok()?;
    let words = process.cmdline().ok()?;
    let options = words.iter().filter_map(|word| word.strip_prefix("-Xlog:gc"));
    let file = options.filter_map(|option| option.split(':').nth(1)?.strip_prefix("file=")).next_back()?;
    let file = PathBuf::from(file.trim_matches('"').replace("%p", &pid.to_string()));
    if file.is_absolute() {
        Some(file)
    } else {
        Some(process.cwd().ok()?.join(file))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_server_is_found_by_its_port_and_by_what_it_is() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        assert!(servers(&[here])[0].pid.is_none(), "this process is no Cassandra");
        let processes = HashMap::from([("0.0.0.0:9042".parse().unwrap(), 7)]);
        assert_eq!(find(&processes, "127.0.0.1:9042".parse().unwrap()), Some(7));
        assert_eq!(find(&processes, "192.0.2.1:9042".parse().unwrap()), None);
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(is_cassandra(&words("java -Xmx2g org.apache.cassandra.service.CassandraDaemon")));
        assert!(!is_cassandra(&words("ssh -L 9042:localhost:9042 node1")));
    }
}
