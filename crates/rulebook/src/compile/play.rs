//! Procedure, limits, void grounds and powers.

use std::collections::BTreeMap;

use toml::Spanned;

use super::pays::spot;
use super::{Context, Incoherence};
use crate::draft::{self, DeviceKind};
use crate::procedure::Announcement;
use crate::{
    Act, Affirmation, Affirmed, Arises, Begins, Device, Discretion, GroundId, Irregularities, Layout, LimitScope,
    Limits, OutcomeSpace, Play, Point, Power, Procedure, Text, Timing, Unregistered, VoidGround,
};

pub(super) fn procedure(
    context: &Context,
    outcomes: &OutcomeSpace,
    draft: draft::Procedure,
) -> Result<Procedure, Incoherence> {
    let device = device(context, outcomes, &draft.device)?;
    let begins = *draft.begins.by.get_ref();
    let timing = *draft.allowed.when.get_ref();
    if (begins == Begins::Activation) != (timing == Timing::BeforeNotice) {
        let message = "a round begins by activation if, and only if, the device is set off before the notice";
        return Err(context.at(draft.allowed.when.span(), message));
    }
    let announcement = |draft: draft::Announcement, what: &str| -> Result<Announcement, Incoherence> {
        let text = context.words(Text { en: draft.en, zh: draft.zh }, what, draft.paragraph.span())?;
        Ok(Announcement { text, paragraph: context.cite(&draft.paragraph)?, quoted: draft.quoted })
    };
    let result = Text { en: draft.result.en, zh: draft.result.zh };
    Ok(Procedure {
        begins,
        begins_paragraph: context.cite(&draft.begins.paragraph)?,
        opening: announcement(draft.opening, "the opening")?,
        closing: announcement(draft.closing, "the closing")?,
        device,
        device_paragraph: context.cite(&draft.device.paragraph)?,
        timing,
        timing_paragraph: context.cite(&draft.allowed.paragraph)?,
        result: context.words(result, "the result", draft.result.paragraph.span())?,
        result_paragraph: context.cite(&draft.result.paragraph)?,
        settles: context.cite(&draft.settles)?,
        ends: context.cite(&draft.ends)?,
    })
}

fn device(context: &Context, outcomes: &OutcomeSpace, draft: &draft::Device) -> Result<Device, Incoherence> {
    let fail = |message| Err(context.at(draft.kind.span(), message));
    let minimum = *draft.minimum.get_ref();
    let device = match (draft.kind.get_ref(), draft.covered, draft.against_rotation) {
        (DeviceKind::Tumbler, Some(covered), None) => Device::Tumbler { covered, minimum },
        (DeviceKind::Wheel, None, Some(against_rotation)) => Device::Wheel { against_rotation, minimum },
        (DeviceKind::Tumbler, ..) => return fail("a tumbler needs covered, and takes no against_rotation"),
        (DeviceKind::Wheel, ..) => return fail("a wheel needs against_rotation, and takes no covered"),
    };
    match (device, outcomes) {
        (Device::Wheel { .. }, OutcomeSpace::Dice) => return fail("a wheel does not make this game's outcomes"),
        (Device::Tumbler { .. }, OutcomeSpace::Wheel(_)) => {
            return fail("a tumbler does not make this game's outcomes");
        }
        _ => {}
    }
    if minimum == 0 {
        return Err(context.at(draft.minimum.span(), "the fewest tumbles or revolutions must be at least one"));
    }
    Ok(device)
}

