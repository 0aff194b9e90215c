//! Every registered bet is settled or returned exactly once.

use std::collections::{BTreeMap, BTreeSet};

use floor::{Position, RoundId, TerminalId};

use super::{Check, must};

/// Who has a bet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    Terminal(TerminalId),
    Position(Position),
}

/// What the house owes an answer for.
#[derive(Clone, Default)]
pub(crate) struct Obligations {
    open: BTreeMap<(RoundId, Who), i64>,
    met: BTreeSet<(RoundId, Who)>,
    registered: i64,
    withdrawn: i64,
    answered: i64,
}

impl Obligations {
    /// A bet is placed, raised, lowered or withdrawn.
    pub fn change(&mut self, round: RoundId, who: Who, delta: i64) -> Check {
        must(!self.met.contains(&(round, who)), || format!("{who:?} bets in round {round}, which is over"))?;
        if delta > 0 {
            self.registered += delta
        } else {
            self.withdrawn -= delta
        }
        let stands = self.open.entry((round, who)).or_default();
        *stands += delta;
        let left = *stands;
        if left == 0 {
            self.open.remove(&(round, who));
        }
        must(left >= 0, || format!("{who:?} withdrew more than stood in round {round}"))
    }

    /// A bet is settled, or returned by a void.
    pub fn answer(&mut self, round: RoundId, who: Who, staked: i64) -> Check {
        let open = self.open.remove(&(round, who)).unwrap_or(0);
        must(open == staked, || format!("{who:?} had {open} cents in round {round}, not {staked}"))?;
        self.answered += staked;
        must(self.met.insert((round, who)), || format!("{who:?} was answered twice for round {round}"))
    }

    /// The round is over: nothing of it may be left open.
    pub fn round_over(&self, round: RoundId) -> Check {
        match self.open.keys().find(|(of, _)| *of == round) {
            Some((_, who)) => Err(format!("round {round} is over and the bets of {who:?} were forgotten")),
            None => Ok(()),
        }
    }

    /// No bet stands any more.
    pub fn all_met(&self) -> Check {
        must(self.open.is_empty(), || format!("bets still stand: {:?}", self.open))
    }

    /// Everything ever registered was withdrawn, was answered, or stands.
    pub fn check(&self) -> Check {
        let standing: i64 = self.open.values().sum();
        must(self.registered == self.withdrawn + self.answered + standing, || {
            let Obligations { registered, withdrawn, answered, .. } = self;
            format!("{registered} registered, {withdrawn} withdrawn, {answered} answered, {standing} standing")
        })
    }
}
