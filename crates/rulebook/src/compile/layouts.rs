//! Layouts, terminals, and the bets of several pieces.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::pays::{PayTables, spot};
use super::{Context, Incoherence};
use crate::draft::{self, PieceRule, Word};
use crate::{
    Area, Family, Layout, MultiPiece, OutcomeSpace, Piece, Pieces, Place, Play, Pocket, Spot, TerminalKind, Text,
};

pub(super) fn layouts(
    context: &Context,
    outcomes: &OutcomeSpace,
    pays: &PayTables,
    drafts: Vec<draft::Layout>,
) -> Result<Vec<Layout>, Incoherence> {
    let mut layouts: Vec<Layout> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let id = draft.id.get_ref();
        if id.is_empty() || id.bytes().any(|b| !b.is_ascii_lowercase() && !b.is_ascii_digit() && b != b'-') {
            return Err(context.at(draft.id.span(), format!("\"{id}\" is no id: use a to z, 0 to 9 and hyphens")));
        }
        if layouts.iter().any(|earlier| earlier.id == *id) {
            return Err(context.at(draft.id.span(), format!("layout {id} is there twice")));
        }
        layouts.push(layout(context, outcomes, pays, draft)?);
    }
    if layouts.is_empty() {
        return Err(context.at(0..0, "a rulebook has at least one layout"));
    }
    Ok(layouts)
}

// § rws-sicbo Appendix A, Appendix B, Appendix C · rws-sicbo-open Appendix A, Appendix B, Appendix C
// § rws-roulette-000 Appendix A · mbs-sicbo Appendix A, Appendix B · rws-taisai 2.1.1, Appendix A, Appendix B
fn layout(
    context: &Context,
    outcomes: &OutcomeSpace,
    pays: &PayTables,
    draft: draft::Layout,
) -> Result<Layout, Incoherence> {
    let prices = pays.find(context, &draft.pay_table)?;
    let name = context.words(draft.name, "the name of the layout", draft.id.span())?;
    let canvas = *draft.canvas.get_ref();
    let mut areas: Vec<Area> = Vec::with_capacity(draft.areas.len());
    let mut offered: Vec<Spot> = Vec::new();
    for area in draft.areas {
        let place = place(context, canvas, &areas, &area)?;
        let mut rows = Vec::with_capacity(area.rows.len());
        for row in area.rows {
            let mut spots = Vec::with_capacity(row.len());
            for word in row {
                if word.get_ref().is_empty() {
                    spots.push(None);
                    continue;
                }
                let spot = spot(context, outcomes, &word)?;
                if !prices.has(spot) {
                    let message = format!(
                        "layout {} names {spot}, which has no odds in pay table {}",
                        draft.id.get_ref(),
                        prices.id()
                    );
                    return Err(context.at(word.span(), message));
                }
                if offered.contains(&spot) {
                    return Err(context.at(word.span(), format!("{spot} is on layout {} twice", draft.id.get_ref())));
                }
                if area.joints && !spot.family().stands_on_lines() {
                    return Err(context.at(word.span(), format!("{spot} does not stand on a line between numbers")));
                }
                offered.push(spot);
                spots.push(Some(spot));
            }
            rows.push(spots);
        }
        areas.push(Area { id: area.id.into_inner(), place, rows });
    }
    if offered.is_empty() {
        return Err(context.at(draft.id.span(), format!("layout {} has no spots", draft.id.get_ref())));
    }
    let names = names(context, draft.id.get_ref(), &offered, draft.names)?;
    let paragraph = context.cite(&draft.paragraph)?;
    // Where several layouts share a pay table, it is the layout's paragraph that says which bets it has.
    let offer_paragraph = if prices.is_more_than(&offered) { &paragraph } else { prices.paragraph() }.clone();
    Ok(Layout {
        id: draft.id.into_inner(),
        name,
        paragraph,
        offer_paragraph,
        mark: context.assumed(&draft.assumed)?,
        pay_table_id: prices.id().to_owned(),
        pay_table_name: prices.name().clone(),
        pay_table_paragraph: prices.paragraph().clone(),
        names,
        canvas,
        table: prices.table(outcomes, &offered),
        areas,
    })
}

