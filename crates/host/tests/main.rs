//! Devices, credentials and the interface's document: one program for all of these tests, so that it is linked once.
//! What runs against a listening host is in `e2e`.

mod authenticator;
mod cammegh;
#[path = "../../floor/tests/common/mod.rs"]
mod common;
mod devices;
mod openapi;
mod passkeys;
mod shared;
mod store;
