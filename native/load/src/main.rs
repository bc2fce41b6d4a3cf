// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite-load` puts a bounded load on one table of an Apache Cassandra node and prints one line of JSON.
//!
//! It is the load half of `scripts/bench_node.py`, not a general load tool. With `--rate` it is an open loop: an operation's
//! latency counts from the moment at which it was due, missed ticks are not skipped. Every read is checked.

mod args;
mod pace;
mod report;
mod row;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session_builder::SessionBuilder;
use scylla::statement::Consistency;

use crate::args::{Args, Mode};
use crate::worker::Worker;

fn main() -> Result<()> {
    let args = Args::parse();
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(args.client_threads)
        .enable_all()
        .build()?
        .block_on(run(args))
}

async fn run(args: Args) -> Result<()> {
    let profile = ExecutionProfile::builder()
        .consistency(Consistency::LocalOne)
        .request_timeout(Some(Duration::from_secs(20)))
        .build();
    let session = SessionBuilder::new()
        .known_node(&args.contact)
        .default_execution_profile_handle(profile.into_handle())
        .build()
        .await?;
    if args.mode == Mode::Create {
        return row::create(&session, &args).await;
    }
    let worker = Arc::new(Worker::prepare(session, &args).await?);
    let elapsed = match (args.mode, args.rate) {
        (Mode::Fill, _) => pace::all_rows(&worker, &args).await?,
        (_, 0) => pace::closed_loop(&worker, &args).await?,
        (_, rate) => pace::open_loop(&worker, &args, rate).await?,
    };
    println!("{}", report::json(&args, &worker, elapsed)?);
    Ok(())
}
