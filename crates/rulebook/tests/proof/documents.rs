//! Which paragraph says what, document by document.

use rulebook::{
    Act, Arises, Begins, Citation, Device, GroundId, LimitScope, Rank, Rulebook, Timing, Unregistered, Voids, library,
};

use crate::support::rulebook;

const APPROVED: [&str; 5] = ["mbs-sicbo", "rws-roulette-000", "rws-sicbo", "rws-sicbo-open", "rws-taisai"];

fn text(citation: Option<&Citation>) -> &str {
    citation.map_or("–", Citation::as_str)
}

#[test]
fn the_library_has_the_five_approved_documents_first() {
    let all = library::all().unwrap_or_else(|incoherence| panic!("{incoherence}"));
    let approved: Vec<&str> =
        all.iter().take_while(|rulebook| rulebook.identity().approved).map(Rulebook::id).collect();
    assert_eq!(approved, APPROVED);
    let examples: Vec<&str> = all.iter().skip(5).map(Rulebook::id).collect();
    assert_eq!(examples, ["roulette-double-zero", "roulette-single-zero", "sicbo-macau"]);
    assert!(all.iter().skip(5).all(|rulebook| !rulebook.identity().approved));
    assert!(library::find("rws-baccarat").is_none());
}

#[test]
fn identity_and_date_are_the_documents() {
    let check = |id: &str, version: &str, from: Option<&str>| {
        let identity = rulebook(id).identity();
        assert_eq!((identity.version.as_str(), identity.in_force_from.as_deref()), (version, from), "{id}");
    };
    check("rws-sicbo", "8", None);
    check("rws-sicbo-open", "unnumbered", Some("2021-01-18T08:00"));
    check("rws-taisai", "4", None);
    check("mbs-sicbo", "4", Some("2022-09-20T09:00"));
    check("rws-roulette-000", "unnumbered", None);
}

#[test]
fn void_grounds_and_their_paragraphs_are_these() {
    use Arises::{Attested, Declared, Device, DeviceOrDeclared, Proposed};
    use GroundId as Ground;
    let check = |id: &str, expected: &[(Ground, &str, Arises)]| {
        let mut found: Vec<_> = rulebook(id)
            .void_grounds()
            .iter()
            .map(|ground| (ground.id, ground.paragraph.as_str(), ground.arises))
            .collect();
        found.sort_by_key(|(ground, _, _)| *ground);
        assert_eq!(found, expected, "{id}");
    };
    check(
        "rws-sicbo",
        &[
            (Ground::TooFewTumbles, "5.3.1", Device),
            (Ground::DieNotFlat, "5.3.2", Proposed),
            (Ground::ExposedBeforeClose, "5.3.3", DeviceOrDeclared),
            (Ground::DiceDamaged, "5.4", Declared),
            (Ground::Interruption, "5.1.2", Attested),
        ],
    );
    check(
        "rws-sicbo-open",
        &[
            (Ground::TooFewTumbles, "5.3.1", Device),
            (Ground::DieNotFlat, "5.3.2", Proposed),
            (Ground::ActivatedBeforeClose, "5.3.3", DeviceOrDeclared),
            (Ground::DiceDamaged, "5.4", Declared),
            (Ground::Interruption, "5.1.2", Attested),
        ],
    );
    check(
        "rws-taisai",
        &[
            (Ground::TooFewTumbles, "5.5.1", Device),
            (Ground::DieNotFlat, "5.5.2", Proposed),
            (Ground::ExposedBeforeClose, "5.5.3", DeviceOrDeclared),
            (Ground::DiceDamaged, "5.6", Declared),
            (Ground::Interruption, "5.4.2", Attested),
        ],
    );
    check(
        "mbs-sicbo",
        &[
            (Ground::TooFewTumbles, "5.1", Device),
            (Ground::DieNotFlat, "5.3", Proposed),
            (Ground::ExposedBeforeClose, "5.2", DeviceOrDeclared),
            (Ground::DiceDamaged, "5.4", Declared),
            (Ground::DomeOrDiceBroken, "5.5", Declared),
            (Ground::Interruption, "5.8.1", Attested),
        ],
    );
    check(
        "rws-roulette-000",
        &[
            (Ground::BallDropped, "5.3.1", Declared),
            (Ground::TooFewRevolutions, "5.3.2", DeviceOrDeclared),
            (Ground::NoCompartment, "5.3.3", Proposed),
            (Ground::FlungOut, "5.3.4", Proposed),
            (Ground::WheelNotRotating, "5.3.5", Device),
            (Ground::SameDirection, "5.3.6", Device),
            (Ground::ForeignObject, "5.3.7", Declared),
            (Ground::Interference, "5.3.8", Declared),
            (Ground::WheelStopped, "5.3.9", Device),
            (Ground::BallBroken, "5.4", Declared),
            (Ground::Interruption, "5.1.2", Attested),
        ],
    );
}

