//! Words and money, as the API writes them.

use rulebook::{Cents, Text};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// Words in English and simplified Chinese.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Words {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

impl Words {
    /// Both languages.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Words {
        Words { en: en.into(), zh: zh.into() }
    }
}

impl From<&Text> for Words {
    fn from(text: &Text) -> Words {
        Words { en: text.en.clone(), zh: text.zh.clone() }
    }
}

/// An amount of money: dollars with two decimals, as a string.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, pattern = r"^-?[0-9]+\.[0-9]{2}$", example = "10.00")]
pub struct Money(pub Cents);

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map(Money).map_err(|_| {
            serde::de::Error::custom(format!(
                "'{text}' is no amount: digits with an optional point and one or two digits"
            ))
        })
    }
}

impl From<Cents> for Money {
    fn from(cents: Cents) -> Money {
        Money(cents)
    }
}
