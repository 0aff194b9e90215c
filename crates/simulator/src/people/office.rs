//! The administrator: tables, terminals, devices and people come, move and go.

use floor::*;
use rulebook::{Act, Rank};

use super::{Deed, Scene, settings, some_release};
use crate::chance::Chance;
use crate::game::Game;

impl Scene<'_> {
    pub(super) fn office(&self, chance: &mut Chance) -> Option<Deed> {
        let by = self.serving(Post::Administrator, chance).unwrap_or(Sender::System);
        // Mostly another administrator signs.
        let mut others = self.model.serving(Post::Administrator);
        others.retain(|other| by != Sender::Staff(*other));
        let witness = if chance.one_in(10) { None } else { chance.pick(&others) };
        if let Some(away) = self.model.staff.iter().position(|person| !person.active) {
            let staff = StaffId(u32::try_from(away).ok()?);
            let post = self.model.staff.get(away)?.post;
            return Some((by, Body::ChangeStaff { staff, post, active: true, witness }));
        }
        let table = self.some_table(chance)?;
        let body = match chance.below(17) {
            16 => self.offer(chance)?,
            0 => self.enrol(table, chance)?,
            1 | 2 => self.move_terminal(chance)?,
            3 => {
                let kinds = [DeviceKind::Tumbler, DeviceKind::Wheel, DeviceKind::Validator, DeviceKind::ChipReader];
                let places = [DevicePlace::Store, DevicePlace::Table(table)];
                let (kind, place) = (chance.of_these(kinds), chance.of_these(places));
                let witness = self.person(table, Act::RecordDeviceFault, chance).filter(|_| !chance.one_in(5));
                Body::AddDevice { name: "spare".to_owned(), kind, place, measures: None, witness }
            }
            4 | 5 => self.move_device(table, chance)?,
            6 if self.model.staff.len() < 24 => Body::AddStaff {
                name: format!("new {}", self.model.staff.len()),
                post: Post::Pit(chance.of_these(Rank::ALL)),
                witness,
            },
            7 => {
                // Now and then two administrators dismiss one of them.
                let administrators = self.model.serving(Post::Administrator);
                let one = chance.pick(&administrators).filter(|_| chance.one_in(6));
                let anybody = StaffId(u32::try_from(chance.below(self.model.staff.len())).ok()?);
                let (staff, witness) = one.map_or((anybody, None), |one| (one, witness));
                let post = self.model.staff.get(staff.index())?.post;
                Body::ChangeStaff { staff, post, active: false, witness }
            }
            8 => {
                let act = chance.of_these([Act::HandPay, Act::AcknowledgeAlert, Act::EnterResult, Act::OpenTable]);
                let rank = chance.of_these([Rank::Dealer, Rank::PitSupervisor, Rank::PitManager]);
                Body::RaisePower { act, rank, witness: witness.filter(|_| !chance.one_in(3)) }
            }
            9 if chance.one_in(3) => {
                let device = self.mechanism(table)?;
                let measures = Measures {
                    times: chance.one_in(2),
                    direction: true,
                    cover: !chance.one_in(3),
                    flat: !chance.one_in(3),
                    reads: !chance.one_in(4),
                };
                Body::DescribeDevice { device, measures, witness: self.person(table, Act::RecordDeviceFault, chance) }
            }
            9 | 10 => self.pin(table, witness, chance)?,
            12 => {
                let alone = super::dollars(chance.of_these([500, 2_000, 10_000]));
                let thresholds = Thresholds { alone, ..Thresholds::default() };
                Body::SetThresholds { thresholds, reason: "as agreed".to_owned(), witness }
            }
            13 => Body::SealCodes { hashes: vec![SealedHash([7; 32])], witness },
            14 => Body::OpenSealedCode { hash: SealedHash([7; 32]), reason: "nobody else is here".to_owned() },
            11 => Body::ApproveProgram { release: some_release(chance), witness },
            _ => Body::InstallRulebook { canonical: "no rulebook".to_owned(), witness },
        };
        Some((by, body))
    }

    fn kind_and_layout(&self, table: TableId, chance: &mut Chance) -> Option<(String, String)> {
        let rulebook = self.game(table)?.rulebook();
        let kind = rulebook.terminals().get(chance.below(rulebook.terminals().len().max(1)))?;
        let layout = kind.layouts.get(chance.below(kind.layouts.len()))?;
        Some((kind.id.clone(), layout.clone()))
    }

    fn enrol(&self, table: TableId, chance: &mut Chance) -> Option<Body> {
        if self.model.terminals.len() > 12 {
            return None;
        }
        let (kind, layout) = self.kind_and_layout(table, chance)?;
        Some(Body::EnrolTerminal { table, name: "late".to_owned(), kind, layout })
    }

    fn move_terminal(&self, chance: &mut Chance) -> Option<Body> {
        let any = chance.one_in(3);
        let empty = |(_, terminal): &(TerminalId, &crate::model::Terminal)| {
            any || terminal.credit == 0 && terminal.prepared == 0 && terminal.bets.is_empty()
        };
        let all = (0..).map(TerminalId).zip(&self.model.terminals);
        let free: Vec<TerminalId> = all.filter(empty).map(|(id, _)| id).collect();
        let terminal = chance.pick(&free)?;
        let table = self.some_table(chance)?;
        let (kind, layout) = self.kind_and_layout(table, chance)?;
        Some(Body::MoveTerminal { terminal, table, kind, layout })
    }

    /// A device goes to the store; one that is there comes back to where it fits.
    fn move_device(&self, table: TableId, chance: &mut Chance) -> Option<Body> {
        let stored = self.device_id(|device| device.place == DevicePlace::Store);
        if let Some(device) = stored.filter(|_| !chance.one_in(4)) {
            let terminal = TerminalId(u32::try_from(chance.below(self.model.terminals.len().max(1))).ok()?);
            let places = [DevicePlace::Table(table), DevicePlace::Terminal(terminal)];
            let witness = self.person(table, Act::RecordDeviceFault, chance).filter(|_| !chance.one_in(5));
            return Some(Body::MoveDevice { device, place: chance.of_these(places), witness });
        }
        let device = DeviceId(u16::try_from(chance.below(self.model.devices.len().max(1))).ok()?);
        let witness = self.person(table, Act::RecordDeviceFault, chance).filter(|_| !chance.one_in(5));
        Some(Body::MoveDevice { device, place: DevicePlace::Store, witness })
    }

    /// A table without terminals may be run by another document.
    fn pin(&self, table: TableId, witness: Option<StaffId>, chance: &mut Chance) -> Option<Body> {
        let found = self.model.table(table).ok()?;
        let game = if found.game.is_live() {
            Game::TaiSai
        } else {
            chance.of_these([Game::SicBo, Game::OpenCover, Game::Electronic, Game::Roulette])
        };
        Some(Body::PinRulebook {
            table,
            rulebook: game.rulebook().hash(),
            settings: Box::new(settings::some(game, chance)),
            witness,
        })
    }

    /// A terminal is enrolled for every table that fits, or for its own only (D29).
    fn offer(&self, chance: &mut Chance) -> Option<Body> {
        let terminals: Vec<TerminalId> = (0..).map(TerminalId).take(self.model.terminals.len()).collect();
        let terminal = chance.pick(&terminals)?;
        let game = self.game(self.model.terminal(terminal).ok()?.table)?;
        let tables = (0..).map(TableId).take(self.model.tables.len());
        let tables = match chance.below(8) {
            0 => Vec::new(),
            1 => tables.collect(),
            _ => tables.filter(|table| self.game(*table) == Some(game)).collect(),
        };
        Some(Body::OfferTables { terminal, tables })
    }
}