/// What the appendix of a layout calls its bets, where that is another name than the document's own.
// § mbs-sicbo Appendix B
fn names(
    context: &Context,
    layout: &str,
    offered: &[Spot],
    drafts: BTreeMap<Family, Spanned<Text>>,
) -> Result<BTreeMap<Family, Text>, Incoherence> {
    let name = |(family, text): (Family, Spanned<Text>)| {
        let span = text.span();
        if !offered.iter().any(|spot| spot.family() == family) {
            return Err(context.at(span, format!("layout {layout} has a name for {family}, but no such bet")));
        }
        Ok((family, context.words(text.into_inner(), &format!("the name of {family}"), span)?))
    };
    drafts.into_iter().map(name).collect()
}

/// The place of an area: within the canvas, on no other area's place, or none if its spots are on lines.
fn place(
    context: &Context,
    [width, height]: [u16; 2],
    earlier: &[Area],
    area: &draft::Area,
) -> Result<Option<Place>, Incoherence> {
    let id = area.id.get_ref();
    let fail = |message: String| Err(context.at(area.id.span(), message));
    if earlier.iter().any(|earlier| earlier.id == *id) {
        return fail(format!("area {id} is there twice"));
    }
    let place = match (area.at, area.joints) {
        (None, true) => return Ok(None),
        (Some([x, y, width, height]), false) => Place { x, y, width, height },
        (Some(_), true) => return fail(format!("area {id} has joints and takes no place")),
        (None, false) => return fail(format!("area {id} has no place: at = [x, y, width, height]")),
    };
    if place.width == 0 || place.height == 0 {
        return fail(format!("area {id} has no width or no height"));
    }
    if place.right() > width.into() || place.bottom() > height.into() {
        return fail(format!("area {id} does not fit the canvas of {width} by {height}"));
    }
    match earlier.iter().find(|earlier| earlier.place.is_some_and(|other| other.overlaps(place))) {
        Some(other) => fail(format!("area {id} overlaps area {}", other.id)),
        None => Ok(Some(place)),
    }
}

pub(super) fn terminals(
    context: &Context,
    play: Play,
    layouts: &[Layout],
    places: &[Range<usize>],
    drafts: Vec<draft::Terminal>,
) -> Result<Vec<TerminalKind>, Incoherence> {
    let mut kinds: Vec<TerminalKind> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let id = draft.id.get_ref();
        if play == Play::Chips {
            return Err(context.at(draft.id.span(), "a game played with chips has no terminals"));
        }
        if kinds.iter().any(|kind| kind.id == *id) {
            return Err(context.at(draft.id.span(), format!("terminal {id} is there twice")));
        }
        for layout in &draft.layouts {
            if !layouts.iter().any(|known| known.id == *layout.get_ref()) {
                return Err(context.at(layout.span(), format!("there is no layout {}", layout.get_ref())));
            }
        }
        kinds.push(TerminalKind {
            name: context.words(draft.name, &format!("the name of terminal {id}"), draft.id.span())?,
            id: draft.id.into_inner(),
            paragraph: context.cite(&draft.paragraph)?,
            layouts: draft.layouts.into_iter().map(Word::into_inner).collect(),
        });
    }
    let shown = |layout: &Layout| kinds.iter().any(|kind| kind.layouts.contains(&layout.id));
    match layouts.iter().zip(places).find(|(layout, _)| play == Play::Terminals && !shown(layout)) {
        Some((layout, place)) => {
            Err(context.at(place.clone(), format!("layout {} is on no kind of terminal", layout.id)))
        }
        None => Ok(kinds),
    }
}

