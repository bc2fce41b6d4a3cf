// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The plug-in's program `Move`, which tells one node the direction of a table over JMX.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use tokio::process::Command;
use tokio::time::timeout;

const MAIN: &str = "io.cassiterite.tools.Move";
/// A JVM has to start, and a busy node to write a marker.
const LIMIT: Duration = Duration::from_secs(60);

/// How it is started.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Program.
    pub java: PathBuf,
    /// The plug-in's.
    pub jar: PathBuf,
    /// User, and the file with the password.
    pub login: Option<(String, PathBuf)>,
    /// Of the table.
    pub keyspace: String,
    /// Its name.
    pub table: String,
}

impl Tool {
    /// Refuses a jar that is not there.
    pub fn check(&self) -> Result<()> {
        ensure!(self.jar.is_file(), "{} is not there: say --jar FILE, the plug-in's jar", self.jar.display());
        Ok(())
    }

    /// What an operator would type.
    pub fn words(&self, (host, port): (&str, u16), direction: &str) -> String {
        format!("java -cp {} {MAIN} {host} {port} {} {} {direction}", self.jar.display(), self.keyspace, self.table)
    }

    /// Tells the node at this JMX address; an error has the node's reason. Ends within a minute.
    pub async fn direct(&self, (host, port): (String, u16), direction: &str) -> Result<()> {
        let mut command = Command::new(&self.java);
        command.arg("-Xmx64m").arg("-cp").arg(&self.jar).arg(MAIN);
        if let Some((user, file)) = &self.login {
            command.arg("-u").arg(user).arg("-pwf").arg(file);
        }
        command.arg(&host).arg(port.to_string()).args([&self.keyspace, &self.table]).arg(direction);
        // A signal to this program's group must not end what tells the nodes to hold.
        command.process_group(0).kill_on_drop(true).stdin(Stdio::null());
        let output = match timeout(LIMIT, command.output()).await {
            Ok(output) => output.with_context(|| format!("cannot start {}", self.java.display()))?,
            Err(_) => bail!("Move has not ended within {} s (JMX {host}:{port})", LIMIT.as_secs()),
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned();
            let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(4).collect();
            bail!("{} (JMX {host}:{port})", said.join("; "));
        }
        Ok(())
    }
}
