//! Pay tables: every spot well formed, priced once, and able to win.

use std::collections::BTreeMap;
use std::num::NonZeroI64;
use std::ops::Range;

use toml::Spanned;

use super::{Context, Incoherence};
use crate::draft::{self, Word};
use crate::{
    Cents, Citation, Family, Layout, Mark, NotationError, Odds, Outcome, OutcomeIndex, OutcomeSpace, PayTable,
    PricedSpot, Spot, Text,
};

/// The odds of a spot: one figure, or one by how many dice show its number.
#[derive(Copy, Clone)]
enum Price {
    Flat(Odds),
    ByDice([Odds; 3]),
}

struct PricedLine {
    priced: PricedSpot,
    /// What it pays on each outcome.
    row: Vec<Option<Odds>>,
    place: Range<usize>,
}

/// When a spot wins, where that is not in its notation.
enum Wins<'a> {
    ByNotation,
    ByTotals { totals: &'a [u8], loses_on_triples: bool },
}

/// A pay table before a layout picks its spots.
pub(super) struct Prices {
    id: String,
    name: Text,
    paragraph: Citation,
    step: Cents,
    denominator: NonZeroI64,
    lines: Vec<PricedLine>,
}

/// All pay tables of a file.
pub(super) struct PayTables {
    tables: Vec<Prices>,
}

type Families = BTreeMap<Family, Spanned<draft::FamilyRule>>;

impl PayTables {
    pub fn new(
        context: &Context,
        outcomes: &OutcomeSpace,
        families: &Families,
        drafts: Vec<draft::PayTable>,
    ) -> Result<PayTables, Incoherence> {
        for (family, rule) in families {
            family_fits(context, outcomes, *family, rule)?;
        }
        let mut tables: Vec<Prices> = Vec::with_capacity(drafts.len());
        for draft in drafts {
            if tables.iter().any(|table| table.id == *draft.id.get_ref()) {
                return Err(context.at(draft.id.span(), format!("pay table {} is there twice", draft.id.get_ref())));
            }
            tables.push(prices(context, outcomes, families, draft)?);
        }
        let used = |family: Family| {
            tables.iter().flat_map(|table| &table.lines).any(|line| line.priced.spot.family() == family)
        };
        if let Some((family, rule)) = families.iter().find(|(family, _)| !used(**family)) {
            return Err(context.at(rule.span(), format!("family {family} has no spot in any pay table")));
        }
        Ok(PayTables { tables })
    }

    pub fn find(&self, context: &Context, id: &Word) -> Result<&Prices, Incoherence> {
        self.tables
            .iter()
            .find(|table| table.id == *id.get_ref())
            .ok_or_else(|| context.at(id.span(), format!("there is no pay table {}", id.get_ref())))
    }

    /// A spot with odds that is on no layout could never be bet on.
    pub fn all_offered(&self, context: &Context, layouts: &[Layout]) -> Result<(), Incoherence> {
        for table in &self.tables {
            for line in &table.lines {
                let spot = line.priced.spot;
                let offered =
                    layouts.iter().any(|layout| layout.pay_table_id == table.id && layout.table.index(spot).is_some());
                if !offered {
                    let message = format!("{spot} has odds in pay table {} but stands on no layout", table.id);
                    return Err(context.at(line.place.clone(), message));
                }
            }
        }
        Ok(())
    }
}

impl Prices {
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn name(&self) -> &Text {
        &self.name
    }

    pub fn paragraph(&self) -> &Citation {
        &self.paragraph
    }

    pub fn has(&self, spot: Spot) -> bool {
        self.lines.iter().any(|line| line.priced.spot == spot)
    }

    /// Whether the layout leaves out some of the spots.
    pub fn is_more_than(&self, offered: &[Spot]) -> bool {
        self.lines.len() > offered.len()
    }

    /// The dense table of the spots that a layout offers, in the order of the pay table.
    pub fn table(&self, outcomes: &OutcomeSpace, offered: &[Spot]) -> PayTable {
        let lines: Vec<&PricedLine> = self.lines.iter().filter(|line| offered.contains(&line.priced.spot)).collect();
        let indices: Vec<OutcomeIndex> = outcomes.indices().collect();
        let spots = lines.iter().map(|line| line.priced.clone()).collect();
        PayTable::build(&indices, self.step, self.denominator, spots, |place, index| {
            lines.get(place).and_then(|line| line.row.get(index.get()).copied().flatten())
        })
    }
}

