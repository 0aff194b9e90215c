//! A rulebook as screens need it.

use std::collections::{BTreeMap, BTreeSet};

use rulebook::{Arises, Device, Layout, Mark, OutcomeSpace, Play, Rulebook, SpotIndex, Voids};
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::{PostName, Words};

/// A rulebook in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RulebookRow {
    /// Its id.
    pub id: String,
    /// Its hash.
    pub hash: String,
    /// Its title.
    pub title: Words,
    /// Whose game it is.
    pub operator: String,
    /// The document's version.
    pub version: String,
    /// Whether it is an approved document that this program carries, and not an example of ours.
    pub approved: bool,
}

/// A rulebook in a list.
#[must_use]
pub fn rulebook_row(rulebook: &Rulebook) -> RulebookRow {
    let identity = rulebook.identity();
    RulebookRow {
        id: rulebook.id().to_owned(),
        hash: rulebook.hash().to_string(),
        title: (&identity.title).into(),
        operator: identity.operator.clone(),
        version: identity.version.clone(),
        // What says of itself that it is approved is so only if this program carries it.
        approved: identity.approved && floor::carried(rulebook.hash()),
    }
}

/// What can come up.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OutcomesSection {
    /// Three dice.
    Dice {
        /// All outcomes in the order of exposures.
        all: Vec<String>,
    },
    /// A wheel.
    Wheel {
        /// All outcomes in the order of exposures.
        all: Vec<String>,
        /// The zeros.
        zeros: Vec<String>,
        /// The pockets clockwise.
        order: Vec<String>,
        /// The red numbers.
        red: Vec<String>,
        /// The decision behind an assumed order.
        assumed: Option<String>,
    },
}

/// A kind of bet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FamilySection {
    /// Its id.
    pub id: String,
    /// Words for it.
    pub name: Words,
    /// When it wins.
    pub wins: Words,
    /// The paragraph.
    pub paragraph: String,
}

/// A void ground of the document.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VoidGroundSection {
    /// Its id.
    pub id: String,
    /// Words for it.
    pub name: Words,
    /// The paragraph.
    pub paragraph: String,
    /// How it comes about (D5).
    pub how: HowName,
    /// Whether the dealer may declare it.
    pub declarable: bool,
    /// Whether it voids every affected round, settled ones too.
    pub affects_settled: bool,
}

/// How a ground comes about (D5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HowName {
    /// A device measures it.
    Measured,
    /// A device measures it, or the dealer declares it.
    MeasuredOrDeclared,
    /// A device proposes it, the dealer confirms.
    Proposed,
    /// The dealer declares it.
    Declared,
    /// It is attested after an interruption.
    Attested,
}

/// A piece of a multi-piece bet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PieceSection {
    /// Where.
    pub spot: String,
    /// How many units.
    pub count: u32,
}

/// A multi-piece bet.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MultiPieceSection {
    /// Its notation.
    #[schema(example = "neighbours/21/2")]
    pub bet: String,
    /// Words for it.
    pub name: Words,
    /// The paragraph.
    pub paragraph: String,
    /// The kinds of terminal that have it.
    pub terminals: Vec<String>,
    /// Its pieces.
    pub pieces: Vec<PieceSection>,
}

/// A kind of Player Terminal.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TerminalKindSection {
    /// Its id.
    pub id: String,
    /// Words for it.
    pub name: Words,
    /// The layouts it can show.
    pub layouts: Vec<String>,
    /// Whether it has multi-piece bets.
    pub pieces: bool,
}

/// A spot with its odds.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SpotSection {
    /// Its notation.
    pub id: String,
    /// The kind of bet.
    pub family: String,
    /// The odds it can pay, from the lowest.
    pub odds: Vec<String>,
    /// The paragraph.
    pub paragraph: String,
    /// The decision behind inferred odds.
    pub inferred: Option<String>,
    /// The numbers or faces it names, for lighting them while it is touched.
    pub covers: Vec<String>,
}

/// An area of a layout.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AreaSection {
    /// Its name.
    pub id: String,
    /// Left, top, width and height; `null` for spots on lines and corners.
    pub at: Option<[u16; 4]>,
    /// Rows of spots from the top; `null` leaves a place empty.
    pub rows: Vec<Vec<Option<String>>>,
}

