// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the owner of a door says may be answered natively. When a call that ends a right has returned, no answer is sent
//! that was begun under it, and no write under it is in progress.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::door::Door;
use crate::rights::open_table::OpenTable;
use crate::rights::table_reader::TableReader;
use crate::rights::table_writer::TableWriter;
use crate::rights::written_table::WrittenTable;
use crate::served::Served;
use crate::statement::{Modification, Recipe, RecipeError};

impl Door {
    /// Lets answers be given from now on, for so long.
    pub fn renew(&self, lease: Duration) {
        self.shared.routes.renew(lease);
    }

    /// Ends the lease.
    pub fn shut(&self) {
        self.shared.routes.shut();
    }

    /// Opens a table, also one that is open: its bytes are in docs/internals/boundary.md. False where they are not.
    #[must_use]
    pub fn open_table(&self, reader: Arc<dyn TableReader>, bytes: &[u8]) -> bool {
        OpenTable::decode(reader, bytes).map(|table| self.shared.routes.open_table(table)).is_some()
    }

    /// Closes a table; its recipes stay.
    pub fn close_table(&self, id: &[u8; 16]) {
        self.shared.routes.close_table(id);
    }

    /// Opens a table to writes, also one that is open to them: its bytes are in docs/internals/boundary.md. False where they
    /// are not.
    #[must_use]
    pub fn open_to_writes(&self, writer: Arc<dyn TableWriter>, bytes: &[u8]) -> bool {
        WrittenTable::decode(writer, bytes).map(|table| self.shared.routes.open_to_writes(table)).is_some()
    }

    /// Closes a table to writes.
    pub fn close_to_writes(&self, id: &[u8; 16]) {
        self.shared.routes.close_to_writes(id);
    }

    /// A record that has to outlive a crash before every row that is written later is about to be complete. Cheap.
    pub fn add_record(&self) {
        self.shared.routes.add_record();
    }

    /// How many such records there have been.
    pub fn records(&self) -> u64 {
        self.shared.routes.records()
    }

    /// So many of them, the first ones, outlive a crash.
    pub fn records_are_safe(&self, count: u64) {
        self.shared.routes.records_are_safe(count);
    }

    /// Takes the recipe of a statement that writes one row.
    ///
    /// # Errors
    /// Where the bytes are not such a recipe.
    pub fn put_modification(&self, bytes: &[u8]) -> Result<(), RecipeError> {
        self.shared.routes.put_modification(Modification::decode(bytes)?);
        Ok(())
    }

    /// Takes the recipe of a statement, and begins its audition.
    ///
    /// # Errors
    /// Where the bytes are not a recipe.
    pub fn put_recipe(&self, bytes: &[u8]) -> Result<(), RecipeError> {
        self.shared.routes.put_recipe(Recipe::decode(bytes)?);
        Ok(())
    }

    /// Forgets the recipe of a statement, and asks for it when it is executed again.
    pub fn drop_recipe(&self, id: &[u8; 16]) {
        self.shared.routes.drop_recipe(id);
    }

    /// Asks for a statement no more, until [`Door::forget_refused`].
    pub fn refuse_recipe(&self, id: &[u8; 16]) {
        self.shared.routes.refuse_recipe(id);
    }

    /// Asks for refused statements again.
    pub fn forget_refused(&self) {
        self.shared.routes.forget_refused();
    }

    /// Says as what Cassandra has logged a connection in.
    pub fn admit(&self, connection: u64, login: u32) {
        if let Some(event_loop) = self.loop_of(connection) {
            event_loop.admit(connection, login);
        }
    }

    /// Replaces all pairs of login and statement that may be answered.
    pub fn set_grants(&self, grants: HashSet<(u32, [u8; 16])>) {
        self.shared.routes.set_grants(grants);
    }

    /// What was answered since the last call, in the form of docs/internals/boundary.md.
    pub fn served(&self) -> Vec<u8> {
        let mut served = Served::default();
        self.loops.iter().for_each(|event_loop| event_loop.drain_served(&mut served));
        let view = self.shared.routes.view();
        served.encode(&view.snapshot.statements)
    }
}
