//! Who may do what (D11, D15; 1.5, MBS 6.2).

use rulebook::{Act, Rank};

use crate::alone::ALONE;
use crate::command::{Post, Sender};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Staff, Table};

impl Staff {
    /// The posts whose powers the person has now: the own one, and the one the person is acting in. An administrator, an
    /// auditor and a technician stand outside play: where such a post is theirs, only the post acted in counts, so that their powers and those
    /// of play are never in one hand (D26).
    // § etg 1.5 · mbs-sicbo 6.2 · rws-taisai 1.5
    pub fn posts(&self) -> impl Iterator<Item = Post> {
        let apart = |post: Post| matches!(post, Post::Administrator | Post::Auditor | Post::Technician);
        let replaced = self.acting.is_some_and(|acting| apart(acting) || apart(self.post));
        [(!replaced).then_some(self.post), self.acting].into_iter().flatten()
    }

    /// The rank in the pit, by post or by the position the person is acting in; the higher of the two.
    // § etg 1.5 · mbs-sicbo 6.2 · rws-taisai 1.5
    #[must_use]
    pub fn rank(&self) -> Option<Rank> {
        let ranks = self.posts().filter_map(|post| match post {
            Post::Pit(rank) => Some(rank),
            _ => None,
        });
        ranks.max()
    }

    pub(crate) fn serves_as(&self, post: Post) -> bool {
        self.posts().any(|held| held == post)
    }
}

/// The acts of the dealer of the table. A person of higher rank may do them too; another dealer takes the table over
/// first.
const fn is_the_dealers(act: Act) -> bool {
    matches!(
        act,
        Act::OpenRound
            | Act::CloseBets
            | Act::EnterResult
            | Act::DeclareGround
            | Act::AttestInterruption
            | Act::CorrectBeforeSettlement
            | Act::RejectExcess
            | Act::AdviseMinimum
            | Act::RefuseLateBets
    )
}

/// A rank as people say it.
const fn title(rank: Rank) -> &'static str {
    match rank {
        Rank::Dealer => "Dealer",
        Rank::PitSupervisor => "Pit Supervisor",
        Rank::PitManager => "Pit Manager",
        Rank::ShiftManager => "Shift Manager",
        Rank::CasinoManager => "Casino Manager",
    }
}

impl Floor {
    /// The person behind a command.
    pub(crate) fn staff_sender(&self, sender: Sender) -> Result<&Staff, Refusal> {
        match sender {
            Sender::Staff(id) => match self.staff.get(id.index()) {
                Some(staff) if staff.active => Ok(staff),
                _ => refuse(Code::UnknownSender, "D11", "this person is not employed here"),
            },
            _ => refuse(Code::NotForSender, "D11", "only staff may do this"),
        }
    }

    /// The person behind a command, if the rank suffices and a dealer has the table. Higher ranks may do what lower ones may.
    pub(crate) fn authorise(&self, sender: Sender, act: Act, table: &Table) -> Result<StaffId, Refusal> {
        let staff = self.staff_sender(sender)?;
        self.rank_suffices(staff, act, table)?;
        let waits = is_the_dealers(act) && staff.rank() == Some(Rank::Dealer) && table.dealer != Some(staff.id);
        if waits && !(table.dealer.is_some() && mutant!("another-dealer-acts")) {
            let words = match table.dealer {
                Some(_) => "another dealer has this table: take it over first",
                None => "no dealer has this table: take it over first",
            };
            return refuse(Code::NotTheDealer, "D26", words);
        }
        Ok(staff.id)
    }

    /// The same for what stays open to every Pit Employee, no matter which dealer has the table: taking it over,
    /// recording chips, placing bets for a player, reporting an interruption (D26).
    pub(crate) fn authorise_any(&self, sender: Sender, act: Act, table: &Table) -> Result<StaffId, Refusal> {
        let staff = self.staff_sender(sender)?;
        self.rank_suffices(staff, act, table).map(|()| staff.id)
    }

    // § mbs-sicbo 6.2
    pub(crate) fn rank_suffices(&self, staff: &Staff, act: Act, table: &Table) -> Result<(), Refusal> {
        let power = self.rulebook_of(table).and_then(|rulebook| rulebook.power(act));
        let Some(power) = power else {
            return refuse(Code::NotForSender, "the rulebook", format!("this game knows no {act}"));
        };
        let needed = self.raised.get(&act).map_or(power.rank, |raised| power.rank.max(*raised));
        match staff.rank() {
            Some(rank) if rank >= needed => Ok(()),
            _ => refuse(Code::Rank, &power.paragraph, format!("only a {} or above may do this", title(needed))),
        }
    }

    /// The second person (D15): another person whose rank suffices for the act.
    pub(crate) fn second_person(
        &self,
        first: StaffId,
        witness: Option<StaffId>,
        act: Act,
        table: &Table,
    ) -> Result<StaffId, Refusal> {
        if witness == Some(ALONE) {
            return Ok(first);
        }
        let no = |words: &str| refusal(Code::SecondPerson, "D15", words);
        let second = witness.ok_or_else(|| no("a second person of the rank needed must confirm"))?;
        if second == first && !mutant!("signs-for-oneself") {
            return Err(no("the second person is you: another person must confirm"));
        }
        let staff = self.staff.get(second.index()).filter(|staff| staff.active);
        let staff = staff.ok_or_else(|| no("the second person is not employed here now"))?;
        let too_low = |refused: Refusal| match refused.words.strip_suffix(" may do this") {
            Some(needed) => no(&format!("the rank of the second person is too low: {needed} may confirm this")),
            None => no("the rank of the second person is too low to confirm this"),
        };
        self.rank_suffices(staff, act, table).map_err(too_low)?;
        self.independent(first, second)?;
        Ok(second)
    }

    pub(crate) fn administrator(&self, sender: Sender) -> Result<Option<StaffId>, Refusal> {
        // Until there is an administrator the host itself sets the floor up.
        if sender == Sender::System {
            return Ok(None);
        }
        let staff = self.staff_sender(sender)?;
        if staff.serves_as(Post::Administrator) {
            Ok(Some(staff.id))
        } else {
            refuse(Code::Rank, "D11", "only an administrator configures the floor")
        }
    }

    /// Devices and terminals are tested and enrolled at the cabinet by an administrator or a technician (D30).
    pub(crate) fn technician(&self, sender: Sender) -> Result<Option<StaffId>, Refusal> {
        match self.administrator(sender) {
            Err(_) if self.staff_sender(sender)?.serves_as(Post::Technician) => {
                self.staff_sender(sender).map(|staff| Some(staff.id))
            }
            Err(refused) if refused.code == Code::Rank => {
                refuse(Code::Rank, "D30", "only an administrator or a technician does this")
            }
            administrator => administrator,
        }
    }

    pub(crate) fn cashier(&self, sender: Sender) -> Result<&Staff, Refusal> {
        let staff = self.staff_sender(sender)?;
        if staff.serves_as(Post::Cashier) { Ok(staff) } else { refuse(Code::Rank, "D11", "only a cashier may do this") }
    }
}
