// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use std::io::Write;

use super::devices::{devices_of, number};
use super::*;
use crate::journal::identity::Identity;
use crate::journal::{tests::plan, Entry, Journal, Thing};
use crate::limits::Limits;
use crate::quantity::{ByteRate, Bytes};

fn volume(driver: Driver, size: u64, copies: u32) -> Volume {
    let size = driver.makes().then_some(Bytes(size << 20));
    Volume { driver, path: None, size, copies, per_node: false, limits: None, durable: true, price: None }
}

/// Where rights and kernel do not allow a driver, it says so.
#[test]
fn what_is_made_holds_its_bytes_and_is_taken_away() {
    for (driver, size, copies) in [
        (Driver::Tmpfs, 8, 1),
        (Driver::Loop, 32, 1),
        (Driver::Mirror, 256, 2),
        (Driver::Mirror, 256, 3),
        (Driver::Replicated, 256, 1),
        (Driver::Replicated, 256, 3),
    ] {
        let volume = volume(driver, size, copies);
        if let Err(why) = able(&volume, false) {
            println!("{driver:?} is not tested here: {why:#}");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(if driver == Driver::Replicated { "without" } else { "with space" });
        match make("v", &volume, &root) {
            // The machine's own rules may forbid what the kernel and the process' rights allow.
            Err(why) if format!("{why:#}").contains("ermission denied") => {
                println!("{driver:?} is not tested here: {why:#}");
                remove(&root).unwrap();
                continue;
            }
            made => made.unwrap(),
        }
        let at = super::folder("v", &volume, &root);
        assert!(mounts().unwrap().contains(&at), "{driver:?}");
        fs::write(at.join("file"), vec![7; 1 << 20]).unwrap();
        let full = fs::write(at.join("more"), vec![7; (size as usize + 1) << 20]);
        assert!(full.is_err(), "{driver:?}: more than its size was written");
        let images = images(&root).unwrap();
        assert_eq!(images.len(), if driver == Driver::Tmpfs { 0 } else { copies as usize });
        remove(&root).unwrap();
        assert!(!root.exists() && !mounts().unwrap().contains(&at), "{driver:?}");
        assert!(replicated::running(folder.path()).is_empty());
        assert!(images.iter().all(|image| devices_of(image).map_or(true, |devices| devices.is_empty())));
    }
}

/// A volume, and where it is mounted; nothing, in words, where rights and kernel do not allow it.
fn made(volume: Volume, folder: &Path) -> Option<(Made, PathBuf)> {
    let root = folder.join("root");
    if let Err(why) = able(&volume, false).and_then(|()| make("m", &volume, &root)) {
        println!("it is not tested here: {why:#}");
        remove(&root).unwrap();
        return None;
    }
    let at = super::folder("m", &volume, &root);
    Some((Made::of(("m", &volume), &root, None), at))
}

/// Where rights and kernel do not allow a mirror, it says so.
#[test]
fn a_mirror_serves_without_a_copy_and_has_all_of_it_again_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let Some((made, at)) = made(volume(Driver::Mirror, 256, 2), folder.path()) else { return };
    let write = |name: &str, byte: u8| {
        fs::write(at.join(name), vec![byte; 5 << 20]).unwrap();
        fs::File::open(at.join(name)).unwrap().sync_all().unwrap();
    };
    write("before", 1);
    made.lose_copy().unwrap();
    write("without", 2);
    made.reattach().unwrap();
    write("after", 3);
    // The copy that was lost is now the only one.
    let first = image(&made.root, "m", 1);
    fs::OpenOptions::new().write(true).open(&first).unwrap().set_len(0).unwrap();
    run(Command::new("losetup").arg("--set-capacity").arg(&devices_of(&first).unwrap()[0])).unwrap();
    for (name, byte) in [("before", 1), ("without", 2), ("after", 3)] {
        let file = fs::File::open(at.join(name)).unwrap();
        // From the device, not from memory.
        nix::fcntl::posix_fadvise(&file, 0, 0, nix::fcntl::PosixFadviseAdvice::POSIX_FADV_DONTNEED).unwrap();
        assert!(fs::read(at.join(name)).unwrap() == vec![byte; 5 << 20], "{name}");
    }
    remove(&made.root).unwrap();
}

/// Where rights, kernel and packages do not allow it, it says so.
#[test]
fn a_replicated_volume_is_refused_where_glusterfs_could_not_read_its_path() {
    let (folder, volume) = (tempfile::tempdir().unwrap(), volume(Driver::Replicated, 256, 1));
    if let Err(why) = able(&volume, false) {
        return println!("it is not tested here: {why:#}");
    }
    let error = format!("{:#}", make("m", &volume, &folder.path().join("with space")).unwrap_err());
    assert!(error.contains("no path with blanks"), "{error}");
}

