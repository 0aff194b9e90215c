//! Layouts: what a terminal or table shows, and its pay table.

use std::collections::BTreeMap;

use crate::{Citation, Family, Mark, NotationError, PayTable, Pocket, Spot, SpotIndex, Text};

/// A rectangle on the canvas of a layout.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From the left.
    pub x: u16,
    /// From the top.
    pub y: u16,
    /// Width.
    pub width: u16,
    /// Height.
    pub height: u16,
}

impl Place {
    pub(crate) fn right(self) -> u32 {
        u32::from(self.x) + u32::from(self.width)
    }

    pub(crate) fn bottom(self) -> u32 {
        u32::from(self.y) + u32::from(self.height)
    }

    pub(crate) fn overlaps(self, other: Place) -> bool {
        u32::from(self.x) < other.right()
            && u32::from(other.x) < self.right()
            && u32::from(self.y) < other.bottom()
            && u32::from(other.y) < self.bottom()
    }
}

/// A group of spots as the document's appendix draws it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// A name for screens' code.
    pub id: String,
    /// Where it is; `None` for spots that stand on the lines and corners between numbers.
    pub place: Option<Place>,
    /// Rows of spots from the top; `None` leaves a place empty.
    pub rows: Vec<Vec<Option<Spot>>>,
}

/// A layout with its pay table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(crate) id: String,
    pub(crate) name: Text,
    pub(crate) paragraph: Citation,
    pub(crate) mark: Option<Mark>,
    pub(crate) pay_table_id: String,
    pub(crate) pay_table_name: Text,
    pub(crate) pay_table_paragraph: Citation,
    pub(crate) offer_paragraph: Citation,
    pub(crate) names: BTreeMap<Family, Text>,
    pub(crate) canvas: [u16; 2],
    pub(crate) areas: Vec<Area>,
    pub(crate) table: PayTable,
}

impl Layout {
    /// `a`, `b`, `rapid` …
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Words for it.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// The appendix that draws it.
    #[must_use]
    pub fn paragraph(&self) -> &Citation {
        &self.paragraph
    }

    /// Whether its arrangement is read from the document or chosen.
    #[must_use]
    pub fn mark(&self) -> Option<&Mark> {
        self.mark.as_ref()
    }

    /// The id of its pay table in the document.
    #[must_use]
    pub fn pay_table_id(&self) -> &str {
        &self.pay_table_id
    }

    /// Words for its pay table.
    #[must_use]
    pub fn pay_table_name(&self) -> &Text {
        &self.pay_table_name
    }

    /// The paragraph of its pay table.
    #[must_use]
    pub fn pay_table_paragraph(&self) -> &Citation {
        &self.pay_table_paragraph
    }

    /// The paragraph that says which bets it has, cited when it does not have one.
    #[must_use]
    pub fn offer_paragraph(&self) -> &Citation {
        &self.offer_paragraph
    }

    /// What its appendix calls a kind of bet, where that is another name than the document's own
    /// ([`Rulebook::name_of`](crate::Rulebook::name_of)).
    #[must_use]
    pub fn name_of(&self, family: Family) -> Option<&Text> {
        self.names.get(&family)
    }

    /// Width and height of the canvas that areas are placed on.
    #[must_use]
    pub fn canvas(&self) -> [u16; 2] {
        self.canvas
    }

    /// Its areas in the order of the appendix.
    #[must_use]
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// Its pay table.
    #[must_use]
    pub fn table(&self) -> &PayTable {
        &self.table
    }

    /// The place of a spot in the table, or why it has none.
    pub fn index(&self, spot: Spot) -> Result<SpotIndex, NotOffered> {
        self.table.index(spot).ok_or_else(|| {
            let paragraph = self.offer_paragraph.clone();
            // Numbers touch wherever they are rows of three; beside the zeros it is the layout that says.
            let apart = |[a, b]: [Pocket; 2]| {
                a.is_zero() && [a, b].iter().all(|pocket| self.table.index(Spot::Straight(*pocket)).is_some())
            };
            match spot {
                Spot::Split(pockets) if apart(pockets) => NotOffered::DoNotTouch { pockets, paragraph },
                _ => NotOffered::Spot { spot: Box::new(spot), paragraph },
            }
        })
    }

    /// Reads a spot and finds its place.
    pub fn find(&self, text: &str) -> Result<SpotIndex, NotOffered> {
        self.index(text.parse()?)
    }
}

/// Why a text is no spot of this layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOffered {
    /// It is no spot at all.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// It is one, but this layout does not have it.
    #[error("{spot}: not offered by this layout ({paragraph})")]
    Spot {
        /// The spot.
        spot: Box<Spot>,
        /// The paragraph that says which bets the layout has.
        paragraph: Citation,
    },
    /// A split whose two numbers are on the layout, but not beside each other.
    #[error("{} and {} do not touch on this layout ({paragraph})", .pockets[0], .pockets[1])]
    DoNotTouch {
        /// The two numbers.
        pockets: [Pocket; 2],
        /// The paragraph that says which bets the layout has.
        paragraph: Citation,
    },
}

impl NotOffered {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            NotOffered::Notation(error) => error.code(),
            NotOffered::Spot { .. } => "not_offered",
            NotOffered::DoNotTouch { .. } => "do_not_touch",
        }
    }

    /// The paragraph behind it, if there is one.
    #[must_use]
    pub const fn paragraph(&self) -> Option<&Citation> {
        match self {
            NotOffered::Notation(_) => None,
            NotOffered::Spot { paragraph, .. } | NotOffered::DoNotTouch { paragraph, .. } => Some(paragraph),
        }
    }
}