pub(super) fn multi_piece(
    context: &Context,
    outcomes: &OutcomeSpace,
    terminals: &[TerminalKind],
    layouts: &[Layout],
    drafts: Vec<draft::MultiPiece>,
) -> Result<Vec<MultiPiece>, Incoherence> {
    let mut bets: Vec<MultiPiece> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let id = draft.id.get_ref();
        let fail = |message: String| Err(context.at(draft.id.span(), message));
        let Some(wheel) = outcomes.wheel() else {
            return fail("multi-piece bets are for a wheel".to_owned());
        };
        if bets.iter().any(|bet| bet.id == *id) {
            return fail(format!("multi-piece bet {id} is there twice"));
        }
        if id.is_empty() || id.contains(['/', '=']) || crate::Family::parse(id).is_some() {
            return fail(format!("\"{id}\" cannot name a multi-piece bet"));
        }
        for terminal in &draft.terminals {
            if !terminals.iter().any(|kind| kind.id == *terminal.get_ref()) {
                return Err(context.at(terminal.span(), format!("there is no terminal {}", terminal.get_ref())));
            }
        }
        let shown = |layout: &&Layout| {
            let kinds = terminals.iter().filter(|kind| draft.terminals.iter().any(|word| *word.get_ref() == kind.id));
            kinds.flat_map(|kind| &kind.layouts).any(|id| *id == layout.id)
        };
        let layouts: Vec<&Layout> = layouts.iter().filter(shown).collect();
        if layouts.is_empty() {
            return fail(format!("multi-piece bet {id} is on no kind of terminal"));
        }
        let pieces = pieces(context, outcomes, &layouts, &draft)?;
        if !matches!(pieces, Pieces::Fixed(_)) {
            let lacks =
                |pocket: &Pocket| layouts.iter().any(|layout| layout.table.index(Spot::Straight(*pocket)).is_none());
            if let Some(pocket) = wheel.pockets().find(lacks) {
                return fail(format!("{id}: straight/{pocket} is not on every layout that has this bet"));
            }
        }
        bets.push(MultiPiece {
            name: context.words(draft.name, &format!("the name of {id}"), draft.id.span())?,
            paragraph: context.cite(&draft.paragraph)?,
            mark: context.assumed(&draft.assumed)?,
            terminals: draft.terminals.into_iter().map(Word::into_inner).collect(),
            id: draft.id.into_inner(),
            pieces,
        });
    }
    Ok(bets)
}

fn pieces(
    context: &Context,
    outcomes: &OutcomeSpace,
    layouts: &[&Layout],
    draft: &draft::MultiPiece,
) -> Result<Pieces, Incoherence> {
    let id = draft.id.get_ref();
    let fail = |message: String| Err(context.at(draft.id.span(), message));
    let rule = draft.rule.as_ref().map(|rule| *rule.get_ref());
    match (rule, &draft.reach, &draft.pieces) {
        (Some(PieceRule::Neighbours), Some(reach), None) if !reach.is_empty() => {
            let size = outcomes.size();
            match reach.iter().find(|reach| **reach == 0 || usize::from(**reach) * 2 >= size) {
                Some(reach) => fail(format!("{id}: {reach} neighbours on either side do not fit the wheel")),
                None => Ok(Pieces::Neighbours { reach: reach.clone() }),
            }
        }
        (Some(PieceRule::Finale), None, None) => Ok(Pieces::Finale),
        (None, None, Some(drafts)) if !drafts.is_empty() => {
            let mut pieces: Vec<Piece> = Vec::with_capacity(drafts.len());
            for draft in drafts {
                let spot = spot(context, outcomes, &draft.spot)?;
                if layouts.iter().any(|layout| layout.table.index(spot).is_none()) {
                    return Err(
                        context.at(draft.spot.span(), format!("{id}: {spot} is not on every layout that has this bet"))
                    );
                }
                if pieces.iter().any(|piece| piece.spot == spot) {
                    return Err(context.at(draft.spot.span(), format!("{id}: {spot} is there twice; give it a count")));
                }
                let count = *draft.count.get_ref();
                if count == 0 || count > 100 {
                    return Err(context.at(draft.count.span(), format!("{id}: a count is from 1 to 100")));
                }
                pieces.push(Piece { spot, count });
            }
            Ok(Pieces::Fixed(pieces))
        }
        _ => fail(format!("{id} has either pieces, or rule = \"neighbours\" with a reach, or rule = \"finale\"")),
    }
}
