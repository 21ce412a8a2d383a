//! The rules that a journal of every form obeys, on sled and on PostgreSQL.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

mod backup;
mod export;
#[path = "../support/form.rs"]
mod form;
mod journal;
#[path = "../support/numbered.rs"]
mod numbered;
mod same_bytes;
mod spool;

/// Tests that run on each form.
macro_rules! on_every_form {
    ($($test:ident,)*) => {
        mod sled_form {
            $(#[test] fn $test() { super::$test::<crate::form::SledForm>(); })*
        }
        mod postgres_form {
            $(#[test] fn $test() { super::$test::<crate::form::PostgresForm>(); })*
        }
    };
}
pub(crate) use on_every_form;
