// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What users say of how a cluster is reached.

use std::path::Path;

use anyhow::{ensure, Context, Result};

/// `HOST`, `HOST:PORT` or an IPv6 address, as the driver takes it.
pub fn contact_point(host: &str, port: u16) -> Result<String> {
    ensure!(!host.is_empty() && !host.contains(['=', ' ']), "'{host}' is not a HOST[:PORT]");
    let bare_ipv6 = host.parse::<std::net::Ipv6Addr>().is_ok();
    Ok(match host {
        _ if bare_ipv6 => format!("[{host}]:{port}"),
        _ if host.ends_with(']') || !host.contains(':') => format!("{host}:{port}"),
        _ => host.to_owned(),
    })
}

/// User and password of a file with lines `cql.username=...` and `cql.password=...`, as cassandra-stress takes it; each as
/// far as it is there.
pub fn credentials(file: &Path) -> Result<(Option<String>, Option<String>)> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    Ok((property(&text, "cql.username"), property(&text, "cql.password")))
}

fn property(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '!']));
    let mut values = lines.filter_map(|line| line.split_once(['=', ':'])).filter(|(key, _)| key.trim() == name);
    values.next().map(|(_, value)| value.trim().to_owned())
}
