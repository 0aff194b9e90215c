//! Spots that are alike, so that a table for people needs one row for them.

use rulebook::{Family, Odds, PayTable, Spot, SpotIndex};

/// Spots of one family that share a key, in the order of the pay table.
pub struct Group<K> {
    pub family: Family,
    pub key: K,
    pub spots: Vec<Spot>,
}

/// Groups spots by family and key. Families keep the order in which they first appear, and so do the groups of a family.
pub fn group<K: PartialEq>(spots: impl IntoIterator<Item = (Spot, K)>) -> Vec<Group<K>> {
    let mut groups: Vec<Group<K>> = Vec::new();
    for (spot, key) in spots {
        let family = spot.family();
        if let Some(group) = groups.iter_mut().find(|group| group.family == family && group.key == key) {
            group.spots.push(spot);
            continue;
        }
        let place = groups.iter().rposition(|group| group.family == family).map_or(groups.len(), |last| last + 1);
        groups.insert(place, Group { family, key, spots: vec![spot] });
    }
    groups
}

/// The odds a spot can be paid at, lowest first: one figure, or several for the bet that is paid by how many dice show.
pub fn paid(table: &PayTable, spot: SpotIndex) -> Vec<Odds> {
    let mut cells: Vec<_> = table.winners(spot).to_vec();
    cells.sort_by_key(|(_, cell)| *cell);
    cells.dedup_by_key(|(_, cell)| *cell);
    cells.into_iter().filter_map(|(outcome, _)| table.odds(spot, outcome)).collect()
}

/// The odds as a person writes them: `8.5`, or `1 / 2 / 12`.
pub fn slashed(odds: &[Odds]) -> String {
    odds.iter().map(Odds::to_string).collect::<Vec<_>>().join(" / ")
}

/// The spots of a group in few words: up to three by name, otherwise first, last and how many.
pub fn summary(spots: &[Spot]) -> String {
    match (spots.iter().min(), spots.iter().max()) {
        (Some(first), Some(last)) if spots.len() > 3 => format!("{first} … {last} ({})", spots.len()),
        _ => list(spots),
    }
}

/// All spots of a group by name.
pub fn list(spots: &[Spot]) -> String {
    let mut sorted = spots.to_vec();
    sorted.sort_unstable();
    sorted.iter().map(Spot::to_string).collect::<Vec<_>>().join(", ")
}

/// The pairs that are not offered, which first and last do not show: no document has all thirty.
pub fn absent_pairs(offered: &[Spot]) -> Vec<String> {
    if !offered.iter().all(|spot| spot.family() == Family::Pair) {
        return Vec::new();
    }
    let pairs = (1..=6).flat_map(|double| (1..=6).map(move |single| (double, single)));
    let absent = |(double, single): (u8, u8)| {
        let pair = format!("{double}-{double}-{single}");
        let spot: Spot = format!("pair/{pair}").parse().ok()?;
        (!offered.contains(&spot)).then_some(pair)
    };
    pairs.filter_map(absent).collect()
}