#[test]
fn damage_voids_all_affected_rounds_except_at_mbs_and_all_else_the_current_round() {
    for id in APPROVED {
        for ground in rulebook(id).void_grounds() {
            let damage = matches!(ground.id, GroundId::DiceDamaged | GroundId::BallBroken);
            let expected = if damage && id != "mbs-sicbo" { Voids::AffectedRounds } else { Voids::CurrentRound };
            assert_eq!(ground.voids, expected, "{id} {}", ground.id);
            assert_eq!(rulebook(id).ground(ground.id), Some(ground));
        }
    }
}

#[test]
fn paragraphs_about_what_goes_wrong_are_these() {
    let check = |id: &str, expected: [&str; 10]| {
        let it = rulebook(id).irregularities();
        let after_close: Vec<&str> = it.after_close.iter().map(Citation::as_str).collect();
        let found = [
            it.established.as_str(),
            it.not_established.as_str(),
            text(it.terminals_only.as_ref()),
            text(it.correction()),
            text(it.later_rounds.as_ref()),
            text(it.position_of_chips.as_ref()),
            &after_close.join(" "),
            it.display.as_str(),
            it.void_returns.as_str(),
            rulebook(id).discretion().paragraph.as_str(),
        ];
        assert_eq!(found, expected, "{id}");
    };
    for id in ["rws-sicbo", "rws-sicbo-open", "rws-roulette-000"] {
        check(id, ["5.1.1", "5.1.2", "5.2", "5.5", "5.6", "5.7", "3.5 5.7", "5.8", "5.9", "5.10"]);
    }
    check("rws-taisai", ["5.4.1", "5.4.2", "–", "5.10", "5.8", "5.9", "3.6 5.7", "5.11", "5.12", "5.14"]);
    check("mbs-sicbo", ["5.8.2", "5.8.1", "5.9", "6.3", "–", "–", "5.6 5.7", "6.3", "D17", "6.1"]);
}

#[test]
fn bets_not_registered_are_returned_at_rws_and_not_part_of_the_round_at_mbs() {
    let unregistered = |id: &str| rulebook(id).irregularities().unregistered.as_ref().map(|(_, bets)| *bets);
    for id in ["rws-sicbo", "rws-sicbo-open", "rws-roulette-000"] {
        assert_eq!(unregistered(id), Some(Unregistered::Returned), "{id}");
    }
    assert_eq!(unregistered("mbs-sicbo"), Some(Unregistered::NotPartOfRound));
    assert_eq!(unregistered("rws-taisai"), None);
}

#[test]
fn the_round_goes_as_each_document_says() {
    let check = |id: &str, begins: Begins, timing: Timing, device: Device, opening: &str, closing: &str| {
        let it = rulebook(id).procedure();
        assert_eq!((it.begins, it.timing, it.device), (begins, timing, device), "{id}");
        assert_eq!((it.opening.text.en.as_str(), it.closing.text.en.as_str()), (opening, closing), "{id}");
    };
    let tumbler = |covered| Device::Tumbler { covered, minimum: 3 };
    let either = Timing::BeforeOrAfterClose;
    check("rws-sicbo", Begins::Notice, either, tumbler(true), "Place your bets", "No More Bets");
    check("rws-sicbo-open", Begins::Notice, Timing::AfterClose, tumbler(false), "Place your bets", "No More Bets");
    check("rws-taisai", Begins::Announcement, either, tumbler(true), "Place your Bets, please", "No more Bets");
    check("mbs-sicbo", Begins::Activation, Timing::BeforeNotice, tumbler(true), "Place your bets", "No more bets");
    let wheel = Device::Wheel { against_rotation: true, minimum: 4 };
    check("rws-roulette-000", Begins::Notice, either, wheel, "Place your bets", "No More Bets");
    // The terminal documents of Resorts World quote no words for the opening.
    for (id, quoted) in [("rws-sicbo", false), ("rws-roulette-000", false), ("mbs-sicbo", true), ("rws-taisai", true)] {
        assert_eq!(rulebook(id).procedure().opening.quoted, quoted, "{id}");
    }
}

