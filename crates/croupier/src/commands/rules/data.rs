//! A rulebook as structured data: all that a screen needs.

use rulebook::{
    Area, Begins, Citation, Device, Family, FamilyRule, Irregularities, Layout, LimitScope, Limits, MultiPiece,
    OutcomeSpace, Paragraph, Pieces, Play, Power, Procedure, Rulebook, Spot, TerminalKind, Timing, Unregistered,
    VoidGround,
};
use serde_json::{Value, json};

use crate::output::group::paid;
use crate::output::{mark, text};

/// The whole rulebook, with the layouts that are asked for.
pub fn rulebook(rulebook: &Rulebook, layouts: &[Layout]) -> Value {
    let identity = rulebook.identity();
    let discretion = rulebook.discretion();
    json!({
        "id": rulebook.id(),
        "title": text(&identity.title),
        "operator": identity.operator,
        "version": identity.version,
        "in_force_from": identity.in_force_from,
        "approved": identity.approved,
        "play": play(identity.play),
        "hash": rulebook.hash().to_string(),
        "outcomes": outcomes(rulebook),
        "families": rulebook.families().iter().map(|(id, rule)| family(id.as_str(), rule)).collect::<Vec<_>>(),
        "layouts": layouts.iter().map(|one| layout(rulebook, one)).collect::<Vec<_>>(),
        "terminals": rulebook.terminals().iter().map(terminal).collect::<Vec<_>>(),
        "multi_piece": rulebook.multi_piece().iter().map(multi_piece).collect::<Vec<_>>(),
        "procedure": procedure(rulebook.procedure()),
        "limits": limits(rulebook.limits()),
        "void_grounds": rulebook.void_grounds().iter().map(void_ground).collect::<Vec<_>>(),
        "irregularities": irregularities(rulebook.irregularities()),
        "discretion": {
            "rank": discretion.rank.as_str(),
            "title": text(&discretion.title),
            "covers_interpretation": discretion.covers_interpretation,
            "paragraph": discretion.paragraph.as_str(),
        },
        "ranks": { "acting": rulebook.acting().as_str(), "higher": rulebook.higher().as_str() },
        "powers": rulebook.powers().iter().map(power).collect::<Vec<_>>(),
        "paragraphs": rulebook.paragraphs().iter().map(paragraph).collect::<Vec<_>>(),
    })
}

fn play(play: Play) -> &'static str {
    match play {
        Play::Terminals => "terminals",
        Play::Chips => "chips",
    }
}

fn outcomes(rulebook: &Rulebook) -> Value {
    let paragraph = rulebook.outcomes_paragraph().as_str();
    let count = rulebook.outcomes().size();
    match rulebook.outcomes() {
        OutcomeSpace::Dice => json!({ "kind": "dice", "count": count, "paragraph": paragraph }),
        OutcomeSpace::Wheel(wheel) => {
            let pocket = |pocket: &rulebook::Pocket| json!({ "pocket": pocket.to_string(), "colour": wheel.colour(*pocket).as_str() });
            let contacts = wheel.contacts().iter().map(|pair| pair.map(|pocket| pocket.to_string()));
            json!({
                "kind": "wheel",
                "count": count,
                "paragraph": paragraph,
                "order": wheel.order().iter().map(pocket).collect::<Vec<_>>(),
                "contacts": contacts.collect::<Vec<_>>(),
                "mark": mark(wheel.mark()),
            })
        }
    }
}

fn family(id: &str, rule: &FamilyRule) -> Value {
    json!({ "id": id, "name": text(&rule.name), "wins": text(&rule.wins), "paragraph": rule.paragraph.as_str() })
}

fn layout(rulebook: &Rulebook, layout: &Layout) -> Value {
    let table = layout.table();
    let own = |family: &Family| Some((family.as_str().to_owned(), text(layout.name_of(*family)?)));
    let names: serde_json::Map<String, Value> = rulebook.families().keys().filter_map(own).collect();
    let [width, height] = layout.canvas();
    let spots = table.indices().zip(table.spots()).map(|(index, priced)| {
        json!({
            "id": priced.spot.to_string(),
            "family": priced.spot.family().as_str(),
            "pays": paid(table, index).iter().map(ToString::to_string).collect::<Vec<_>>(),
            "paragraph": priced.paragraph.as_str(),
            "mark": mark(priced.mark.as_ref()),
        })
    });
    json!({
        "id": layout.id(),
        "name": text(layout.name()),
        "paragraph": layout.paragraph().as_str(),
        "mark": mark(layout.mark()),
        "pay_table": {
            "id": layout.pay_table_id(),
            "name": text(layout.pay_table_name()),
            "paragraph": layout.pay_table_paragraph().as_str(),
        },
        "step": table.step().to_string(),
        "names": names,
        "canvas": { "width": width, "height": height },
        "areas": layout.areas().iter().map(area).collect::<Vec<_>>(),
        "spots": spots.collect::<Vec<_>>(),
    })
}

fn area(area: &Area) -> Value {
    let place = area.place.map(|at| json!({ "x": at.x, "y": at.y, "width": at.width, "height": at.height }));
    let rows = area.rows.iter().map(|row| row.iter().map(|spot| spot.map(|spot| spot.to_string())).collect());
    json!({ "id": area.id, "at": place, "rows": rows.collect::<Vec<Vec<_>>>() })
}

fn terminal(kind: &TerminalKind) -> Value {
    json!({
        "id": kind.id,
        "name": text(&kind.name),
        "paragraph": kind.paragraph.as_str(),
        "layouts": kind.layouts,
    })
}

