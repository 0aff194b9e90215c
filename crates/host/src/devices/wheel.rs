//! A wheel of the demonstration.

use floor::{DeviceKind, Observation};
use rand::TryCryptoRng;
use rulebook::{OutcomeIndex, OutcomeSpace};

use super::{Direction, Fault, SIMULATED_FAULT, Script, chance};

/// Milliseconds: one revolution of the ball, its fall from the track, and what that varies by.
const REVOLUTION: u64 = 800;
const FALL: u64 = 3_000;
const VARIES: u32 = 2_000;
const RESTORING: u64 = 5_000;

/// A simulated wheel.
#[derive(Clone, Debug)]
pub struct SimulatedWheel {
    pockets: Vec<OutcomeIndex>,
    minimum: u8,
    ball: Option<Direction>,
    rests_in: Option<OutcomeIndex>,
    armed: Option<Fault>,
}

impl SimulatedWheel {
    /// A wheel with these outcomes, with the fewest revolutions that are valid.
    #[must_use]
    pub fn new(outcomes: &OutcomeSpace, minimum: u8) -> SimulatedWheel {
        let pockets = outcomes.indices().collect();
        SimulatedWheel { pockets, minimum, ball: None, rests_in: None, armed: None }
    }

    /// Spins the ball, the other way than the time before.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn spin<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R) -> Result<Script, R::Error> {
        let fault = self.armed.take();
        self.spin_with(fault, rng)
    }

    fn spin_with<R: TryCryptoRng + ?Sized>(&mut self, fault: Option<Fault>, rng: &mut R) -> Result<Script, R::Error> {
        let Some(first) = self.pockets.first().copied() else { return Ok(Script::new()) };
        let pocket = chance::pick(rng, &self.pockets, first)?;
        let others: Vec<OutcomeIndex> = self.pockets.iter().copied().filter(|other| *other != pocket).collect();
        let other = chance::pick(rng, &others, pocket)?;
        let more = u8::try_from(chance::below(rng, 5)?).unwrap_or_default();
        let varied = u64::from(chance::below(rng, VARIES)?);

        let last = self.ball.unwrap_or(Direction::Anticlockwise);
        self.ball = Some(if fault == Some(Fault::NotAlternated) { last } else { last.reversed() });
        let lost = matches!(fault, Some(Fault::NoCompartment | Fault::FlungOut));
        self.rests_in = (!lost).then_some(pocket);

        let times = match fault {
            Some(Fault::TooFewRevolutions) => self.minimum.saturating_sub(1),
            Some(Fault::RestsEarly) => self.minimum,
            _ => self.minimum.saturating_add(2).saturating_add(more),
        };
        let spun = Observation::Spun {
            against_rotation: fault != Some(Fault::SameDirection),
            wheel_rotating: fault != Some(Fault::WheelNotRotating),
        };
        let revolved = Observation::Revolved { times };
        let quick = fault == Some(Fault::RestsEarly);
        let left_track = if quick { 1_000 } else { REVOLUTION * u64::from(times.max(1)) };
        let at_rest = left_track + if quick { 500 } else { FALL + varied };
        let mut script = vec![(0, spun), (left_track, revolved)];
        match fault {
            Some(Fault::Silent) => return Ok(Script::new()),
            Some(Fault::StopsReporting) => return Ok(vec![(0, spun)]),
            Some(Fault::Nonsense) => script.insert(0, (0, revolved)),
            Some(Fault::NoCompartment) => script.push((at_rest, Observation::NoCompartment)),
            Some(Fault::FlungOut) => script.push((left_track + FALL / 2, Observation::FlungOut)),
            Some(Fault::WheelStops) => script.push((left_track + FALL / 2, Observation::WheelStopped)),
            _ => {}
        }
        if !lost {
            let read = if fault == Some(Fault::Disagree) { other } else { pocket };
            script.push((at_rest, Observation::Rested { pocket: read }));
        }
        Ok(script)
    }

    /// Shows a fault: the script is to be played at once; it is empty for what the next spin will show
    /// ([`Fault::shown`]) and for what a wheel cannot show.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn fault<R: TryCryptoRng + ?Sized>(&mut self, fault: Fault, rng: &mut R) -> Result<Script, R::Error> {
        match fault {
            _ if !fault.is_for(DeviceKind::Wheel) => {}
            Fault::DeviceFault => {
                let number = SIMULATED_FAULT;
                return Ok(vec![(0, Observation::Fault { number }), (RESTORING, Observation::Restored)]);
            }
            Fault::RestsEarly => return self.spin_with(Some(fault), rng),
            Fault::SecondTumble => return self.spin_with(None, rng),
            Fault::LateReport => return Ok(vec![(0, Observation::FlungOut)]),
            _ => self.armed = Some(fault),
        }
        Ok(Script::new())
    }

    /// What the next spin will show.
    #[must_use]
    pub fn armed(&self) -> Option<Fault> {
        self.armed
    }

    /// Which way the ball ran in the last spin.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        self.ball
    }

    /// What a dealer sees on the wheel once the script is played; `None` if the ball is in no compartment.
    #[must_use]
    pub fn shown(&self) -> Option<OutcomeIndex> {
        self.rests_in
    }
}