/// A layout with its pay table.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LayoutSection {
    /// Its id.
    pub id: String,
    /// Words for it.
    pub name: Words,
    /// The paragraph.
    pub paragraph: String,
    /// The decision behind an assumed arrangement.
    pub assumed: Option<String>,
    /// The pay table.
    pub pay_table: Words,
    /// The pay table's paragraph.
    pub pay_table_paragraph: String,
    /// The smallest step at which every payout is whole cents.
    pub step: String,
    /// What its appendix calls kinds of bet, where that is another name than the document's own; by family.
    pub names: BTreeMap<String, Words>,
    /// Width and height of the canvas.
    pub canvas: [u16; 2],
    /// Its areas.
    pub areas: Vec<AreaSection>,
    /// Its spots.
    pub spots: Vec<SpotSection>,
}

/// A paragraph, in our words.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ParagraphSection {
    /// The document's own number.
    pub number: String,
    /// What kind of thing it says.
    pub class: String,
    /// What it says.
    pub text: Words,
    /// Whether the number follows from the order only.
    pub inferred: bool,
}

/// How a round goes.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ProcedureSection {
    /// Whether the dealer's activation begins the round, before bets open.
    pub begins_with_activation: bool,
    /// What is shown or said when bets open.
    pub opening: Words,
    /// What is shown or said when bets close.
    pub closing: Words,
    /// A tumbler, covered or open, or a wheel.
    pub device: ProcedureDevice,
    /// The fewest tumbles or revolutions.
    pub minimum: u8,
    /// When it may be set off.
    pub timing: TimingName,
    /// What counts as a result.
    pub result: Words,
    /// The paragraph of that.
    pub result_paragraph: String,
}

/// What makes the result.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcedureDevice {
    /// A tumbler under a cover.
    CoveredTumbler,
    /// A tumbler without.
    OpenTumbler,
    /// A wheel and ball.
    Wheel,
}

/// When the device may be set off.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimingName {
    /// Before bets are opened.
    BeforeNotice,
    /// Only once bets are closed.
    AfterClose,
    /// Before the close or after it.
    BeforeOrAfterClose,
}

/// A whole rulebook.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RulebookBody {
    /// Its id.
    pub id: String,
    /// Its hash.
    pub hash: String,
    /// Its title.
    pub title: Words,
    /// Whose game it is.
    pub operator: String,
    /// The document's version.
    pub version: String,
    /// Since when.
    pub in_force_from: Option<String>,
    /// Whether it is an approved document.
    pub approved: bool,
    /// With chips on a live table, and not with terminals.
    pub live: bool,
    /// How a round goes.
    pub procedure: ProcedureSection,
    /// What can come up.
    pub outcomes: OutcomesSection,
    /// The kinds of bets.
    pub families: Vec<FamilySection>,
    /// The layouts.
    pub layouts: Vec<LayoutSection>,
    /// The kinds of terminals.
    pub terminals: Vec<TerminalKindSection>,
    /// The multi-piece bets, each written out.
    pub pieces: Vec<MultiPieceSection>,
    /// The void grounds.
    pub grounds: Vec<VoidGroundSection>,
    /// Spots whose difference may be limited.
    pub differential: Vec<[String; 2]>,
    /// When winnings that were paid may be taken back (S24).
    pub takes_back: Option<Words>,
    /// That displays are for information only, by this paragraph.
    pub information_only: String,
    /// The paragraph by which a void returns all bets.
    pub void_returns: String,
    /// Every paragraph.
    pub paragraphs: Vec<ParagraphSection>,
    /// Who may do what by this document; the floor may ask for more (D11).
    pub powers: Vec<PowerSection>,
}

/// Who may do something, by a document.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PowerSection {
    /// What.
    #[schema(example = "open-round")]
    pub act: String,
    /// The lowest rank that may.
    pub rank: PostName,
    /// The paragraph or decision behind it.
    pub paragraph: String,
}

fn powers(rulebook: &Rulebook) -> Vec<PowerSection> {
    let row = |power: &rulebook::Power| PowerSection {
        act: power.act.to_string(),
        rank: floor::Post::Pit(power.rank).into(),
        paragraph: power.paragraph.to_string(),
    };
    rulebook.powers().iter().map(row).collect()
}

