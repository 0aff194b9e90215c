//! One round for a dispute (S5): every bet, the result, the pay table, every event, and the proof.

use floor::RoundId;
use paper::{Column, Paper, Table};
use serde::Serialize;

use super::words::{Amount, or_dash};
use super::{At, NoReport, Proof, UpTo, subtitles};
use crate::query::{PayTableRecord, Query, RoundRecord};

/// One round, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// The round as the records have it.
    #[serde(flatten)]
    pub record: RoundRecord,
    /// The first record of the journal that is about it.
    pub first_record: u64,
    /// The last, corrections included.
    pub last_record: u64,
    /// The pay tables of its bets.
    pub pay_tables: Vec<PayTableRecord>,
    /// Names of those who had to do with it, by their ids.
    pub staff: Vec<(u32, String)>,
    /// Where it stands in the journal; `null` if the journal was not read.
    pub proof: Option<Proof>,
}

impl Query<'_> {
    /// The report of a round.
    ///
    /// # Errors
    /// When there is no such round, or the database cannot be read.
    pub fn round_report(&self, round: RoundId, journal: Option<u64>) -> Result<RoundReport, NoReport> {
        let snapshot = self.snapshot()?;
        let Some(record) = self.round(round)? else {
            return Err(self.unknown("unknown_round", format!("there is no round {round}"))?);
        };
        let mut layouts: Vec<&str> = record.players.iter().map(|player| player.layout.id.as_str()).collect();
        layouts.extend(record.chip_layout.as_ref().map(|layout| layout.id.as_str()));
        layouts.sort_unstable();
        layouts.dedup();
        let mut pay_tables = Vec::new();
        for layout in layouts {
            pay_tables.extend(self.pay_table(&record.summary.rulebook, layout)?);
        }
        let sequences = || record.lines.iter().map(|line| line.sequence);
        let corrected = record.corrections.iter().map(|correction| correction.sequence);
        let first: u64 = self
            .connection
            .prepare_cached("SELECT first_sequence FROM rounds WHERE round = ?")?
            .query_row([round.0], |row| row.get(0))?;
        let mut staff: Vec<(u32, String)> = Vec::new();
        let witnesses = record.corrections.iter().flat_map(|correction| [Some(correction.staff), correction.witness]);
        let void = record.summary.void.as_ref();
        let voided = void.into_iter().flat_map(|void| [void.staff, void.witness]);
        for id in record.lines.iter().map(|line| line.staff).chain(witnesses).chain(voided).flatten() {
            staff.push((id.0, self.staff_name(Some(id))?.unwrap_or_default()));
        }
        staff.sort();
        staff.dedup();
        let report = RoundReport {
            up_to: self.up_to(journal)?,
            first_record: first,
            last_record: sequences().chain(corrected).max().unwrap_or(first),
            pay_tables,
            staff,
            proof: None,
            record,
        };
        drop(snapshot);
        Ok(report)
    }
}

