//! What of an overfull box is at risk, step by step as the decision has it (D8).

/// The limits of a box, in cents.
#[derive(Copy, Clone)]
pub(super) struct BoxLimits {
    pub minimum: i64,
    pub maximum: Option<i64>,
    pub step: i64,
}

/// What is at risk of each bet in a box whose total may be no more than the cap.
pub(super) fn at_risk(bets: &[i64], cap: Option<i64>, limits: BoxLimits) -> Vec<i64> {
    let total: i64 = bets.iter().sum();
    let Some(cap) = cap.filter(|cap| total > *cap) else { return bets.to_vec() };
    // Under the minimum a bet stays whole; held at the minimum is what one factor would push below it.
    let mut held: Vec<Option<i64>> = bets.iter().map(|bet| (*bet < limits.minimum).then_some(*bet)).collect();
    loop {
        let room = (cap - held.iter().flatten().sum::<i64>()).max(0);
        let rest: i64 = bets.iter().zip(&held).filter(|(_, held)| held.is_none()).map(|(bet, _)| bet).sum();
        if rest == 0 {
            return held.into_iter().flatten().collect();
        }
        let scaled = |bet: i64| i128::from(bet) * i128::from(room);
        let below = |bet: i64| scaled(bet) < i128::from(limits.minimum) * i128::from(rest);
        let falls: Vec<usize> = (0..bets.len()).filter(|place| held[*place].is_none() && below(bets[*place])).collect();
        if falls.is_empty() {
            let cut = |bet: i64| {
                let exact = i64::try_from(scaled(bet) / i128::from(rest)).unwrap_or(i64::MAX);
                exact - exact % limits.step
            };
            return bets.iter().zip(held).map(|(bet, held)| held.unwrap_or_else(|| cut(*bet))).collect();
        }
        for place in falls {
            held[place] = Some(limits.minimum);
        }
    }
}

/// The cap of a side of a pair: the heavier side may exceed what is at risk on the lighter by the differential.
pub(super) fn cap(own: &[i64], other: &[i64], differential: Option<i64>, limits: [BoxLimits; 2]) -> Option<i64> {
    let [limit, other_limit] = limits;
    let heavier = own.iter().sum::<i64>() > other.iter().sum::<i64>();
    match differential.filter(|_| heavier) {
        None => limit.maximum,
        Some(differential) => {
            let lighter: i64 = at_risk(other, other_limit.maximum, other_limit).iter().sum();
            let cap = lighter + differential;
            Some(limit.maximum.map_or(cap, |maximum| maximum.min(cap)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: BoxLimits = BoxLimits { minimum: 2_500, maximum: Some(100_000), step: 1 };

    #[test]
    fn the_example_of_the_decision() {
        assert_eq!(at_risk(&[90_000, 30_000, 2_000], LIMITS.maximum, LIMITS), [73_500, 24_500, 2_000]);
    }

    #[test]
    fn a_bet_that_would_fall_below_the_minimum_is_held_there() {
        assert_eq!(at_risk(&[200_000, 3_000], LIMITS.maximum, LIMITS), [97_500, 2_500]);
    }

    #[test]
    fn the_heavier_side_is_capped_by_the_lighter() {
        let limits = [LIMITS; 2];
        assert_eq!(cap(&[90_000], &[20_000, 5_000], Some(50_000), limits), Some(75_000));
        assert_eq!(cap(&[20_000], &[90_000], Some(50_000), limits), Some(100_000));
    }
}
