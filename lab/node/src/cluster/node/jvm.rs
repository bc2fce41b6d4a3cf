// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command line of a node's JVM.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};

use super::{text, NodeSpec};
use crate::cluster::Home;

const MAIN: &str = "org.apache.cassandra.service.CassandraDaemon";

/// `java` of JAVA_HOME, else of the path.
pub fn java() -> Result<PathBuf> {
    let named = env::var_os("JAVA_HOME").filter(|folder| !folder.is_empty());
    let candidates: Vec<PathBuf> = match &named {
        Some(folder) => vec![Path::new(folder).join("bin/java")],
        None => env::split_paths(&env::var_os("PATH").unwrap_or_default()).map(|dir| dir.join("java")).collect(),
    };
    match candidates.into_iter().find(|java| java.is_file()) {
        Some(java) => Ok(java),
        None if named.is_some() => bail!("java is missing in JAVA_HOME: install a JDK 17, or say where it is"),
        None => bail!("java is missing: install a JDK 17"),
    }
}

/// Everything behind `java`.
pub(super) fn options(node: &NodeSpec, home: &Home) -> Result<Vec<String>> {
    let mut options = base_options(node, home)?;
    if node.fast {
        options.extend(file_options(&home.configuration("jvm-fast.options"))?);
        if let Some(archive) = class_archive(home)? {
            options.push(format!("-XX:SharedArchiveFile={}", text(&archive)?));
        }
    } else {
        options.push(format!("-Xms{}", node.heap));
        options.extend(["-XX:+UseG1GC", "-XX:MaxGCPauseMillis=300", "-XX:+ParallelRefProcEnabled"].map(str::to_owned));
    }
    if let Some(dead) = node.replaces {
        options.push(format!("-Dcassandra.replace_address_first_boot={dead}"));
    }
    if let Some(file) = &node.gc_log {
        options.push(format!("-Xlog:gc*:file={}:uptime:filecount=0", text(file)?));
    }
    if node.plugin.is_some() {
        options.push(format!("-Dcassiterite.native_directory={}/native", text(&node.base)?));
        options.extend(file_options(&home.configuration("jvm-plugin.options"))?);
    }
    options.extend(node.jvm.iter().cloned());
    options.extend(["-cp".to_owned(), classpath(node, home)?, MAIN.to_owned()]);
    Ok(options)
}

fn base_options(node: &NodeSpec, home: &Home) -> Result<Vec<String>> {
    let base = text(&node.base)?;
    Ok(vec![
        format!("@{}", text(&home.join("config/jvm17.options"))?),
        "-ea".to_owned(),
        format!("-Xmx{}", node.heap),
        "-Xss512k".to_owned(),
        "-XX:+PerfDisableSharedMem".to_owned(),
        "-XX:+ExitOnOutOfMemoryError".to_owned(),
        format!("-XX:ErrorFile={base}/logs/hs_err_%p.log"),
        "-Djava.net.preferIPv4Stack=true".to_owned(),
        format!("-Dcassandra.config=file://{}", text(&node.configuration_file())?),
        format!("-Dcassandra.storagedir={base}"),
        format!("-Dcassandra.logdir={base}/logs"),
        format!("-Dlogback.configurationFile=file:{}", text(&home.configuration("logback.xml"))?),
        format!("-Dcassandra.jmx.local.port={}", node.jmx_port),
        "-Dcassandra-foreground=yes".to_owned(),
        "-Dfile.encoding=UTF-8".to_owned(),
        format!("-Dcassandra.triggers_dir={base}/conf/triggers"),
        "-Dcassandra.superuser_setup_delay_ms=100".to_owned(),
    ])
}

/// Cassandra's jars come first: only then can the JVM use an archive of their classes.
fn classpath(node: &NodeSpec, home: &Home) -> Result<String> {
    let jars = home.cassandra("lib/*");
    let mut entries = vec![jars, node.base.join("conf")];
    entries.extend(node.classpath.iter().cloned());
    entries.extend(node.plugin.is_some().then(|| node.installed_plugin()));
    Ok(entries.iter().map(|entry| text(entry)).collect::<Result<Vec<_>>>()?.join(":"))
}

/// One option a line, besides comments.
fn file_options(file: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// The archive that `make class-archive` made of the classes of this JDK and these jars.
fn class_archive(home: &Home) -> Result<Option<PathBuf>> {
    let script = home.join("scripts/class-archive.sh");
    if !script.is_file() {
        return Ok(None);
    }
    let output = home.script("scripts/class-archive.sh").arg("--name").output();
    let output = output.with_context(|| format!("cannot run {}", script.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} failed: {}", script.display(), said.trim());
    let archive = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
    Ok(archive.is_file().then_some(archive))
}
