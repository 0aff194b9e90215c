//! Setting up the floor: rulebooks, tables, terminals, devices, staff; opening and closing tables (S3, S12).

use rulebook::{Act, Cents, Family, Hash, LimitScope, Play, Rank, Rulebook, library};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, amount_fits, name_fits, reason_fits};
use crate::event::{Event, LockReason};
use crate::ids::*;
use crate::level::LEVEL;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Staff, Table};

const DAY: u16 = 24 * 60;
/// No period or grace is longer than a day.
const LONGEST: i64 = 24 * 60 * 60 * 1000;

impl Floor {
    pub(crate) fn create_floor(&self, sender: Sender, settings: &FloorSettings) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "the first command", "the host makes the floor");
        }
        if self.settings.is_some() {
            return refuse(Code::Floor, "the first command", "there is a floor already");
        }
        name_fits(&settings.name)?;
        if settings.day_starts >= DAY || settings.ticket_days == 0 {
            return refuse(Code::Settings, "S15", "a gaming day starts within a day, and tickets live at least one");
        }
        Ok(vec![Event::FloorCreated(FloorSettings { level: Some(LEVEL), ..settings.clone() })])
    }

    /// A rulebook is the pay table: two people install it, and the host those that the program carries (D27, S9).
    pub(crate) fn install_rulebook(&self, sender: Sender, canonical: &str, witness: Option<StaffId>) -> Events {
        let by = self.administrator(sender)?;
        if self.rulebooks.len() >= bounds::RULEBOOKS {
            let words = format!("a floor keeps at most {} rulebooks", bounds::RULEBOOKS);
            return refuse(Code::TooMany, "bounds", words);
        }
        if canonical.len() > bounds::RULEBOOK_BYTES {
            let words = format!("a rulebook has at most {} bytes", bounds::RULEBOOK_BYTES);
            return refuse(Code::TooMany, "bounds", words);
        }
        let rulebook = Rulebook::parse("rulebook", canonical)
            .map_err(|incoherence| refusal(Code::Rulebook, "S9", incoherence.to_string()))?;
        if self.rulebook(rulebook.hash()).is_some() {
            return refuse(Code::NothingToDo, "S9", "this rulebook is installed already");
        }
        let (hash, canonical) = (rulebook.hash(), rulebook.canonical().to_owned());
        let witness = self.rulebook_signed(by, witness, None)?;
        let mut events = vec![Event::RulebookInstalled { hash, canonical, by, witness }];
        events.extend(self.foreign_rulebook(hash, None, "was installed"));
        Ok(events)
    }

    /// Two people choose the rulebook of a table: an administrator, and another one or a person who may change limits,
    /// a Pit Manager or above (D27).
    fn rulebook_signed(
        &self,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        table: Option<&Table>,
    ) -> Result<Option<StaffId>, Refusal> {
        let may = |staff: &Staff| match table {
            Some(table) => self.authorise(Sender::Staff(staff.id), Act::ChangeLimits, table).is_ok(),
            None => staff.rank() >= Some(Rank::PitManager),
        };
        self.office_second(by, witness, may, "two people install a rulebook or run a table by it (D27)")
    }

    /// A rulebook that this program does not carry is not approved: an alert is raised.
    fn foreign_rulebook(&self, hash: Hash, table: Option<TableId>, how: &str) -> Option<Event> {
        let words = format!("rulebook {hash} {how}, and this program does not carry it: its odds are not approved");
        (!carried(hash)).then(|| self.alert(0, table, AlertKind::Integrity(words))).flatten()
    }

    /// Two people change a power, up or down: a raised rank may be all that keeps one person from acting alone, and a rank
    /// that is too high stops play (D11, D27). It is alerted at the pit.
    pub(crate) fn raise_power(&self, sender: Sender, act: Act, rank: Rank, witness: Option<StaffId>) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, "D11", "an administrator raises powers");
        };
        let lowest = self.rulebooks.iter().filter_map(|installed| installed.0.power(act)).map(|power| power.rank).max();
        if lowest.is_some_and(|lowest| rank < lowest) {
            return refuse(Code::Settings, "D11", "a rank can be raised above the rulebook's, never lowered");
        }
        if act == Act::CloseBets && rank > lowest.unwrap_or(Rank::Dealer) {
            return refuse(Code::Settings, "D11", "a dealer can always close bets: this power is not raised");
        }
        let words = "two people change a power, of whom the second is another administrator or a Pit Manager or above";
        let may = |staff: &Staff| staff.rank() >= Some(Rank::PitManager);
        let witness = self.office_second(Some(by), witness, may, words)?;
        let mut events = vec![Event::PowerRaised { act, rank, by, witness }];
        if self.is_tagged() {
            let words = format!("{act} now needs {rank}, by decision of {}", self.named(by));
            events.extend(self.alert(0, None, AlertKind::Integrity(words)));
        }
        Ok(events)
    }

    pub(crate) fn add_table(
        &self,
        sender: Sender,
        name: &str,
        rulebook: Hash,
        mode: TableMode,
        settings: &TableSettings,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.administrator(sender)?;
        name_fits(name)?;
        if self.tables.len() >= bounds::TABLES {
            return refuse(Code::TooMany, "bounds", format!("a floor has at most {} tables", bounds::TABLES));
        }
        self.settings_fit(rulebook, mode, settings)?;
        // Its rulebook and a threshold above the usual one are chosen by two people (D27).
        let witness = self.rulebook_signed(by, witness, None)?;
        let table = TableId(u16::try_from(self.tables.len()).unwrap_or(u16::MAX));
        let (name, settings) = (name.to_owned(), Box::new(settings.clone()));
        let mut events = vec![Event::TableAdded { table, name, rulebook, mode, settings, by, witness }];
        // The alert names no table that is not there yet.
        events.extend(self.foreign_rulebook(rulebook, None, "runs a new table"));
        Ok(events)
    }

    /// Settings must agree with each other and with the rulebook (D9, D13).
    // § etg 3.3 · rws-taisai 3.3
    fn settings_fit(&self, rulebook: Hash, mode: TableMode, settings: &TableSettings) -> Result<(), Refusal> {
        let Some(rulebook) = self.rulebook(rulebook) else {
            return refuse(Code::Rulebook, "S9", "this rulebook is not installed");
        };
        let live = rulebook.identity().play == Play::Chips;
        if live == (mode == TableMode::Terminals) {
            return refuse(Code::Settings, "the rulebook", "this game is not played in that way");
        }
        let bad = |rule: &str, words: &str| refuse(Code::Settings, rule, words);
        let shown = rulebook.limits().paragraph.to_string();
        amount_fits(settings.step)?;
        amount_fits(settings.hand_pay)?;
        if !rulebook.layouts().iter().all(|layout| settings.step.is_multiple_of(layout.table().step())) {
            return bad("D9", "the bet step must make every payout of every layout whole cents");
        }
        let limits = settings.families.iter().map(|(_, limit)| limit).chain([&settings.limit]);
        for limit in limits {
            let most = limit.maximum.unwrap_or(Cents::new(bounds::AMOUNT));
            if limit.minimum.get() < 0 || most.get() > bounds::AMOUNT || most < limit.minimum || !most.is_positive() {
                return bad(&shown, "a minimum is not below zero and not above its maximum");
            }
            if mode == TableMode::Terminals && limit.maximum.is_none() {
                return bad(&shown, "terminals show a maximum");
            }
            if !limit.minimum.is_multiple_of(settings.step)
                || limit.maximum.is_some_and(|m| !m.is_multiple_of(settings.step))
            {
                return bad("D9", "limits are multiples of the bet step");
            }
        }
        let offered = |family: Family| rulebook.families().contains_key(&family);
        if settings.families.iter().any(|(family, _)| !offered(*family)) {
            return bad(&shown, "a limit names a bet that this game does not have");
        }
        let twice = |(place, (family, _)): (usize, &(Family, Limit))| {
            settings.families.iter().skip(place + 1).any(|(other, _)| other == family)
        };
        if settings.families.len() > rulebook.families().len() || settings.families.iter().enumerate().any(twice) {
            return bad(&shown, "a bet has one limit");
        }
        let paired = rulebook.limits().scope == LimitScope::Box && !rulebook.limits().differential.is_empty();
        if settings.differential.is_some() && !paired {
            return bad(&shown, "this game has no differential");
        }
        if settings.differential.is_some_and(|d| d.get() < 0 || d.get() > bounds::AMOUNT) {
            return bad(&shown, "a differential is not below zero");
        }
        if settings.liability.is_some_and(|l| l.get() <= 0) {
            return bad("liability", "a liability limit is more than zero");
        }
        if settings.grace > bounds::GRACE {
            return bad("D6", "a longer grace than a minute would leave interruptions unattested");
        }
        let periods = [settings.betting_period, settings.grace, settings.closing_notice];
        if periods.iter().any(|period| !(0..=LONGEST).contains(period)) {
            return bad("S22", "a period is not below zero and not longer than a day");
        }
        Ok(())
    }

    pub(crate) fn pin_rulebook(
        &self,
        sender: Sender,
        table: TableId,
        rulebook: Hash,
        settings: &TableSettings,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.administrator(sender)?;
        let (found, _) = self.find_table(table)?;
        self.idle_without_credit(found)?;
        if !found.terminals.is_empty() {
            // A terminal's layout belongs to the old rulebook; it is enrolled again for the new one.
            return refuse(Code::Settings, "S12", "move the terminals away before the rulebook changes");
        }
        self.settings_fit(rulebook, found.mode, settings)?;
        let witness = self.rulebook_signed(by, witness, Some(found))?;
        let mut events =
            vec![Event::RulebookPinned { table, rulebook, settings: Box::new(settings.clone()), by, witness }];
        events.extend(self.foreign_rulebook(rulebook, Some(table), "runs this table"));
        Ok(events)
    }

    /// Rulebook, layout, bet step and enrolment change only with no credit on the terminals concerned (S12).
    fn idle_without_credit(&self, table: &Table) -> Result<(), Refusal> {
        if table.round.is_some() {
            return refuse(Code::InRound, "S12", "nothing is changed in the middle of a round");
        }
        let holds = |id: &TerminalId| self.terminals.get(id.index()).is_some_and(|t| t.holds_money());
        if table.terminals.iter().any(holds) {
            return refuse(Code::CreditLeft, "S12", "there is credit on a terminal of this table");
        }
        Ok(())
    }

    pub(crate) fn change_settings(
        &self,
        sender: Sender,
        table: TableId,
        settings: &TableSettings,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = match self.administrator(sender) {
            Ok(by) => by,
            Err(_) => Some(self.authorise(sender, Act::ChangeLimits, found)?),
        };
        reason_fits(reason)?;
        self.settings_fit(rulebook.hash(), found.mode, settings)?;
        if settings.step != found.settings.step {
            self.idle_without_credit(found)?;
        }
        let before = found.pending.as_ref().unwrap_or(&found.settings).hand_pay;
        let witness = self.threshold_signed(by, witness, before, settings.hand_pay, found)?;
        let event = Event::SettingsChanged {
            table,
            settings: Box::new(settings.clone()),
            by,
            reason: reason.to_owned(),
            from_next_round: found.round.is_some(),
            witness,
        };
        Ok(vec![event])
    }

    /// The layout's place in the rulebook, if that kind of terminal has it.
    // § etg 2.1.1 · mbs-sicbo 2.1, 7
    pub(crate) fn layout_for(&self, rulebook: &Rulebook, kind: &str, layout: &str) -> Result<u8, Refusal> {
        let terminal = rulebook.terminals().iter().find(|terminal| terminal.id == kind);
        let Some(terminal) = terminal else {
            return refuse(Code::Settings, "the rulebook", format!("this game has no terminal {kind}"));
        };
        let place = rulebook.layouts().iter().position(|known| known.id() == layout);
        match place.filter(|_| terminal.layouts.iter().any(|known| known == layout)) {
            Some(place) => Ok(u8::try_from(place).unwrap_or(u8::MAX)),
            None => refuse(Code::Settings, &terminal.paragraph, format!("terminal {kind} has no layout {layout}")),
        }
    }

    pub(crate) fn enrol_terminal(
        &self,
        sender: Sender,
        table: TableId,
        name: &str,
        kind: &str,
        layout: &str,
    ) -> Events {
        self.technician(sender)?;
        let (found, rulebook) = self.find_table(table)?;
        name_fits(name)?;
        if self.terminals.len() >= bounds::TERMINALS {
            return refuse(Code::TooMany, "bounds", format!("a floor has at most {} terminals", bounds::TERMINALS));
        }
        if found.mode != TableMode::Terminals {
            return refuse(Code::Settings, "the rulebook", "a live table has no terminals");
        }
        if found.round.is_some() {
            return refuse(Code::InRound, "S12", "nothing is changed in the middle of a round");
        }
        let layout = self.layout_for(rulebook, kind, layout)?;
        let terminal = TerminalId(u32::try_from(self.terminals.len()).unwrap_or(u32::MAX));
        Ok(vec![Event::TerminalEnrolled { terminal, table, name: name.to_owned(), kind: kind.to_owned(), layout }])
    }

    pub(crate) fn move_terminal(
        &self,
        sender: Sender,
        terminal: TerminalId,
        table: TableId,
        kind: &str,
        layout: &str,
    ) -> Events {
        self.technician(sender)?;
        let found = self.find_terminal(terminal)?;
        if let Some(held) = found.held() {
            return refuse(Code::CreditLeft, "S12", format!("there is {held} on this terminal"));
        }
        let (target, rulebook) = self.find_table(table)?;
        let (from, _) = self.find_table(found.table)?;
        if from.round.is_some() || target.round.is_some() {
            return refuse(Code::InRound, "S12", "nothing is changed in the middle of a round");
        }
        if target.mode != TableMode::Terminals {
            return refuse(Code::Settings, "the rulebook", "a live table has no terminals");
        }
        let layout = self.layout_for(rulebook, kind, layout)?;
        Ok(vec![Event::TerminalMoved { terminal, table, kind: kind.to_owned(), layout }])
    }

    /// A device fits where it is put: a tumbler at dice, a wheel at a wheel, a validator in a terminal.
    fn device_fits(&self, kind: DeviceKind, place: DevicePlace) -> Result<(), Refusal> {
        let fits = match place {
            DevicePlace::Store => true,
            DevicePlace::Terminal(terminal) => {
                self.find_terminal(terminal)?;
                kind == DeviceKind::Validator
            }
            DevicePlace::Table(table) => {
                let (table, rulebook) = self.find_table(table)?;
                match kind {
                    DeviceKind::Tumbler => rulebook.outcomes().wheel().is_none(),
                    DeviceKind::Wheel => rulebook.outcomes().wheel().is_some(),
                    DeviceKind::Validator => false,
                    DeviceKind::ChipReader => table.mode == TableMode::BetsRecorded,
                }
            }
        };
        if fits { Ok(()) } else { refuse(Code::Settings, "S14", "this device does not belong there") }
    }

    /// One tumbler or wheel serves at a table: of two, each tumble of the other would be a second one (D18). The spare
    /// one waits out of service or in the store.
    pub(crate) fn no_other_serves(&self, place: DevicePlace, device: Option<DeviceId>) -> Result<(), Refusal> {
        let DevicePlace::Table(table) = place else { return Ok(()) };
        let other = self.mechanisms(table).find(|other| Some(other.id) != device && !other.service().out);
        match other {
            Some(other) => {
                let words = format!("{} is in service at this table: take it out of service first", other.name);
                refuse(Code::Settings, "D19", words)
            }
            None => Ok(()),
        }
    }

    pub(crate) fn no_round_at(&self, place: DevicePlace) -> Result<(), Refusal> {
        match place {
            DevicePlace::Table(table) if self.find_table(table)?.0.round.is_some() => {
                refuse(Code::InRound, "S12", "nothing is changed in the middle of a round")
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn add_device(
        &self,
        sender: Sender,
        name: &str,
        (kind, place): (DeviceKind, DevicePlace),
        measures: Option<Measures>,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.technician(sender)?;
        name_fits(name)?;
        if self.devices.len() >= bounds::DEVICES {
            return refuse(Code::TooMany, "bounds", format!("a floor has at most {} devices", bounds::DEVICES));
        }
        self.device_fits(kind, place)?;
        self.no_round_at(place)?;
        let witness = if matches!(kind, DeviceKind::Tumbler | DeviceKind::Wheel) {
            self.no_other_serves(place, None)?;
            self.second_for_arrival(by, witness, place)?
        } else {
            self.second_for_validator(by, witness, kind, &[place])?
        };
        let device = DeviceId(u16::try_from(self.devices.len()).unwrap_or(u16::MAX));
        Ok(vec![Event::DeviceAdded { device, name: name.to_owned(), kind, place, measures, by, witness }])
    }

    /// A tumbler or wheel is moved to or away from a table by two people (D19), a validator to or from a terminal too (D27).
    pub(crate) fn move_device(
        &self,
        sender: Sender,
        device: DeviceId,
        place: DevicePlace,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.technician(sender)?;
        let Some(found) = self.device(device) else {
            return refuse(Code::NotFound, "the floor", format!("there is no device {device}"));
        };
        self.device_fits(found.kind, place)?;
        self.no_round_at(found.place)?;
        self.no_round_at(place)?;
        if found.is_mechanism() && !found.service().out {
            self.no_other_serves(place, Some(device))?;
        }
        let witness = match found.kind {
            DeviceKind::Validator => self.second_for_validator(by, witness, found.kind, &[found.place, place])?,
            _ if found.is_mechanism() && found.table().is_none() => self.second_for_arrival(by, witness, place)?,
            _ if found.is_mechanism() => self.second_for_device(by, witness, &[found.place, place])?,
            _ => None,
        };
        let moved = |place| Event::DeviceMoved { device, place, by, witness };
        // It leaves the one table and comes to the other, so that both remember who moved it.
        let leaves = found.is_mechanism() && found.table().is_some() && place != DevicePlace::Store;
        Ok(leaves.then(|| moved(DevicePlace::Store)).into_iter().chain([moved(place)]).collect())
    }

    /// A new account takes two people (D27).
    pub(crate) fn add_staff(&self, sender: Sender, name: &str, post: Post, witness: Option<StaffId>) -> Events {
        let by = self.administrator(sender)?;
        let witness = self.account_second(by, witness, |_| false, "two administrators create an account")?;
        name_fits(name)?;
        if by.is_some() {
            self.name_is_free(name)?;
        }
        if self.staff.len() >= bounds::STAFF {
            return refuse(Code::TooMany, "bounds", format!("a floor has at most {} staff", bounds::STAFF));
        }
        let staff = StaffId(u32::try_from(self.staff.len()).unwrap_or(u32::MAX));
        Ok(vec![Event::StaffAdded { staff, name: name.to_owned(), post, by, witness }])
    }

    /// Two people at work never have the same name, or one that differs by case and blanks alone: who signed must be plain
    /// from the record (D15). The host's own people, as those of a demonstration, are not compared.
    fn name_is_free(&self, name: &str) -> Result<(), Refusal> {
        let wanted = same_name(name);
        if self.staff.iter().any(|person| person.active && same_name(&person.name) == wanted) {
            return refuse(Code::Settings, "D15", "an active person already has this name: add a distinguishing word");
        }
        Ok(())
    }

    /// Another post, or the old one again, is as good as a new account and takes two people. Ending one does not, so that a
    /// thief is stopped at once; ending an administrator's does, or one could shut the other out (D27).
    pub(crate) fn change_staff(
        &self,
        sender: Sender,
        staff: StaffId,
        post: Post,
        active: bool,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.administrator(sender)?;
        let Some(found) = self.person(staff) else {
            return refuse(Code::NotFound, "the floor", format!("there is no person {staff}"));
        };
        let changed = Staff { post, active, acting: found.acting.filter(|_| active), ..found.clone() };
        self.somebody_administers(found, &changed)?;
        let ends = !active && post == found.post && !loses_office(found, &changed);
        let few = ends && self.dismissal_takes_two(found);
        let witness = match witness {
            None if ends && !few => None,
            Some(second) if second == staff => {
                return refuse(Code::SecondPerson, "D27", "a person cannot sign for their own post");
            }
            _ if few => {
                let words = "two people dismiss the last or last but one who may do an act, and anyone after three in a \
                             gaming day: an administrator with another one, or with a Pit Manager or above";
                let may = |staff: &Staff| staff.rank() >= Some(Rank::PitManager);
                self.account_second(by, witness, may, words)?
            }
            _ => self.account_second(by, witness, |_| false, "two administrators change a post")?,
        };
        if found.shift.is_some() && (!active || post != Post::Cashier) {
            return refuse(Code::Shift, "D11", "the cashier's shift must be closed first");
        }
        self.two_administer(found, &changed, by, witness)?;
        let mut events = vec![Event::StaffChanged { staff, post, active, by, witness }];
        let manages = found.active && found.rank() >= Some(Rank::PitManager);
        if let Some(by) = by.filter(|_| !active && manages && self.is_tagged()) {
            let words = dismissed(&found.name, &self.named(by));
            events.extend(self.alert(0, None, AlertKind::Integrity(words)));
        }
        Ok(events)
    }

    /// Whether two people dismiss a person: fewer than two others may do what the floor's tables need that rank for, or
    /// three were dismissed by one person alone in this gaming day already. One administrator could otherwise leave a floor
    /// without people to run it (D27).
    pub(crate) fn dismissal_takes_two(&self, person: &Staff) -> bool {
        if !person.active {
            return false;
        }
        if self.control.dismissed >= bounds::DISMISSED_ALONE {
            return true;
        }
        let needed = |act: Act, rank: Rank| self.raised.get(&act).map_or(rank, |raised| rank.max(*raised));
        let powers = self.tables.iter().filter_map(|table| self.rulebook_of(table)).flat_map(|book| book.powers());
        let ranks = powers.map(|power| needed(power.act, power.rank));
        let Some(rank) = ranks.filter(|rank| Some(*rank) <= person.rank()).max() else { return false };
        let others = self.staff.iter().filter(|other| other.id != person.id && other.active);
        others.filter(|other| other.rank() >= Some(rank)).count() < 2
    }

    /// Without an administrator a floor could never be unlocked after a change of its program: the last one stays (S10).
    fn somebody_administers(&self, person: &Staff, changed: &Staff) -> Result<(), Refusal> {
        if loses_office(person, changed) && self.other_administrators(person) == 0 {
            return refuse(Code::LastAdministrator, "S10", "the last administrator stays: name another one first");
        }
        Ok(())
    }

    /// Two administrators stay, so that there is a second person, unless a sealed code stands for one (D27).
    fn two_administer(
        &self,
        person: &Staff,
        changed: &Staff,
        by: Option<StaffId>,
        witness: Option<StaffId>,
    ) -> Result<(), Refusal> {
        let sealed = witness.is_none() && by.is_none_or(|by| self.sealed_code_serves(by));
        if loses_office(person, changed) && self.other_administrators(person) < 2 && !sealed {
            let words = "two administrators stay: name another one first, or open a sealed code and act alone";
            return refuse(Code::LastAdministrator, "D27", words);
        }
        Ok(())
    }

    fn other_administrators(&self, person: &Staff) -> usize {
        self.staff.iter().filter(|other| other.id != person.id && administers(other)).count()
    }

    /// A person of at least the rank of the position may assign another person to act in it; so may an administrator.
    // § etg 1.5 · mbs-sicbo 6.2 · rws-taisai 1.5
    pub(crate) fn assign_acting(
        &self,
        sender: Sender,
        staff: StaffId,
        post: Option<Post>,
        witness: Option<StaffId>,
    ) -> Events {
        let mut needed = None;
        let by = match self.administrator(sender) {
            Ok(Some(by)) if by == staff => {
                return refuse(Code::Rank, "D11", "you cannot assign a position to yourself");
            }
            Ok(by) => by,
            Err(_) => {
                let boss = self.staff_sender(sender)?;
                // The position that is given and the one that is taken away both count.
                let taken = self.person(staff).and_then(|person| person.acting);
                let ranks = [post, taken].into_iter().flatten().map(|post| match post {
                    Post::Pit(rank) => Some(rank),
                    _ => None,
                });
                let Some(rank) = ranks.collect::<Option<Vec<_>>>().and_then(|ranks| ranks.into_iter().max()) else {
                    return refuse(Code::Rank, "D11", "an administrator assigns positions outside the pit");
                };
                if boss.id == staff || boss.rank().is_none_or(|of| of < rank.max(Rank::PitSupervisor)) {
                    return refuse(
                        Code::Rank,
                        "D11",
                        format!("assigning a {rank} needs another person of that rank or above"),
                    );
                }
                needed = Some(rank.max(Rank::PitSupervisor));
                Some(boss.id)
            }
        };
        let Some(person) = self.person(staff).filter(|person| person.active) else {
            return refuse(Code::NotFound, "the floor", format!("there is no person {staff} at work"));
        };
        if person.shift.is_some() && person.post != Post::Cashier && post != Some(Post::Cashier) {
            return refuse(Code::Shift, "D11", "the cashier's shift must be closed first");
        }
        let changed = Staff { acting: post, ..person.clone() };
        self.somebody_administers(person, &changed)?;
        // Giving a post takes two people, neither of them the one who gets it; ending it does not, but for an
        // administrator's (D27).
        let witness = match (post, witness) {
            (None, None) if !loses_office(person, &changed) => None,
            _ if witness == Some(staff) => {
                return refuse(Code::SecondPerson, "D27", "a person cannot sign for their own post");
            }
            _ => {
                let signs = |other: &Staff| needed.is_some() && other.rank() >= needed;
                self.account_second(by, witness, signs, "two people who may assign a post do it together")?
            }
        };
        Ok(vec![Event::ActingAssigned { staff, post, by, witness }])
    }

    /// A dealer takes a table over; from then on the dealer's acts are that person's, or a higher rank's (D26).
    // § etg 1.5 · mbs-sicbo 6.2 · rws-taisai 1.5
    pub(crate) fn take_table(&self, sender: Sender, table: TableId) -> Events {
        let (found, _) = self.find_table(table)?;
        let dealer = self.authorise_any(sender, Act::OpenRound, found)?;
        if found.dealer == Some(dealer) {
            return refuse(Code::NothingToDo, "D26", "this dealer has the table already");
        }
        Ok(vec![Event::DealerChanged { table, dealer }])
    }

    pub(crate) fn open_table(&self, sender: Sender, table: TableId) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise(sender, Act::OpenTable, found)?;
        if found.open && found.closes_at.is_none() {
            return refuse(Code::TableOpen, "D11", "the table is open");
        }
        Ok(vec![Event::TableOpened { table, by }])
    }

    pub(crate) fn announce_closing(&self, sender: Sender, table: TableId, at: Moment) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise(sender, Act::OpenTable, found)?;
        if !found.open {
            return refuse(Code::TableClosed, "S3", "the table is closed");
        }
        if found.closes_at.is_some() {
            return refuse(Code::TableClosed, "S3", "the closing of the table is announced already");
        }
        Ok(vec![Event::ClosingAnnounced { table, closes_at: at.after(found.settings.closing_notice), by }])
    }

    pub(crate) fn close_table(&self, sender: Sender, table: TableId, at: Moment) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise(sender, Act::OpenTable, found)?;
        if !found.open {
            return refuse(Code::TableClosed, "D11", "the table is closed");
        }
        if found.round.is_some() {
            return refuse(Code::InRound, "S12", "the round must end first");
        }
        match found.closes_at {
            Some(closes_at) if at >= closes_at => Ok(vec![Event::TableClosed { table, by }]),
            _ => refuse(Code::TableOpen, "S3", "the closing must be announced on the screens beforehand"),
        }
    }

    pub(crate) fn lock_terminal(&self, sender: Sender, terminal: TerminalId, reason: &str) -> Events {
        let found = self.find_terminal(terminal)?;
        let (table, _) = self.find_table(found.table)?;
        let by = self.authorise(sender, Act::LockTerminal, table)?;
        reason_fits(reason)?;
        if found.locked.is_some() {
            return refuse(Code::NothingToDo, "D11", "the terminal is locked already");
        }
        Ok(vec![Event::TerminalLocked { terminal, reason: LockReason::Person(by, reason.to_owned()) }])
    }

    pub(crate) fn unlock_terminal(&self, sender: Sender, terminal: TerminalId) -> Events {
        let found = self.find_terminal(terminal)?;
        let (table, _) = self.find_table(found.table)?;
        let by = self.authorise(sender, Act::LockTerminal, table)?;
        if found.locked.is_none() {
            return refuse(Code::NothingToDo, "D11", "the terminal is not locked");
        }
        if !found.meters_agree() {
            return refuse(Code::Meters, "S11", "the meters do not agree: the terminal stays locked");
        }
        Ok(vec![Event::TerminalUnlocked { terminal, by }])
    }
}

/// Whether this program carries a rulebook of that hash. Any other is not approved, whatever the file itself claims.
#[must_use]
pub fn carried(hash: Hash) -> bool {
    library::all().is_ok_and(|all| all.iter().any(|known| known.hash() == hash))
}

/// Whether a person administers the floor now.
fn administers(staff: &Staff) -> bool {
    staff.active && staff.serves_as(Post::Administrator)
}

/// Whether a change takes that away.
fn loses_office(person: &Staff, changed: &Staff) -> bool {
    administers(person) && !administers(changed)
}

/// The words of the alert about a dismissal of a Pit Manager or above.
fn dismissed(whom: &str, by: &str) -> String {
    format!("{whom} was dismissed by {by}")
}

/// A name as it is compared: without regard to case, to blanks, and to forms that look alike (full-width letters).
fn same_name(name: &str) -> String {
    let narrow = |letter: char| match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        other => other,
    };
    let words: Vec<String> =
        name.split_whitespace().map(|word| word.chars().map(narrow).flat_map(char::to_lowercase).collect()).collect();
    words.join(" ")
}