#[test]
fn only_tai_sai_has_boxes_and_a_differential() {
    for id in APPROVED {
        let limits = rulebook(id).limits();
        if id == "rws-taisai" {
            assert_eq!(limits.scope, LimitScope::Box);
            let pairs: Vec<String> = limits.differential.iter().flatten().map(|spot| spot.to_string()).collect();
            assert_eq!(pairs, ["big", "small"]);
            let found = [&limits.responsibility, &limits.balance, &limits.excess, &limits.pro_rata];
            assert_eq!(found.map(|citation| text(citation.as_ref())), ["3.4", "3.5", "5.1", "5.1.1"]);
            let found = [&limits.under_minimum_in_excess, &limits.under_minimum, &limits.under_minimum_unnoticed];
            assert_eq!(found.map(|citation| text(citation.as_ref())), ["5.1.2", "5.2", "5.2.1"]);
        } else {
            assert_eq!((limits.scope, limits.differential.len()), (LimitScope::PlayerAndSpot, 0), "{id}");
        }
    }
}

#[test]
fn d11_the_lowest_rank_for_each_act() {
    let rank = |id: &str, act: Act| rulebook(id).power(act).map(|power| power.rank);
    for id in APPROVED {
        for act in [Act::OpenRound, Act::CloseBets, Act::EnterResult, Act::DeclareGround, Act::AttestInterruption] {
            assert_eq!(rank(id, act), Some(Rank::Dealer), "{id} {act}");
        }
        for act in [Act::WitnessAttestation, Act::HandPay, Act::AcknowledgeAlert] {
            assert_eq!(rank(id, act), Some(Rank::PitSupervisor), "{id} {act}");
        }
        for act in [Act::VoidAffectedRounds, Act::ChangeLimits, Act::OpenTable] {
            assert_eq!(rank(id, act), Some(Rank::PitManager), "{id} {act}");
        }
        assert_eq!(rank(id, Act::Decide), Some(Rank::ShiftManager), "{id}");
        assert_eq!(rank(id, Act::CorrectBeforeSettlement), Some(Rank::Dealer), "{id}");
        let after = if id == "mbs-sicbo" { Rank::ShiftManager } else { Rank::PitSupervisor };
        assert_eq!(rank(id, Act::CorrectAfterSettlement), Some(after), "{id}");
        let chips = id == "rws-taisai";
        assert_eq!(rank(id, Act::PlaceForPlayer).is_some(), chips, "{id}");
        assert_eq!(rank(id, Act::LockTerminal).is_some(), !chips, "{id}");
        assert_eq!(rulebook(id).discretion().covers_interpretation, id != "mbs-sicbo", "{id}");
    }
}

#[test]
fn paragraphs_are_listed_once_with_words_in_both_languages() {
    let han = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for id in APPROVED {
        for paragraph in rulebook(id).paragraphs() {
            let (en, zh) = (&paragraph.text.en, &paragraph.text.zh);
            assert!(!han(en) && han(zh), "{id} {}: {en} / {zh}", paragraph.number);
        }
    }
    let count = |id: &str| rulebook(id).paragraphs().len();
    let inferred = |id: &str| rulebook(id).paragraphs().iter().filter(|paragraph| paragraph.inferred).count();
    assert_eq!(APPROVED.map(count), [65, 48, 52, 52, 53]);
    assert!(inferred("rws-roulette-000") >= 11 && inferred("mbs-sicbo") == 0);
}
