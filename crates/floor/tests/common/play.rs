//! Words for the tests of the documents: what is bet, refused, seen and attested in one line.

use floor::*;
use rulebook::{Cents, Face, GroundId};

use super::*;

/// An even-money spot of a game, an outcome on which it wins, and one on which it loses.
pub fn even_money(game: &str) -> (&'static str, &'static str, &'static str) {
    match game {
        "rws-roulette-000" => ("red", "1", "2"),
        _ => ("small", "1-2-4", "6-5-4"),
    }
}

/// Two ranks that may put a settled result right together.
pub fn correctors(game: &str) -> (StaffId, StaffId) {
    match game {
        "mbs-sicbo" => (SHIFT_MANAGER, SECOND_SHIFT_MANAGER),
        _ => (SUPERVISOR, SECOND_SUPERVISOR),
    }
}

/// The ground of damage or breakage that voids every round it affected.
pub fn damage(game: &str) -> GroundId {
    if game == "rws-roulette-000" { GroundId::BallBroken } else { GroundId::DiceDamaged }
}

/// Dice as far as they could be read; zero is a die that could not.
pub fn read(dice: [u8; 3]) -> Observation {
    Observation::DiceRead { dice: dice.map(Face::new) }
}

/// A position in a table without a notation, as a forged message would carry it.
pub fn forged<Place: serde::de::DeserializeOwned>(number: u16) -> Place {
    postcard::from_bytes(&postcard::to_allocvec(&number).unwrap()).unwrap()
}

pub const SPUN: Observation = Observation::Spun { against_rotation: true, wheel_rotating: true };

impl House {
    /// The terminal's command is refused with this code; the refusal's rule is returned.
    #[track_caller]
    pub fn terminal_refused(&mut self, terminal: TerminalId, body: Body, code: Code) -> String {
        self.refused(Sender::Terminal(terminal), body, code)
    }

    #[track_caller]
    pub fn bet_refused(&mut self, terminal: TerminalId, bets: &[&str], code: Code) -> String {
        let body = self.bets(terminal, bets);
        self.terminal_refused(terminal, body, code)
    }

    #[track_caller]
    pub fn staff_refused(&mut self, staff: StaffId, body: Body, code: Code) -> String {
        self.refused(Sender::Staff(staff), body, code)
    }

    /// A command that withdraws so much from a spot.
    pub fn withdrawing(&self, terminal: TerminalId, spot: &str, amount: Cents) -> Body {
        Body::Bet { changes: [BetChange::Take { spot: self.spot(terminal, spot), amount }].into() }
    }

    /// What stands on the terminal's layout, in the notation.
    pub fn standing(&self, terminal: TerminalId) -> Vec<String> {
        let view = self.floor.terminal_view(terminal).unwrap();
        view.bets.iter().map(|(spot, _, amount)| format!("{spot}={amount}")).collect()
    }

    pub fn current(&self) -> &Round {
        self.floor.table(TABLE).unwrap().round().expect("a round is in progress")
    }

    /// The result by which a past round stands; `None` if it is void.
    pub fn result_of(&self, round: RoundId) -> Option<String> {
        let table = self.floor.table(TABLE).unwrap();
        let archived = table.archive().find(|archived| archived.id() == round).expect("a past round");
        let outcome = archived.outcome()?;
        self.rulebook(TABLE).outcomes().outcome(outcome).map(|outcome| outcome.to_string())
    }

    /// Every way to touch a bet, each refused with the code; the paragraphs are returned.
    #[track_caller]
    pub fn every_road_is_shut(&mut self, terminal: TerminalId, spot: &str, code: Code) -> String {
        let place = self.bets(terminal, &[&format!("{spot}=10.00")]);
        let take = self.withdrawing(terminal, spot, dollars(10));
        let roads = [
            place,
            take,
            Body::Bet { changes: [BetChange::AddPieces { bet: "tiers".to_owned(), unit: dollars(1) }].into() },
            Body::Bet { changes: [BetChange::TakePieces { group: 1 }].into() },
            Body::ClearBets,
            Body::RepeatBets { doubled: false },
            Body::RepeatBets { doubled: true },
        ];
        let rules: Vec<String> = roads.into_iter().map(|road| self.terminal_refused(terminal, road, code)).collect();
        assert!(rules.iter().all(|rule| *rule == rules[0]), "{rules:?}");
        rules[0].clone()
    }

    /// The dealer confirms the result that is entered, with a Pit Supervisor where one is needed.
    #[track_caller]
    pub fn confirm(&mut self) -> Vec<Event> {
        let alone = Body::confirm_result(TABLE);
        let code = self.floor.may(Sender::Staff(DEALER), &alone, self.at).err().map(|refusal| refusal.code);
        self.staff(DEALER, if code == Some(Code::SecondPerson) { House::confirming_with(SUPERVISOR) } else { alone })
    }

