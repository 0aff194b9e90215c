//! A session of all five games: rounds in every phase side by side, tickets, a void, a correction, a decision.

use floor::*;
use rulebook::GroundId;

use super::house::*;

pub struct Session(pub House);

impl Session {
    fn device(&self, table: TableId) -> Sender {
        let is_here = |device: &&Device| device.place() == DevicePlace::Table(table);
        Sender::Device(self.0.floor.devices().iter().find(is_here).expect("a device").id())
    }

    fn live(&self, table: TableId) -> bool {
        self.0.floor.table(table).expect("a table").mode() != TableMode::Terminals
    }

    /// Opens a round and bets on it, on the first two terminals or with chips.
    fn bet(&mut self, table: TableId) {
        self.0.open_at(table);
        let wheel = self.0.rulebook(table).outcomes().wheel().is_some();
        let bets: [&[&str]; 2] = if wheel {
            [&["red=50.00", "straight/000=5.00"], &["neighbours/21/2=1.00", "dozen/1=10.00"]]
        } else {
            [&["small=50.00", "total/9=4.00"], &["big=20.00", "double/5=2.00", "triple/any=2.00"]]
        };
        if self.live(table) {
            let spot = |text: &str| self.0.rulebook(table).layouts()[0].find(text).expect("a spot");
            for (position, spot) in [(1, spot("small")), (2, spot("big"))] {
                let (position, amount) = (Position(position), dollars(100));
                self.0.staff(DEALER, Body::PlaceChips { table, position, spot, amount, for_player: false });
            }
            return;
        }
        let terminals = self.0.floor.table(table).expect("a table").terminals().to_vec();
        for (terminal, mut bets) in terminals.into_iter().zip(bets) {
            if wheel && self.0.floor.may(Sender::Terminal(terminal), &self.0.bets(terminal, bets), self.0.at).is_err() {
                bets = &["black=5.00"];
            }
            self.0.bet(terminal, bets);
        }
    }

    /// Closes, and lets the device work up to where a result can be read.
    fn deal(&mut self, table: TableId) {
        self.0.close_at(table);
        self.0.play_device_at(table);
    }

    fn enter(&mut self, table: TableId, dice: &str, pocket: &str) {
        let wheel = self.0.rulebook(table).outcomes().wheel().is_some();
        let outcome = self.0.outcome(table, if wheel { pocket } else { dice });
        self.0.honest_device(table, outcome);
        let entry = self.0.entry(table, outcome);
        self.0.staff(DEALER, entry);
    }

    fn confirm(&mut self, table: TableId) {
        self.0.staff(DEALER, Body::confirm_result(table));
    }

    /// The whole session. The last round of every table is left open, each in another phase.
    pub fn played() -> Session {
        let mut session = Session(House::empty());
        let tables = ALL.map(|game| session.0.add_table(game, House::settings(game)));
        let live = tables[2];
        session.0.staff(
            SUPERVISOR,
            Body::MoveFloat {
                table: live,
                movement: FloatMovement::Opener(dollars(100_000)),
                counts: piles(dollars(100_000)),
                witness: Some(SECOND_SUPERVISOR),
                reason: String::new(),
            },
        );
        session.0.staff(
            DEALER,
            Body::MoveFloat {
                table: live,
                movement: FloatMovement::BuyIn(dollars(10_000)),
                counts: Vec::new(),
                witness: None,
                reason: String::new(),
            },
        );
        // A round at every table, step by step side by side.
        tables.iter().for_each(|table| session.bet(*table));
        session.0.later(5_000);
        tables.iter().for_each(|table| session.deal(*table));
        tables.iter().for_each(|table| session.enter(*table, "1-2-4", "1"));
        session.0.later(1_000);
        tables.iter().for_each(|table| session.confirm(*table));
        session.money();
        session.irregularities(tables);
        // The next one is left where it is: open, closed, dealt, entered, open.
        for (place, table) in tables.into_iter().enumerate() {
            session.bet(table);
            if (1..4).contains(&place) {
                session.deal(table);
            }
            if place == 3 {
                session.enter(table, "6-6-5", "0");
            }
        }
        session
    }

    fn money(&mut self) {
        let (_, number) = self.0.cash_out(T1);
        self.0.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
        self.0.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
        let number = self.0.new_number();
        self.0.staff(CASHIER, Body::SellTicket { amount: dollars(70), number, witness: None });
        self.0.ok(Sender::Terminal(T1), Body::TicketIn { terminal: T1, number });
    }

    fn irregularities(&mut self, tables: [TableId; 5]) {
        // A wrong result put right, a round void by its dice, another by decision.
        let round = self.0.floor.table(TABLE).and_then(|table| table.archive().next_back().map(ArchivedRound::id));
        self.0.correct(round.expect("a past round"), "6-5-4");
        self.bet(TABLE);
        self.deal(TABLE);
        // The dice can be seen by now: a Pit Supervisor is the second person (D23).
        let (ground, witness) = (GroundId::DiceDamaged, Some(SUPERVISOR));
        self.0.staff(DEALER, Body::DeclareGround { table: TABLE, ground, witness });
        self.bet(tables[1]);
        let round = Some(self.0.round_at(tables[1]));
        let (reason, witness) = ("no rule covers it".to_owned(), Some(SECOND_MANAGER));
        self.0
            .staff(SHIFT_MANAGER, Body::Decide { table: tables[1], round, ruling: Ruling::VoidRound, reason, witness });
    }
}
