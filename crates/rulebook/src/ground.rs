//! Void grounds: what makes a round void.

use std::fmt;

use serde::Deserialize;

use crate::{Citation, Text};

/// What happened.
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
pub enum GroundId {
    #[n(0)]
    TooFewTumbles,
    #[n(1)]
    DieNotFlat,
    #[n(2)]
    ExposedBeforeClose,
    #[n(3)]
    ActivatedBeforeClose,
    #[n(4)]
    DiceDamaged,
    #[n(5)]
    DomeOrDiceBroken,
    #[n(6)]
    BallDropped,
    #[n(7)]
    TooFewRevolutions,
    #[n(8)]
    NoCompartment,
    #[n(9)]
    FlungOut,
    #[n(10)]
    WheelNotRotating,
    #[n(11)]
    SameDirection,
    #[n(12)]
    ForeignObject,
    #[n(13)]
    Interference,
    #[n(14)]
    WheelStopped,
    #[n(15)]
    BallBroken,
    #[n(16)]
    Interruption,
}

impl GroundId {
    /// All of them.
    pub const ALL: [GroundId; 17] = [
        GroundId::TooFewTumbles,
        GroundId::DieNotFlat,
        GroundId::ExposedBeforeClose,
        GroundId::ActivatedBeforeClose,
        GroundId::DiceDamaged,
        GroundId::DomeOrDiceBroken,
        GroundId::BallDropped,
        GroundId::TooFewRevolutions,
        GroundId::NoCompartment,
        GroundId::FlungOut,
        GroundId::WheelNotRotating,
        GroundId::SameDirection,
        GroundId::ForeignObject,
        GroundId::Interference,
        GroundId::WheelStopped,
        GroundId::BallBroken,
        GroundId::Interruption,
    ];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            GroundId::TooFewTumbles => "too-few-tumbles",
            GroundId::DieNotFlat => "die-not-flat",
            GroundId::ExposedBeforeClose => "exposed-before-close",
            GroundId::ActivatedBeforeClose => "activated-before-close",
            GroundId::DiceDamaged => "dice-damaged",
            GroundId::DomeOrDiceBroken => "dome-or-dice-broken",
            GroundId::BallDropped => "ball-dropped",
            GroundId::TooFewRevolutions => "too-few-revolutions",
            GroundId::NoCompartment => "no-compartment",
            GroundId::FlungOut => "flung-out",
            GroundId::WheelNotRotating => "wheel-not-rotating",
            GroundId::SameDirection => "same-direction",
            GroundId::ForeignObject => "foreign-object",
            GroundId::Interference => "interference",
            GroundId::WheelStopped => "wheel-stopped",
            GroundId::BallBroken => "ball-broken",
            GroundId::Interruption => "interruption",
        }
    }

    /// The ground of that text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<GroundId> {
        GroundId::ALL.into_iter().find(|ground| ground.as_str() == text)
    }

    /// Whether it can happen to dice in a tumbler.
    #[must_use]
    pub fn is_for_dice(self) -> bool {
        self.applies().0
    }

    /// Whether it can happen to a ball on a wheel.
    #[must_use]
    pub fn is_for_wheel(self) -> bool {
        self.applies().1
    }

    /// Whether it can happen to dice in a tumbler, and to a ball on a wheel.
    const fn applies(self) -> (bool, bool) {
        match self {
            GroundId::TooFewTumbles
            | GroundId::DieNotFlat
            | GroundId::ExposedBeforeClose
            | GroundId::ActivatedBeforeClose
            | GroundId::DiceDamaged
            | GroundId::DomeOrDiceBroken => (true, false),
            GroundId::BallDropped
            | GroundId::TooFewRevolutions
            | GroundId::NoCompartment
            | GroundId::FlungOut
            | GroundId::WheelNotRotating
            | GroundId::SameDirection
            | GroundId::ForeignObject
            | GroundId::Interference
            | GroundId::WheelStopped
            | GroundId::BallBroken => (false, true),
            GroundId::Interruption => (true, true),
        }
    }
}

impl fmt::Display for GroundId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How a ground comes about (D5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arises {
    /// A device measures it: the round freezes at once.
    Device,
    /// A device measures it, or the dealer declares it.
    DeviceOrDeclared,
    /// A device proposes it, the dealer confirms.
    Proposed,
    /// The dealer declares it.
    Declared,
    /// It is attested after an interruption (D6).
    Attested,
}

impl Arises {
    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Arises::Device => "device",
            Arises::DeviceOrDeclared => "device or declared",
            Arises::Proposed => "device proposes, dealer confirms",
            Arises::Declared => "declared",
            Arises::Attested => "attested",
        }
    }
}

/// Which rounds a ground voids.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Voids {
    /// The round it happened in; earlier ones stand.
    CurrentRound,
    /// Every round affected, settled ones too.
    AffectedRounds,
}

impl Voids {
    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Voids::CurrentRound => "current round",
            Voids::AffectedRounds => "all affected rounds",
        }
    }
}

/// A ground in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoidGround {
    /// What happened.
    pub id: GroundId,
    /// The paragraph that voids the round.
    pub paragraph: Citation,
    /// How it comes about.
    pub arises: Arises,
    /// Which rounds it voids.
    pub voids: Voids,
    /// Words for the screens.
    pub name: Text,
}
