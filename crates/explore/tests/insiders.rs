//! One dishonest person moves no more than the threshold (D15, D19, D23, D27).

use explore::{GAMES, POSTS, THRESHOLD, insider_bound};

/// `INSIDER_STATES` says how many states are visited for each person.
fn states() -> usize {
    std::env::var("INSIDER_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(4_000)
}

#[test]
fn one_person_moves_no_more_than_the_threshold_while_the_device_is_in_service() {
    for game in GAMES {
        for (post, person) in POSTS {
            let bound = insider_bound(game, true, &[person], states()).expect("explored");
            let most = bound.house.max(bound.players);
            assert!(most <= THRESHOLD, "{game}: a {post} alone moves {most} cents");
        }
    }
}

#[test]
fn without_a_device_one_person_moves_no_more_than_the_exposure_and_the_threshold() {
    for game in GAMES {
        for (post, person) in POSTS {
            let bound = insider_bound(game, false, &[person], states()).expect("explored");
            assert!(bound.holds(false), "{game}: a {post} alone moves {bound:?}");
        }
    }
}

#[test]
fn without_a_device_a_dealer_moves_no_more_than_the_exposure() {
    // Two stakes of 10.00, on an even chance and at 11.5 to 1: the house may lose 125.00 beside the truth.
    let bound = insider_bound("rws-sicbo", false, &[POSTS[0].1], 40_000).expect("explored");
    assert!(bound.fixpoint);
    assert_eq!((bound.house, bound.players), (12_500, 2_000));
}
