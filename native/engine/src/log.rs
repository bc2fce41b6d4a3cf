// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Log lines: on standard error, where Cassandra's console goes.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line where it can: `eprintln!` would panic where the console is on a full disk.
pub(crate) fn log(line: Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "cassiterite: {line}");
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs::OpenOptions;
    use std::process::Command;

    #[test]
    fn a_full_console_is_no_panic() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--ignored", "--exact", "log::tests::a_line_is_logged"]);
        assert!(child.stderr(full).status().unwrap().success());
    }

    #[test]
    #[ignore = "run by the other test, with a console that is full"]
    fn a_line_is_logged() {
        super::log(format_args!("unread"));
    }
}