fn decision(mark: Option<&Mark>) -> Option<String> {
    mark.map(|mark| mark.decision().to_string())
}

fn outcomes(rulebook: &Rulebook) -> OutcomesSection {
    let space = rulebook.outcomes();
    let all = space.all().map(|outcome| outcome.to_string()).collect();
    match space {
        OutcomeSpace::Dice => OutcomesSection::Dice { all },
        OutcomeSpace::Wheel(wheel) => OutcomesSection::Wheel {
            all,
            zeros: wheel.order().iter().filter(|pocket| pocket.is_zero()).map(ToString::to_string).collect(),
            order: wheel.order().iter().map(ToString::to_string).collect(),
            red: wheel
                .pockets()
                .filter(|pocket| wheel.colour(*pocket) == rulebook::Colour::Red)
                .map(|pocket| pocket.to_string())
                .collect(),
            assumed: decision(wheel.mark()),
        },
    }
}

/// The odds a spot can pay, from the lowest.
fn odds(layout: &Layout, index: SpotIndex) -> Vec<String> {
    let table = layout.table();
    let cells: BTreeSet<(u32, String)> = table
        .winners(index)
        .iter()
        .filter_map(|(outcome, cell)| Some((*cell, table.odds(index, *outcome)?.to_string())))
        .collect();
    cells.into_iter().map(|(_, odds)| odds).collect()
}

/// The numbers or faces a spot names.
fn covers(rulebook: &Rulebook, layout: &Layout, index: SpotIndex, id: &str) -> Vec<String> {
    match rulebook.outcomes() {
        OutcomeSpace::Wheel(_) => {
            let winners = layout.table().winners(index).iter();
            let pocket = |outcome| rulebook.outcomes().outcome(outcome).map(|outcome| outcome.to_string());
            winners.filter_map(|(outcome, _)| pocket(*outcome)).collect()
        }
        OutcomeSpace::Dice => {
            let named = id.split_once('/').map_or("", |(_, named)| named);
            named.split('-').filter(|part| matches!(part.as_bytes(), [b'1'..=b'6'])).map(str::to_owned).collect()
        }
    }
}

fn layout(rulebook: &Rulebook, layout: &Layout) -> LayoutSection {
    let table = layout.table();
    let spot = |(index, priced): (SpotIndex, &rulebook::PricedSpot)| {
        let id = priced.spot.to_string();
        SpotSection {
            family: priced.spot.family().as_str().to_owned(),
            odds: odds(layout, index),
            paragraph: priced.paragraph.to_string(),
            inferred: decision(priced.mark.as_ref()),
            covers: covers(rulebook, layout, index, &id),
            id,
        }
    };
    let area = |area: &rulebook::Area| AreaSection {
        id: area.id.clone(),
        at: area.place.map(|place| [place.x, place.y, place.width, place.height]),
        rows: area.rows.iter().map(|row| row.iter().map(|spot| spot.map(|spot| spot.to_string())).collect()).collect(),
    };
    LayoutSection {
        id: layout.id().to_owned(),
        name: layout.name().into(),
        paragraph: layout.paragraph().to_string(),
        assumed: decision(layout.mark()),
        pay_table: layout.pay_table_name().into(),
        pay_table_paragraph: layout.pay_table_paragraph().to_string(),
        step: table.step().to_string(),
        names: rulebook
            .families()
            .keys()
            .filter_map(|family| Some((family.as_str().to_owned(), layout.name_of(*family)?.into())))
            .collect(),
        canvas: layout.canvas(),
        areas: layout.areas().iter().map(area).collect(),
        spots: table.indices().zip(table.spots()).map(spot).collect(),
    }
}

fn pieces(rulebook: &Rulebook) -> Vec<MultiPieceSection> {
    let Some(wheel) = rulebook.outcomes().wheel() else { return Vec::new() };
    let notations = rulebook.multi_piece().iter().flat_map(|bet| bet.notations(wheel));
    let section = |bet: String| {
        let (found, pieces) = rulebook.expand(&bet).ok()?;
        let piece = |piece: &rulebook::Piece| PieceSection { spot: piece.spot.to_string(), count: piece.count };
        Some(MultiPieceSection {
            name: (&found.name).into(),
            paragraph: found.paragraph.to_string(),
            terminals: found.terminals.clone(),
            pieces: pieces.iter().map(piece).collect(),
            bet,
        })
    };
    notations.filter_map(section).collect()
}

