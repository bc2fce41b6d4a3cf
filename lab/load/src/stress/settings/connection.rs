// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Connection settings: nodes, credentials, TLS.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use crate::load;
use crate::stress::command_line::{CommandLine, Given};

/// How the cluster is reached.
#[derive(Clone)]
pub struct Connection {
    /// `host:port`, at least one.
    pub contact_points: Vec<String>,
    /// The datacenter that the load is confined to.
    pub datacenter: Option<String>,
    /// User and password.
    pub credentials: Option<(String, String)>,
    /// Whether frames are compressed with LZ4.
    pub compression: bool,
    /// Connections to each node.
    pub connections_per_node: usize,
    /// Certificates to trust (PEM): TLS is used.
    pub trusted: Option<PathBuf>,
    /// Own certificate and private key (PEM, one file).
    pub identity: Option<PathBuf>,
    /// Time for one attempt of a statement.
    pub request_timeout: Option<Duration>,
    /// Time for one connection to be there.
    pub connect_timeout: Option<Duration>,
    /// Threads of the client.
    pub client_threads: Option<usize>,
    /// Addresses that nodes name, and those at which they are reached from here.
    pub translation: HashMap<SocketAddr, SocketAddr>,
}

impl std::fmt::Debug for Connection {
    /// Without the password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let user = self.credentials.as_ref().map(|(user, _)| user);
        write!(formatter, "{:?} {:?} {user:?} {:?}", self.contact_points, self.datacenter, self.trusted)
    }
}

impl Connection {
    /// Understands `-node`, `-port`, `-mode`, `-transport` and `-credentials-file`.
    pub fn read(line: &mut CommandLine) -> Result<Self> {
        let (node, mode, transport) = (line.take("-node"), line.take("-mode"), line.take("-transport"));
        let port = line.take("-port").parsed("native=", "a port", |text| text.parse::<u16>().ok())?.unwrap_or(9042);
        let compression = mode.choice("compression=", &["none", "lz4"])?;
        let (trusted, identity) = (pem(&transport, "truststore=")?, pem(&transport, "keystore=")?);
        ensure!(
            trusted.is_some() || identity.is_none(),
            "-transport: keystore= needs truststore= with the certificates to trust"
        );
        Ok(Self {
            contact_points: contact_points(&node, port)?,
            datacenter: node.text("datacenter=")?,
            credentials: credentials(&mode, line.take("-credentials-file").only()?)?,
            compression: compression == Some(1),
            connections_per_node: mode.size("connectionsPerHost=")?.unwrap_or(1),
            trusted,
            identity,
            request_timeout: mode.duration("requestTimeout=")?,
            connect_timeout: mode.duration("connectTimeout=")?,
            client_threads: mode.size("clientThreads=")?,
            translation: translation(&node)?,
        })
    }
}

fn contact_points(given: &Given, port: u16) -> Result<Vec<String>> {
    let listed = given.free().iter().flat_map(|word| word.split(',')).map(str::to_owned);
    let hosts: Vec<String> = match given.value("file=") {
        None => listed.collect(),
        Some(_) if !given.free().is_empty() => bail!("-node: file= and a list do not go together"),
        Some(file) => {
            let text = std::fs::read_to_string(file).with_context(|| format!("-node: file={file}"))?;
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
    };
    let hosts = if hosts.is_empty() && !given.has("file=") { vec!["localhost".to_owned()] } else { hosts };
    ensure!(!hosts.is_empty(), "-node: there is no node in the file");
    hosts.iter().map(|host| load::contact_point(host, port).context("-node")).collect()
}

/// `translate=10.0.0.1:9042>127.0.0.1:19042,...`
fn translation(node: &Given) -> Result<HashMap<SocketAddr, SocketAddr>> {
    let Some(text) = node.text("translate=")? else { return Ok(HashMap::new()) };
    let pair = |pair: &str| {
        let (named, reached) = pair.split_once('>')?;
        Some((named.parse().ok()?, reached.parse().ok()?))
    };
    let read = |part: &str| pair(part).with_context(|| format!("-node: translate={part}: IP:PORT>IP:PORT is expected"));
    text.split(',').map(read).collect()
}

fn credentials(mode: &Given, file: Option<&str>) -> Result<Option<(String, String)>> {
    let (mut user, mut password) = (None, None);
    if let Some(file) = file {
        (user, password) = load::credentials(Path::new(file)).context("-credentials-file")?;
    }
    user = mode.text("user=")?.or(user);
    password = mode.text("password=")?.or(password);
    match (user, password) {
        (None, None) => Ok(None),
        (Some(user), Some(password)) => Ok(Some((user, password))),
        (Some(_), None) => bail!("-mode: user= needs password="),
        (None, Some(_)) => bail!("-mode: password= needs user="),
    }
}

fn pem(given: &Given, word: &str) -> Result<Option<PathBuf>> {
    let Some(path) = given.text(word)?.map(PathBuf::from) else { return Ok(None) };
    let shown = path.display();
    let java = ["jks", "p12", "pfx", "keystore", "truststore", "jceks"];
    if path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| java.contains(&extension)) {
        bail!("-transport: {word}{shown} is a Java key store; PEM is taken: openssl pkcs12 -in {shown} -nodes -out FILE.pem");
    }
    let text = read(&path).with_context(|| format!("-transport: {word}{shown}"))?;
    ensure!(text.contains("-----BEGIN CERTIFICATE-----"), "-transport: {word}{shown} holds no certificate in PEM");
    let keyless = word == "keystore=" && !text.contains("PRIVATE KEY-----");
    ensure!(!keyless, "-transport: {word}{shown} holds no private key in PEM");
    Ok(Some(path))
}

fn read(path: &Path) -> std::io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}
