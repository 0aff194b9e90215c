//! A rulebook: an approved document that has been found coherent.

use std::collections::BTreeMap;
use std::fmt;

use crate::{
    Act, Affirmation, Cents, Citation, Family, GroundId, Incoherence, Layout, MultiPiece, MultiPieceError,
    OutcomeSpace, Paragraph, Piece, Power, Procedure, Rank, Text, VoidGround, multi_piece,
};

/// The content hash of a rulebook: blake3 of its canonical form.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(transparent)]
pub struct Hash(
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    #[serde(with = "crate::hex")]
    pub [u8; 32],
);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How a game is played.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Play {
    /// With credits on Player Terminals.
    Terminals,
    /// With chips on a live table.
    Chips,
}

/// What a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The id used everywhere.
    pub id: String,
    /// Its title.
    pub title: Text,
    /// Whose game it is.
    pub operator: String,
    /// The document's version, or `unnumbered`.
    pub version: String,
    /// Since when, in Singapore time, where the document says.
    pub in_force_from: Option<String>,
    /// Whether it is an approved document, and not an example of ours.
    pub approved: bool,
    /// How the game is played.
    pub play: Play,
}

/// A kind of bet in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyRule {
    /// Words for it.
    pub name: Text,
    /// When it wins.
    pub wins: Text,
    /// The paragraph that says so.
    pub paragraph: Citation,
}

/// A kind of Player Terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalKind {
    /// `standard`, `rapid` …
    pub id: String,
    /// Words for it.
    pub name: Text,
    /// The paragraph.
    pub paragraph: Citation,
    /// The layouts it can show.
    pub layouts: Vec<String>,
}

/// Whose bets a maximum is about (D13).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LimitScope {
    /// Each player's bet on a spot.
    PlayerAndSpot,
    /// The minimum each player's bet, the maximum the whole box.
    Box,
}

/// The kinds of limits that exist, and their paragraphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Where they are shown.
    pub paragraph: Citation,
    /// Whose bets they are about.
    pub scope: LimitScope,
    /// What says whose.
    pub source: Citation,
    /// Keeping to them is the player's responsibility.
    pub responsibility: Option<Citation>,
    /// No player may refuse that others take up the room left.
    pub balance: Option<Citation>,
    /// Excess is rejected before the close.
    pub excess: Option<Citation>,
    /// Excess not rejected is settled pro rata.
    pub pro_rata: Option<Citation>,
    /// A bet under the minimum stays whole in a box that is pro-rated.
    pub under_minimum_in_excess: Option<Citation>,
    /// A bet under the minimum is pointed out.
    pub under_minimum: Option<Citation>,
    /// One that was not noticed stands.
    pub under_minimum_unnoticed: Option<Citation>,
    /// Spots whose difference may be limited.
    pub differential: Vec<[crate::Spot; 2]>,
    /// How amounts are cut.
    pub rounding: Option<Citation>,
}

/// What becomes of bets that a terminal sent and the host never registered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Unregistered {
    /// They go back to the player.
    Returned,
    /// They were not part of the round.
    NotPartOfRound,
}

/// The paragraphs about what goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregularities {
    /// Interruption with an outcome established: conclude.
    pub established: Citation,
    /// Interruption with none established: void.
    pub not_established: Citation,
    /// Terminals only: the round goes on.
    pub terminals_only: Option<Citation>,
    /// Registered bets settle.
    pub registered: Option<Citation>,
    /// Bets not registered, and what becomes of them.
    pub unregistered: Option<(Citation, Unregistered)>,
    /// A wrong result in the console: the dice or the wheel decide.
    pub wrong_result: Option<Citation>,
    /// What the dice show prevails over what was lit or shown.
    pub dice_prevail: Option<Citation>,
    /// An error never touches later rounds.
    pub later_rounds: Option<Citation>,
    /// Bets settle by where the chips stand at the close.
    pub position_of_chips: Option<Citation>,
    /// A player who walked away is settled as if present.
    pub walked_away: Option<Citation>,
    /// Pit Employees may place bets for a player.
    pub on_behalf: Option<Citation>,
    /// Nothing is placed, raised or withdrawn after the close.
    pub after_close: Vec<Citation>,
    /// Displays are for information only.
    pub display: Citation,
    /// A void returns all bets.
    pub void_returns: Citation,
    /// When paid winnings may be recovered, as players are informed beforehand (S24).
    pub take_back: Option<(Text, Citation)>,
}

impl Irregularities {
    /// The paragraph by which a wrong result is put right.
    #[must_use]
    pub fn correction(&self) -> Option<&Citation> {
        self.wrong_result.as_ref().or(self.dice_prevail.as_ref())
    }
}

/// Who decides what no rule covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discretion {
    /// The paragraph.
    pub paragraph: Citation,
    /// The lowest rank that decides.
    pub rank: Rank,
    /// Whether questions of interpretation are decided so too, and not irregularities alone.
    pub covers_interpretation: bool,
    /// The document's title for that rank.
    pub title: Text,
}

/// An approved document that has been found coherent, compiled for use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rulebook {
    pub(crate) identity: Identity,
    pub(crate) hash: Hash,
    pub(crate) canonical: String,
    pub(crate) outcomes: OutcomeSpace,
    pub(crate) outcomes_paragraph: Citation,
    pub(crate) families: BTreeMap<Family, FamilyRule>,
    pub(crate) layouts: Vec<Layout>,
    pub(crate) terminals: Vec<TerminalKind>,
    pub(crate) multi_piece: Vec<MultiPiece>,
    pub(crate) procedure: Procedure,
    pub(crate) limits: Limits,
    pub(crate) affirmations: Vec<Affirmation>,
    pub(crate) void_grounds: Vec<VoidGround>,
    pub(crate) irregularities: Irregularities,
    pub(crate) discretion: Discretion,
    pub(crate) acting: Citation,
    pub(crate) higher: Citation,
    pub(crate) powers: Vec<Power>,
    pub(crate) paragraphs: Vec<Paragraph>,
}

