//! Who may do what (D11, D15; 1.5, MBS 6.2).

use rulebook::{Act, Rank};

use crate::command::{Post, Sender};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Staff, Table};

impl Staff {
    /// The rank in the pit, by post or by the position the person is acting in; whichever stands higher.
    // § etg 1.5 · mbs-sicbo 6.2 · rws-taisai 1.5
    pub(crate) fn rank(&self) -> Option<Rank> {
        let of = |post: Post| match post {
            Post::Pit(rank) => Some(rank),
            _ => None,
        };
        of(self.post).max(self.acting.and_then(of))
    }

    pub(crate) fn serves_as(&self, post: Post) -> bool {
        self.post == post || self.acting == Some(post)
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

    /// The person behind a command, if the rank suffices. Higher ranks may do what lower ones may.
    pub(crate) fn authorise(&self, sender: Sender, act: Act, table: &Table) -> Result<StaffId, Refusal> {
        let staff = self.staff_sender(sender)?;
        self.rank_suffices(staff, act, table).map(|()| staff.id)
    }

    // § mbs-sicbo 6.2
    fn rank_suffices(&self, staff: &Staff, act: Act, table: &Table) -> Result<(), Refusal> {
        let power = self.rulebook_of(table).and_then(|rulebook| rulebook.power(act));
        let Some(power) = power else {
            return refuse(Code::NotForSender, "the rulebook", format!("this game knows no {act}"));
        };
        let needed = self.raised.get(&act).map_or(power.rank, |raised| power.rank.max(*raised));
        match staff.rank() {
            Some(rank) if rank >= needed => Ok(()),
            _ => refuse(Code::Rank, &power.paragraph, format!("{act} needs a {needed} or above")),
        }
    }

    /// The second person (D15): somebody else whose rank suffices for the act.
    pub(crate) fn second_person(
        &self,
        first: StaffId,
        witness: Option<StaffId>,
        act: Act,
        table: &Table,
    ) -> Result<StaffId, Refusal> {
        let missing = || refusal(Code::SecondPerson, "D15", "a second person of the rank needed must confirm");
        let second = witness.ok_or_else(missing)?;
        let staff =
            self.staff.get(second.index()).filter(|staff| staff.active && second != first).ok_or_else(missing)?;
        self.rank_suffices(staff, act, table).map_err(|_| missing())?;
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

    pub(crate) fn cashier(&self, sender: Sender) -> Result<&Staff, Refusal> {
        let staff = self.staff_sender(sender)?;
        if staff.serves_as(Post::Cashier) { Ok(staff) } else { refuse(Code::Rank, "D11", "only a cashier may do this") }
    }
}