pub(super) fn limits(
    context: &Context,
    play: Play,
    layouts: &[Layout],
    draft: Spanned<draft::Limits>,
) -> Result<Limits, Incoherence> {
    let span = draft.span();
    let draft = draft.into_inner();
    let scope = match draft.scope {
        draft::LimitScope::PlayerAndSpot => LimitScope::PlayerAndSpot,
        draft::LimitScope::Box => LimitScope::Box,
    };
    if (scope == LimitScope::Box) != (play == Play::Chips) {
        return Err(context.at(span, "betting boxes belong to games played with chips, and those need them"));
    }
    if scope == LimitScope::Box && (draft.pro_rata.is_none() || draft.excess.is_none()) {
        return Err(context.at(span, "limits by box need the paragraphs for excess and pro_rata"));
    }
    let mut differential = Vec::with_capacity(draft.differential.len());
    for [first, second] in &draft.differential {
        if scope == LimitScope::PlayerAndSpot {
            return Err(context.at(first.span(), "a differential is between betting boxes"));
        }
        if first.get_ref() == second.get_ref() {
            return Err(context.at(second.span(), "a differential is between two different boxes"));
        }
        let pair = [spot(context, &OutcomeSpace::Dice, first)?, spot(context, &OutcomeSpace::Dice, second)?];
        for (word, spot) in [first, second].into_iter().zip(pair) {
            if !layouts.iter().any(|layout| layout.table().index(spot).is_some()) {
                return Err(context.at(word.span(), format!("the differential names {spot}, which is on no layout")));
            }
        }
        differential.push(pair);
    }
    Ok(Limits {
        paragraph: context.cite(&draft.paragraph)?,
        scope,
        source: context.cite(&draft.source)?,
        responsibility: context.cite_if(&draft.responsibility)?,
        balance: context.cite_if(&draft.balance)?,
        excess: context.cite_if(&draft.excess)?,
        pro_rata: context.cite_if(&draft.pro_rata)?,
        under_minimum_in_excess: context.cite_if(&draft.under_minimum_in_excess)?,
        under_minimum: context.cite_if(&draft.under_minimum)?,
        under_minimum_unnoticed: context.cite_if(&draft.under_minimum_unnoticed)?,
        differential,
        rounding: context.cite_if(&draft.rounding)?,
    })
}

pub(super) fn irregularities(
    context: &Context,
    play: Play,
    draft: draft::Irregularities,
) -> Result<Irregularities, Incoherence> {
    if draft.wrong_result.is_none() && draft.dice_prevail.is_none() {
        return Err(context
            .at(draft.established.span(), "no paragraph says that the dice or the wheel prevail over a wrong result"));
    }
    let for_terminals = [draft.terminals_only.is_some(), draft.registered.is_some(), draft.unregistered.is_some()];
    if for_terminals.contains(&(play == Play::Chips)) {
        let message = "terminals_only, registered and unregistered belong to games on terminals, and those need them";
        return Err(context.at(draft.established.span(), message));
    }
    let unregistered = match draft.unregistered {
        None => None,
        Some(unregistered) => Some((
            context.cite(&unregistered.paragraph)?,
            match unregistered.bets {
                draft::UnregisteredBets::Returned => Unregistered::Returned,
                draft::UnregisteredBets::NotPartOfRound => Unregistered::NotPartOfRound,
            },
        )),
    };
    if draft.after_close.is_empty() {
        return Err(context.at(draft.established.span(), "after_close names the paragraphs that forbid late bets"));
    }
    let take_back = match draft.take_back {
        None => None,
        Some(notice) => {
            let text = Text { en: notice.en, zh: notice.zh };
            let paragraph = context.cite(&notice.paragraph)?;
            Some((context.words(text, "take_back", notice.paragraph.span())?, paragraph))
        }
    };
    if play == Play::Terminals && take_back.is_none() {
        return Err(context.at(
            draft.established.span(),
            "take_back is missing: players must be informed when winnings may be recovered (S24)",
        ));
    }
    Ok(Irregularities {
        established: context.cite(&draft.established)?,
        not_established: context.cite(&draft.not_established)?,
        terminals_only: context.cite_if(&draft.terminals_only)?,
        registered: context.cite_if(&draft.registered)?,
        unregistered,
        wrong_result: context.cite_if(&draft.wrong_result)?,
        dice_prevail: context.cite_if(&draft.dice_prevail)?,
        later_rounds: context.cite_if(&draft.later_rounds)?,
        position_of_chips: context.cite_if(&draft.position_of_chips)?,
        walked_away: context.cite_if(&draft.walked_away)?,
        on_behalf: context.cite_if(&draft.on_behalf)?,
        after_close: draft.after_close.iter().map(|word| context.cite(word)).collect::<Result<_, _>>()?,
        display: context.cite(&draft.display)?,
        void_returns: context.cite(&draft.void_returns)?,
        take_back,
    })
}

