//! The simulated device of any game.

use floor::DeviceKind;
use rand::TryCryptoRng;
use rulebook::{Device, Outcome, OutcomeIndex, Rulebook};

use super::{Direction, Fault, Script, SimulatedTumbler, SimulatedWheel};

/// A simulated tumbler or wheel, as a rulebook asks for.
///
/// ```
/// use host::devices::Simulated;
///
/// let rulebook = rulebook::library::find("rws-roulette-000").expect("built in");
/// let mut wheel = Simulated::of(rulebook);
/// let script = wheel.deal(&mut rand::rngs::SysRng)?;
/// assert_eq!(script.len(), 3, "spun, so many revolutions, at rest");
/// assert!(wheel.shown(rulebook).is_some());
/// # Ok::<(), rand::rngs::SysError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Simulated {
    /// A tumbler.
    Tumbler(SimulatedTumbler),
    /// A wheel.
    Wheel(SimulatedWheel),
}

impl Simulated {
    /// The device that the game is played with.
    #[must_use]
    pub fn of(rulebook: &Rulebook) -> Simulated {
        match rulebook.procedure().device {
            Device::Tumbler { covered, minimum } => Simulated::Tumbler(SimulatedTumbler::new(covered, minimum)),
            Device::Wheel { minimum, .. } => Simulated::Wheel(SimulatedWheel::new(rulebook.outcomes(), minimum)),
        }
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> DeviceKind {
        match self {
            Simulated::Tumbler(_) => DeviceKind::Tumbler,
            Simulated::Wheel(_) => DeviceKind::Wheel,
        }
    }

    /// Tumbles the dice or spins the ball.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn deal<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R) -> Result<Script, R::Error> {
        match self {
            Simulated::Tumbler(tumbler) => tumbler.tumble(rng),
            Simulated::Wheel(wheel) => wheel.spin(rng),
        }
    }

    /// Takes the cover off, where there is one.
    pub fn uncover(&mut self) -> Script {
        match self {
            Simulated::Tumbler(tumbler) => tumbler.uncover(),
            Simulated::Wheel(_) => Script::new(),
        }
    }

    /// Puts the cover on, where there is one.
    pub fn cover(&mut self) -> Script {
        match self {
            Simulated::Tumbler(tumbler) => tumbler.cover(),
            Simulated::Wheel(_) => Script::new(),
        }
    }

    /// Shows a fault, at once or with the next tumble or spin.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn fault<R: TryCryptoRng + ?Sized>(&mut self, fault: Fault, rng: &mut R) -> Result<Script, R::Error> {
        match self {
            Simulated::Tumbler(tumbler) => tumbler.fault(fault, rng),
            Simulated::Wheel(wheel) => wheel.fault(fault, rng),
        }
    }

    /// What the next tumble or spin will show.
    #[must_use]
    pub fn armed(&self) -> Option<Fault> {
        match self {
            Simulated::Tumbler(tumbler) => tumbler.armed(),
            Simulated::Wheel(wheel) => wheel.armed(),
        }
    }

    /// What a dealer sees once the scripts are played: the result, if there is one.
    #[must_use]
    pub fn shown(&self, rulebook: &Rulebook) -> Option<OutcomeIndex> {
        match self {
            Simulated::Tumbler(tumbler) => rulebook.outcomes().index(Outcome::Dice(tumbler.shown()?)),
            Simulated::Wheel(wheel) => wheel.shown(),
        }
    }

    /// Which way the ball ran in the last spin.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        match self {
            Simulated::Tumbler(_) => None,
            Simulated::Wheel(wheel) => wheel.direction(),
        }
    }
}
