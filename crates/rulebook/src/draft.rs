//! A rulebook file as it was written: anything that has the right shape. [`crate::compile`] makes sense of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::{Act, Affirmed, Arises, Begins, Class, Family, GroundId, Point, Rank, Text, Timing, Voids};

pub(crate) type Word = Spanned<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    pub identity: Identity,
    pub outcomes: Outcomes,
    pub families: BTreeMap<Family, Spanned<FamilyRule>>,
    pub pay_tables: Vec<PayTable>,
    #[serde(default)]
    pub terminals: Vec<Terminal>,
    pub layouts: Vec<Layout>,
    #[serde(default)]
    pub multi_piece: Vec<MultiPiece>,
    pub procedure: Procedure,
    pub limits: Spanned<Limits>,
    #[serde(default)]
    pub affirmations: Vec<Affirmation>,
    pub void_grounds: Vec<Ground>,
    pub irregularities: Irregularities,
    pub discretion: Discretion,
    pub ranks: Ranks,
    pub powers: Spanned<BTreeMap<Act, Power>>,
    pub document: Document,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    pub id: Word,
    pub title: Text,
    pub operator: Word,
    pub version: Word,
    pub in_force_from: Option<Word>,
    pub approved: bool,
    pub play: Spanned<Play>,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Play {
    Terminals,
    Chips,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outcomes {
    pub kind: Spanned<OutcomeKind>,
    pub paragraph: Word,
    pub zeros: Option<Spanned<Vec<String>>>,
    pub order: Option<Spanned<Vec<Word>>>,
    pub red: Option<Spanned<Vec<Word>>>,
    pub contacts: Option<Spanned<Vec<[Word; 2]>>>,
    pub assumed: Option<Word>,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OutcomeKind {
    Dice,
    Wheel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FamilyRule {
    pub name: Text,
    pub wins: Text,
    pub paragraph: Word,
    pub totals: Option<Spanned<Vec<u8>>>,
    pub loses_on_triples: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PayTable {
    pub id: Word,
    pub name: Text,
    pub paragraph: Word,
    pub step: Option<Word>,
    pub pays: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    pub odds: Option<Word>,
    pub odds_by_dice: Option<Spanned<Vec<String>>>,
    pub paragraph: Option<Word>,
    pub inferred: Option<Word>,
    pub spots: Spanned<Vec<Word>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Terminal {
    pub id: Word,
    pub name: Text,
    pub paragraph: Word,
    pub layouts: Vec<Word>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    pub id: Word,
    pub name: Text,
    pub paragraph: Word,
    pub pay_table: Word,
    #[serde(default)]
    pub names: BTreeMap<Family, Spanned<Text>>,
    pub assumed: Option<Word>,
    pub canvas: Spanned<[u16; 2]>,
    pub areas: Vec<Area>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Area {
    pub id: Word,
    pub at: Option<[u16; 4]>,
    #[serde(default)]
    pub joints: bool,
    pub rows: Vec<Vec<Word>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MultiPiece {
    pub id: Word,
    pub name: Text,
    pub paragraph: Word,
    pub assumed: Option<Word>,
    pub terminals: Vec<Word>,
    pub rule: Option<Spanned<PieceRule>>,
    pub reach: Option<Vec<u8>>,
    pub pieces: Option<Vec<Piece>>,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PieceRule {
    Neighbours,
    Finale,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Piece {
    pub spot: Word,
    pub count: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Procedure {
    pub begins: BeginsBy,
    pub opening: Announcement,
    pub closing: Announcement,
    pub device: Device,
    pub allowed: Allowed,
    pub result: Notice,
    pub settles: Word,
    pub ends: Word,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeginsBy {
    pub by: Spanned<Begins>,
    pub paragraph: Word,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Announcement {
    pub en: String,
    pub zh: String,
    pub paragraph: Word,
    pub quoted: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Device {
    pub kind: Spanned<DeviceKind>,
    pub covered: Option<bool>,
    pub against_rotation: Option<bool>,
    pub minimum: Spanned<u8>,
    pub paragraph: Word,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DeviceKind {
    Tumbler,
    Wheel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowed {
    pub when: Spanned<Timing>,
    pub paragraph: Word,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Notice {
    pub en: String,
    pub zh: String,
    pub paragraph: Word,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub paragraph: Word,
    pub scope: LimitScope,
    pub source: Word,
    pub responsibility: Option<Word>,
    pub balance: Option<Word>,
    pub excess: Option<Word>,
    pub pro_rata: Option<Word>,
    pub under_minimum_in_excess: Option<Word>,
    pub under_minimum: Option<Word>,
    pub under_minimum_unnoticed: Option<Word>,
    #[serde(default)]
    pub differential: Vec<[Word; 2]>,
    pub rounding: Option<Word>,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LimitScope {
    PlayerAndSpot,
    Box,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ground {
    pub id: Spanned<GroundId>,
    pub paragraph: Word,
    pub arises: Spanned<Arises>,
    pub voids: Voids,
    pub name: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Affirmation {
    pub point: Spanned<Point>,
    pub with: Spanned<Affirmed>,
    pub paragraph: Word,
    pub en: String,
    pub zh: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Irregularities {
    pub established: Word,
    pub not_established: Word,
    pub terminals_only: Option<Word>,
    pub registered: Option<Word>,
    pub unregistered: Option<Unregistered>,
    pub wrong_result: Option<Word>,
    pub dice_prevail: Option<Word>,
    pub later_rounds: Option<Word>,
    pub position_of_chips: Option<Word>,
    pub walked_away: Option<Word>,
    pub on_behalf: Option<Word>,
    pub after_close: Vec<Word>,
    pub display: Word,
    pub void_returns: Word,
    pub take_back: Option<Notice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unregistered {
    pub paragraph: Word,
    pub bets: UnregisteredBets,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UnregisteredBets {
    Returned,
    NotPartOfRound,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Discretion {
    pub paragraph: Word,
    pub rank: Spanned<Rank>,
    pub covers: Vec<Covers>,
    pub title: Text,
}

#[derive(Copy, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Covers {
    Irregularity,
    Interpretation,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ranks {
    pub acting: Word,
    pub higher: Word,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Power {
    pub rank: Rank,
    pub paragraph: Word,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    pub paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paragraph {
    pub number: Word,
    pub class: Class,
    #[serde(default)]
    pub inferred: bool,
    pub en: String,
    pub zh: String,
}