pub(super) fn void_grounds(
    context: &Context,
    outcomes: &OutcomeSpace,
    procedure: &Procedure,
    irregularities: &Irregularities,
    drafts: Vec<draft::Ground>,
) -> Result<Vec<VoidGround>, Incoherence> {
    let mut grounds: Vec<VoidGround> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let id = *draft.id.get_ref();
        let fail = |message: String| Err(context.at(draft.id.span(), message));
        let on_dice = outcomes.wheel().is_none();
        if !(if on_dice { id.is_for_dice() } else { id.is_for_wheel() }) {
            return fail(format!("void ground {id} cannot happen to {}", if on_dice { "dice" } else { "a wheel" }));
        }
        if grounds.iter().any(|ground| ground.id == id) {
            return fail(format!("void ground {id} is there twice"));
        }
        let covered = matches!(procedure.device, Device::Tumbler { covered: true, .. });
        if id == GroundId::ExposedBeforeClose && !covered {
            return fail(format!("void ground {id} needs a covered tumbler"));
        }
        if id == GroundId::ActivatedBeforeClose && procedure.timing != Timing::AfterClose {
            return fail(format!("void ground {id} needs a device that may be set off only after the close"));
        }
        let arises = *draft.arises.get_ref();
        if (arises == Arises::Attested) != (id == GroundId::Interruption) {
            return Err(context.at(draft.arises.span(), "an interruption is attested, and nothing else is"));
        }
        let paragraph = context.cite(&draft.paragraph)?;
        if id == GroundId::Interruption && paragraph != irregularities.not_established {
            let message = format!(
                "not_established cites {}, void ground interruption {paragraph}",
                irregularities.not_established
            );
            return Err(context.at(draft.paragraph.span(), message));
        }
        grounds.push(VoidGround {
            id,
            paragraph,
            arises,
            voids: draft.voids,
            name: context.words(draft.name, &format!("void ground {id}"), draft.id.span())?,
        });
    }
    if grounds.iter().any(|ground| ground.id == GroundId::Interruption) {
        Ok(grounds)
    } else {
        Err(context.at(0..0, "void ground interruption is missing"))
    }
}

/// The points the dealer affirms. A rulebook from before they were written down gets those of its procedure.
pub(super) fn affirmations(
    context: &Context,
    procedure: &Procedure,
    drafts: Vec<draft::Affirmation>,
) -> Result<Vec<Affirmation>, Incoherence> {
    let applying = points(procedure);
    if drafts.is_empty() {
        return Ok(applying.into_iter().map(|point| unwritten(procedure, point)).collect());
    }
    let mut affirmations: Vec<Affirmation> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let point = *draft.point.get_ref();
        if !applying.contains(&point) {
            return Err(context.at(draft.point.span(), format!("point {point} has no place in this game")));
        }
        if affirmations.iter().any(|known| known.point == point) {
            return Err(context.at(draft.point.span(), format!("point {point} is there twice")));
        }
        let with = *draft.with.get_ref();
        if with == Affirmed::Notice && procedure.timing != Timing::BeforeNotice {
            let message = "only what happens before the notice can be affirmed with it";
            return Err(context.at(draft.with.span(), message));
        }
        let text = Text { en: draft.en, zh: draft.zh };
        let text = context.words(text, &format!("point {point}"), draft.point.span())?;
        affirmations.push(Affirmation { point, with, paragraph: context.cite(&draft.paragraph)?, text });
    }
    match applying.into_iter().find(|point| affirmations.iter().all(|known| known.point != *point)) {
        Some(point) => Err(context.at(0..0, format!("the dealer must be able to affirm point {point}"))),
        None => Ok(affirmations),
    }
}

