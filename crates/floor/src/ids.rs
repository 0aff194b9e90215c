//! Typed ids, and the moment a thing happened.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($number:ty)),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[derive(minicbor::Encode, minicbor::Decode)]
        #[cbor(transparent)]
        pub struct $name(#[n(0)] pub $number);

        impl $name {
            /// The place in an array.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    )+};
}

ids! {
    /// A gaming table.
    TableId(u16),
    /// A Player Terminal.
    TerminalId(u32),
    /// A tumbler, wheel or cash validator.
    DeviceId(u16),
    /// A person employed.
    StaffId(u32),
    /// A round of play; the floor counts them.
    RoundId(u64),
    /// A player's stay at a terminal (D7).
    VisitId(u64),
    /// A ticket, by its sequence.
    TicketId(u64),
    /// A cashier's shift.
    ShiftId(u32),
    /// An alert at the pit.
    AlertId(u64),
    /// What a correction left to be paid at the cage.
    PayableId(u64),
    /// Where a player stands at a live table.
    Position(u8),
}

/// A point in time: milliseconds since 1970, as the host's clock has it.
#[derive(
    Copy,
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(transparent)]
pub struct Moment(#[n(0)] pub i64);

impl Moment {
    /// So many milliseconds later.
    #[must_use]
    pub const fn after(self, milliseconds: i64) -> Moment {
        Moment(self.0.saturating_add(milliseconds))
    }

    /// How many milliseconds have passed since an earlier moment.
    #[must_use]
    pub const fn since(self, earlier: Moment) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}
