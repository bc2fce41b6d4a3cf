/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * The boundary to Rust: {@link Native}, and the classes that fill its buffers and read its answers. No seam: the other
 * packages call it, on their threads. docs/internals/boundary.md has the formats.
 */
package io.cassiterite.engine;
