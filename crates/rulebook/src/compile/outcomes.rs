//! The outcome space: dice, or a wheel with every pocket once.

use toml::Spanned;

use super::{Context, Incoherence};
use crate::draft::{self, OutcomeKind, Word};
use crate::{Citation, OutcomeSpace, Pocket, Wheel};

// § rws-taisai 2.2.1
pub(super) fn outcomes(context: &Context, draft: draft::Outcomes) -> Result<(OutcomeSpace, Citation), Incoherence> {
    let paragraph = context.cite(&draft.paragraph)?;
    let mark = context.assumed(&draft.assumed)?;
    let kind = draft.kind.span();
    match (draft.kind.into_inner(), draft.zeros, draft.order, draft.red, draft.contacts) {
        (OutcomeKind::Dice, None, None, None, None) => Ok((OutcomeSpace::Dice, paragraph)),
        (OutcomeKind::Dice, ..) => Err(context.at(kind, "dice take no zeros, order, red or contacts")),
        (OutcomeKind::Wheel, Some(zeros), Some(order), Some(red), Some(contacts)) => {
            let reader = Reader { context, zeros: zero_count(context, &zeros)? };
            let order = reader.order(&order)?;
            let red = reader.red(&red)?;
            let contacts = reader.contacts(contacts.get_ref())?;
            Ok((OutcomeSpace::Wheel(Wheel { zeros: reader.zeros, order, red, contacts, mark }), paragraph))
        }
        (OutcomeKind::Wheel, ..) => Err(context.at(kind, "a wheel needs zeros, order, red and contacts")),
    }
}

fn zero_count(context: &Context, zeros: &Spanned<Vec<String>>) -> Result<u8, Incoherence> {
    let named = zeros.get_ref();
    match u8::try_from(named.len()) {
        Ok(count @ 1..=3) if named.iter().zip(["0", "00", "000"]).all(|(zero, expected)| zero == expected) => Ok(count),
        _ => Err(context.at(zeros.span(), "zeros must be [\"0\"], [\"0\", \"00\"] or [\"0\", \"00\", \"000\"]")),
    }
}

struct Reader<'a> {
    context: &'a Context<'a>,
    zeros: u8,
}

impl Reader<'_> {
    fn fail<T, V>(&self, word: &Spanned<V>, message: String) -> Result<T, Incoherence> {
        Err(self.context.at(word.span(), message))
    }

    fn has(&self, pocket: Pocket) -> bool {
        !pocket.is_zero() || pocket.code() < self.zeros
    }

    fn pocket(&self, word: &Word) -> Result<Pocket, Incoherence> {
        let text = word.get_ref();
        match Pocket::parse(text) {
            None => self.fail(word, format!("\"{text}\" is an unknown number: a pocket is 0, 00, 000 or 1 to 36")),
            Some(pocket) if !self.has(pocket) => {
                self.fail(word, format!("pocket {pocket} is not among the zeros of this wheel"))
            }
            Some(pocket) => Ok(pocket),
        }
    }

    fn order(&self, order: &Spanned<Vec<Word>>) -> Result<Vec<Pocket>, Incoherence> {
        let mut pockets = Vec::with_capacity(order.get_ref().len());
        for word in order.get_ref() {
            let pocket = self.pocket(word)?;
            if pockets.contains(&pocket) {
                return self.fail(word, format!("pocket {pocket} is on the wheel twice"));
            }
            pockets.push(pocket);
        }
        match Pocket::all().find(|pocket| self.has(*pocket) && !pockets.contains(pocket)) {
            Some(pocket) => self.fail(order, format!("pocket {pocket} is missing from the wheel")),
            None => Ok(pockets),
        }
    }

    fn red(&self, red: &Spanned<Vec<Word>>) -> Result<Vec<Pocket>, Incoherence> {
        let mut pockets = Vec::with_capacity(red.get_ref().len());
        for word in red.get_ref() {
            let pocket = self.pocket(word)?;
            if pocket.is_zero() {
                return self.fail(word, format!("pocket {pocket} is green and cannot be red"));
            }
            if pockets.contains(&pocket) {
                return self.fail(word, format!("pocket {pocket} is named red twice"));
            }
            pockets.push(pocket);
        }
        if pockets.len() != 18 {
            return self.fail(red, format!("a wheel has 18 red numbers and 18 black, found {} red", pockets.len()));
        }
        Ok(pockets)
    }

    fn contacts(&self, contacts: &[[Word; 2]]) -> Result<Vec<[Pocket; 2]>, Incoherence> {
        let mut pairs: Vec<[Pocket; 2]> = Vec::with_capacity(contacts.len());
        for [first, second] in contacts {
            let (a, b) = (self.pocket(first)?, self.pocket(second)?);
            if !(a.is_zero() || b.is_zero()) || !crate::notation::may_touch(a, b) {
                let message =
                    format!("{a} and {b} cannot touch: contacts are between a zero and another zero or 1, 2, 3");
                return self.fail(first, message);
            }
            if pairs.contains(&[a, b]) || pairs.contains(&[b, a]) {
                return self.fail(first, format!("the contact of {a} and {b} is there twice"));
            }
            pairs.push([a, b]);
        }
        Ok(pairs)
    }
}
