//! Players at terminals: money in, bets, cash-outs.

use floor::*;
use rulebook::{Cents, SpotIndex};

use super::{Deed, Scene, dollars, new_number};
use crate::chance::Chance;
use crate::model::Terminal;
use crate::sheet::Sheet;

const PIECES: [&str; 7] =
    ["tiers", "orphelins", "zerospiel", "grandseries", "finale/7", "neighbours/0/2", "neighbours/21/3"];

impl Scene<'_> {
    pub(super) fn player(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let here: Vec<TerminalId> = self.model.at_table(table).map(|(id, _)| id).collect();
        let id = chance.pick(&here)?;
        let terminal = self.model.terminal(id).ok()?;
        if terminal.prepared > 0 && chance.one_in(2) {
            return self.printer(id, chance);
        }
        if terminal.credit == 0 && terminal.bets.is_empty() || chance.one_in(15) {
            return self.money_in(id, chance);
        }
        let round = self.model.table(table).ok()?.round.as_ref();
        let bets_are_open = round.is_some_and(|round| round.phase == Phase::Open);
        let sender = Sender::Terminal(id);
        match chance.below(40) {
            3 | 4 if !terminal.choices.is_empty() && chance.one_in(2) => {
                let choices = if chance.one_in(8) { vec![TableId(0), TableId(1)] } else { terminal.choices.clone() };
                Some((sender, Body::ChooseTable { terminal: id, table: chance.pick(&choices)? }))
            }
            0 => Some((sender, Body::PrepareTicket { terminal: id, number: new_number(chance) })),
            1 => {
                let limit = (!chance.one_in(4)).then(|| dollars(chance.between(1, 400)));
                Some((sender, Body::SetLossLimit { terminal: id, limit }))
            }
            5 if chance.one_in(4) => Some((sender, Body::CallAttendant { terminal: id })),
            _ if bets_are_open => Some((sender, self.bets(terminal, chance)?)),
            2..8 => {
                let round = round.filter(|round| round.awaiting.contains(&id))?;
                Some((sender, Body::AcknowledgeClose { round: round.id }))
            }
            8 => Some((sender, self.bets(terminal, chance)?)),
            _ => None,
        }
    }

    fn printer(&self, id: TerminalId, chance: &mut Chance) -> Option<Deed> {
        let mut tickets = self.model.tickets.iter();
        let is_ours =
            |ticket: &crate::model::Ticket| ticket.terminal == Some(id) && ticket.state == TicketState::Prepared;
        let ticket = *tickets.find(|(_, ticket)| is_ours(ticket))?.0;
        let body = if chance.one_in(4) { Body::PrintFailed { ticket } } else { Body::TicketPrinted { ticket } };
        Some((if chance.one_in(8) { Sender::System } else { Sender::Terminal(id) }, body))
    }

    fn money_in(&self, id: TerminalId, chance: &mut Chance) -> Option<Deed> {
        if chance.one_in(4)
            && let Some(number) = self.some_ticket(chance)
        {
            return Some((Sender::Terminal(id), Body::TicketIn { terminal: id, number }));
        }
        let amount = if chance.one_in(3) { dollars(chance.between(1, 20)) } else { dollars(chance.between(50, 900)) };
        if self.model.demonstration && chance.one_in(4) {
            return Some((Sender::Terminal(id), Body::CashIn { terminal: id, amount }));
        }
        let validator = self.device_id(|device| device.place == DevicePlace::Terminal(id))?;
        Some((Sender::Device(validator), Body::CashIn { terminal: id, amount }))
    }

    /// The number of a ticket: mostly one that can be redeemed, seldom one that has been.
    pub(super) fn some_ticket(&self, chance: &mut Chance) -> Option<TicketHash> {
        let any = chance.one_in(6);
        let good = |ticket: &&crate::model::Ticket| any || ticket.state == TicketState::Outstanding;
        let numbers: Vec<TicketHash> = self.model.tickets.values().filter(good).map(|ticket| ticket.number).collect();
        chance.pick(&numbers)
    }

    fn bets(&self, terminal: &Terminal, chance: &mut Chance) -> Option<Body> {
        Some(match chance.below(14) {
            0 => Body::ClearBets,
            1 | 2 if terminal.bets.is_empty() => Body::RepeatBets { doubled: false },
            3 if terminal.bets.is_empty() => Body::RepeatBets { doubled: true },
            _ => {
                let count = 1 + chance.below(4);
                let changes = (0..count).filter_map(|_| self.change(terminal, chance)).collect();
                Body::Bet { changes }
            }
        })
    }

    fn change(&self, terminal: &Terminal, chance: &mut Chance) -> Option<BetChange> {
        let sheet = self.model.sheet(terminal).ok()?;
        if !terminal.bets.is_empty() && chance.one_in(4) {
            return self.less(terminal, sheet, chance);
        }
        let settings = &self.model.table(terminal.table).ok()?.settings;
        if self.game(terminal.table)?.is_wheel() && chance.one_in(4) {
            let unit = settings.limit.minimum.max(settings.step);
            let unit = Cents::new(unit.get() + settings.step.get() * chance.between(0, 2));
            return Some(BetChange::AddPieces { bet: chance.of_these(PIECES).to_owned(), unit });
        }
        let spot = self.some_spot(terminal, sheet, chance)?;
        let family = sheet.text(spot)?.parse::<rulebook::Spot>().ok()?.family();
        let limit = settings.limit_of(family);
        let least = limit.minimum.max(settings.step);
        let amount = match chance.below(12) {
            0 => limit.maximum.unwrap_or(least),
            1 if chance.one_in(4) => Cents::new(least.get() + 1),
            _ => Cents::new(least.get() + settings.step.get() * chance.between(0, 12)),
        };
        Some(BetChange::Add { spot, amount })
    }

    /// A bet lowered or withdrawn, plain or in pieces.
    fn less(&self, terminal: &Terminal, sheet: &'static Sheet, chance: &mut Chance) -> Option<BetChange> {
        let stakes: Vec<_> = terminal.bets.iter().map(|((spot, group), stake)| (*spot, *group, *stake)).collect();
        let (spot, group, stake) = chance.pick(&stakes)?;
        if group > 0 {
            return Some(BetChange::TakePieces { group });
        }
        let step = self.model.table(terminal.table).ok()?.settings.step.get();
        let part = if chance.one_in(2) { stake } else { step * chance.between(1, (stake / step).max(1)) };
        let spot = self.layout_spots(terminal)?.find(|index| sheet.text(*index) == Some(spot))?;
        Some(BetChange::Take { spot, amount: Cents::new(part) })
    }

    fn layout_spots(&self, terminal: &Terminal) -> Option<impl Iterator<Item = SpotIndex> + use<>> {
        let layout = self.game(terminal.table)?.rulebook().layouts().get(usize::from(terminal.layout))?;
        Some(layout.table().indices())
    }

    fn some_spot(&self, terminal: &Terminal, sheet: &Sheet, chance: &mut Chance) -> Option<SpotIndex> {
        // Players come back to few spots, so that bets are raised and limits met.
        let place = if chance.one_in(2) { chance.below(8) } else { chance.below(sheet.len()) };
        self.layout_spots(terminal)?.nth(place)
    }
}