/// The odds a spot pays on an outcome; `None` if it loses.
// § rws-sicbo 3.9 · rws-sicbo-open 3.9 · mbs-sicbo 3.3.1.1, 3.3.2.1, 3.3.3.1, 3.3.4.1 · rws-taisai 3.10
fn pays(outcomes: &OutcomeSpace, spot: Spot, wins: &Wins, price: Price, outcome: Outcome) -> Option<Odds> {
    let hits = match (outcomes, outcome, wins) {
        (OutcomeSpace::Dice, Outcome::Dice(dice), Wins::ByTotals { totals, loses_on_triples }) => {
            usize::from(totals.contains(&dice.total()) && !(*loses_on_triples && dice.is_triple()))
        }
        (OutcomeSpace::Dice, Outcome::Dice(dice), Wins::ByNotation) => spot.dice_hits(dice)?,
        (OutcomeSpace::Wheel(wheel), Outcome::Pocket(pocket), _) => usize::from(wheel.covers(spot, pocket)?),
        _ => 0,
    };
    match price {
        Price::Flat(odds) => (hits > 0).then_some(odds),
        Price::ByDice(odds) => odds.get(hits.checked_sub(1)?).copied(),
    }
}

fn family_fits(
    context: &Context,
    outcomes: &OutcomeSpace,
    family: Family,
    rule: &Spanned<draft::FamilyRule>,
) -> Result<(), Incoherence> {
    let fail = |message: String| Err(context.at(rule.span(), message));
    let on_dice = outcomes.wheel().is_none();
    if !(if on_dice { family.is_for_dice() } else { family.is_for_wheel() }) {
        return fail(format!("family {family} is not for {}", if on_dice { "dice" } else { "a wheel" }));
    }
    let by_totals = on_dice && family.wins_by_totals();
    let rule = rule.get_ref();
    match (&rule.totals, rule.loses_on_triples) {
        (Some(totals), Some(_)) if by_totals => {
            match totals.get_ref().iter().find(|total| !(3..=18).contains(*total)) {
                Some(total) => {
                    Err(context.at(totals.span(), format!("{total} is an unknown total: three dice make 3 to 18")))
                }
                None => Ok(()),
            }
        }
        (None, None) if !by_totals => Ok(()),
        _ if by_totals => fail(format!("family {family} needs totals and loses_on_triples")),
        _ => fail(format!("family {family} wins by its own numbers and takes no totals or loses_on_triples")),
    }
}

// § rws-sicbo 4.1.1, 4.1.2, 4.1.3 · rws-sicbo-open 4.1.1, 4.1.2, 4.1.3 · rws-roulette-000 4.1
// § mbs-sicbo 4.1.1, 4.1.2, 4.1.3, 4.1.4, 4.1.5, 4.1.6, 4.1.7 · rws-taisai 4.1
fn prices(
    context: &Context,
    outcomes: &OutcomeSpace,
    families: &Families,
    draft: draft::PayTable,
) -> Result<Prices, Incoherence> {
    let paragraph = context.cite(&draft.paragraph)?;
    let name = context.words(draft.name, "the name of the pay table", draft.id.span())?;
    // The order of the dice never matters to a bet: each combination is computed once, at its first outcome.
    let all: Vec<(Outcome, OutcomeIndex)> =
        outcomes.all().filter_map(|outcome| Some((outcome, outcomes.index(outcome.sorted())?))).collect();
    let mut lines: Vec<PricedLine> = Vec::new();
    let mut fractional = None;
    let mut denominator = 1_i64;
    for line in draft.pays {
        let price = price(context, outcomes, &line)?;
        let own = context.cite_if(&line.paragraph)?.unwrap_or_else(|| paragraph.clone());
        let mark = match &line.inferred {
            None => None,
            Some(decision) => Some(Mark::Inferred(context.decision(decision)?)),
        };
        for odds in price.all() {
            if odds.denominator() > 1 && fractional.is_none() {
                fractional = Some((odds, line.spots.span()));
            }
            denominator = lcm(denominator, odds.denominator().into());
        }
        if line.spots.get_ref().is_empty() {
            return Err(context.at(line.spots.span(), "a line of a pay table names at least one spot"));
        }
        for word in line.spots.into_inner() {
            let spot = spot(context, outcomes, &word)?;
            if lines.iter().any(|earlier| earlier.priced.spot == spot) {
                let message = format!("{spot} has odds twice in pay table {}", draft.id.get_ref());
                return Err(context.at(word.span(), message));
            }
            let Some(rule) = families.get(&spot.family()) else {
                return Err(context
                    .at(word.span(), format!("{spot} belongs to family {}, which is not described", spot.family())));
            };
            if matches!(price, Price::ByDice(_)) != (spot.family() == Family::Single) {
                let message = format!("{spot}: odds_by_dice are for single dice bets, and those need them");
                return Err(context.at(word.span(), message));
            }
            let wins = wins(rule.get_ref());
            let mut row: Vec<Option<Odds>> = Vec::with_capacity(all.len());
            for (outcome, first) in &all {
                let seen = row.get(first.get()).copied();
                row.push(seen.unwrap_or_else(|| pays(outcomes, spot, &wins, price, *outcome)));
            }
            if row.iter().all(Option::is_none) {
                return Err(context.at(word.span(), format!("{spot} can never win")));
            }
            let priced = PricedSpot { spot, paragraph: own.clone(), mark: mark.clone() };
            lines.push(PricedLine { priced, row, place: word.span() });
        }
    }
    let step = step(context, &draft.step, fractional, denominator)?;
    let denominator = NonZeroI64::new(denominator).unwrap_or(NonZeroI64::MIN);
    Ok(Prices { id: draft.id.into_inner(), name, paragraph, step, denominator, lines })
}

