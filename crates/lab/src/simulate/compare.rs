//! What was drawn against what is exact.

use rulebook::{Cents, Fraction, Layout, PayTable, Rulebook, SpotIndex, sheet};
use serde::Serialize;

use super::{GENERATOR, LivePlayer, LiveTable, Run, counts, folded};
use crate::session::{Round, SessionError};
use crate::statistics::{ChiSquare, bonferroni, goodness_of_fit, two_sided};
use crate::words::{float, fraction};

/// A figure that was drawn, beside the exact one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The spot, the player, or `all bets`.
    pub id: String,
    /// In how many rounds it won; none where that is not one bet.
    pub hits: Option<u64>,
    /// What came back of a unit staked, as drawn.
    pub returned: f64,
    /// What comes back of a unit staked, exactly.
    #[serde(serialize_with = "fraction")]
    pub exact: Fraction,
    /// One standard error of what is drawn.
    pub standard_error: f64,
    /// By how many standard errors the two differ.
    pub z: f64,
    /// How likely so large a difference is, for this line alone.
    pub p: f64,
    /// The same, corrected for the number of lines (Bonferroni).
    pub adjusted: f64,
}

/// The verdict on all lines together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tested {
    /// The level that all lines share.
    pub level: f64,
    /// How many lines there are.
    pub lines: usize,
    /// The largest difference, in standard errors.
    pub largest_z: f64,
    /// The largest difference that the level lets pass.
    pub allowed_z: f64,
    /// Chi-square of the outcomes themselves; none when only a total was kept.
    pub outcomes: Option<ChiSquare>,
    /// Whether everything agrees.
    pub agrees: bool,
}

/// A simulation and its comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulation {
    /// The id of the game.
    pub game: String,
    /// The layout.
    pub layout: String,
    /// The rulebook's hash.
    pub hash: String,
    /// Rounds drawn.
    pub rounds: u64,
    /// What decided them.
    pub seed: u64,
    /// What drew them.
    pub generator: &'static str,
    /// `spots`: every spot's own total; `folded`: one total; `live`: each player of a box.
    pub mode: &'static str,
    /// The lines.
    pub lines: Vec<Compared>,
    /// What follows.
    pub verdict: Tested,
    /// The players of a live table, with what of their bets was at risk.
    pub players: Vec<LivePlayer>,
}

/// The level of the verdict: one honest simulation of a thousand is called wrong.
const LEVEL: f64 = 0.001;

impl Simulation {
    /// One unit on every spot of the layout in every round.
    #[must_use]
    pub fn of_spots(rulebook: &Rulebook, layout: &Layout, run: Run<'_>) -> Simulation {
        let table = layout.table();
        let counted = counts(table.outcomes(), run);
        let lines = spots(table, &counted);
        let outcomes = uniform(&counted);
        Simulation::new(rulebook, layout, run, "spots", lines, Some(outcomes))
    }

    /// A set of bets, folded into one row: only their total is kept.
    ///
    /// # Errors
    /// As [`Round::of`].
    pub fn of_bets(
        rulebook: &Rulebook,
        layout: &Layout,
        bets: &[(SpotIndex, Cents)],
        run: Run<'_>,
    ) -> Result<Simulation, SessionError> {
        let table = layout.table();
        let round = Round::of(table, bets)?;
        let total = folded(&crate::session::row(table, bets)?, run).total;
        let line = compared("all bets", None, &Drawn { total, rounds: run.rounds }, &round);
        Ok(Simulation::new(rulebook, layout, run, "folded", vec![line], None))
    }

    /// A live table with boxes that hold more than their maximum: every player's own result, after pro rata.
    #[must_use]
    pub fn of_live(rulebook: &Rulebook, layout: &Layout, live: &LiveTable, run: Run<'_>) -> Simulation {
        let counted = counts(layout.table().outcomes(), run);
        let lines = live.compare(&counted);
        let outcomes = uniform(&counted);
        let simulation = Simulation::new(rulebook, layout, run, "live", lines, Some(outcomes));
        Simulation { players: live.players().to_vec(), ..simulation }
    }

    fn new(
        rulebook: &Rulebook,
        layout: &Layout,
        run: Run<'_>,
        mode: &'static str,
        mut lines: Vec<Compared>,
        outcomes: Option<ChiSquare>,
    ) -> Simulation {
        let adjusted = bonferroni(&lines.iter().map(|line| line.p).collect::<Vec<_>>());
        lines.iter_mut().zip(adjusted).for_each(|(line, adjusted)| line.adjusted = adjusted);
        let tests = lines.len() + usize::from(outcomes.is_some());
        let largest_z = lines.iter().map(|line| line.z.abs()).fold(0.0, f64::max);
        let each = LEVEL / tests.max(1) as f64;
        let verdict = Tested {
            level: LEVEL,
            lines: lines.len(),
            largest_z,
            allowed_z: crate::statistics::upper_quantile(each / 2.0),
            outcomes,
            agrees: lines.iter().all(|line| line.p >= each) && outcomes.is_none_or(|test| test.p >= each),
        };
        Simulation {
            game: rulebook.id().to_owned(),
            layout: layout.id().to_owned(),
            hash: rulebook.hash().to_string(),
            rounds: run.rounds,
            seed: run.seed,
            generator: GENERATOR,
            mode,
            lines,
            verdict,
            players: Vec::new(),
        }
    }
}

fn uniform(counted: &[u64]) -> ChiSquare {
    let expected = counted.iter().sum::<u64>() as f64 / counted.len().max(1) as f64;
    goodness_of_fit(counted, &vec![expected; counted.len()])
}

/// Every spot's own total, from the counts of the outcomes.
fn spots(table: &PayTable, counted: &[u64]) -> Vec<Compared> {
    let rounds: u64 = counted.iter().sum();
    let unit = i128::from(table.denominator());
    let line = |odds: rulebook::SpotOdds| {
        let won = || table.winners(odds.spot).iter().map(|(outcome, cell)| (counted[outcome.get()], *cell));
        let parts: i128 = won().map(|(count, cell)| i128::from(count) * i128::from(cell)).sum();
        let returned = parts as f64 / (unit as f64 * rounds as f64);
        let exact = Fraction::from_integer(1) - odds.edge;
        let id = table.spot(odds.spot).map_or_else(String::new, |priced| priced.spot.to_string());
        let error = (float(odds.variance) / rounds as f64).sqrt();
        finish(&id, Some(won().map(|(count, _)| count).sum()), returned, exact, error)
    };
    sheet(table).into_iter().map(line).collect()
}

/// A total that was drawn.
pub(crate) struct Drawn {
    pub total: i128,
    pub rounds: u64,
}

/// What was drawn of a round whose distribution is known.
pub(crate) fn compared(id: &str, hits: Option<u64>, drawn: &Drawn, round: &Round) -> Compared {
    let stake = float(round.mean_stake());
    let returned = 1.0 + drawn.total as f64 / (stake * drawn.rounds as f64);
    let error = (float(round.variance()) / drawn.rounds as f64).sqrt() / stake;
    finish(id, hits, returned, Fraction::from_integer(1) - round.edge(), error)
}

fn finish(id: &str, hits: Option<u64>, returned: f64, exact: Fraction, standard_error: f64) -> Compared {
    let difference = returned - float(exact);
    // A set of bets whose result never varies has nothing to compare.
    let z = if standard_error > 0.0 { difference / standard_error } else { 0.0 };
    let p = two_sided(z);
    Compared { id: id.to_owned(), hits, returned, exact, standard_error, z, p, adjusted: p }
}