fn multi_piece(bet: &MultiPiece) -> Value {
    let pieces = match &bet.pieces {
        Pieces::Fixed(pieces) => {
            let pieces = pieces.iter().map(|piece| json!({ "spot": piece.spot.to_string(), "count": piece.count }));
            json!({ "rule": "fixed", "fixed": pieces.collect::<Vec<_>>() })
        }
        Pieces::Neighbours { reach } => json!({ "rule": "neighbours", "reach": reach }),
        Pieces::Finale => json!({ "rule": "finale" }),
    };
    json!({
        "id": bet.id,
        "name": text(&bet.name),
        "paragraph": bet.paragraph.as_str(),
        "mark": mark(bet.mark.as_ref()),
        "terminals": bet.terminals,
        "pieces": pieces,
    })
}

fn procedure(procedure: &Procedure) -> Value {
    let begins = match procedure.begins {
        Begins::Notice => "notice",
        Begins::Announcement => "announcement",
        Begins::Activation => "activation",
    };
    let timing = match procedure.timing {
        Timing::BeforeNotice => "before-notice",
        Timing::AfterClose => "after-close",
        Timing::BeforeOrAfterClose => "before-or-after-close",
    };
    let device_paragraph = procedure.device_paragraph.as_str();
    let device = match procedure.device {
        Device::Tumbler { covered, minimum } => {
            json!({ "kind": "tumbler", "covered": covered, "minimum": minimum, "paragraph": device_paragraph })
        }
        Device::Wheel { against_rotation, minimum } => json!({
            "kind": "wheel",
            "against_rotation": against_rotation,
            "minimum": minimum,
            "paragraph": device_paragraph,
        }),
    };
    let (opening, closing) = (&procedure.opening, &procedure.closing);
    json!({
        "begins": { "by": begins, "paragraph": procedure.begins_paragraph.as_str() },
        "opening": { "text": text(&opening.text), "quoted": opening.quoted, "paragraph": opening.paragraph.as_str() },
        "closing": { "text": text(&closing.text), "quoted": closing.quoted, "paragraph": closing.paragraph.as_str() },
        "device": device,
        "allowed": { "when": timing, "paragraph": procedure.timing_paragraph.as_str() },
        "result": { "text": text(&procedure.result), "paragraph": procedure.result_paragraph.as_str() },
        "settles": procedure.settles.as_str(),
        "ends": procedure.ends.as_str(),
    })
}

fn limits(limits: &Limits) -> Value {
    let scope = match limits.scope {
        LimitScope::PlayerAndSpot => "player-and-spot",
        LimitScope::Box => "box",
    };
    let differential = limits.differential.iter().map(|pair| pair.map(|spot: Spot| spot.to_string()));
    json!({
        "scope": scope,
        "paragraph": limits.paragraph.as_str(),
        "source": limits.source.as_str(),
        "responsibility": cite(limits.responsibility.as_ref()),
        "balance": cite(limits.balance.as_ref()),
        "excess": cite(limits.excess.as_ref()),
        "pro_rata": cite(limits.pro_rata.as_ref()),
        "under_minimum_in_excess": cite(limits.under_minimum_in_excess.as_ref()),
        "under_minimum": cite(limits.under_minimum.as_ref()),
        "under_minimum_unnoticed": cite(limits.under_minimum_unnoticed.as_ref()),
        "differential": differential.collect::<Vec<_>>(),
        "rounding": cite(limits.rounding.as_ref()),
    })
}

fn void_ground(ground: &VoidGround) -> Value {
    json!({
        "id": ground.id.as_str(),
        "name": text(&ground.name),
        "paragraph": ground.paragraph.as_str(),
        "arises": ground.arises.as_str(),
        "voids": ground.voids.as_str(),
    })
}

fn irregularities(rules: &Irregularities) -> Value {
    let unregistered = rules.unregistered.as_ref().map(|(paragraph, bets)| {
        let bets = match bets {
            Unregistered::Returned => "returned",
            Unregistered::NotPartOfRound => "not-part-of-round",
        };
        json!({ "bets": bets, "paragraph": paragraph.as_str() })
    });
    let take_back = rules.take_back.as_ref();
    json!({
        "established": rules.established.as_str(),
        "not_established": rules.not_established.as_str(),
        "terminals_only": cite(rules.terminals_only.as_ref()),
        "registered": cite(rules.registered.as_ref()),
        "unregistered": unregistered,
        "wrong_result": cite(rules.wrong_result.as_ref()),
        "dice_prevail": cite(rules.dice_prevail.as_ref()),
        "later_rounds": cite(rules.later_rounds.as_ref()),
        "position_of_chips": cite(rules.position_of_chips.as_ref()),
        "walked_away": cite(rules.walked_away.as_ref()),
        "on_behalf": cite(rules.on_behalf.as_ref()),
        "after_close": rules.after_close.iter().map(Citation::as_str).collect::<Vec<_>>(),
        "display": rules.display.as_str(),
        "void_returns": rules.void_returns.as_str(),
        "take_back": take_back.map(|(words, source)| json!({ "text": text(words), "paragraph": source.as_str() })),
    })
}

fn power(power: &Power) -> Value {
    json!({ "act": power.act.as_str(), "rank": power.rank.as_str(), "paragraph": power.paragraph.as_str() })
}

fn paragraph(paragraph: &Paragraph) -> Value {
    json!({
        "number": paragraph.number,
        "class": paragraph.class.as_str(),
        "inferred": paragraph.inferred,
        "text": text(&paragraph.text),
    })
}

fn cite(citation: Option<&Citation>) -> Option<&str> {
    citation.map(Citation::as_str)
}