fn procedure(rulebook: &Rulebook) -> ProcedureSection {
    let procedure = rulebook.procedure();
    let (device, minimum) = match procedure.device {
        Device::Tumbler { covered: true, minimum } => (ProcedureDevice::CoveredTumbler, minimum),
        Device::Tumbler { covered: false, minimum } => (ProcedureDevice::OpenTumbler, minimum),
        Device::Wheel { minimum, .. } => (ProcedureDevice::Wheel, minimum),
    };
    ProcedureSection {
        begins_with_activation: procedure.begins == rulebook::Begins::Activation,
        opening: (&procedure.opening.text).into(),
        closing: (&procedure.closing.text).into(),
        device,
        minimum,
        timing: match procedure.timing {
            rulebook::Timing::BeforeNotice => TimingName::BeforeNotice,
            rulebook::Timing::AfterClose => TimingName::AfterClose,
            rulebook::Timing::BeforeOrAfterClose => TimingName::BeforeOrAfterClose,
        },
        result: (&procedure.result).into(),
        result_paragraph: procedure.result_paragraph.to_string(),
    }
}

/// The whole rulebook.
#[must_use]
pub fn rulebook(rulebook: &Rulebook) -> RulebookBody {
    let RulebookRow { id, hash, title, operator, version, approved } = rulebook_row(rulebook);
    let irregularities = rulebook.irregularities();
    let pieces = pieces(rulebook);
    let has_pieces = |kind: &str| pieces.iter().any(|bet| bet.terminals.iter().any(|terminal| terminal == kind));
    RulebookBody {
        id,
        hash,
        title,
        operator,
        version,
        in_force_from: rulebook.identity().in_force_from.clone(),
        approved,
        live: rulebook.identity().play == Play::Chips,
        procedure: procedure(rulebook),
        outcomes: outcomes(rulebook),
        families: rulebook
            .families()
            .iter()
            .map(|(id, rule)| FamilySection {
                id: id.as_str().to_owned(),
                name: (&rule.name).into(),
                wins: (&rule.wins).into(),
                paragraph: rule.paragraph.to_string(),
            })
            .collect(),
        layouts: rulebook.layouts().iter().map(|found| layout(rulebook, found)).collect(),
        terminals: rulebook
            .terminals()
            .iter()
            .map(|kind| TerminalKindSection {
                id: kind.id.clone(),
                name: (&kind.name).into(),
                layouts: kind.layouts.clone(),
                pieces: has_pieces(&kind.id),
            })
            .collect(),
        pieces,
        grounds: rulebook
            .void_grounds()
            .iter()
            .map(|ground| VoidGroundSection {
                id: ground.id.as_str().to_owned(),
                name: (&ground.name).into(),
                paragraph: ground.paragraph.to_string(),
                how: match ground.arises {
                    Arises::Device => HowName::Measured,
                    Arises::DeviceOrDeclared => HowName::MeasuredOrDeclared,
                    Arises::Proposed => HowName::Proposed,
                    Arises::Declared => HowName::Declared,
                    Arises::Attested => HowName::Attested,
                },
                declarable: !matches!(ground.arises, Arises::Device | Arises::Attested),
                affects_settled: ground.voids == Voids::AffectedRounds,
            })
            .collect(),
        differential: rulebook.limits().differential.iter().map(|pair| pair.map(|spot| spot.to_string())).collect(),
        takes_back: irregularities.take_back.as_ref().map(|(text, _)| text.into()),
        information_only: irregularities.display.to_string(),
        void_returns: irregularities.void_returns.to_string(),
        paragraphs: rulebook
            .paragraphs()
            .iter()
            .map(|paragraph| ParagraphSection {
                number: paragraph.number.clone(),
                class: paragraph.class.as_str().to_owned(),
                text: (&paragraph.text).into(),
                inferred: paragraph.inferred,
            })
            .collect(),
        powers: powers(rulebook),
    }
}