    /// The confirmation of a result that no reading bears out, with a second person.
    pub fn confirming_with(witness: StaffId) -> Body {
        let reason = Some("seen on the table".to_owned());
        Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(witness), reason }
    }

    /// The device of the table, or its reading, goes out of service by two people who do not deal here.
    #[track_caller]
    pub fn out_of_service(&mut self, function: Function) -> Vec<Event> {
        self.staff(SECOND_SUPERVISOR, House::servicing(function, false, Some(MANAGER)))
    }

    pub fn servicing(function: Function, in_service: bool, witness: Option<StaffId>) -> Body {
        Body::ChangeService { device: DEVICE, function, in_service, reason: "no report".to_owned(), witness }
    }

    /// A ground declared with a Pit Supervisor.
    pub fn declaring(ground: GroundId) -> Body {
        Body::DeclareGround { table: TABLE, ground, witness: Some(SUPERVISOR) }
    }

    #[track_caller]
    pub fn confirm_ground(&mut self) -> Vec<Event> {
        self.staff(DEALER, Body::ConfirmGround { table: TABLE })
    }

    pub fn dismissal() -> Body {
        Body::DismissGround { table: TABLE, reason: "looked at the table".to_owned(), witness: None }
    }

    /// The host was away for so long, and the terminals are back.
    #[track_caller]
    pub fn stoppage(&mut self, milliseconds: i64) -> Vec<Event> {
        let from = self.at;
        self.later(milliseconds);
        self.system(Body::ReportStoppage { from, terminals_back: true })
    }

    pub fn attestation(finding: Finding) -> Body {
        Body::Attest { table: TABLE, finding, witness: Some(SUPERVISOR) }
    }

    #[track_caller]
    pub fn attest(&mut self, finding: Finding) -> Vec<Event> {
        self.staff(DEALER, House::attestation(finding))
    }

    pub fn correction(&self, round: RoundId, outcome: &str) -> Body {
        let (_, witness) = correctors(self.rulebook(TABLE).id());
        let outcome = self.outcome(TABLE, outcome);
        Body::CorrectResult { round, outcome, reason: "seen on the recording".to_owned(), witness: Some(witness) }
    }

    /// A settled result is put right by those who may.
    #[track_caller]
    pub fn correct(&mut self, round: RoundId, outcome: &str) -> Vec<Event> {
        let (corrector, _) = correctors(self.rulebook(TABLE).id());
        let body = self.correction(round, outcome);
        self.staff(corrector, body)
    }

    pub fn voiding(ground: GroundId, rounds: Vec<RoundId>) -> Body {
        let reason = "found by the pit".to_owned();
        Body::VoidRounds { table: TABLE, ground, rounds, reason, witness: Some(SECOND_MANAGER) }
    }

    pub fn deciding(round: Option<RoundId>, ruling: Ruling) -> Body {
        let reason = "no rule covers it".to_owned();
        Body::Decide { table: TABLE, round, ruling, reason, witness: Some(SECOND_MANAGER) }
    }

    /// The paragraph of the ground that is open.
    pub fn open_ground(&self) -> Option<String> {
        self.floor.console_view(TABLE).unwrap().ground.map(|(_, paragraph, _)| paragraph.to_string())
    }

    /// The alerts that are up.
    pub fn alerts(&self) -> Vec<&AlertKind> {
        self.floor.alerts().map(Alert::what).collect()
    }

    /// A ground has halted the round: bets, the close, entry and settlement are refused, and each refusal names its
    /// paragraph.
    #[track_caller]
    pub fn halted_by(&mut self, paragraph: &str) {
        assert_eq!(self.open_ground().as_deref(), Some(paragraph));
        let (phase, game) = (self.current().phase(), self.rulebook(TABLE).id().to_owned());
        let (spot, outcome, _) = even_money(&game);
        if phase == Phase::Open {
            assert_eq!(self.every_road_is_shut(T0, spot, Code::GroundOpen), "D5");
            let close = Body::CloseBets { table: TABLE };
            assert_eq!(self.staff_refused(DEALER, close, Code::GroundOpen), paragraph);
        }
        if phase >= Phase::Closed {
            let enter = Body::enter_result(TABLE, self.outcome(TABLE, outcome));
            assert_eq!(self.staff_refused(DEALER, enter, Code::GroundOpen), paragraph);
            let confirm = Body::confirm_result(TABLE);
            assert_eq!(self.staff_refused(DEALER, confirm, Code::GroundOpen), paragraph);
        }
    }

    /// The round is over and void: no result, nothing in the history, every bet back.
    #[track_caller]
    pub fn is_void(&self, round: RoundId, credits: &[(TerminalId, Cents)]) {
        assert_eq!(self.result_of(round), None);
        let table = self.floor.table(TABLE).unwrap();
        assert!(table.history().all(|(known, _)| known != round), "a void round enters no history");
        assert!(table.round().is_none_or(|current| current.id() != round));
        for (terminal, credit) in credits {
            assert_eq!(self.credit(*terminal), *credit, "terminal {terminal}");
        }
    }
}
