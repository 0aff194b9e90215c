//! A floor's journal on a NATS JetStream cluster, and who may write it.

pub mod bucket;
