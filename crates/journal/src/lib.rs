//! A durable, ordered, chained log of bytes.
//!
//! Records are appended in batches; a batch is written and synced before it is acknowledged. Batches form a blake3
//! chain, signed from time to time by an ed25519 key, so that nothing can be changed, removed, inserted or reordered
//! unnoticed. The crate does not interpret the bytes.
//!
//! A segment is a file filled with zeros beforehand and then written in place, so that a sync has no metadata to write.
//! Every batch begins on a block of its own: a block that holds acknowledged data is never written again.

mod batch;
mod checkpoint;
mod disk;
mod log;
mod position;
mod prepare;
pub mod private;
mod scan;
mod segment;
mod snapshot;
mod window;

pub use batch::{Batch, Entry, MAX_PAYLOAD, MAX_RECORD};
pub use checkpoint::{Checkpoint, Key, PublicKey};
pub use disk::{AlignedBuffer, BLOCK, Disk, DiskFile, Pace, RealDisk};
pub use log::{AppendError, Journal, Log, OpenError, Opened, Options};
pub use position::Position;
pub use scan::{Damage, Ending, Read, Scan, Tail};
pub use segment::{Chain, SegmentName};
pub use snapshot::{Snapshot, SnapshotError};
