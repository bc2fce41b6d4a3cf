// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::plan::quantity::Bytes;

fn volume(driver: Driver, size: u64, copies: u32) -> Volume {
    Volume { driver, path: None, size: driver.makes().then_some(Bytes(size << 20)), copies, durable: true, price: None }
}

/// Where rights and kernel do not allow a driver, it says so.
#[test]
fn what_is_made_holds_its_bytes_and_is_taken_away() {
    for (driver, size, copies) in
        [(Driver::Tmpfs, 8, 1), (Driver::Loop, 32, 1), (Driver::Mirror, 256, 2), (Driver::Mirror, 256, 3)]
    {
        let volume = volume(driver, size, copies);
        if let Err(why) = able(&volume) {
            println!("{driver:?} is not tested here: {why:#}");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("with space");
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
        assert!(images.iter().all(|image| devices_of(image).map_or(true, |devices| devices.is_empty())));
    }
}

#[test]
fn what_is_missing_is_named() {
    let directory = Volume { path: Some("/nowhere/at/all".into()), ..volume(Driver::Directory, 0, 1) };
    assert!(able(&directory).unwrap_err().to_string().contains("is no folder"));
    let folder = tempfile::tempdir().unwrap();
    let mount = Volume { path: Some(folder.path().into()), ..volume(Driver::Mount, 0, 1) };
    assert!(able(&mount).unwrap_err().to_string().contains("nothing is mounted"));
    assert!(kernel_has("nosuchfs").unwrap_err().to_string().contains("nosuchfs"));
    assert!(program("mkfs.nosuchfs", "nosuch-progs").unwrap_err().to_string().contains("nosuch-progs"));
    remove(Path::new("/nowhere/at/all")).unwrap();
}

#[test]
fn places_of_mounts_are_read_with_their_spaces() {
    assert_eq!(unescaped(br"/a\040b\011c\x"), b"/a b\tc\\x");
}
