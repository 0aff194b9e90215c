//! What the tests of the journal share.

pub mod backend;
pub mod disk;
pub mod log;

/// Runs every statement on every backend.
macro_rules! on_every_backend {
    ($($name:ident),+ $(,)?) => {
        mod in_memory { $(#[test] fn $name() { super::$name::<super::InMemory>(); })+ }
        mod on_disk { $(#[test] fn $name() { super::$name::<super::OnDisk>(); })+ }
    };
}

pub(crate) use on_every_backend;
