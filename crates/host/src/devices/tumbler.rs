//! A tumbler of the demonstration: three dice, with a cover or without.

use floor::{DeviceKind, Observation};
use rand::TryCryptoRng;
use rulebook::{Dice, Face};

use super::{Fault, SIMULATED_FAULT, Script, Shown, chance};

/// Milliseconds: the cover comes down, one tumble, the camera reads.
const COVERING: u64 = 400;
const TUMBLE: u64 = 700;
const READING: u64 = 600;
const RESTORING: u64 = 5_000;

/// A simulated tumbler.
#[derive(Clone, Debug)]
pub struct SimulatedTumbler {
    /// The game is played under a cover.
    has_cover: bool,
    minimum: u8,
    is_covered: bool,
    tumbled: Option<Tumbled>,
    armed: Option<Fault>,
}

/// How the dice lie after a tumble, and how the tumbler will report them.
#[derive(Copy, Clone, Debug)]
struct Tumbled {
    dice: [Face; 3],
    read: [Option<Face>; 3],
    fault: Option<Fault>,
}

impl SimulatedTumbler {
    /// A tumbler for a game under a cover or not, with the fewest tumbles that are valid.
    #[must_use]
    pub fn new(has_cover: bool, minimum: u8) -> SimulatedTumbler {
        SimulatedTumbler { has_cover, minimum, is_covered: false, tumbled: None, armed: None }
    }

    /// Tumbles the dice, under the cover if there is one. Without a cover they are read at the end.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn tumble<R: TryCryptoRng + ?Sized>(&mut self, rng: &mut R) -> Result<Script, R::Error> {
        let fault = self.armed.take();
        let dice = [chance::face(rng)?, chance::face(rng)?, chance::face(rng)?];
        let mut read = dice.map(Some);
        let die = chance::pick(rng, &[0, 1, 2], 0)?;
        let other = chance::below(rng, 5)?;
        if let (Some(read), Some(face)) = (read.get_mut(die), dice.get(die)) {
            match fault {
                Some(Fault::NotFlat | Fault::OneDieUnreadable) => *read = None,
                Some(Fault::Disagree) => *read = Face::ALL.into_iter().filter(|o| o != face).nth(other as usize),
                _ => {}
            }
        }
        if fault == Some(Fault::DeadReading) {
            read = [None; 3];
        }
        let more = u8::try_from(chance::below(rng, 3)?).unwrap_or_default();
        let times = match fault {
            Some(Fault::TooFewTumbles) => self.minimum.saturating_sub(1),
            _ => self.minimum.saturating_add(more),
        };
        let tumbled = Tumbled { dice, read, fault };
        self.tumbled = Some(tumbled);
        let mut script = Script::new();
        let mut at = 0;
        if self.has_cover && !self.is_covered {
            script.push((at, Observation::Covered));
            at += COVERING;
        }
        self.is_covered = self.has_cover;
        script.push((at, Observation::Activated));
        if fault == Some(Fault::Nonsense) {
            // Read while it runs.
            script.push((at, Observation::DiceRead { dice: [None; 3] }));
        }
        at += TUMBLE * u64::from(times.max(1));
        if fault == Some(Fault::StopsReporting) {
            return Ok(script);
        }
        script.push((at, Observation::Tumbled { times }));
        if !self.has_cover {
            script.extend(tumbled.reading(at));
        }
        Ok(if fault == Some(Fault::Silent) { Script::new() } else { script })
    }

    /// Puts the cover on.
    pub fn cover(&mut self) -> Script {
        if !self.has_cover || self.is_covered {
            return Script::new();
        }
        self.is_covered = true;
        vec![(0, Observation::Covered)]
    }

    /// Takes the cover off; the dice are read.
    pub fn uncover(&mut self) -> Script {
        if !self.is_covered {
            return Script::new();
        }
        self.is_covered = false;
        let mut script = vec![(0, Observation::Uncovered)];
        let Some(tumbled) = self.tumbled else { return script };
        if let Some(Fault::Silent | Fault::StopsReporting) = tumbled.fault {
            return Script::new();
        }
        script.extend(tumbled.reading(0));
        script
    }

    /// Shows a fault: the script is to be played at once; it is empty for what the next tumble will show
    /// ([`Fault::shown`]) and for what this tumbler cannot show.
    ///
    /// # Errors
    /// When the generator fails.
    pub fn fault<R: TryCryptoRng + ?Sized>(&mut self, fault: Fault, rng: &mut R) -> Result<Script, R::Error> {
        let possible = match fault {
            Fault::ExposedEarly => self.has_cover,
            Fault::ActivatedEarly => !self.has_cover,
            _ => fault.is_for(DeviceKind::Tumbler),
        };
        if !possible {
            return Ok(Script::new());
        }
        match fault {
            Fault::DeviceFault => {
                let number = SIMULATED_FAULT;
                Ok(vec![(0, Observation::Fault { number }), (RESTORING, Observation::Restored)])
            }
            Fault::ActivatedEarly | Fault::SecondTumble => self.tumble(rng),
            Fault::LateReport => Ok(vec![(0, Observation::NotFlat)]),
            Fault::ExposedEarly if self.is_covered && self.tumbled.is_some() => {
                self.is_covered = false;
                Ok(vec![(0, Observation::Uncovered)])
            }
            Fault::ExposedEarly => {
                let mut script = self.tumble(rng)?;
                let at = script.last().map_or(0, |(at, _)| at + READING);
                script.push((at, Observation::Uncovered));
                self.is_covered = false;
                Ok(script)
            }
            _ => {
                debug_assert_eq!(fault.shown(), Shown::NextDeal);
                self.armed = Some(fault);
                Ok(Script::new())
            }
        }
    }

    /// What the next tumble will show.
    #[must_use]
    pub fn armed(&self) -> Option<Fault> {
        self.armed
    }

    /// What a dealer sees in the tumbler once the scripts are played: nothing under the cover, and no result while a die
    /// leans.
    #[must_use]
    pub fn shown(&self) -> Option<Dice> {
        let tumbled = self.tumbled.filter(|tumbled| !self.is_covered && tumbled.fault != Some(Fault::NotFlat))?;
        Some(Dice(tumbled.dice))
    }
}

impl Tumbled {
    fn reading(self, from: u64) -> Script {
        let leans = (self.fault == Some(Fault::NotFlat)).then_some((from + READING, Observation::NotFlat));
        let read = self.read.iter().any(Option::is_some);
        let read = read.then_some((from + READING, Observation::DiceRead { dice: self.read }));
        leans.into_iter().chain(read).collect()
    }
}