/// The points that apply to a procedure.
fn points(procedure: &Procedure) -> Vec<Point> {
    match procedure.device {
        Device::Tumbler { covered, .. } => {
            let cover = covered.then_some(Point::Cover);
            let after_close = (procedure.timing == Timing::AfterClose).then_some(Point::AfterClose);
            cover.into_iter().chain(after_close).chain([Point::Times, Point::Flat]).collect()
        }
        Device::Wheel { against_rotation, .. } => {
            let direction = against_rotation.then_some(Point::Direction);
            direction.into_iter().chain([Point::Times, Point::Rest]).collect()
        }
    }
}

/// A point of a rulebook that does not write its points down.
fn unwritten(procedure: &Procedure, point: Point) -> Affirmation {
    let early = procedure.timing == Timing::BeforeNotice && matches!(point, Point::Cover | Point::Times);
    let (en, zh, paragraph) = match point {
        Point::Times => {
            ("Enough tumbles or revolutions were made", "摇动次数或旋转圈数足够", &procedure.device_paragraph)
        }
        Point::Direction => {
            ("The ball was spun against the turning wheel", "球逆轮盘转动方向掷出", &procedure.device_paragraph)
        }
        Point::Cover => {
            ("The dice were under the cover until the close", "停止下注前骰子一直加盖", &procedure.device_paragraph)
        }
        Point::AfterClose => {
            ("The tumbler was activated after the close", "骰盅在停止下注后启动", &procedure.timing_paragraph)
        }
        Point::Flat => ("Each die lies flat", "每颗骰子平放", &procedure.result_paragraph),
        Point::Rest => ("The ball rests in a compartment", "球停定于某格", &procedure.result_paragraph),
    };
    let with = if early { Affirmed::Notice } else { Affirmed::Result };
    Affirmation { point, with, paragraph: paragraph.clone(), text: Text { en: en.to_owned(), zh: zh.to_owned() } }
}

pub(super) fn discretion(context: &Context, draft: draft::Discretion) -> Result<Discretion, Incoherence> {
    if !draft.covers.contains(&draft::Covers::Irregularity) {
        return Err(context.at(draft.rank.span(), "discretion covers at least the irregularities that no rule covers"));
    }
    Ok(Discretion {
        rank: *draft.rank.get_ref(),
        covers_interpretation: draft.covers.contains(&draft::Covers::Interpretation),
        title: context.words(draft.title, "the title of who decides", draft.rank.span())?,
        paragraph: context.cite(&draft.paragraph)?,
    })
}

pub(super) fn powers(
    context: &Context,
    play: Play,
    discretion: &Discretion,
    drafts: Spanned<BTreeMap<Act, draft::Power>>,
) -> Result<Vec<Power>, Incoherence> {
    let span = drafts.span();
    let mut powers = Vec::new();
    for (act, draft) in drafts.into_inner() {
        let foreign = if play == Play::Chips { act.is_for_terminals() } else { act.is_for_chips() };
        if foreign {
            return Err(context.at(draft.paragraph.span(), format!("power {act} has no place in this game")));
        }
        if act == Act::Decide && draft.rank != discretion.rank {
            let message = format!("power {act} is given to {}, discretion to {}", draft.rank, discretion.rank);
            return Err(context.at(draft.paragraph.span(), message));
        }
        powers.push(Power { act, rank: draft.rank, paragraph: context.cite(&draft.paragraph)? });
    }
    let needed = |act: &Act| !(if play == Play::Chips { act.is_for_terminals() } else { act.is_for_chips() });
    let missing = Act::ALL.into_iter().filter(needed).find(|act| powers.iter().all(|power| power.act != *act));
    match missing {
        Some(act) => Err(context.at(span, format!("power {act} is missing"))),
        None => Ok(powers),
    }
}
