// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The partition key that a request names.

use super::execute::Execute;
use super::limits::KEY_BYTES_MAX;
use super::value::Value;
use crate::reason::Reason;
use smallvec::SmallVec;

pub(super) type Key = SmallVec<[u8; 256]>;

/// The key of these components; in `buffer`, which is empty, if there are several.
pub(super) fn partition_key<'k>(
    components: &'k [Value],
    execute: &'k Execute<'_>,
    buffer: &'k mut Key,
) -> Result<&'k [u8], Reason> {
    let key = match components {
        [only] => only.checked(execute)?,
        several => {
            for component in several {
                let bytes = component.checked(execute)?;
                let length = u16::try_from(bytes.len()).map_err(|_| Reason::KeyLength)?;
                buffer.extend_from_slice(&length.to_be_bytes());
                buffer.extend_from_slice(bytes);
                buffer.push(0);
            }
            buffer
        }
    };
    if key.is_empty() || key.len() > KEY_BYTES_MAX {
        return Err(Reason::KeyLength);
    }
    Ok(key)
}