/// Where rights, kernel and packages do not allow it, it says so.
#[test]
fn a_replicated_volume_serves_without_a_host_and_heals_one_that_comes_empty() {
    let folder = tempfile::tempdir().unwrap();
    let Some((made, at)) = made(volume(Driver::Replicated, 256, 2), folder.path()) else { return };
    let write = |name: &str, byte: u8| {
        fs::create_dir_all(at.join("deep").join(name)).unwrap();
        fs::write(at.join("deep").join(name).join("file"), vec![byte; 5 << 20]).unwrap();
        fs::File::open(at.join("deep").join(name).join("file")).unwrap().sync_all().unwrap();
    };
    write("before", 1);
    write("rewritten", 1);
    made.lose_copy().unwrap();
    write("rewritten", 2);
    write("without", 2);
    made.reattach().unwrap();
    write("after", 3);
    let second = made.root.join("m.gluster/host2/brick/deep");
    for (name, byte) in [("before", 1), ("rewritten", 2), ("without", 2), ("after", 3)] {
        assert!(fs::read(second.join(name).join("file")).unwrap() == vec![byte; 5 << 20], "{name}");
    }
    remove(&made.root).unwrap();
    assert!(replicated::running(folder.path()).is_empty() && !made.root.exists());
}

/// What the kernel says of the devices of a volume.
fn throttles(made: &Made) -> Vec<String> {
    let images = images(&made.root.canonicalize().unwrap()).unwrap();
    let devices = images.iter().flat_map(|image| devices_of(image).unwrap());
    devices.flat_map(|device| throttle::lines(number(&device).unwrap()).unwrap()).collect()
}

/// The least time that it may take: nothing of it depends on how fast the machine is.
fn written_in(at: &Path, mebibytes: usize) -> std::time::Duration {
    let begin = std::time::Instant::now();
    fs::write(at.join("file"), vec![7; mebibytes << 20]).unwrap();
    fs::File::open(at.join("file")).unwrap().sync_all().unwrap();
    begin.elapsed()
}

/// Where rights and kernel do not allow throttles, it says so.
#[test]
fn a_device_is_no_faster_than_its_limits_and_has_none_when_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { write: Some(ByteRate(1 << 20)), read: None, iops: Some(500) };
    let Some((made, at)) = made(Volume { limits: Some(limits), ..volume(Driver::Loop, 64, 1) }, folder.path()) else {
        return;
    };
    let said = throttles(&made);
    assert!(!said.is_empty() && said.iter().all(|line| line.contains("1048576") || line.contains("500")), "{said:?}");
    let took = written_in(&at, 4);
    assert!(took.as_secs() >= 2, "4 MiB at 1 MiB/s took {took:?}");
    let device = devices_of(&image(&made.root.canonicalize().unwrap(), "m", 1)).unwrap().remove(0);
    remove(&made.root).unwrap();
    assert_eq!(throttle::lines(number(&device).unwrap()).unwrap(), Vec::<String>::new());
}

/// Where rights do not allow tmpfs, it says so.
#[test]
fn a_volume_is_full_until_its_filler_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let Some((made, at)) = made(volume(Driver::Tmpfs, 16, 1), folder.path()) else { return };
    made.fill(15 << 20).unwrap();
    assert!(fs::write(at.join("file"), vec![7; 2 << 20]).is_err());
    made.free().unwrap();
    made.free().unwrap();
    fs::write(at.join("file"), vec![7; 2 << 20]).unwrap();
    assert!(made.fill(17 << 20).unwrap_err().to_string().contains("16 MiB in all"));
    remove(&made.root).unwrap();
}

/// Where rights do not allow tmpfs, it says so.
#[test]
fn a_journal_on_a_full_device_lacks_what_had_no_room_alone() {
    let folder = tempfile::tempdir().unwrap();
    let Some((made, at)) = made(volume(Driver::Tmpfs, 16, 1), folder.path()) else { return };
    let mut journal = Journal::create(&at, Identity::default(), plan()).unwrap();
    let record = || Entry::Gone { thing: Thing::Cluster("/c".into()) };
    let mut filler = fs::File::create(at.join("filler")).unwrap();
    while filler.write_all(&[7; 4096]).is_ok() {}
    let full = (0..1000).find_map(|_| journal.add(record()).err()).unwrap();
    assert!(format!("{full:#}").contains("No space left"), "{full:#}");
    let room = journal.entries().len();
    assert!(room > 1);
    assert!(journal.add(record()).is_err());
    fs::remove_file(at.join("filler")).unwrap();
    drop(filler);
    journal.add(record()).unwrap();
    assert_eq!(Journal::view(&at).unwrap().entries().len(), room + 1);
    drop(journal);
    remove(&made.root).unwrap();
}

/// Where rights and kernel do not allow throttles, it says so.
#[test]
fn a_volume_is_slow_until_it_is_as_fast_as_its_own_limits_again() {
    let folder = tempfile::tempdir().unwrap();
    let own = Limits { read: Some(ByteRate(8 << 20)), write: None, iops: None };
    let Some((made, at)) = made(Volume { limits: Some(own), ..volume(Driver::Mirror, 256, 2) }, folder.path()) else {
        return;
    };
    let mut made = made;
    let before = throttles(&made);
    let rate = Some(ByteRate(1 << 20));
    made.slow(Limits { read: rate, write: rate, iops: None }).unwrap();
    let said = throttles(&made);
    assert!(said != before && said.iter().all(|line| line.contains("1048576")), "{said:?}");
    let took = written_in(&at, 4);
    assert!(took.as_secs() >= 2, "4 MiB at 1 MiB/s took {took:?}");
    made.unslow().unwrap();
    assert_eq!(throttles(&made), before);
    // One that nothing mended is lifted before its file system is unmounted.
    made.slow(Limits { read: rate, write: rate, iops: None }).unwrap();
    remove(&made.root).unwrap();
    assert!(!made.root.exists());
}

