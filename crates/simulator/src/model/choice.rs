//! Several tables from one seat (D29), in the model's own words.

use floor::*;

use super::{Check, Model, must};

impl Model {
    /// Takes an event about the choice of tables in; false if it is something else.
    pub(super) fn choices(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::TablesOffered { terminal, tables, by } => {
                must(by.is_none_or(|by| self.serves_as(by, Post::Administrator)), || "no administrator".to_owned())?;
                for table in tables {
                    self.layout_at(*terminal, *table)?;
                }
                self.terminal_mut(*terminal)?.choices.clone_from(tables);
            }
            Event::TableChosen { terminal, from, table, layout } => {
                self.chosen(*terminal, *from, *table, *layout)?;
            }
            // Nothing is known of them but that they are here: the model forgets no round.
            Event::RoundRecalled { .. } | Event::RoundsPutBack { .. } => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The layout of a terminal's name in the document of a table, which has the terminal's kind.
    fn layout_at(&self, id: TerminalId, table: TableId) -> Result<u8, String> {
        let terminal = self.terminal(id)?;
        let own = self.table(terminal.table)?.game.rulebook();
        let name = own.layouts().get(usize::from(terminal.layout)).ok_or("no layout")?.id();
        let found = self.table(table)?;
        must(found.mode == TableMode::Terminals, || format!("table {table} has no terminals"))?;
        let document = found.game.rulebook();
        let kind = document.terminals().iter().find(|kind| kind.id == terminal.kind).ok_or("no such kind there")?;
        must(kind.layouts.iter().any(|layout| layout == name), || format!("no layout {name} there"))?;
        let place = document.layouts().iter().position(|layout| layout.id() == name).ok_or("no such layout")?;
        u8::try_from(place).map_err(|error| error.to_string())
    }

    /// The player takes another table: no bet stands, credit and visit stay.
    fn chosen(&mut self, id: TerminalId, from: TableId, table: TableId, layout: u8) -> Check {
        let expected = self.layout_at(id, table)?;
        must(layout == expected, || format!("layout {layout}, not {expected}"))?;
        must(self.table(table)?.open, || format!("table {table} is closed"))?;
        let terminal = self.terminal_mut(id)?;
        must(terminal.table == from && from != table, || "the terminal is at another table".to_owned())?;
        must(terminal.choices.contains(&table), || format!("table {table} was not offered"))?;
        must(terminal.bets.is_empty(), || "bets of the visit stand in a round (D29)".to_owned())?;
        must(terminal.live && !terminal.locked, || format!("terminal {id} is lost or locked"))?;
        terminal.table = table;
        terminal.layout = layout;
        if let Some(round) = &mut self.table_mut(from)?.round {
            round.awaiting.retain(|awaited| *awaited != id);
        }
        Ok(())
    }
}
