// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenario `restart`: the time from `kill -9` and a start to the first answer.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};

use crate::figure::{Better, Figure, Unit};
use crate::phase::{once, Phase};
use crate::subject::Subject;
use crate::trial::Trial;
use lab_load::load::{self, FaultCount, Pace, Stop, Target};

/// Between two tries to get an answer.
const TRY_EVERY: Duration = Duration::from_millis(20);
/// A node that is up answers by then, or not at all.
const ANSWER_MAX: Duration = Duration::from_secs(300);

pub(super) fn run(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    // Not flushed: what is in the logs of writes has to be read again.
    let population = once(settings.rows);
    let fill = Phase { name: "fill", ops: "insert=1".into(), population, pace: Pace::Closed, stop: Stop::WorkloadEnds };
    let filled = subject.load(&fill)?;
    ensure!(filled.tallies.iter().all(|tally| tally.errors == 0), "rows could not be written before the kill");
    subject.cluster_mut().kill(1)?;
    let question = format!("SELECT * FROM {}.rows LIMIT 1", subject.keyspace());
    let (to_answer_s, cpu_s) = start(subject, &question)?;
    subject.restarted();
    subject.reconnect()?;
    let all = once(settings.rows);
    let back = Phase {
        name: "read back",
        ops: "read=1".into(),
        population: all,
        pace: Pace::Closed,
        stop: Stop::WorkloadEnds,
    };
    // Rows that an engine loses here are its answer to the question, not a fault of the run.
    let back = subject.load_unjudged(&back)?;
    let (lost, corrupt) = judged(back.faults);
    if back.tallies.iter().any(|tally| tally.errors > 0) {
        subject.invalid.push("read back: not every row could be read after the restart".to_owned());
    }
    if lost > 0 {
        subject.notes.push(format!("{lost} acknowledged rows did not come back after kill -9"));
    }
    let shown = if corrupt.is_some() { back.first_faults.len() } else { 1 };
    subject.notes.extend(back.first_faults.iter().take(shown).map(|fault| format!("read back: {fault}")));
    subject.invalid.extend(corrupt.map(|reason| format!("read back: {reason}")));
    let figures = vec![
        Figure::new("kill -9 to first answer", Unit::Seconds, Better::Lower, Some(to_answer_s)),
        Figure::new("server CPU until all is up", Unit::Seconds, Better::Lower, cpu_s),
        Figure::new("acknowledged rows lost", Unit::Count, Better::Lower, Some(lost as f64)),
        Figure::new("rows checked", Unit::Count, Better::Neither, Some(back.rows_checked as f64)),
    ];
    Ok(Trial { figures, ..Trial::default() })
}

/// The rows that are gone, or are as they were before an acknowledged write; and the reason for not believing the run
/// where others came back as nobody wrote them.
fn judged([lost, stale, mixed_up, resurrected]: [FaultCount; 4]) -> (u64, Option<String>) {
    let (mixed_up, resurrected) = (mixed_up.unexplained(), resurrected.unexplained());
    let corrupt = (mixed_up + resurrected > 0)
        .then(|| format!("{mixed_up} rows were mixed up and {resurrected} resurrected after kill -9"));
    (lost.rows + stale.rows, corrupt)
}

/// Starts the node while another thread asks it for a row, over and over: seconds to the answer, CPU until it is up. That it has
/// no row is an answer, too: whoever reads the rows back afterwards judges it.
pub(super) fn start(subject: &mut Subject<'_>, question: &str) -> Result<(f64, Option<f64>)> {
    let node = subject.cluster().nodes().into_iter().next().context("the cluster has no node")?;
    let (address, question) = (SocketAddr::from((node.address, node.cql_port)), question.to_owned());
    subject.cluster().await_ports(node.number)?;
    let given_up = Arc::new(AtomicBool::new(false));
    let began = Instant::now();
    let asking = std::thread::spawn({
        let given_up = Arc::clone(&given_up);
        move || -> Option<Duration> {
            while !given_up.load(Ordering::Relaxed) {
                if listens(address.port()) && answers(address, &question) {
                    return Some(began.elapsed());
                }
                std::thread::sleep(TRY_EVERY);
            }
            None
        }
    });
    let started = subject.cluster_mut().start(1);
    let latest = Instant::now() + ANSWER_MAX;
    while started.is_ok() && !asking.is_finished() && Instant::now() < latest && !subject.is_interrupted() {
        std::thread::sleep(TRY_EVERY);
    }
    given_up.store(true, Ordering::Relaxed);
    let answered = asking.join().ok().flatten();
    started?;
    ensure!(!subject.is_interrupted(), "interrupted");
    subject.restarted();
    let cpu_s = subject.readings().first().and_then(|reading| reading.process.cpu_s);
    Ok((answered.context("the node did not answer after its start")?.as_secs_f64(), cpu_s))
}

/// Looked up, not tried: on loopback, connecting to a port that nobody listens on may connect to itself and take the port.
fn listens(port: u16) -> bool {
    let tables = [procfs::net::tcp(), procfs::net::tcp6()];
    tables
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.state == procfs::net::TcpState::Listen && entry.local_address.port() == port)
}

fn answers(address: SocketAddr, question: &str) -> bool {
    let asked = load::runtime(1).and_then(|runtime| {
        runtime.block_on(async {
            let session = load::connect(&Target::new([address.to_string()])).await?;
            session.query_unpaged(question, ()).await?.into_rows_result().context("rows")
        })
    });
    asked.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_nobody_wrote_so_are_not_lost_but_a_reason() {
        let count = |rows| FaultCount { rows, explained_by_consistency: 0 };
        assert_eq!(judged([count(3), count(2), count(0), count(0)]), (5, None));
        let (lost, corrupt) = judged([count(1), count(0), count(4), count(2)]);
        assert_eq!(lost, 1);
        assert_eq!(corrupt.as_deref(), Some("4 rows were mixed up and 2 resurrected after kill -9"));
    }
}
