//! The bets of the rule sheet: layouts, odds, multi-piece bets, the wheel.

use comfy_table::{Cell, Color};
use rulebook::{Citation, Colour, Family, Layout, Mark, MultiPiece, Odds, Piece, Pieces, Pocket, Spot, Wheel};

use super::{Sheet, cited};
use crate::output::Column::{Figure, Name, Words};
use crate::output::group::{Group, absent_pairs, group, list, paid, slashed, summary};

/// Pockets to a line of the wheel.
const ARC: usize = 13;

impl Sheet<'_> {
    pub(super) fn layouts(&mut self) {
        self.heading("Layouts", "版面");
        let columns = [
            Name(self.say("Layout", "版面")),
            Name(self.say("Pay table", "赔率表")),
            Figure(self.say("Spots", "投注位")),
            Figure(self.say("Step of a bet", "投注单位")),
            Words(self.say("Terminals", "终端")),
            Words("§"),
            Words(self.say("Arrangement", "排列")),
        ];
        let rows = self.layouts.iter().map(|layout| {
            let terminals =
                self.rulebook.terminals().iter().filter(|kind| kind.layouts.iter().any(|id| id == layout.id()));
            [
                format!("{} ({})", layout.id(), self.language.of(layout.name())),
                self.language.of(layout.pay_table_name()).to_owned(),
                layout.table().spots().len().to_string(),
                format!("{} (D9)", layout.table().step()),
                terminals.map(|kind| kind.id.clone()).collect::<Vec<_>>().join(", "),
                cited(&[layout.paragraph(), layout.pay_table_paragraph()]),
                self.marked(layout.mark()),
            ]
        });
        let rows: Vec<_> = rows.collect();
        self.page.table(&columns, rows);
    }

    pub(super) fn bets(&mut self) {
        self.heading("When each bet wins", "各投注的胜出条件");
        let rows = group(self.spots().into_iter().map(|spot| (spot, ()))).into_iter().filter_map(|group| {
            let rule = self.rulebook.families().get(&group.family)?;
            Some([
                self.bet_name(group.family),
                self.written(&group.spots),
                self.language.of(&rule.wins).to_owned(),
                rule.paragraph.to_string(),
            ])
        });
        let rows: Vec<_> = rows.collect();
        let columns = [
            Name(self.say("Bet", "投注")),
            Words(self.say("Written", "写法")),
            Words(self.say("Wins when", "胜出条件")),
            Name("§"),
        ];
        self.page.table(&columns, rows);
    }

    /// How the spots of a family are written, so that readers need not guess which there are.
    fn written(&self, spots: &[Spot]) -> String {
        let absent = absent_pairs(spots);
        if spots.len() <= 4 {
            list(spots)
        } else if absent.is_empty() {
            summary(spots)
        } else {
            let absent = absent.join(self.say(" and ", "、"));
            format!("{}{}{absent}", summary(spots), self.say(", without ", "，不含 "))
        }
    }

    pub(super) fn odds(&mut self) {
        self.heading(
            "Odds, n to 1: winnings per unit staked; the stake comes back besides",
            "赔率（n 赔 1）：每单位投注的彩金，另退还本金",
        );
        let name = |layout: &Layout| format!("{} {}", self.say("Layout", "版面"), layout.id());
        let layouts: Vec<String> = self.layouts.iter().map(name).collect();
        let mut columns = vec![Name(self.say("Bet", "投注")), Words(self.say("Spots", "投注位"))];
        columns.extend(layouts.iter().map(|layout| Figure(layout)));
        columns.extend([Words("§"), Words(self.say("Mark", "标注"))]);
        let prices = self.prices();
        let before = [None].into_iter().chain(prices.iter().map(|group| Some(group.family)));
        let row = |(group, before): (&Group<_>, _)| {
            let mut row = self.price_row(group);
            if before == Some(group.family) {
                // The name of the bet stands once, on its first row.
                row.first_mut().map(String::clear);
            }
            row
        };
        let rows: Vec<Vec<String>> = prices.iter().zip(before).map(row).collect();
        self.page.table(&columns, rows);
    }

    /// What the layouts call a kind of bet, each name once.
    fn bet_name(&self, family: Family) -> String {
        let mut names: Vec<&str> = Vec::new();
        for layout in self.layouts {
            let has = layout.table().spots().iter().any(|priced| priced.spot.family() == family);
            let name = self.rulebook.name_of(layout, family).filter(|_| has).map(|name| self.language.of(name));
            names.extend(name.filter(|name| !names.contains(name)));
        }
        names.join(" / ")
    }

    /// Every spot of the layouts once.
    fn spots(&self) -> Vec<Spot> {
        let mut spots: Vec<Spot> = Vec::new();
        for priced in self.layouts.iter().flat_map(|layout| layout.table().spots()) {
            if !spots.contains(&priced.spot) {
                spots.push(priced.spot);
            }
        }
        spots
    }

    /// Spots of a family that every layout pays alike.
    fn prices(&self) -> Vec<Group<Vec<Option<Price<'_>>>>> {
        let prices = |spot| (spot, self.layouts.iter().map(|layout| price(layout, spot)).collect());
        group(self.spots().into_iter().map(prices))
    }

    fn price_row(&self, group: &Group<Vec<Option<Price>>>) -> Vec<String> {
        let mut row = vec![self.bet_name(group.family), summary(&group.spots)];
        row.extend(group.key.iter().map(|price| match price {
            Some(price) => slashed(&price.odds),
            None => "–".to_owned(),
        }));
        let citations: Vec<&Citation> = group.key.iter().flatten().map(|price| price.paragraph).collect();
        row.push(cited(&citations));
        row.push(self.marked(group.key.iter().flatten().find_map(|price| price.mark)));
        row
    }

    pub(super) fn multi_piece(&mut self) {
        if self.rulebook.multi_piece().is_empty() {
            return;
        }
        self.heading(
            "Bets of several pieces: the amount named is that of one piece",
            "多注组合：所报金额为每一注的金额",
        );
        let columns = [
            Name(self.say("Bet", "投注")),
            Name(self.say("Written", "写法")),
            Figure(self.say("Pieces", "注数")),
            Words(self.say("On", "组成")),
            Words(self.say("Terminals", "终端")),
            Words("§"),
        ];
        let rows: Vec<[String; 6]> = self.rulebook.multi_piece().iter().flat_map(|bet| self.pieces(bet)).collect();
        self.page.table(&columns, rows);
    }

    /// One row for each way to write the bet that the sheet shows: for neighbours, an example of each reach.
    fn pieces(&self, bet: &MultiPiece) -> Vec<[String; 6]> {
        let Some(wheel) = self.rulebook.outcomes().wheel() else { return Vec::new() };
        let mut written = bet.notations(wheel);
        if let Pieces::Neighbours { reach } = &bet.pieces {
            let middle = wheel.order().get(wheel.order().len() / 5).map(ToString::to_string).unwrap_or_default();
            written = reach.iter().map(|reach| format!("{}/{middle}/{reach}", bet.id)).collect();
        }
        let row = |(place, notation): (usize, &String)| {
            let (_, pieces) = self.rulebook.expand(notation).ok()?;
            let first = |words: String| if place == 0 { words } else { String::new() };
            Some([
                first(self.language.of(&bet.name).to_owned()),
                notation.clone(),
                pieces.iter().map(|piece| piece.count).sum::<u32>().to_string(),
                standing(&pieces),
                first(bet.terminals.join(", ")),
                first(match &bet.mark {
                    Some(mark) => format!("{}; {}", bet.paragraph, self.language.mark(mark)),
                    None => bet.paragraph.to_string(),
                }),
            ])
        };
        written.iter().enumerate().filter_map(row).collect()
    }

    pub(super) fn wheel(&mut self) {
        let Some(wheel) = self.rulebook.outcomes().wheel() else { return };
        let mark = wheel.mark().map(|mark| format!("; {}", self.language.mark(mark))).unwrap_or_default();
        let title = self.say("The wheel, clockwise", "轮盘（顺时针）");
        let letters = self.say("g green, r red, b black", "绿、红、黑为格的颜色");
        self.page.heading(&format!("{title}: {letters} ({}{mark})", self.rulebook.outcomes_paragraph()));
        let rows: Vec<Vec<Cell>> = wheel.order().chunks(ARC).map(|arc| self.arc(wheel, arc)).collect();
        self.page.rows(rows);
        let contact = |[a, b]: &[Pocket; 2]| format!("{a}-{b}");
        let contacts: Vec<String> = wheel.contacts().iter().map(contact).collect();
        let touching = self.say("Touching at the zeros on the layout: ", "版面上与零位相接：");
        self.page.gap();
        self.page.words(&format!("{touching}{}", contacts.join("  ")));
    }

    fn arc(&self, wheel: &Wheel, arc: &[Pocket]) -> Vec<Cell> {
        let cell = |pocket: &Pocket| {
            let colour = wheel.colour(*pocket);
            let name = self.language.colour(colour);
            let cell = Cell::new(format!("{pocket}{}", name.chars().next().unwrap_or(' ')));
            match colour {
                Colour::Green => cell.fg(Color::Green),
                Colour::Red => cell.fg(Color::Red),
                Colour::Black => cell,
            }
        };
        arc.iter().map(cell).collect()
    }
}

/// What a layout pays on a spot.
#[derive(PartialEq)]
struct Price<'a> {
    odds: Vec<Odds>,
    paragraph: &'a Citation,
    mark: Option<&'a Mark>,
}

fn price(layout: &Layout, spot: Spot) -> Option<Price<'_>> {
    let table = layout.table();
    let index = table.index(spot)?;
    let priced = table.spot(index)?;
    Some(Price { odds: paid(table, index), paragraph: &priced.paragraph, mark: priced.mark.as_ref() })
}

/// Pieces in few words: `split 5-8, 10-11; 2 on street 00-2-3`.
fn standing(pieces: &[Piece]) -> String {
    let mut words = String::new();
    let mut before = None;
    for piece in pieces {
        let spot = piece.spot.to_string();
        let (family, numbers) = spot.split_once('/').unwrap_or((&spot, ""));
        let kind = (piece.spot.family(), piece.count);
        if before == Some(kind) {
            words.push_str(", ");
        } else {
            let separator = if before.is_some() { "; " } else { "" };
            let count = if piece.count == 1 { String::new() } else { format!("{} × ", piece.count) };
            words.push_str(&format!("{separator}{count}{family} "));
        }
        words.push_str(numbers);
        before = Some(kind);
    }
    words
}
