//! Every command that HTTP can send: one list, from which the routes and the API document are made.

use floor::{
    AlertId, Body, Debtor, DevicePlace, DisplayFault, DrawerAct, DrawerMovement, FloatMovement, Limit, PayableId, Pile,
    Position, Purpose, RoundId, Ruling, ShiftId, StaffId, TableId, TableSettings, TerminalId, Thresholds,
    TicketFinding, TicketId, TicketPlace,
};
use rulebook::{Act, Cents, Family, GroundId, Hash, Point, Rank};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::command::{Context, Request, Witness};
use crate::api::past::{self, ChangeInput};
use crate::error::{ApiError, ApiResult};
use crate::view::{
    DeviceKindName, FailedName, FindingName, FunctionName, JointActName, MeasuresSection, ModeName, Money,
    PlaceSection, PostName,
};

macro_rules! requests {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident $tag:literal $path:literal {
            $( $(#[$attribute:meta])* $field:ident : $type:ty, )*
        } $($witness:ident)?
        = |$this:ident, $context:ident| $build:expr;
    )+) => {
        $(
            $(#[doc = $summary])+
            #[derive(Debug, Deserialize, ToSchema)]
            #[serde(deny_unknown_fields)]
            pub struct $name { $( $(#[$attribute])* pub $field: $type, )* }

            impl Request for $name {
                const PATH: &'static str = $path;
                const ID: &'static str = stringify!($name);
                const TAG: &'static str = $tag;
                const SUMMARY: &'static str = concat!($($summary),+);

                $( fn witness(&self) -> Option<&Witness> { self.$witness.as_ref() } )?

                fn body(self, $context: &Context<'_>) -> ApiResult<Body> {
                    let $this = self;
                    $build
                }
            }
        )+

        /// Does something for every command.
        pub trait EachRequest {
            /// For one of them.
            fn one<R: Request>(&mut self);
        }

        /// Goes through every command.
        pub fn each(visitor: &mut impl EachRequest) {
            $( visitor.one::<$name>(); )+
        }
    };
}

fn cents(money: Money) -> Cents {
    money.0
}

/// The points a dealer affirms.
fn points(names: &[String]) -> ApiResult<Vec<Point>> {
    let point = |name: &String| {
        Point::parse(name).ok_or_else(|| ApiError::invalid("affirmed", format!("'{name}' is not a point to affirm")))
    };
    names.iter().map(point).collect()
}

fn position(number: u8) -> Position {
    Position(number)
}

fn ground(text: &str) -> ApiResult<GroundId> {
    GroundId::parse(text).ok_or_else(|| ApiError::invalid("ground", format!("'{text}' is not a void ground")))
}

/// A limit of a kind of bet.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitInput {
    /// The kind of bet; left out in the limit of all others.
    #[serde(default)]
    #[schema(example = "single")]
    pub family: Option<String>,
    /// The least.
    pub minimum: Money,
    /// The most.
    #[serde(default)]
    pub maximum: Option<Money>,
}

impl LimitInput {
    fn limit(&self) -> Limit {
        Limit { minimum: self.minimum.0, maximum: self.maximum.map(cents) }
    }
}

/// What can be set at a table. What is left out stays as it is, or is as usual at a new table.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsInput {
    /// The limit of families not named below.
    #[serde(default)]
    pub limit: Option<LimitInput>,
    /// Limits of single families; given, they replace all.
    #[serde(default)]
    pub families: Option<Vec<LimitInput>>,
    /// The largest difference between paired boxes of a live table; `"0.00"` for none.
    #[serde(default)]
    pub differential: Option<Money>,
    /// The most the house may stand to lose on any outcome; `"0.00"` for none.
    #[serde(default)]
    pub liability: Option<Money>,
    /// Every bet is a multiple of this (D9).
    #[serde(default)]
    pub step: Option<Money>,
    /// Milliseconds from opening until bets close by themselves; zero: the dealer closes.
    #[serde(default)]
    pub betting_period: Option<i64>,
    /// Milliseconds of stoppage that do not affect continuation (D6).
    #[serde(default)]
    pub grace: Option<i64>,
    /// Payments above this need a second person (D15).
    #[serde(default)]
    pub hand_pay: Option<Money>,
    /// Milliseconds between the announcement and the closing of the table (S3).
    #[serde(default)]
    pub closing_notice: Option<i64>,
}

impl SettingsInput {
    /// The settings of a table that follows a rulebook from now on. Where the document has a differential, it is
    /// required: a table must not run without one by mistake (3.3).
    fn new_table(self, context: &Context<'_>, text: &str) -> ApiResult<TableSettings> {
        let hash = rulebook(context, text)?;
        let Some(book) = context.floor.rulebook(hash) else { return self.over(TableSettings::usual()) };
        if self.differential.is_none() && !book.limits().differential.is_empty() {
            let words = "state the largest difference between paired boxes, or 0.00 for none (3.3)";
            return Err(ApiError::invalid("settings.differential", words));
        }
        self.over(TableSettings::of(book))
    }

    fn over(self, base: TableSettings) -> ApiResult<TableSettings> {
        let some = |amount: Money| Some(amount.0).filter(|amount| amount.is_positive());
        let families = match self.families {
            None => base.families,
            Some(limits) => limits
                .iter()
                .map(|limit| {
                    let name = limit.family.as_deref().unwrap_or_default();
                    let family = Family::parse(name)
                        .ok_or_else(|| ApiError::invalid("families", format!("'{name}' is not a kind of bet")))?;
                    Ok((family, limit.limit()))
                })
                .collect::<ApiResult<_>>()?,
        };
        Ok(TableSettings {
            limit: self.limit.map_or(base.limit, |limit| limit.limit()),
            families,
            differential: self.differential.map_or(base.differential, some),
            liability: self.liability.map_or(base.liability, some),
            step: self.step.map_or(base.step, cents),
            betting_period: self.betting_period.unwrap_or(base.betting_period),
            grace: self.grace.unwrap_or(base.grace),
            hand_pay: self.hand_pay.map_or(base.hand_pay, cents),
            closing_notice: self.closing_notice.unwrap_or(base.closing_notice),
        })
    }
}

/// What was shown wrongly.
#[derive(Copy, Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisplayFaultName {
    /// The lit areas failed or were wrong.
    LitAreas,
    /// A display of results was wrong.
    Results,
}

/// Money for the chips of a live table.
#[derive(Copy, Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MovementName {
    /// Chips brought when the table opens.
    Opener,
    /// Chips brought later.
    Fill,
    /// Chips taken away.
    Credit,
    /// A player buys chips.
    BuyIn,
    /// A player's chips are exchanged away from the table.
    ChipsOut,
    /// What was counted when the table closes.
    Closer,
    /// The drop box is taken away.
    Drop,
}