impl RoundReport {
    fn name(&self, staff: Option<floor::StaffId>) -> String {
        let Some(staff) = staff else { return String::new() };
        let found = self.staff.iter().find(|(id, _)| *id == staff.0);
        found.map_or_else(|| staff.to_string(), |(_, name)| name.clone())
    }

    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let summary = &self.record.summary;
        let mut paper = Paper::new(format!("Round {} at {}", summary.round, summary.table_name));
        let ended = summary.ended_at.map_or_else(|| "in progress".to_owned(), |at| At(at).to_string());
        paper.landscape().subtitle(format!("{} to {ended} (UTC+8)", At(summary.begun_at)));
        subtitles(&mut paper, &self.up_to);
        paper.anchor("Rulebook hash", &summary.rulebook);
        let mut facts = vec![
            ("Game", format!("{} version {}", summary.game, summary.version)),
            ("Rulebook hash", summary.rulebook.clone()),
            ("Result", or_dash(summary.outcome.as_ref())),
            ("Status", summary.status.as_str().to_owned()),
            ("Bets open", or_dash(summary.opened_at.map(At))),
            ("Bets closed", or_dash(summary.closed_at.map(At))),
            ("Players", summary.players.to_string()),
            ("Staked", Amount::from(summary.staked).to_string()),
            ("Returned by the result as it stands", Amount::from(summary.returned).to_string()),
        ];
        if let Some(void) = &summary.void {
            let words = void.words.as_ref().map(|words| words.en.clone()).or_else(|| void.by.clone());
            facts.push(("Void", format!("{} ({})", or_dash(words), or_dash(void.paragraph.as_ref()))));
            facts.push(("… by, witness", format!("{}, {}", self.name(void.staff), self.name(void.witness))));
            facts.push(("… why", void.reason.clone().unwrap_or_default()));
        }
        paper.facts(facts);
        self.put_bets(&mut paper);
        self.put_chips(&mut paper);
        self.put_corrections(&mut paper);
        self.put_lines(&mut paper);
        self.put_proof(&mut paper);
        for pay_table in &self.pay_tables {
            put_pay_table(&mut paper, pay_table);
        }
        paper
    }

    fn put_bets(&self, paper: &mut Paper) {
        for player in &self.record.players {
            let layout = &player.layout;
            paper.heading(format!("Bets of {}", player.terminal_name));
            paper.paragraph(format!(
                "Terminal {}, {} ({}), {} ({})",
                player.terminal, layout.name.en, layout.paragraph, layout.pay_table.en, layout.pay_table_paragraph
            ));
            let mut table = bet_table();
            for bet in &player.bets {
                table.row([
                    bet.spot.clone(),
                    bet.pieces.clone().unwrap_or_default(),
                    Amount::from(bet.stake).to_string(),
                    bet.odds.as_ref().map_or_else(|| "–".to_owned(), |odds| format!("{odds} to 1")),
                    Amount::from(bet.returned).to_string(),
                    bet.paragraph.clone(),
                ]);
            }
            let (staked, entitled) =
                (Amount::from(player.staked).to_string(), Amount::from(player.entitled).to_string());
            table.total(["Total".to_owned(), String::new(), staked, String::new(), entitled]);
            if player.bets.iter().all(|bet| bet.pieces.is_none()) {
                table.columns.remove(1);
                table.rows.iter_mut().for_each(|row| drop(row.cells.remove(1)));
            }
            paper.table(table);
            if player.returned != player.entitled {
                let first = Amount::from(player.returned);
                paper.note(format!("When the round ended, {first} was returned; corrections below."));
            }
        }
    }

    fn put_chips(&self, paper: &mut Paper) {
        if self.record.chips.is_empty() {
            return;
        }
        paper.heading("Chips on the layout");
        let figures = ["Bet", "At risk", "Paid at", "Returned", "Entitled"].map(Column::figure);
        let names = [Column::figure("Position"), Column::name("Spot")];
        let mut table = Table::new("", names.into_iter().chain(figures).chain([Column::name("§")]));
        for share in &self.record.chips {
            table.row([
                share.position.to_string(),
                share.spot.clone(),
                Amount::from(share.bet).to_string(),
                Amount::from(share.at_risk).to_string(),
                share.odds.as_ref().map_or_else(|| "–".to_owned(), |odds| format!("{odds} to 1")),
                Amount::from(share.returned).to_string(),
                Amount::from(share.entitled).to_string(),
                share.paragraph.clone(),
            ]);
        }
        paper.table(table);
    }

    fn put_corrections(&self, paper: &mut Paper) {
        for correction in &self.record.corrections {
            let is = correction.outcome.as_deref().unwrap_or("void");
            let was = or_dash(correction.was.as_ref());
            paper.heading(format!("Corrected from {was} to {is}, {}", At(correction.at)));
            paper.facts([
                ("Record", correction.sequence.to_string()),
                ("By, witness", format!("{}, {}", self.name(Some(correction.staff)), self.name(correction.witness))),
                ("Why", correction.reason.clone()),
                ("Paragraph", or_dash(correction.paragraph.as_ref())),
            ]);
            let figures = ["Was", "Is", "Credited", "Payable", "Off payable", "Taken", "Uncollected"];
            let columns = std::iter::once(Column::name("Whose")).chain(figures.map(Column::figure));
            let mut table = Table::new("", columns);
            for row in &correction.adjustments {
                let whose = match (row.terminal, row.position) {
                    (Some(terminal), _) => format!("terminal {terminal}"),
                    (None, Some(position)) => format!("position {position}"),
                    (None, None) => String::new(),
                };
                let amounts =
                    [row.was, row.entitled, row.credited, row.payable, row.unpaid, row.taken, row.uncollected];
                let amounts = amounts.map(|amount| Amount::from(amount).to_string());
                table.row(std::iter::once(whose).chain(amounts));
            }
            paper.table(table);
        }
    }

    fn put_lines(&self, paper: &mut Paper) {
        paper.heading("Every event, in order");
        let columns = [
            Column::figure("Record"),
            Column::name("When (UTC+8)"),
            Column::name("Code"),
            Column::name("Who"),
            Column::words("What"),
        ];
        let mut table = Table::new("", columns);
        for line in &self.record.lines {
            let (sequence, at, who) = (line.sequence.to_string(), At(line.at).to_string(), self.name(line.staff));
            table.row([sequence, at, line.code.clone(), who, line.words.clone()]);
        }
        paper.table(table);
    }

    fn put_proof(&self, paper: &mut Paper) {
        paper.heading("Proof");
        let (first, last) = (self.first_record, self.last_record);
        let mut facts = vec![("Records of the journal", format!("{first} to {last}"))];
        if let Some(proof) = &self.proof {
            if let (Some(end), Some(chain)) = (proof.batch_end, &proof.chain) {
                facts.push(("Chain after record", format!("{end}: {chain}")));
            }
            if let Some(checkpoint) = &proof.checkpoint {
                facts.push(("Checkpoint after it", checkpoint.clone()));
            }
        }
        paper.facts(facts);
        paper.paragraph(format!(
            "To verify: croupier audit proves every record of the journal, its chain and its checkpoints, and settles \
             every round again by its rulebook; with the checkpoint above in a file, croupier audit --anchor FILE also \
             proves that this journal is the one it was signed for. croupier journal dump --from {first} --to {last} \
             prints the records themselves."
        ));
    }
}

fn bet_table() -> Table {
    let names = [Column::name("Spot"), Column::name("Of")];
    let figures = ["Stake", "Paid at", "Returned"].map(Column::figure);
    Table::new("", names.into_iter().chain(figures).chain([Column::name("§")]))
}

fn put_pay_table(paper: &mut Paper, pay_table: &PayTableRecord) {
    paper.heading(format!("{} of {}, {}", pay_table.layout.pay_table.en, pay_table.game, pay_table.layout.name.en));
    let mut table = Table::new("", [Column::words("Spots"), Column::figure("Pays, to 1"), Column::name("§")]);
    for alike in pay_table.spots.chunk_by(|a, b| a.odds == b.odds && a.paragraph == b.paragraph) {
        let Some(first) = alike.first() else { continue };
        let spots: Vec<&str> = alike.iter().map(|spot| spot.spot.as_str()).collect();
        table.row([spots.join(", "), first.odds.join(" / "), first.paragraph.clone()]);
    }
    paper.table(table);
}
