// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How a cluster that is there already lets a client in, as the user writes it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use lab_load::load::{Target, TlsFiles};

/// Who the client is, TLS, and addresses. The journal keeps paths, never what is in the files.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// The role that the client logs in as; needs `password_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// A file whose first line is the role's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_file: Option<PathBuf>,
    /// TLS; left out, the client speaks in the clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
    /// `IP:PORT` that a node names, and `IP:PORT` at which it is reached from here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, String>")]
    pub translate: BTreeMap<SocketAddr, SocketAddr>,
}

/// PEM files for TLS.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Certificates of the authorities to trust.
    pub ca: PathBuf,
    /// The client's certificate chain, where the cluster wants one; needs `key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<PathBuf>,
    /// The client's private key; needs `certificate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// Whether a node's certificate must name the node's address.
    #[serde(default)]
    pub check_hostname: bool,
}

impl Access {
    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.user.is_some() == self.password_file.is_some(), "access: user and password_file go together");
        let Some(tls) = &self.tls else { return Ok(()) };
        ensure!(tls.certificate.is_some() == tls.key.is_some(), "access: tls: certificate and key go together");
        Ok(())
    }

    /// Paths are meant from the plan file's folder.
    pub(super) fn resolve(&mut self, folder: &Path) -> Result<()> {
        let tls = self
            .tls
            .iter_mut()
            .flat_map(|tls| [Some(&mut tls.ca), tls.certificate.as_mut(), tls.key.as_mut()].into_iter().flatten());
        for path in self.password_file.iter_mut().chain(tls) {
            *path = std::path::absolute(folder.join(&*path))?;
        }
        Ok(())
    }

    /// A client of these contact points; reads the password.
    pub fn target(&self, contact_points: &[String]) -> Result<Target> {
        let password = self.password_file.as_ref().map(|path| {
            let text = std::fs::read_to_string(path).with_context(|| format!("access: {}", path.display()))?;
            text.lines().next().map(str::to_owned).with_context(|| format!("access: {} is empty", path.display()))
        });
        Ok(Target {
            username: self.user.clone(),
            password: password.transpose()?,
            tls: self.tls.as_ref().map(|tls| TlsFiles {
                ca: tls.ca.clone(),
                certificate: tls.certificate.clone(),
                key: tls.key.clone(),
                check_hostname: tls.check_hostname,
            }),
            translation: self.translate.iter().map(|(named, reached)| (*named, *reached)).collect(),
            ..Target::new(contact_points)
        })
    }
}