/// What became of a ticket in doubt (D25).
#[derive(Copy, Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FoundName {
    /// The player has the paper.
    InHand,
    /// It was not printed: the credit goes back to the terminal.
    NotPrinted,
    /// It was not printed, and the amount is paid by hand.
    PaidByHand,
}

/// Pieces of one denomination, as they were counted.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PileInput {
    /// What a piece is worth.
    pub denomination: Money,
    /// How many pieces.
    pub pieces: u32,
}

fn piles(counts: &[PileInput]) -> Vec<Pile> {
    counts.iter().map(|pile| Pile { denomination: pile.denomination.0, pieces: pile.pieces }).collect()
}

/// What the Shift Manager decides.
#[derive(Copy, Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RulingName {
    /// A round is void.
    VoidRound,
    /// A player is paid: `terminal` and `amount`.
    Pay,
    /// A payment is taken back: `terminal` and `amount`.
    TakeBack,
    /// How the rules are to be read.
    Reading,
    /// A player at a live table is paid in chips: `position` and `amount`.
    PayChips,
    /// A payment at a live table is claimed back: `position` and `amount`.
    ClaimChips,
    /// Which outcome stands, where the ball came to rest before the close: `round` and `outcome` (D24).
    Outcome,
}

fn ruling(input: &Decide, context: &Context<'_>) -> ApiResult<Ruling> {
    let need = |field: &str| ApiError::invalid(field, "this ruling needs it");
    let amount = || input.amount.map(cents).ok_or_else(|| need("amount"));
    let terminal = || input.terminal.map(TerminalId).ok_or_else(|| need("terminal"));
    let place = || input.position.map(position).ok_or_else(|| need("position"));
    Ok(match input.ruling {
        RulingName::VoidRound => Ruling::VoidRound,
        RulingName::Pay => Ruling::Pay { terminal: terminal()?, amount: amount()? },
        RulingName::TakeBack => Ruling::TakeBack { terminal: terminal()?, amount: amount()? },
        RulingName::Reading => Ruling::Reading,
        RulingName::Outcome => {
            let text = input.outcome.as_deref().ok_or_else(|| need("outcome"))?;
            input.round.ok_or_else(|| need("round"))?;
            Ruling::Outcome { outcome: context.outcome(context.table()?, text)? }
        }
        RulingName::PayChips => Ruling::PayChips { position: place()?, amount: amount()? },
        RulingName::ClaimChips => Ruling::ClaimChips { position: place()?, amount: amount()? },
    })
}

fn rulebook(context: &Context<'_>, text: &str) -> ApiResult<Hash> {
    let found = context.floor.rulebooks().find(|book| book.hash().to_string() == text || book.id() == text);
    found
        .map(rulebook::Rulebook::hash)
        .ok_or_else(|| ApiError::invalid("rulebook", format!("'{text}' is not installed")))
}

fn place(input: PlaceSection) -> ApiResult<DevicePlace> {
    match (input.table, input.terminal) {
        (None, None) => Ok(DevicePlace::Store),
        (Some(table), None) => Ok(DevicePlace::Table(TableId(table))),
        (None, Some(terminal)) => Ok(DevicePlace::Terminal(TerminalId(terminal))),
        (Some(_), Some(_)) => Err(ApiError::invalid("place", "a device is at a table or in a terminal, not both")),
    }
}

