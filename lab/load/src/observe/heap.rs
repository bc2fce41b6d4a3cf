// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The Java heap of a local process, asked as `jcmd` asks.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A collection of a large heap takes its time.
const ANSWER_MAX: Duration = Duration::from_secs(60);

/// Bytes in use on the Java heap of a local process, exact to a thread's allocation buffer; `None` when `jcmd` is not there,
/// the process does not answer, or its collector does not tell (ZGC, Shenandoah). Blocks for half a second or so.
pub fn heap_used_bytes(pid: i32) -> Option<u64> {
    used_bytes(&jcmd(pid, "GC.heap_info")?)
}

/// Has a local process collect its whole heap, as `System.gc()` does; whether it did. Blocks until it has.
pub fn collect_garbage(pid: i32) -> bool {
    jcmd(pid, "GC.run").is_some()
}

/// Has a local process count all objects of its heap, at one safepoint; whether it did. Blocks until it has.
pub fn count_objects(pid: i32) -> bool {
    jcmd(pid, "GC.class_histogram -all").is_some()
}

/// `jcmd` itself is a JVM, whose start costs as much CPU as thousands of operations: it is run only until the process listens.
fn jcmd(pid: i32, command: &str) -> Option<String> {
    match UnixStream::connect(format!("/proc/{pid}/root/tmp/.java_pid{pid}")) {
        Ok(stream) => attached(stream, command),
        Err(_) => run_jcmd(pid, command),
    }
}

/// HotSpot's attach protocol: version, command and three arguments, each ended by a zero byte; the answer begins with a line
/// that is 0 when all went well.
fn attached(mut stream: UnixStream, command: &str) -> Option<String> {
    stream.set_read_timeout(Some(ANSWER_MAX)).ok()?;
    stream.write_all(format!("1\0jcmd\0{command}\0\0\0").as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.strip_prefix("0\n").map(str::to_owned)
}

fn run_jcmd(pid: i32, command: &str) -> Option<String> {
    let jcmd = std::env::var("JAVA_HOME").map_or_else(|_| "jcmd".to_owned(), |home| format!("{home}/bin/jcmd"));
    let asked = Command::new(jcmd).args([&pid.to_string(), command]).stdin(Stdio::null()).output().ok()?;
    asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).into_owned())
}

/// One space or several (`def new generation`, `tenured generation`): each says its total and what is used of it.
fn used_bytes(text: &str) -> Option<u64> {
    let spaces: Vec<u64> = text
        .lines()
        .filter(|line| line.contains(" total "))
        .filter_map(|line| line.split("used ").nth(1)?.split('K').next()?.trim().parse::<u64>().ok())
        .collect();
    (!spaces.is_empty()).then(|| spaces.into_iter().fold(0, u64::saturating_add).saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lab_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in spoilt(vec![" heap total 1K, used 18446744073709551615K\n total 2K, used 7K".into()])) {
            let _ = used_bytes(&String::from_utf8_lossy(&text));
        }
    }

    /// What a JVM's end of the connection hears, and what comes back when it answers so.
    fn exchange(answer: &'static str) -> (String, Option<String>) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let jvm = std::thread::spawn(move || {
            let mut heard = vec![0; "1\0jcmd\0GC.run\0\0\0".len()];
            theirs.read_exact(&mut heard).unwrap();
            theirs.write_all(answer.as_bytes()).unwrap();
            String::from_utf8(heard).unwrap()
        });
        let answer = attached(ours, "GC.run");
        (jvm.join().unwrap(), answer)
    }

    #[test]
    fn a_jvm_is_asked_over_its_socket() {
        let (heard, answer) = exchange("0\nCommand executed successfully\n");
        assert_eq!(heard, "1\0jcmd\0GC.run\0\0\0");
        assert_eq!(answer.unwrap(), "Command executed successfully\n");
        assert_eq!(exchange("1\njava.lang.IllegalArgumentException\n").1, None);
    }

    #[test]
    fn g1_says_one_number() {
        let text =
            "13411:\n garbage-first heap   total 131072K, used 30371K [0x00000000f8000000, 0x0000000100000000)\n  \
            region size 1024K, 27 young (27648K), 2 survivors (2048K)\n Metaspace       used 9122K, committed 9408K\n";
        assert_eq!(used_bytes(text), Some(30371 * 1024));
    }

    #[test]
    fn serial_says_one_for_each_generation() {
        let text =
            " def new generation   total 78656K, used 10000K [0x1, 0x2, 0x3)\n  eden space 69952K,   4% used [0x1)\n \
            tenured generation   total 174784K, used 20000K [0x1, 0x2)\n";
        assert_eq!(used_bytes(text), Some(30000 * 1024));
    }

    #[test]
    fn a_collector_that_does_not_tell_is_unknown() {
        assert_eq!(used_bytes(" ZHeap           used 106M, capacity 252M, max capacity 4012M\n"), None);
    }
}
