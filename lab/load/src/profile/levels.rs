// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Consistency levels as profiles name them.

use anyhow::{bail, Result};
use scylla::statement::{Consistency, SerialConsistency};

/// A consistency level by its name in CQL's tools, in any case.
pub fn consistency(text: &str) -> Result<Consistency> {
    Ok(match text.to_ascii_uppercase().as_str() {
        "ANY" => Consistency::Any,
        "ONE" => Consistency::One,
        "TWO" => Consistency::Two,
        "THREE" => Consistency::Three,
        "QUORUM" => Consistency::Quorum,
        "ALL" => Consistency::All,
        "LOCAL_QUORUM" => Consistency::LocalQuorum,
        "EACH_QUORUM" => Consistency::EachQuorum,
        "LOCAL_ONE" => Consistency::LocalOne,
        "SERIAL" => Consistency::Serial,
        "LOCAL_SERIAL" => Consistency::LocalSerial,
        _ => bail!("unknown level {text:?}"),
    })
}

/// A serial consistency level by its name.
pub fn serial(text: &str) -> Result<SerialConsistency> {
    Ok(match text.to_ascii_uppercase().as_str() {
        "SERIAL" => SerialConsistency::Serial,
        "LOCAL_SERIAL" => SerialConsistency::LocalSerial,
        _ => bail!("unknown level {text:?}, expected SERIAL or LOCAL_SERIAL"),
    })
}