impl Rulebook {
    /// Reads and compiles a rulebook file. The file's name is used in messages only.
    pub fn parse(file: &str, text: &str) -> Result<Rulebook, Incoherence> {
        crate::compile::compile(file, text)
    }

    /// What the document is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.identity.id
    }

    /// Its content hash.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// Its canonical form, from which it can be compiled again.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Everything a round can show.
    #[must_use]
    pub fn outcomes(&self) -> &OutcomeSpace {
        &self.outcomes
    }

    /// The paragraph about the dice or the wheel.
    #[must_use]
    pub fn outcomes_paragraph(&self) -> &Citation {
        &self.outcomes_paragraph
    }

    /// The kinds of bet.
    #[must_use]
    pub fn families(&self) -> &BTreeMap<Family, FamilyRule> {
        &self.families
    }

    /// What a kind of bet is called on a layout: by the layout's appendix, or else by the document.
    ///
    /// ```
    /// let rulebook = rulebook::library::find("mbs-sicbo").unwrap();
    /// let name = |layout| rulebook.name_of(rulebook.layout(layout)?, rulebook::Family::Domino);
    /// assert_eq!(name("rapid").unwrap().en, "Two dice combination");
    /// assert_eq!(name("alfastreet").unwrap().en, "Domino Combination Bet");
    /// ```
    #[must_use]
    pub fn name_of<'a>(&'a self, layout: &'a Layout, family: Family) -> Option<&'a Text> {
        layout.name_of(family).or_else(|| Some(&self.families.get(&family)?.name))
    }

    /// Its layouts.
    #[must_use]
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// The layout of that id, in upper or lower case.
    #[must_use]
    pub fn layout(&self, id: &str) -> Option<&Layout> {
        self.layouts.iter().find(|layout| layout.id.eq_ignore_ascii_case(id))
    }

    /// The kinds of terminal.
    #[must_use]
    pub fn terminals(&self) -> &[TerminalKind] {
        &self.terminals
    }

    /// Its multi-piece bets.
    #[must_use]
    pub fn multi_piece(&self) -> &[MultiPiece] {
        &self.multi_piece
    }

    /// How a round goes.
    #[must_use]
    pub fn procedure(&self) -> &Procedure {
        &self.procedure
    }

    /// The kinds of limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the dealer affirms where no device has measured it.
    #[must_use]
    pub fn affirmations(&self) -> &[Affirmation] {
        &self.affirmations
    }

    /// What makes a round void.
    #[must_use]
    pub fn void_grounds(&self) -> &[VoidGround] {
        &self.void_grounds
    }

    /// One of the void grounds, if the document has it.
    #[must_use]
    pub fn ground(&self, id: GroundId) -> Option<&VoidGround> {
        self.void_grounds.iter().find(|ground| ground.id == id)
    }

    /// The paragraphs about what goes wrong.
    #[must_use]
    pub fn irregularities(&self) -> &Irregularities {
        &self.irregularities
    }

    /// Who decides what no rule covers.
    #[must_use]
    pub fn discretion(&self) -> &Discretion {
        &self.discretion
    }

    /// The paragraph about people acting in a position.
    #[must_use]
    pub fn acting(&self) -> &Citation {
        &self.acting
    }

    /// What lets higher ranks do what lower ones may.
    #[must_use]
    pub fn higher(&self) -> &Citation {
        &self.higher
    }

    /// The lowest rank for each act.
    #[must_use]
    pub fn powers(&self) -> &[Power] {
        &self.powers
    }

    /// The lowest rank for an act; `None` if the game has no such act.
    #[must_use]
    pub fn power(&self, act: Act) -> Option<&Power> {
        self.powers.iter().find(|power| power.act == act)
    }

    /// Every paragraph of the document.
    #[must_use]
    pub fn paragraphs(&self) -> &[Paragraph] {
        &self.paragraphs
    }

    /// The pieces of a multi-piece bet, in the document's order.
    ///
    /// ```
    /// let roulette = rulebook::library::find("rws-roulette-000").unwrap();
    /// let (_, pieces) = roulette.expand("neighbours/21/1").unwrap();
    /// let spots: Vec<String> = pieces.iter().map(|piece| piece.spot.to_string()).collect();
    /// assert_eq!(spots, ["straight/2", "straight/21", "straight/4"]);
    /// ```
    pub fn expand(&self, text: &str) -> Result<(&MultiPiece, Vec<Piece>), MultiPieceError> {
        let (id, argument) = match text.split_once('/') {
            Some((id, argument)) => (id, Some(argument)),
            None => (text, None),
        };
        let found = self.multi_piece.iter().find(|bet| bet.id == id).zip(self.outcomes.wheel());
        let (bet, wheel) = found.ok_or_else(|| MultiPieceError::Unknown {
            text: text.to_owned(),
            offered: self.multi_piece.iter().map(|bet| bet.id.clone()).collect(),
        })?;
        let pieces = bet
            .expand(argument, wheel)
            .ok_or_else(|| MultiPieceError::Argument { text: text.to_owned(), expected: bet.expected() })?;
        Ok((bet, pieces))
    }

    /// What a piece costs: unit × count.
    pub fn piece_stake(unit: Cents, piece: Piece) -> Result<Cents, MultiPieceError> {
        multi_piece::stake(unit, piece.count)
    }
}
