//! A live table: chips, boxes and the float.

use super::*;

/// Chips in whole dollars: who, where, how much.
pub type Chips<'a> = (u8, &'a str, i64);

impl House {
    /// A live table with an opener of 100,000.00, whose players have bought chips for 10,000.00. A box takes 25.00 a
    /// player to 1,000.00 in all; Big and Small may be 500.00 apart.
    pub fn live() -> House {
        House::live_with(House::settings("rws-taisai"))
    }

    pub fn live_with(settings: TableSettings) -> House {
        let mut house = House::with_settings("rws-taisai", settings);
        house.float(SUPERVISOR, FloatMovement::Opener(dollars(100_000)));
        house.float(DEALER, FloatMovement::BuyIn(dollars(10_000)));
        // That is large cash, and the pit has seen it.
        let seen: Vec<AlertId> = house.floor.alerts().map(Alert::id).collect();
        for alert in seen {
            house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
        }
        house
    }

    #[track_caller]
    pub fn float(&mut self, staff: StaffId, movement: FloatMovement) -> Vec<Event> {
        let body = self.floating(staff, movement);
        self.staff(staff, body)
    }

    /// A movement of the float with its count and a second person.
    pub fn floating(&self, staff: StaffId, movement: FloatMovement) -> Body {
        let (counts, witness) = match movement {
            FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_) => (Vec::new(), None),
            FloatMovement::Opener(amount)
            | FloatMovement::Fill(amount)
            | FloatMovement::Credit(amount)
            | FloatMovement::Closer(amount)
            | FloatMovement::Drop(amount) => {
                let other = if staff == SUPERVISOR { SECOND_SUPERVISOR } else { SUPERVISOR };
                (piles(amount), Some(other))
            }
        };
        let reason = match movement {
            FloatMovement::Closer(_) | FloatMovement::Drop(_) => "counted".to_owned(),
            _ => String::new(),
        };
        Body::MoveFloat { table: TABLE, movement, counts, witness, reason }
    }

    pub fn placing(&self, (position, spot, amount): Chips) -> Body {
        let (spot, amount) = (self.chip_spot(spot), dollars(amount));
        Body::PlaceChips { table: TABLE, position: Position(position), spot, amount, for_player: false }
    }

    pub fn taking(&self, (position, spot, amount): Chips) -> Body {
        let (spot, amount) = (self.chip_spot(spot), dollars(amount));
        Body::TakeChips { table: TABLE, position: Position(position), spot, amount, witness: None }
    }

    #[track_caller]
    pub fn place(&mut self, chips: &[Chips]) {
        for chips in chips {
            let body = self.placing(*chips);
            self.staff(DEALER, body);
        }
    }

    #[track_caller]
    pub fn take(&mut self, chips: Chips) {
        let body = self.taking(chips);
        self.staff(DEALER, body);
    }

    #[track_caller]
    pub fn reject_excess(&mut self, spot: &str) -> Vec<(u8, i64)> {
        let spot = self.chip_spot(spot);
        match &self.staff(DEALER, Body::RejectExcess { table: TABLE, spot })[..] {
            [Event::ExcessRejected { rejected, .. }] => {
                rejected.iter().map(|(position, amount)| (position.0, whole(*amount))).collect()
            }
            events => panic!("{events:?}"),
        }
    }

    /// What stands in a box, by player.
    pub fn in_box(&self, spot: &str) -> Vec<(u8, i64)> {
        let console = self.floor.console_view(TABLE).unwrap();
        let found = console.boxes.iter().find(|found| found.spot.to_string() == spot);
        let bets =
            found.map(|found| found.bets.iter().map(|(position, amount)| (position.0, whole(*amount))).collect());
        bets.unwrap_or_default()
    }

    /// What exceeds, by box.
    pub fn excess(&self) -> Vec<(String, i64)> {
        let name = |spot| self.rulebook(TABLE).layouts()[0].table().spot(spot).unwrap().spot.to_string();
        self.floor.excess(TABLE).into_iter().map(|(spot, excess)| (name(spot), whole(excess))).collect()
    }

    /// The shares of the last settled round: who, at risk, returned.
    pub fn shares(&self) -> Vec<(u8, i64, i64)> {
        let round = self.floor.table(TABLE).unwrap().archive().next_back().unwrap();
        round.shares().iter().map(|share| (share.position.0, whole(share.at_risk), whole(share.returned))).collect()
    }

    /// A whole live round with these chips.
    #[track_caller]
    pub fn deal(&mut self, chips: &[Chips], outcome: &str) -> RoundId {
        let round = self.open();
        self.place(chips);
        self.finish(outcome);
        round
    }

    pub fn account(&self, account: Account) -> i64 {
        let balance = self.floor.accounts().into_iter().find(|(known, _)| *known == account);
        whole(balance.unwrap_or_else(|| panic!("no {account:?}")).1)
    }

    /// Chips that players have.
    pub fn chips_out(&self) -> i64 {
        self.account(Account::Chips(TABLE))
    }

    /// Chips in the tray.
    pub fn tray(&self) -> i64 {
        whole(self.floor.table(TABLE).unwrap().float())
    }
}

/// An amount without cents.
pub fn whole(amount: Cents) -> i64 {
    assert_eq!(amount.get() % 100, 0, "{amount} has cents");
    amount.get() / 100
}
