// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Copies of a store in the middle of its work, as a crash would leave it.

use super::writers::Writer;
use crate::faults::{Step, HOOK};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io};

/// A store as a crash at this step leaves it.
pub struct Image {
    pub step: Step,
    pub path: PathBuf,
    /// How many rows of the test's writer were acknowledged by then.
    pub acknowledged: u32,
}

/// The steps at which images were taken.
pub fn steps(images: &[Image]) -> Vec<Step> {
    images.iter().map(|image| image.step).collect()
}

/// Copies the store at every step that `work` reaches.
pub fn images(store: &Path, into: &Path, work: impl FnOnce()) -> Vec<Image> {
    images_under_writes(store, into, &Writer::default(), work)
}

/// The same beside a writer, which waits while a copy is made.
pub fn images_under_writes(store: &Path, into: &Path, writer: &Writer, work: impl FnOnce()) -> Vec<Image> {
    let taken: Rc<RefCell<Vec<Image>>> = Rc::default();
    let (images, store, into, writer) = (Rc::clone(&taken), store.to_owned(), into.to_owned(), writer.clone());
    HOOK.set(Some(Box::new(move |step| {
        let path = into.join(format!("image-{}", images.borrow().len()));
        let acknowledged = writer.pause(|| copy_still(&store, &path));
        images.borrow_mut().push(Image { step, path, acknowledged });
        Ok(())
    })));
    work();
    HOOK.set(None);
    Rc::into_inner(taken).unwrap().into_inner()
}

/// Copies a store whose background work may not have ended.
fn copy_still(from: &Path, to: &Path) {
    while !copy(from, to).is_ok_and(|one_pinned_view| one_pinned_view) {
        if to.exists() {
            fs::remove_dir_all(to).unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// Copies a directory; whether it was the same all the while.
pub fn copy(from: &Path, to: &Path) -> io::Result<bool> {
    let before = listing(from)?;
    for (path, _) in &before {
        let target = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap())?;
        fs::copy(path, target)?;
    }
    Ok(listing(from)? == before)
}

/// The files of a directory, where it did not change meanwhile.
fn listing(directory: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(listing(&entry.path())?);
        } else if entry.file_name() != "LOCK" {
            found.push((entry.path(), entry.metadata()?.len()));
        }
    }
    found.sort();
    Ok(found)
}
