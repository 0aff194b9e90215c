//! A floor on a journal: the single-writer loop, recovery and audit.
//!
//! One thread owns the floor. It decides, and it applies what is durable to a second floor, which alone answers reads,
//! makes snapshots and is visible to clients. When much is waiting, a second thread writes and syncs one batch while
//! the next is being decided. When little is waiting, the first thread writes it too, because waking another takes
//! longer than deciding the next commands. No answer leaves before its batch is durable, and a failed write stops play.

mod audit;
mod backup;
mod bell;
mod beside;
mod codec;
mod decide;
mod follow;
mod plain_bet;
mod publish;
mod queue;
mod recovery;
mod run;
mod stepped;
mod work;

pub use audit::{Audit, Finding, audit, audit_since};
pub use backup::{archive, archive_on, backup, backup_on, restore};
pub use codec::{CodecError, decode, decode_state, encode, encode_at, encode_state};
pub use follow::{Following, Source};
pub use queue::{Refused, Tag};
pub use recovery::{Recovery, StartError, read_floor};
pub use run::{Durable, Engine, Options, Outlet, Reply};
pub use stepped::{Nobody, Stepped};