/// Where rights, kernel and packages do not allow a driver, it says so.
#[test]
fn a_node_has_a_volume_of_its_own_which_another_host_mounts_with_what_was_synced() {
    for (driver, copies) in [(Driver::Loop, 1), (Driver::Mirror, 2), (Driver::Replicated, 2)] {
        let volume = Volume { per_node: true, ..volume(driver, 256, copies) };
        let (folder, name) = (tempfile::tempdir().unwrap(), format!("{driver:?}"));
        let root = folder.path().join("root");
        let mut set = Set::of(&name, &volume, &root, 1..=2);
        if let Err(why) = able(&volume, false).and_then(|()| set.make()) {
            println!("{driver:?} is not tested here: {why:#}");
            remove(&root).unwrap();
            continue;
        }
        let at = |node: u32| root.join(format!("{name}.node{node}"));
        fs::write(at(1).join("other"), "other").unwrap();
        fs::write(at(2).join("synced"), "synced").unwrap();
        fs::File::open(at(2).join("synced")).unwrap().sync_all().unwrap();
        fs::write(at(2).join("not"), "in memory").unwrap();
        let own = set.own(2).unwrap();
        own.lose_mount().unwrap();
        assert!(!mounts().unwrap().contains(&at(2)) && mounts().unwrap().contains(&at(1)), "{driver:?}");
        own.mount_again().unwrap();
        assert_eq!(fs::read_to_string(at(2).join("synced")).unwrap(), "synced");
        assert!(!at(2).join("other").exists(), "{driver:?}");
        // A loop's host takes what it had in memory with it.
        assert!(driver != Driver::Loop || !at(2).join("not").exists());
        fs::write(at(2).join("afterwards"), "afterwards").unwrap();
        // A second try begins anew.
        own.mount_again().unwrap();
        set.add(3).unwrap();
        set.remove(2).unwrap();
        assert!(!at(2).exists() && mounts().unwrap().contains(&at(3)), "{driver:?}");
        assert_eq!(images(&root).unwrap().len(), 2 * copies as usize, "{driver:?}");
        remove(&root).unwrap();
        assert!(replicated::running(folder.path()).is_empty() && !root.exists(), "{driver:?}");
    }
}

#[test]
fn only_a_volume_of_one_node_is_mounted_elsewhere() {
    let elsewhere = |volume: &Volume, timeline: &[&str]| {
        let timeline: Vec<_> = timeline.iter().map(|word| word.parse().unwrap()).collect();
        mounts_elsewhere("px", volume, &timeline).map_err(|why| why.to_string())
    };
    let shared = volume(Driver::Mirror, 256, 2);
    let own = Volume { per_node: true, ..shared.clone() };
    assert!(elsewhere(&shared, &["lose-host 2"]).unwrap_err().contains("px is one for all nodes"));
    assert!(elsewhere(&own, &["lose-copy", "lose-host 2"]).unwrap_err().contains("a mirror that lacks a copy"));
    elsewhere(&own, &["lose-copy", "reattach", "lose-host 2"]).unwrap();
    let replicated = Volume { driver: Driver::Replicated, ..own };
    elsewhere(&replicated, &["lose-copy", "lose-host 2"]).unwrap();
}

#[test]
fn what_cannot_be_done_to_a_volume_is_said_by_its_name() {
    let error = |done: Result<()>| done.unwrap_err().to_string();
    assert!(error(loses_copies("px1", &volume(Driver::Mirror, 256, 1))).contains("px1 does not keep 2 or 3 copies"));
    assert!(error(slows("ram", &volume(Driver::Tmpfs, 16, 1), false)).contains("ram has no block device of its own"));
    let mine = Volume { path: Some("/mine".into()), ..volume(Driver::Directory, 0, 1) };
    assert!(error(fills("host", &mine, 1)).contains("does not make volume host"));
}

#[test]
fn what_is_missing_is_named() {
    let directory = Volume { path: Some("/nowhere/at/all".into()), ..volume(Driver::Directory, 0, 1) };
    assert!(able(&directory, false).unwrap_err().to_string().contains("is no folder"));
    let folder = tempfile::tempdir().unwrap();
    let mount = Volume { path: Some(folder.path().into()), ..volume(Driver::Mount, 0, 1) };
    assert!(able(&mount, false).unwrap_err().to_string().contains("nothing is mounted"));
    assert!(kernel_has("nosuchfs").unwrap_err().to_string().contains("nosuchfs"));
    assert!(program("mkfs.nosuchfs", "nosuch-progs").unwrap_err().to_string().contains("nosuch-progs"));
    remove(Path::new("/nowhere/at/all")).unwrap();
}
