//! Several tables from one seat (D29): a terminal is enrolled for a set of tables, and the player chooses one of them.

use std::collections::BTreeSet;

use rulebook::{Layout, Spot};

use crate::bounds;
use crate::command::*;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Terminal};

impl Terminal {
    /// The tables it is enrolled for beside its own, by their ids.
    #[must_use]
    pub fn choices(&self) -> &[TableId] {
        &self.choices
    }
}

impl Floor {
    /// An administrator sets the tables among which the player at a terminal may choose.
    pub(crate) fn offer_tables(&self, sender: Sender, terminal: TerminalId, tables: &[TableId]) -> Events {
        let by = self.technician(sender)?;
        let found = self.find_terminal(terminal)?;
        if tables.len() > bounds::CHOICES {
            return refuse(Code::TooMany, "bounds", format!("a terminal serves at most {} tables", bounds::CHOICES));
        }
        let mut sorted = tables.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if !sorted.is_empty() && !sorted.contains(&found.table) {
            return refuse(Code::Settings, "D29", "the table the terminal is at is one of them");
        }
        for table in &sorted {
            self.serves(found, *table)?;
        }
        if sorted == found.choices {
            return refuse(Code::NothingToDo, "D29", "the terminal is enrolled for these tables");
        }
        // Enrolment changes only with nothing of a player on the terminal, as for a move (S12).
        if let Some(held) = found.held() {
            return refuse(Code::CreditLeft, "S12", format!("there is {held} on this terminal"));
        }
        Ok(vec![Event::TablesOffered { terminal, tables: sorted, by }])
    }

    /// The layout of a terminal at a table: the document has its kind and its layout, by name.
    fn serves(&self, terminal: &Terminal, table: TableId) -> Result<u8, Refusal> {
        let (target, rulebook) = self.find_table(table)?;
        if target.mode != TableMode::Terminals {
            return refuse(Code::Settings, "D29", "a live table has no terminals");
        }
        let layout = self.layout_of(terminal);
        let own = layout.map(|layout| layout.id().to_owned()).unwrap_or_default();
        let place = self.layout_for(rulebook, &terminal.kind, &own)?;
        // Layouts of two games may have the same name: the terminal serves only those with the spots of its own.
        let spots = |layout: &Layout| {
            layout.table().indices().filter_map(|spot| Some(layout.table().spot(spot)?.spot)).collect()
        };
        let (own_spots, its): (Option<BTreeSet<Spot>>, Option<BTreeSet<Spot>>) =
            (layout.map(spots), rulebook.layouts().get(usize::from(place)).map(spots));
        if own_spots != its {
            let words = format!("layout {own} of that game has other spots than the layout {own} of this terminal");
            return refuse(Code::Settings, "D29", words);
        }
        Ok(place)
    }

    /// The player chooses a table, while no bet of the visit stands in a round. Credit and visit are kept.
    pub(crate) fn choose_table(&self, sender: Sender, terminal: TerminalId, table: TableId) -> Events {
        let found = self.find_terminal(terminal)?;
        if sender != Sender::Terminal(terminal) {
            return refuse(Code::NotForSender, "D29", "the player chooses the table at the terminal");
        }
        let (target, _) = self.find_table(table)?;
        if found.table == table {
            return refuse(Code::NothingToDo, "D29", "this table is chosen");
        }
        if !found.choices.contains(&table) {
            return refuse(Code::NotOffered, "D29", "this terminal is not enrolled for that table");
        }
        found.available()?;
        if !found.stakes.is_empty() && !mutant!("chooses-table-with-bets") {
            let words = "this visit has bets in a round: choose another table when it is over";
            return refuse(Code::InRound, "D29", words);
        }
        if !target.open {
            return refuse(Code::TableClosed, "D29", "that table is closed");
        }
        let layout = self.serves(found, table)?;
        Ok(vec![Event::TableChosen { terminal, from: found.table, table, layout }])
    }
}