requests! {
    /// Takes over a table as its dealer.
    TakeTable "tables" "/tables/{table}/take" {} = |this, c| { let TakeTable {} = this; Ok(Body::TakeTable { table: c.table()? }) };
    /// Opens a table.
    OpenTable "tables" "/tables/{table}/open" {} = |this, c| { let OpenTable {} = this; Ok(Body::OpenTable { table: c.table()? }) };
    /// Announces on the screens that a table will close (S3).
    AnnounceClosing "tables" "/tables/{table}/announce-closing" {} = |this, c| { let AnnounceClosing {} = this; Ok(Body::AnnounceClosing { table: c.table()? }) };
    /// Closes a table.
    CloseTable "tables" "/tables/{table}/close" {} = |this, c| { let CloseTable {} = this; Ok(Body::CloseTable { table: c.table()? }) };
    /// Changes limits, periods and thresholds from the next round on (S12).
    ChangeSettings "tables" "/tables/{table}/settings" {
        /// What to change; the rest stays.
        settings: SettingsInput,
        /// Why.
        reason: String,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let table = c.table()?;
        let base = c.floor.table(table).map(|table| table.announced_settings().unwrap_or(table.settings()).clone());
        let settings = this.settings.over(base.unwrap_or_else(TableSettings::usual))?;
        Ok(Body::ChangeSettings { table, settings: settings.into(), reason: this.reason, witness: c.witness })
    };

    /// Begins a round where the document has the dealer activate the tumbler first.
    BeginRound "rounds" "/tables/{table}/begin-round" {} = |this, c| { let BeginRound {} = this; Ok(Body::BeginRound { table: c.table()? }) };
    /// Shows or announces that bets can be placed.
    OpenBets "rounds" "/tables/{table}/open-bets" {
        /// The points the dealer affirms with the notice, where no device in service measures them (D19).
        #[serde(default)]
        #[schema(example = json!(["cover", "times"]))]
        affirmed: Vec<String>,
    } = |this, c| Ok(Body::OpenBets { table: c.table()?, affirmed: points(&this.affirmed)? });
    /// Shows or announces that no more bets can be placed.
    CloseBets "rounds" "/tables/{table}/close-bets" {} = |this, c| { let CloseBets {} = this; Ok(Body::CloseBets { table: c.table()? }) };
    /// Enters what the dice or the wheel show, or puts an entry right before it is settled.
    EnterResult "rounds" "/tables/{table}/result" {
        /// What they show.
        #[schema(example = "2-2-3")]
        outcome: String,
        /// The points the dealer affirms with it, where no device in service measures them (D19).
        #[serde(default)]
        #[schema(example = json!(["cover", "times", "flat"]))]
        affirmed: Vec<String>,
        /// Why the result differs from what the device read.
        #[serde(default)]
        reason: Option<String>,
        /// The second person, where the device has not read the result or read something else.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let table = c.table()?;
        let (outcome, affirmed) = (c.outcome(table, &this.outcome)?, points(&this.affirmed)?);
        Ok(Body::EnterResult { table, outcome, affirmed, witness: c.witness, reason: this.reason })
    };
    /// Confirms the result: the round is settled.
    ConfirmResult "rounds" "/tables/{table}/confirm" {
        /// What is confirmed; anything else that has been entered meanwhile is not settled.
        #[serde(default)]
        #[schema(example = "2-2-3")]
        outcome: Option<String>,
        /// Why the result differs from what the device read.
        #[serde(default)]
        reason: Option<String>,
        /// The second person (D19), where the device has not read the result or read something else; named in any case.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let table = c.table()?;
        let outcome = this.outcome.as_deref().map(|outcome| c.outcome(table, outcome)).transpose()?;
        Ok(Body::ConfirmResult { table, outcome, witness: c.witness, reason: this.reason })
    };
    /// After a second tumble or spin, ends the round with the first outcome (D18).
    KeepFirstOutcome "rounds" "/tables/{table}/first-outcome" {
        /// The points the dealer affirms, where no device in service measures them and no outcome was entered (D19).
        #[serde(default)]
        #[schema(example = json!(["times"]))]
        affirmed: Vec<String>,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let affirmed = points(&this.affirmed)?;
        Ok(Body::KeepFirstOutcome { table: c.table()?, witness: c.witness, affirmed })
    };
    /// Declares a void ground.
    DeclareGround "rounds" "/tables/{table}/void" {
        /// Which ground of the rulebook.
        #[schema(example = "dice-damaged")]
        ground: String,
        /// The second person, once the dice or ball can be seen or against the device's own report (D23).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::DeclareGround { table: c.table()?, ground: ground(&this.ground)?, witness: c.witness })
    };
    /// Confirms what a device reported: the round is void.
    ConfirmGround "rounds" "/tables/{table}/ground/confirm" {} = |this, c| { let ConfirmGround {} = this; Ok(Body::ConfirmGround { table: c.table()? }) };
    /// Puts what a device reported aside: a measured ground as a device fault, a proposed one as not so (D5).
    DismissGround "rounds" "/tables/{table}/ground/dismiss" {
        /// Why.
        reason: String,
        /// The second person, where a second tumble or spin is set aside before the first outcome was read (D18, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::DismissGround { table: c.table()?, reason: this.reason, witness: c.witness });
    /// Attests what an interruption did, with a witness (D6).
    Attest "rounds" "/tables/{table}/attest" {
        /// What it did.
        finding: FindingName,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::Attest { table: c.table()?, finding: this.finding.into(), witness: c.witness })
    };
    /// Reports a technical interruption where it happens (D21).
    ReportInterruption "rounds" "/tables/{table}/interruption" {
        /// What failed. Terminals and displays alone never interrupt the round.
        failed: FailedName,
        /// More about it.
        #[serde(default)]
        note: Option<String>,
    } = |this, c| {
        Ok(Body::ReportInterruption { table: c.table()?, failed: this.failed.into(), note: this.note })
    };
    /// Says whether a device fault affects the continuation of the round (D21).
    AnswerFault "rounds" "/tables/{table}/fault" {
        /// Whether it does: the round is then interrupted.
        affects: bool,
    } = |this, c| Ok(Body::AnswerFault { table: c.table()?, affects: this.affects });
    /// Voids rounds affected by damage, settled ones too.
    VoidRounds "rounds" "/tables/{table}/void-rounds" {
        /// The ground.
        ground: String,
        /// Which rounds.
        rounds: Vec<u64>,
        /// Why.
        reason: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let rounds = this.rounds.into_iter().map(RoundId).collect();
        Ok(Body::VoidRounds { table: c.table()?, ground: ground(&this.ground)?, rounds, reason: this.reason, witness: c.witness })
    };
    /// Puts a wrong result right after settlement (D7).
    CorrectResult "rounds" "/rounds/{round}/correct" {
        /// What the dice or the wheel showed.
        #[schema(example = "2-2-3")]
        outcome: String,
        /// Why.
        reason: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let round = RoundId(c.id("round")?);
        let table = c.table_of_round(round)?;
        let outcome = c.outcome(table, &this.outcome)?;
        Ok(Body::CorrectResult { round, outcome, reason: this.reason, witness: c.witness })
    };
    /// Corrects or voids a range of a table's settled rounds in one act, after its preview (D24).
    ChangeRounds "rounds" "/tables/{table}/change-rounds" {
        /// Round by round; a round without a result is void.
        changes: Vec<ChangeInput>,
        /// The ground that voids them; left out: the Shift Manager's decision.
        #[serde(default)]
        ground: Option<String>,
        /// Why.
        reason: String,
        /// The preview this confirms.
        preview: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let table = c.table()?;
        let changes = past::changes(c.floor, table, &this.changes)?;
        let ground = this.ground.as_deref().map(ground).transpose()?;
        let preview = rulebook::hex::parse(&this.preview).map(Hash);
        let preview = preview.ok_or_else(|| ApiError::invalid("preview", "64 hexadecimal digits"))?;
        Ok(Body::ChangeRounds { table, changes, ground, reason: this.reason, preview, witness: c.witness })
    };
    /// Calls a second person to a table (D28).
    CallSecondPerson "rounds" "/tables/{table}/call-second-person" {
        /// The act that the second person is called for. The Shift Manager who may then act alone does this act only.
        act: JointActName,
        /// The number of what it is about: a round, terminal, ticket, device, person and so on, as the act has it. The round in
        /// progress needs no number.
        #[serde(default)]
        subject: Option<u64>,
        /// The most money that it may move; left out: none.
        #[serde(default)]
        amount: Option<Money>,
        /// Why.
        reason: String,
    } = |this, c| {
        let purpose = Purpose { act: this.act.0, subject: this.subject, amount: this.amount.map(cents) };
        Ok(Body::CallSecondPerson { table: Some(c.table()?), reason: this.reason, purpose })
    };
    /// Calls a second person to the pit (D28).
    CallToPit "pit" "/call-second-person" {
        /// The act that the second person is called for. The Shift Manager who may then act alone does this act only.
        act: JointActName,
        /// The number of what it is about: a round, terminal, ticket, device, person and so on, as the act has it.
        #[serde(default)]
        subject: Option<u64>,
        /// The most money that it may move; left out: none.
        #[serde(default)]
        amount: Option<Money>,
        /// Why.
        reason: String,
    } = |this, _c| {
        let purpose = Purpose { act: this.act.0, subject: this.subject, amount: this.amount.map(cents) };
        Ok(Body::CallSecondPerson { table: None, reason: this.reason, purpose })
    };
    /// Says that the second person who was called to a table has come (D28).
    AnswerCall "rounds" "/tables/{table}/answer-call" {} = |this, c| { let AnswerCall {} = this; Ok(Body::AnswerCall { table: Some(c.table()?) }) };
    /// Says that the second person who was called to the pit has come (D28).
    AnswerCallToPit "pit" "/answer-call" {} = |this, _c| { let AnswerCallToPit {} = this; Ok(Body::AnswerCall { table: None }) };
    /// Countersigns what was decided alone (D28).
    Countersign "pit" "/alerts/{alert}/countersign" {} = |this, c| { let Countersign {} = this; Ok(Body::Countersign { alert: AlertId(c.id("alert")?) }) };
    /// Decides what no rule covers.
    Decide "rounds" "/tables/{table}/decide" {
        /// What is decided.
        ruling: RulingName,
        /// Of which round.
        #[serde(default)]
        round: Option<u64>,
        /// Which terminal.
        #[serde(default)]
        terminal: Option<u32>,
        /// Which player of a live table.
        #[serde(default)]
        position: Option<u8>,
        /// Which outcome stands.
        #[serde(default)]
        #[schema(example = "17")]
        outcome: Option<String>,
        /// How much.
        #[serde(default)]
        amount: Option<Money>,
        /// Why.
        reason: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let ruling = ruling(&this, c)?;
        let round = this.round.map(RoundId);
        let (table, reason, witness) = (c.table()?, this.reason, c.witness);
        Ok(match (ruling, round) {
            (Ruling::Outcome { outcome }, Some(round)) => Body::ChooseOutcome { table, round, outcome, reason, witness },
            _ => Body::Decide { table, round, ruling, reason, witness },
        })
    };
    /// Records that lit areas or a display were wrong; bets follow the dice or the wheel.
    RecordDisplay "rounds" "/tables/{table}/display-fault" {
        /// What was wrong.
        what: DisplayFaultName,
        /// How.
        note: String,
    } = |this, c| {
        let what = match this.what {
            DisplayFaultName::LitAreas => DisplayFault::LitAreas,
            DisplayFaultName::Results => DisplayFault::Results,
        };
        Ok(Body::RecordDisplay { table: c.table()?, what, note: this.note })
    };

    /// Records chips on a live table: a player's, or placed for one by a Pit Employee.
    PlaceChips "live tables" "/tables/{table}/chips" {
        /// Where the player stands.
        position: u8,
        /// Where.
        spot: String,
        /// How much.
        amount: Money,
        /// Placed for the player at his request.
        #[serde(default)]
        for_player: bool,
        /// The Pit Employee who placed them for the player, where a chip reader reports it (5.13).
        #[serde(default)]
        employee: Option<u32>,
    } = |this, c| {
        let table = c.table()?;
        let spot = c.spot(table, &this.spot)?;
        let (position, amount) = (position(this.position), this.amount.0);
        Ok(match this.employee.map(StaffId) {
            Some(employee) => Body::PlaceForPlayer { table, position, spot, amount, employee },
            None => Body::PlaceChips { table, position, spot, amount, for_player: this.for_player },
        })
    };
    /// Removes a wrong record of chips after the close, before the dice can be seen (D20).
    RemoveChips "live tables" "/tables/{table}/chips/remove" {
        /// Where the player stands.
        position: u8,
        /// Where.
        spot: String,
        /// How much.
        amount: Money,
        /// Why.
        reason: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let table = c.table()?;
        let (position, spot) = (position(this.position), c.spot(table, &this.spot)?);
        Ok(Body::RemoveChips { table, position, spot, amount: this.amount.0, reason: this.reason, witness: c.witness })
    };
    /// Declares that the dice of a live table are uncovered: from then on no chips are recorded (D20).
    DeclareUncovered "live tables" "/tables/{table}/uncovered" {} = |this, c| { let DeclareUncovered {} = this; Ok(Body::DeclareUncovered { table: c.table()? }) };
    /// States that the ball came to rest before the close, where no wheel in service says so, and affirms what no device
    /// has measured of its spin. Then no result is entered for it: the Shift Manager decides (D4, D19, D24).
    StateEarlyRest "rounds" "/tables/{table}/early-rest" {
        /// The points the dealer affirms: all but that the ball came to rest after the close.
        #[serde(default)]
        #[schema(example = json!(["direction", "times"]))]
        affirmed: Vec<String>,
    } = |this, c| Ok(Body::StateEarlyRest { table: c.table()?, affirmed: points(&this.affirmed)? });
    /// Sets how long after the close chips may be recorded at a live table (D20).
    SetRecordingPeriod "live tables" "/tables/{table}/recording-period" {
        /// Milliseconds; 20,000 as usual.
        period: i64,
        /// Why.
        reason: String,
        /// The second person, for a longer period.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let (table, period, reason) = (c.table()?, this.period, this.reason);
        Ok(Body::SetRecordingPeriod { table, period, reason, witness: c.witness })
    };
    /// Puts a wrong record of chips right after settlement: what one player had on one spot at the close (5.9, D20).
    CorrectRecord "live tables" "/rounds/{round}/correct-record" {
        /// Where the player stood.
        position: u8,
        /// Where the chips stood.
        spot: String,
        /// How much stood there at the close; `"0.00"` for nothing.
        amount: Money,
        /// Why.
        reason: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let round = RoundId(c.id("round")?);
        let (position, spot) = (position(this.position), c.spot(c.table_of_round(round)?, &this.spot)?);
        Ok(Body::CorrectRecord { round, position, spot, amount: this.amount.0, reason: this.reason, witness: c.witness })
    };
    /// Records chips taken back by the player.
    TakeChips "live tables" "/tables/{table}/chips/take" {
        /// Where the player stands.
        position: u8,
        /// Where.
        spot: String,
        /// How much.
        amount: Money,
        /// The second person, where the player has left (Tai Sai 5.3).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let table = c.table()?;
        let (position, spot) = (position(this.position), c.spot(table, &this.spot)?);
        Ok(Body::TakeChips { table, position, spot, amount: this.amount.0, witness: c.witness })
    };
    /// Rejects what exceeds a box or the differential, the latest chips first.
    RejectExcess "live tables" "/tables/{table}/chips/reject-excess" {
        /// Which box.
        spot: String,
    } = |this, c| {
        let table = c.table()?;
        Ok(Body::RejectExcess { table, spot: c.spot(table, &this.spot)? })
    };
    /// Points out a bet under the minimum.
    AdviseMinimum "live tables" "/tables/{table}/chips/advise" {
        /// Where the player stands.
        position: u8,
        /// Which box.
        spot: String,
    } = |this, c| {
        let table = c.table()?;
        Ok(Body::AdviseMinimum { table, position: position(this.position), spot: c.spot(table, &this.spot)? })
    };
    /// Refuses a bet under the minimum before the close.
    RefuseUnderMinimum "live tables" "/tables/{table}/chips/refuse" {
        /// Where the player stands.
        position: u8,
        /// Which box.
        spot: String,
    } = |this, c| {
        let table = c.table()?;
        Ok(Body::RefuseUnderMinimum { table, position: position(this.position), spot: c.spot(table, &this.spot)? })
    };
    /// Records that a late bet was refused.
    RefuseLate "live tables" "/tables/{table}/chips/refuse-late" {
        /// Where the player stands.
        position: u8,
    } = |this, c| Ok(Body::RefuseLate { table: c.table()?, position: position(this.position) });
    /// Records that a player has walked away; the bets stand.
    PlayerLeft "live tables" "/tables/{table}/chips/left" {
        /// Where the player stood.
        position: u8,
    } = |this, c| Ok(Body::PlayerLeft { table: c.table()?, position: position(this.position) });
    /// Moves money for the table's chips.
    MoveFloat "live tables" "/tables/{table}/float" {
        /// Which movement.
        movement: MovementName,
        /// How much.
        amount: Money,
        /// The count by denomination, for what goes to or from the vault.
        #[serde(default)]
        counts: Vec<PileInput>,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
        /// Why a closer or drop differs from what should be there.
        #[serde(default)]
        reason: String,
    } witness = |this, c| {
        let amount = this.amount.0;
        let movement = match this.movement {
            MovementName::Opener => FloatMovement::Opener(amount),
            MovementName::Fill => FloatMovement::Fill(amount),
            MovementName::Credit => FloatMovement::Credit(amount),
            MovementName::BuyIn => FloatMovement::BuyIn(amount),
            MovementName::ChipsOut => FloatMovement::ChipsOut(amount),
            MovementName::Closer => FloatMovement::Closer(amount),
            MovementName::Drop => FloatMovement::Drop(amount),
        };
        let (counts, reason) = (piles(&this.counts), this.reason);
        Ok(Body::MoveFloat { table: c.table()?, movement, counts, witness: c.witness, reason })
    };

    /// Locks a terminal.
    LockTerminal "terminals" "/terminals/{terminal}/lock" {
        /// Why.
        reason: String,
    } = |this, c| Ok(Body::LockTerminal { terminal: c.terminal()?, reason: this.reason });
    /// Unlocks a terminal.
    UnlockTerminal "terminals" "/terminals/{terminal}/unlock" {} = |this, c| { let UnlockTerminal {} = this; Ok(Body::UnlockTerminal { terminal: c.terminal()? }) };
    /// Puts credit on a terminal by an attendant.
    AttendantIn "terminals" "/terminals/{terminal}/attendant-in" {
        /// How much.
        amount: Money,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::AttendantIn { terminal: c.terminal()?, amount: this.amount.0, witness: c.witness })
    };
    /// Pays credit out by hand.
    AttendantPay "terminals" "/terminals/{terminal}/hand-pay" {
        /// How much.
        amount: Money,
        /// The second person, above the table's threshold (D15).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::AttendantPay { terminal: c.terminal()?, amount: this.amount.0, witness: c.witness })
    };
    /// Takes a ticket in at a terminal; by the terminal itself.
    TicketIn "terminals" "/terminals/{terminal}/ticket-in" {
        /// Its 18 digits.
        number: String,
    } = |this, c| Ok(Body::TicketIn { terminal: c.terminal()?, number: c.ticket(&this.number)? });
    /// Sets the player's own limit for what the visit may lose; by the terminal itself.
    SetLossLimit "terminals" "/terminals/{terminal}/loss-limit" {
        /// The limit; `null` lifts it.
        limit: Option<Money>,
    } = |this, c| Ok(Body::SetLossLimit { terminal: c.terminal()?, limit: this.limit.map(cents) });
    /// Takes cash in at a terminal; by its validator.
    CashIn "terminals" "/terminals/{terminal}/cash-in" {
        /// How much.
        amount: Money,
    } = |this, c| Ok(Body::CashIn { terminal: c.terminal()?, amount: this.amount.0 });
    /// Says that a ticket was printed; by the terminal itself.
    TicketPrinted "terminals" "/tickets/{ticket}/printed" {} = |this, c| { let TicketPrinted {} = this; Ok(Body::TicketPrinted { ticket: TicketId(c.id("ticket")?) }) };
    /// Says that a ticket was not printed; by the terminal itself. Nothing is lost (S17).
    PrintFailed "terminals" "/tickets/{ticket}/print-failed" {} = |this, c| { let PrintFailed {} = this; Ok(Body::PrintFailed { ticket: TicketId(c.id("ticket")?) }) };

    /// Begins a cashier's shift with a float.
    OpenShift "cage" "/cage/shift/open" {
        /// The float.
        float: Money,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::OpenShift { float: this.float.0, witness: c.witness });
    /// Counts the drawer by denomination; what it should hold is shown only afterwards.
    CountShift "cage" "/cage/shift/count" {
        /// The count.
        counts: Vec<PileInput>,
        /// The second person, for counting again (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::CountShift { counts: piles(&this.counts), witness: c.witness });
    /// Hands a counted drawer over to another cashier, who signs for it.
    HandOverShift "cage" "/cage/shift/hand-over" {
        /// Why the count differs, if it does.
        #[serde(default)]
        reason: String,
        /// The cashier who takes it.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::HandOverShift { reason: this.reason, witness: c.witness });
    /// Ends the shift with what was counted.
    CloseShift "cage" "/cage/shift/close" {
        /// What was counted.
        counted: Money,
        /// Why it differs from what the drawer should hold.
        #[serde(default)]
        reason: String,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::CloseShift { counted: this.counted.0, reason: this.reason, witness: c.witness })
    };
    /// Counts the drawer of a cashier who has left. Another cashier or a Pit Manager does, with a second person (D27).
    CountDrawer "cage" "/cage/shifts/{shift}/count" {
        /// The count.
        counts: Vec<PileInput>,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let act = DrawerAct::Count { counts: piles(&this.counts) };
        Ok(Body::ServeDrawer { shift: ShiftId(c.id("shift")?), act, witness: c.witness })
    };
    /// Ends the shift of a cashier who has left with what was counted (D27).
    CloseDrawer "cage" "/cage/shifts/{shift}/close" {
        /// What was counted.
        counted: Money,
        /// Why it differs from what the drawer should hold.
        #[serde(default)]
        reason: String,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let act = DrawerAct::Close { counted: this.counted.0, reason: this.reason };
        Ok(Body::ServeDrawer { shift: ShiftId(c.id("shift")?), act, witness: c.witness })
    };
    /// Hands the counted drawer of a cashier who has left over to another cashier, who signs for it (D27).
    HandOverDrawer "cage" "/cage/shifts/{shift}/hand-over" {
        /// Why the count differs, if it does.
        #[serde(default)]
        reason: String,
        /// The cashier who takes it.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let act = DrawerAct::HandOver { reason: this.reason };
        Ok(Body::ServeDrawer { shift: ShiftId(c.id("shift")?), act, witness: c.witness })
    };
    /// Says what became of a ticket in doubt, without its terminal (D25).
    ResolveTicket "cage" "/tickets/{ticket}/resolve" {
        /// What became of it.
        finding: FoundName,
        /// How that is known.
        reason: String,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let finding = match this.finding {
            FoundName::InHand => TicketFinding::InHand,
            FoundName::NotPrinted => TicketFinding::NotPrinted,
            FoundName::PaidByHand => TicketFinding::PaidByHand,
        };
        let ticket = TicketId(c.id("ticket")?);
        Ok(Body::ResolveTicket { ticket, finding, reason: this.reason, witness: c.witness })
    };
    /// Records that a claim of the house was paid after all.
    RecordRecovered "cage" "/tables/{table}/recovered" {
        /// Of which round.
        #[serde(default)]
        round: Option<u64>,
        /// From the visit that had bets in that round at this terminal; needed where more than one owes something of it.
        #[serde(default)]
        terminal: Option<u32>,
        /// At a live table, from the player who stood there.
        #[serde(default)]
        position: Option<u8>,
        /// How much.
        amount: Money,
        /// How.
        reason: String,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let (table, round, amount) = (c.table()?, this.round.map(RoundId), this.amount.0);
        let debtor = match (this.terminal, this.position) {
            (Some(_), Some(_)) => return Err(ApiError::invalid("position", "name a terminal or a position")),
            (Some(id), None) => Some(Debtor::Terminal(TerminalId(id))),
            (None, at) => at.map(|at| Debtor::Position(position(at))),
        };
        Ok(Body::RecordRecovered { table, round, amount, reason: this.reason, witness: c.witness, debtor })
    };
    /// Pays what a correction left, on the evidence of the round.
    PayCorrection "cage" "/cage/payables/{payable}/pay" {
        /// The round the payment comes from; left out where a decision was about no round.
        #[serde(default)]
        round: Option<u64>,
        /// The second person, above the table's threshold (D15).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let payable = PayableId(c.id("payable")?);
        Ok(Body::PayCorrection { payable, round: this.round.map(RoundId), witness: c.witness })
    };

    /// Pays by hand what a correction or decision left, where the cage cannot (D25). It is paid once, there or here.
    PayByHand "pit" "/payables/{payable}/pay-by-hand" {
        /// The round the payment comes from; left out where a decision was about no round.
        #[serde(default)]
        round: Option<u64>,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let payable = PayableId(c.id("payable")?);
        Ok(Body::PayByHand { payable, round: this.round.map(RoundId), witness: c.witness })
    };
    /// Pays an expired ticket by its id, by decision of the Shift Manager (S15, D27): a cashier from the drawer, or the Shift
    /// Manager by hand. The other of the two signs as second person. It is paid once.
    PayExpired "cage" "/tickets/{ticket}/pay-expired" {
        /// Why.
        reason: String,
        /// The second person (D27): the Shift Manager or above, unless they pay it themselves.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::PayExpired { ticket: TicketId(c.id("ticket")?), reason: this.reason, witness: c.witness })
    };
    /// Brings cash from the vault to the cashier's drawer, counted by denomination.
    FillDrawer "cage" "/cage/shift/fill" {
        /// The count.
        counts: Vec<PileInput>,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::MoveDrawer { movement: DrawerMovement::Fill, counts: piles(&this.counts), witness: c.witness })
    };
    /// Takes cash from the cashier's drawer to the vault, counted by denomination.
    CreditDrawer "cage" "/cage/shift/credit" {
        /// The count.
        counts: Vec<PileInput>,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::MoveDrawer { movement: DrawerMovement::Credit, counts: piles(&this.counts), witness: c.witness })
    };
    /// Lifts the stop after wrong ticket numbers of a cashier.
    LiftCashier "pit" "/staff/{staff}/wrong-tickets/lift" {} = |this, c| { let LiftCashier {} = this; Ok(Body::LiftWrongTickets { at: TicketPlace::Staff(StaffId(c.id("staff")?)) }) };
    /// Lifts the stop after wrong ticket numbers at a terminal.
    LiftTerminal "pit" "/terminals/{terminal}/wrong-tickets/lift" {} = |this, c| { let LiftTerminal {} = this; Ok(Body::LiftWrongTickets { at: TicketPlace::Terminal(c.terminal()?) }) };

    /// Acknowledges an alert (S19).
    AcknowledgeAlert "pit" "/alerts/{alert}/acknowledge" {} = |this, c| { let AcknowledgeAlert {} = this; Ok(Body::AcknowledgeAlert { alert: AlertId(c.id("alert")?) }) };

    /// Keeps a rulebook, so that tables can be run by it.
    InstallRulebook "set-up" "/rulebooks" {
        /// Its text: the file itself, or the canonical form that another floor has.
        canonical: String,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::InstallRulebook { canonical: this.canonical, witness: c.witness });
    /// Asks for a higher rank than the rulebooks do (D11). Two people change a power; that of closing bets stays with the dealer.
    RaisePower "set-up" "/powers" {
        /// For which act.
        #[schema(example = "close")]
        act: String,
        /// Which rank.
        rank: PostName,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let act = Act::ALL.into_iter().find(|act| act.as_str() == this.act);
        let act = act.ok_or_else(|| ApiError::invalid("act", format!("'{}' is no act", this.act)))?;
        let rank = match floor::Post::from(this.rank) {
            floor::Post::Pit(rank) => rank,
            _ => return Err(ApiError::invalid("rank", format!("a rank of the pit, from {} up", Rank::Dealer))),
        };
        Ok(Body::RaisePower { act, rank, witness: c.witness })
    };
    /// Sets up a table.
    AddTable "set-up" "/tables" {
        /// Its name.
        name: String,
        /// The rulebook, by id or hash.
        rulebook: String,
        /// How it is run.
        mode: ModeName,
        /// Its settings.
        #[serde(default)]
        settings: SettingsInput,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let settings = this.settings.new_table(c, &this.rulebook)?;
        Ok(Body::AddTable { name: this.name, rulebook: rulebook(c, &this.rulebook)?, mode: this.mode.into(), settings: settings.into(), witness: c.witness })
    };
    /// Runs a table by another rulebook, with no round and no credit at it (S12).
    PinRulebook "set-up" "/tables/{table}/rulebook" {
        /// The rulebook, by id or hash.
        rulebook: String,
        /// Its settings.
        #[serde(default)]
        settings: SettingsInput,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let settings = this.settings.new_table(c, &this.rulebook)?;
        Ok(Body::PinRulebook { table: c.table()?, rulebook: rulebook(c, &this.rulebook)?, settings: settings.into(), witness: c.witness })
    };
    /// Sets up a terminal at a table.
    EnrolTerminal "set-up" "/terminals" {
        /// Its table.
        table: u16,
        /// Its name.
        name: String,
        /// Its kind, by the rulebook.
        kind: String,
        /// Its layout.
        layout: String,
    } = |this, _c| {
        let layout = this.layout.to_lowercase();
        Ok(Body::EnrolTerminal { table: TableId(this.table), name: this.name, kind: this.kind, layout })
    };
    /// Says from which tables the player at a terminal may choose; none: its own only (D29).
    OfferTables "set-up" "/terminals/{terminal}/tables" {
        /// The tables, the terminal's own among them.
        tables: Vec<u16>,
    } = |this, c| Ok(Body::OfferTables { terminal: c.terminal()?, tables: this.tables.into_iter().map(TableId).collect() });
    /// Chooses a table; by the terminal itself (D29).
    ChooseTable "terminals" "/terminals/{terminal}/choose-table" {
        /// Which.
        table: u16,
    } = |this, c| Ok(Body::ChooseTable { terminal: c.terminal()?, table: TableId(this.table) });
    /// Calls an attendant; by the terminal itself. The pit acknowledges the alert, and the terminal shows it.
    CallAttendant "terminals" "/terminals/{terminal}/call-attendant" {} = |this, c| {
        let CallAttendant {} = this;
        Ok(Body::CallAttendant { terminal: c.terminal()? })
    };
    /// Moves a terminal to another table or layout.
    MoveTerminal "set-up" "/terminals/{terminal}/move" {
        /// Its table.
        table: u16,
        /// Its kind, by the rulebook.
        kind: String,
        /// Its layout.
        layout: String,
    } = |this, c| {
        let layout = this.layout.to_lowercase();
        Ok(Body::MoveTerminal { terminal: c.terminal()?, table: TableId(this.table), kind: this.kind, layout })
    };
    /// Sets up a device.
    AddDevice "set-up" "/devices" {
        /// Its name.
        name: String,
        /// What it is.
        kind: DeviceKindName,
        /// Where it is.
        place: PlaceSection,
        /// What it measures; left out, what its kind usually does (D19).
        #[serde(default)]
        measures: Option<MeasuresSection>,
        /// The second person, for a tumbler or wheel that comes to a table (D19) and for a cash validator (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let (measures, place) = (this.measures.map(Into::into), place(this.place)?);
        Ok(Body::AddDevice { name: this.name, kind: this.kind.into(), place, measures, witness: c.witness })
    };
    /// Moves a device.
    MoveDevice "set-up" "/devices/{device}/move" {
        /// Where to.
        place: PlaceSection,
        /// The second person, for a tumbler or wheel that leaves a table or comes to one (D19) and for a cash validator
        /// (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let (device, place) = (floor::DeviceId(c.id("device")?), place(this.place)?);
        Ok(Body::MoveDevice { device, place, witness: c.witness })
    };
    /// Takes a tumbler or wheel, or only its reading of results, out of service or puts it back (D19).
    ChangeService "rounds" "/devices/{device}/service" {
        /// All of it, or its reading of results.
        function: FunctionName,
        /// Whether it is in service from now on; a device comes back with the next round.
        in_service: bool,
        /// Why.
        reason: String,
        /// The second person.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let (device, function) = (floor::DeviceId(c.id("device")?), this.function.into());
        let (in_service, reason) = (this.in_service, this.reason);
        Ok(Body::ChangeService { device, function, in_service, reason, witness: c.witness })
    };
    /// Says what a device measures (D19).
    DescribeDevice "set-up" "/devices/{device}/measures" {
        /// What it measures.
        measures: MeasuresSection,
        /// The second person, for a device that is at a table.
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let (device, measures) = (floor::DeviceId(c.id("device")?), this.measures.into());
        Ok(Body::DescribeDevice { device, measures, witness: c.witness })
    };
    /// Changes a person's post, or ends it.
    ChangeStaff "set-up" "/staff/{staff}/post" {
        /// The post.
        post: PostName,
        /// Whether the person is employed.
        active: bool,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        Ok(Body::ChangeStaff { staff: StaffId(c.id("staff")?), post: this.post.into(), active: this.active, witness: c.witness })
    };
    /// Assigns a person to act in another position, or ends that.
    AssignActing "set-up" "/staff/{staff}/acting" {
        /// The position; `null` ends it.
        post: Option<PostName>,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::AssignActing { staff: StaffId(c.id("staff")?), post: this.post.map(floor::Post::from), witness: c.witness });
    /// Sets the floor's thresholds; what is left out stays (D27).
    SetThresholds "set-up" "/thresholds" {
        /// The most one person moves alone in a gaming day, and for one visit.
        #[serde(default)]
        alone: Option<Money>,
        /// A ticket above this is redeemed with a second person.
        #[serde(default)]
        redemption: Option<Money>,
        /// A difference at the cage above this needs a second person.
        #[serde(default)]
        difference: Option<Money>,
        /// Cash from this on is reported.
        #[serde(default)]
        large_cash: Option<Money>,
        /// Why.
        reason: String,
        /// The second person (D15, D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let now = c.floor.thresholds();
        let thresholds = Thresholds {
            alone: this.alone.map_or(now.alone, cents),
            redemption: this.redemption.map_or(now.redemption, cents),
            difference: this.difference.map_or(now.difference, cents),
            large_cash: this.large_cash.map_or(now.large_cash, cents),
        };
        Ok(Body::SetThresholds { thresholds, reason: this.reason, witness: c.witness })
    };
    /// Opens a sealed code, which stands for a second administrator in one act on accounts (D27).
    OpenSealedCode "set-up" "/sealed-codes/open" {
        /// The code: the half on the paper, and after it the half that the second person chose.
        code: String,
        /// Why there is no second person.
        reason: String,
    } = |this, _c| Ok(Body::OpenSealedCode { hash: crate::api::sealed::hash(&this.code), reason: this.reason });
    /// Accepts the program that runs, which unlocks play (S10). Two people sign, except in a demonstration (D27).
    AcceptProgram "set-up" "/program/accept" {
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| { let AcceptProgram { .. } = this; Ok(Body::AcceptProgram { witness: c.witness }) };
    /// Raises the feature level: from then on hosts write records that programs below that level cannot read. Once every
    /// host of a cluster runs this program; a floor with one host raises it by itself.
    RaiseFeatureLevel "set-up" "/program/feature-level" {
        /// The level.
        #[schema(example = 2)]
        level: u8,
    } = |this, _c| Ok(Body::RaiseFeatureLevel { level: this.level });
    /// States what was lost, which unlocks play. An administrator and a Shift Manager or above sign together.
    AcceptLoss "set-up" "/loss/accept" {
        /// What was lost, and why play may go on.
        statement: String,
        /// The second person.
        witness: Option<Witness>,
    } witness = |this, c| Ok(Body::AcceptLoss { statement: this.statement, witness: c.witness });
    /// Accepts the host's clock, which went ahead of the time that has passed: the floor's time goes on from there. Tickets
    /// that would expire because of the jump alone remain valid for that much longer.
    AcceptClock "set-up" "/clock/accept" {
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| { let AcceptClock { .. } = this; Ok(Body::AcceptClock { witness: c.witness }) };
    /// Approves a program before it is started (S10). Two people sign, except in a demonstration (D27).
    ApproveProgram "set-up" "/program/approve" {
        /// The hash of the program's file, 64 hexadecimal digits.
        program: String,
        /// The hash of the rulebooks inside it.
        rulebooks: String,
        /// The second person (D27).
        #[serde(default)]
        witness: Option<Witness>,
    } witness = |this, c| {
        let hash = |field: &str, text: &str| {
            rulebook::hex::parse(text).map(Hash).ok_or_else(|| ApiError::invalid(field, "64 hexadecimal digits"))
        };
        let (program, rulebooks) = (hash("program", &this.program)?, hash("rulebooks", &this.rulebooks)?);
        Ok(Body::ApproveProgram { release: floor::Release { program, rulebooks }, witness: c.witness })
    };
}
