//! The outcome space: dice, or a wheel with every pocket once.

use std::ops::Range;

use toml::Spanned;

use super::{Context, Incoherence};
use crate::draft;
use crate::{Citation, Mark, OutcomeSpace, Pocket, Wheel};

pub(super) fn outcomes(
    context: &Context,
    draft: Spanned<draft::Outcomes>,
) -> Result<(OutcomeSpace, Citation), Incoherence> {
    let span = draft.span();
    match draft.into_inner() {
        draft::Outcomes::Dice { paragraph } => Ok((OutcomeSpace::Dice, context.cite_text(&paragraph, span)?)),
        draft::Outcomes::Wheel { paragraph, zeros, order, red, assumed, contacts } => {
            let paragraph = context.cite_text(&paragraph, span.clone())?;
            let mark = match assumed {
                None => None,
                Some(decision) => Some(Mark::Assumed(context.decision(&Spanned::new(span.clone(), decision))?)),
            };
            let reader = Reader { context, span };
            let zeros = reader.zeros(&zeros)?;
            let order = reader.order(&order, zeros)?;
            let red = reader.red(&red)?;
            let contacts = reader.contacts(&contacts, zeros)?;
            Ok((OutcomeSpace::Wheel(Wheel { zeros, order, red, contacts, mark }), paragraph))
        }
    }
}

struct Reader<'a> {
    context: &'a Context<'a>,
    span: Range<usize>,
}

impl Reader<'_> {
    fn fail<T>(&self, message: String) -> Result<T, Incoherence> {
        Err(self.context.at(self.span.clone(), message))
    }

    fn pocket(&self, text: &str) -> Result<Pocket, Incoherence> {
        match Pocket::parse(text) {
            Some(pocket) => Ok(pocket),
            None => self.fail(format!("\"{text}\" is an unknown number: a pocket is 0, 00, 000 or 1 to 36")),
        }
    }

    fn zeros(&self, zeros: &[String]) -> Result<u8, Incoherence> {
        let expected = ["0", "00", "000"];
        match u8::try_from(zeros.len()) {
            Ok(count @ 1..=3) if zeros.iter().zip(expected).all(|(zero, expected)| zero == expected) => Ok(count),
            _ => self.fail("zeros must be [\"0\"], [\"0\", \"00\"] or [\"0\", \"00\", \"000\"]".to_owned()),
        }
    }

    fn order(&self, order: &[String], zeros: u8) -> Result<Vec<Pocket>, Incoherence> {
        let mut pockets = Vec::with_capacity(order.len());
        for text in order {
            let pocket = self.pocket(text)?;
            if pockets.contains(&pocket) {
                return self.fail(format!("pocket {pocket} is on the wheel twice"));
            }
            if pocket.is_zero() && pocket.code() >= zeros {
                return self.fail(format!("pocket {pocket} is on the wheel but not among its zeros"));
            }
            pockets.push(pocket);
        }
        let missing =
            Pocket::all().find(|pocket| (!pocket.is_zero() || pocket.code() < zeros) && !pockets.contains(pocket));
        match missing {
            Some(pocket) => self.fail(format!("pocket {pocket} is missing from the wheel")),
            None => Ok(pockets),
        }
    }

    fn red(&self, red: &[String]) -> Result<Vec<Pocket>, Incoherence> {
        let mut pockets = Vec::with_capacity(red.len());
        for text in red {
            let pocket = self.pocket(text)?;
            if pocket.is_zero() {
                return self.fail(format!("pocket {pocket} is green and cannot be red"));
            }
            if pockets.contains(&pocket) {
                return self.fail(format!("pocket {pocket} is named red twice"));
            }
            pockets.push(pocket);
        }
        if pockets.len() != 18 {
            return self.fail(format!("a wheel has 18 red numbers and 18 black, found {} red", pockets.len()));
        }
        Ok(pockets)
    }

    fn contacts(&self, contacts: &[[String; 2]], zeros: u8) -> Result<Vec<[Pocket; 2]>, Incoherence> {
        let mut pairs = Vec::with_capacity(contacts.len());
        for [a, b] in contacts {
            let (a, b) = (self.pocket(a)?, self.pocket(b)?);
            let known = [a, b].iter().all(|pocket| !pocket.is_zero() || pocket.code() < zeros);
            if !known || !(a.is_zero() || b.is_zero()) || !crate::notation::may_touch(a, b) {
                return self.fail(format!(
                    "{a} and {b} cannot touch: contacts are between a zero and another zero or 1, 2, 3"
                ));
            }
            pairs.push([a, b]);
        }
        Ok(pairs)
    }
}
