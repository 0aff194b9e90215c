//! A list that nearly always has one element.

use std::fmt;
use std::ops::Deref;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list that nearly always has one element, which then needs no memory of its own. It is written like any other list.
///
/// ```
/// use floor::Few;
/// let mut few = Few::from([1]);
/// few.push(2);
/// assert_eq!(few, [1, 2]);
/// assert_eq!(few.iter().sum::<i32>(), 3);
/// ```
#[derive(Clone)]
pub struct Few<T>(Inside<T>);

#[derive(Clone)]
enum Inside<T> {
    One([T; 1]),
    Any(Vec<T>),
}

impl<T> Few<T> {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Few<T> {
        Few(Inside::Any(Vec::new()))
    }

    /// Adds an element.
    pub fn push(&mut self, element: T) {
        self.0 = match std::mem::replace(&mut self.0, Inside::Any(Vec::new())) {
            Inside::Any(elements) if elements.is_empty() => Inside::One([element]),
            Inside::Any(mut elements) => {
                elements.push(element);
                Inside::Any(elements)
            }
            Inside::One([first]) => Inside::Any(vec![first, element]),
        };
    }

    /// Keeps the elements that are wanted.
    pub fn retain(&mut self, wanted: impl FnMut(&T) -> bool) {
        let mut elements = Vec::from(std::mem::take(self));
        elements.retain(wanted);
        *self = Few::from(elements);
    }

    /// The elements, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        match &mut self.0 {
            Inside::One(one) => one.iter_mut(),
            Inside::Any(elements) => elements.iter_mut(),
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few::new()
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Inside::One(one) => one,
            Inside::Any(elements) => elements,
        }
    }
}

impl<T, const N: usize> From<[T; N]> for Few<T> {
    fn from(elements: [T; N]) -> Few<T> {
        elements.into_iter().collect()
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(elements: Vec<T>) -> Few<T> {
        Few(match <[T; 1]>::try_from(elements) {
            Ok(one) => Inside::One(one),
            Err(elements) => Inside::Any(elements),
        })
    }
}

impl<T> From<Few<T>> for Vec<T> {
    fn from(few: Few<T>) -> Vec<T> {
        match few.0 {
            Inside::One(one) => one.into(),
            Inside::Any(elements) => elements,
        }
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Few<T> {
        let mut elements = elements.into_iter();
        let Some(first) = elements.next() else { return Few::new() };
        let Some(second) = elements.next() else { return Few(Inside::One([first])) };
        Few(Inside::Any([first, second].into_iter().chain(elements).collect()))
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Few<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Few<T>) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for Few<T> {}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for Few<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T: Serialize> Serialize for Few<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Few<T>, D::Error> {
        deserializer.deserialize_seq(Elements(std::marker::PhantomData))
    }
}

struct Elements<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
    type Value = Few<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Few<T>, A::Error> {
        let Some(first) = list.next_element()? else { return Ok(Few::new()) };
        let Some(second) = list.next_element()? else { return Ok(Few(Inside::One([first]))) };
        let mut elements = vec![first, second];
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        Ok(Few(Inside::Any(elements)))
    }
}

impl<C, T: minicbor::Encode<C>> minicbor::Encode<C> for Few<T> {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut minicbor::Encoder<W>,
        context: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        (**self).encode(e, context)
    }
}

impl<'b, C, T: minicbor::Decode<'b, C>> minicbor::Decode<'b, C> for Few<T> {
    fn decode(d: &mut minicbor::Decoder<'b>, context: &mut C) -> Result<Few<T>, minicbor::decode::Error> {
        Vec::decode(d, context).map(Few::from)
    }
}