fn wins(rule: &draft::FamilyRule) -> Wins<'_> {
    match &rule.totals {
        Some(totals) => {
            Wins::ByTotals { totals: totals.get_ref(), loses_on_triples: rule.loses_on_triples.unwrap_or_default() }
        }
        None => Wins::ByNotation,
    }
}

impl Price {
    fn all(self) -> Vec<Odds> {
        match self {
            Price::Flat(odds) => vec![odds],
            Price::ByDice(odds) => odds.to_vec(),
        }
    }
}

fn price(context: &Context, outcomes: &OutcomeSpace, line: &draft::Line) -> Result<Price, Incoherence> {
    let odds = |text: &str, span: Range<usize>| -> Result<Odds, Incoherence> {
        text.parse().map_err(|error: crate::OddsError| context.at(span, error.to_string()))
    };
    match (&line.odds, &line.odds_by_dice) {
        (Some(flat), None) => Ok(Price::Flat(odds(flat.get_ref(), flat.span())?)),
        (None, Some(by_dice)) if outcomes.wheel().is_none() => {
            let figures =
                by_dice.get_ref().iter().map(|text| odds(text, by_dice.span())).collect::<Result<Vec<_>, _>>()?;
            let figures = figures
                .try_into()
                .map_err(|_| context.at(by_dice.span(), "odds_by_dice are three: for one, two and three dice"))?;
            Ok(Price::ByDice(figures))
        }
        (None, Some(by_dice)) => Err(context.at(by_dice.span(), "a wheel has no dice to be paid by")),
        _ => Err(context.at(line.spots.span(), "a line of a pay table has either odds or odds_by_dice")),
    }
}

/// A spot of this game, written as its notation has it.
pub(super) fn spot(context: &Context, outcomes: &OutcomeSpace, word: &Word) -> Result<Spot, Incoherence> {
    let fail = |message: String| Err(context.at(word.span(), message));
    let text = word.get_ref();
    let spot: Spot = match text.parse() {
        Ok(spot) => spot,
        // These two quote the text themselves.
        Err(error @ (NotationError::UnknownBet { .. } | NotationError::Malformed { .. })) => {
            return fail(error.to_string());
        }
        Err(error) => return fail(format!("{text}: {error}")),
    };
    if spot.to_string() != *text {
        return fail(format!("{text}: write {spot}"));
    }
    let Some(wheel) = outcomes.wheel() else {
        return if spot.family().is_for_dice() { Ok(spot) } else { fail(format!("{spot} is not for dice")) };
    };
    if !spot.family().is_for_wheel() {
        return fail(format!("{spot} is not for a wheel"));
    }
    let pockets: &[crate::Pocket] = match &spot {
        Spot::Split(pockets) => pockets,
        Spot::Street(pockets) => pockets,
        Spot::Straight(pocket) => std::slice::from_ref(pocket),
        _ => &[],
    };
    if let Some(unknown) = pockets.iter().find(|pocket| !wheel.order().contains(pocket)) {
        return fail(format!("{spot}: there is no pocket {unknown} on this wheel"));
    }
    for (place, a) in pockets.iter().enumerate() {
        // The outer numbers of a plain street do not touch each other; each touches the middle one.
        let near = pockets.iter().skip(place + 1).take(if a.is_zero() { 2 } else { 1 });
        for b in near {
            if !wheel.touch(*a, *b) {
                return fail(format!("{spot}: {a} and {b} do not touch"));
            }
        }
    }
    Ok(spot)
}

fn step(
    context: &Context,
    draft: &Option<Word>,
    fractional: Option<(Odds, Range<usize>)>,
    denominator: i64,
) -> Result<Cents, Incoherence> {
    let Some(word) = draft else {
        return match fractional {
            None => Ok(Cents::ONE),
            Some((odds, span)) => {
                let message = format!("odds of {odds} need a step, so that every payout is whole cents (D9)");
                Err(context.at(span, message))
            }
        };
    };
    let step: Cents =
        word.get_ref().parse().map_err(|error: crate::CentsError| context.at(word.span(), error.to_string()))?;
    if !step.is_positive() || !step.is_multiple_of(Cents::new(denominator)) {
        let message = format!(
            "a step of {step} does not make every payout whole cents: it must be a multiple of {} (D9)",
            Cents::new(denominator)
        );
        return Err(context.at(word.span(), message));
    }
    Ok(step)
}

fn lcm(a: i64, b: i64) -> i64 {
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}
