//! Who may do what.

use std::fmt;

use serde::Deserialize;

use crate::Citation;

/// The ranks of the pit, lowest first. Dealer, Pit Supervisor and Pit Manager are the Pit Employees.
#[derive(
    Copy,
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(index_only)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Rank {
    #[n(0)]
    Dealer,
    #[n(1)]
    PitSupervisor,
    #[n(2)]
    PitManager,
    #[n(3)]
    ShiftManager,
    #[n(4)]
    CasinoManager,
}

impl Rank {
    /// All, lowest first.
    pub const ALL: [Rank; 5] =
        [Rank::Dealer, Rank::PitSupervisor, Rank::PitManager, Rank::ShiftManager, Rank::CasinoManager];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Rank::Dealer => "dealer",
            Rank::PitSupervisor => "pit-supervisor",
            Rank::PitManager => "pit-manager",
            Rank::ShiftManager => "shift-manager",
            Rank::CasinoManager => "casino-manager",
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a rank is needed for (D11).
#[derive(
    Copy,
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(index_only)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Act {
    #[n(0)]
    OpenRound,
    #[n(1)]
    CloseBets,
    #[n(2)]
    EnterResult,
    #[n(3)]
    DeclareGround,
    #[n(4)]
    AttestInterruption,
    #[n(5)]
    CorrectBeforeSettlement,
    #[n(6)]
    CorrectAfterSettlement,
    #[n(7)]
    WitnessAttestation,
    #[n(8)]
    RecordDeviceFault,
    #[n(9)]
    LockTerminal,
    #[n(10)]
    HandPay,
    #[n(11)]
    AcknowledgeAlert,
    #[n(12)]
    VoidAffectedRounds,
    #[n(13)]
    ChangeLimits,
    #[n(14)]
    OpenTable,
    #[n(15)]
    Decide,
    #[n(16)]
    RejectExcess,
    #[n(17)]
    AdviseMinimum,
    #[n(18)]
    RefuseLateBets,
    #[n(19)]
    PlaceForPlayer,
}

impl Act {
    /// All of them.
    pub const ALL: [Act; 20] = [
        Act::OpenRound,
        Act::CloseBets,
        Act::EnterResult,
        Act::DeclareGround,
        Act::AttestInterruption,
        Act::CorrectBeforeSettlement,
        Act::CorrectAfterSettlement,
        Act::WitnessAttestation,
        Act::RecordDeviceFault,
        Act::LockTerminal,
        Act::HandPay,
        Act::AcknowledgeAlert,
        Act::VoidAffectedRounds,
        Act::ChangeLimits,
        Act::OpenTable,
        Act::Decide,
        Act::RejectExcess,
        Act::AdviseMinimum,
        Act::RefuseLateBets,
        Act::PlaceForPlayer,
    ];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Act::OpenRound => "open-round",
            Act::CloseBets => "close-bets",
            Act::EnterResult => "enter-result",
            Act::DeclareGround => "declare-ground",
            Act::AttestInterruption => "attest-interruption",
            Act::CorrectBeforeSettlement => "correct-before-settlement",
            Act::CorrectAfterSettlement => "correct-after-settlement",
            Act::WitnessAttestation => "witness-attestation",
            Act::RecordDeviceFault => "record-device-fault",
            Act::LockTerminal => "lock-terminal",
            Act::HandPay => "hand-pay",
            Act::AcknowledgeAlert => "acknowledge-alert",
            Act::VoidAffectedRounds => "void-affected-rounds",
            Act::ChangeLimits => "change-limits",
            Act::OpenTable => "open-table",
            Act::Decide => "decide",
            Act::RejectExcess => "reject-excess",
            Act::AdviseMinimum => "advise-minimum",
            Act::RefuseLateBets => "refuse-late-bets",
            Act::PlaceForPlayer => "place-for-player",
        }
    }

    /// Whether only a live table with chips has it.
    #[must_use]
    pub const fn is_for_chips(self) -> bool {
        matches!(self, Act::RejectExcess | Act::AdviseMinimum | Act::RefuseLateBets | Act::PlaceForPlayer)
    }

    /// Whether only a game on terminals has it.
    #[must_use]
    pub const fn is_for_terminals(self) -> bool {
        matches!(self, Act::LockTerminal)
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The lowest rank for an act, and what says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Power {
    /// What is done.
    pub act: Act,
    /// The lowest rank that may.
    pub rank: Rank,
    /// What it rests on.
    pub paragraph: Citation,
}
