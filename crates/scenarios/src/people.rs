//! The people of the book. Everyone is there in every scenario.

use floor::Post;
use rulebook::Rank;

/// A person of the book.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person(pub usize);

/// Their names and posts. The floor numbers its staff in this order.
pub const PEOPLE: [(&str, Post); 18] = [
    ("dealer", Post::Pit(Rank::Dealer)),
    ("second dealer", Post::Pit(Rank::Dealer)),
    ("pit supervisor", Post::Pit(Rank::PitSupervisor)),
    ("second pit supervisor", Post::Pit(Rank::PitSupervisor)),
    ("third pit supervisor", Post::Pit(Rank::PitSupervisor)),
    ("pit manager", Post::Pit(Rank::PitManager)),
    ("second pit manager", Post::Pit(Rank::PitManager)),
    ("shift manager", Post::Pit(Rank::ShiftManager)),
    ("second shift manager", Post::Pit(Rank::ShiftManager)),
    ("casino manager", Post::Pit(Rank::CasinoManager)),
    ("cashier", Post::Cashier),
    ("second cashier", Post::Cashier),
    ("auditor", Post::Auditor),
    ("administrator", Post::Administrator),
    ("second administrator", Post::Administrator),
    ("third administrator", Post::Administrator),
    ("third dealer", Post::Pit(Rank::Dealer)),
    ("technician", Post::Technician),
];

impl Person {
    /// The person of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Person> {
        PEOPLE.iter().position(|(name, _)| *name == text).map(Person)
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        PEOPLE[self.0].0
    }

    /// The post.
    #[must_use]
    pub fn post(self) -> Post {
        PEOPLE[self.0].1
    }

    /// The post as the API names it: `second pit manager` is a `pit_manager`.
    #[must_use]
    pub fn post_name(self) -> String {
        let name = self.name();
        let name = name.strip_prefix("second ").or_else(|| name.strip_prefix("third ")).unwrap_or(name);
        name.replace(' ', "_")
    }

    /// The name to sign in with. The first start of a program may make two administrators by itself.
    #[must_use]
    pub fn login(self) -> String {
        match self {
            SECOND_ADMINISTRATOR => "administrator2".to_owned(),
            _ => self.name().replace(' ', "-"),
        }
    }
}

/// Who deals unless a scenario says otherwise.
pub const DEALER: Person = Person(0);
/// Who opens tables.
pub const PIT_MANAGER: Person = Person(5);
/// Who signs beside them.
pub const SECOND_PIT_MANAGER: Person = Person(6);
/// Who signs for a tumbler or wheel that comes to a table, and deals nowhere.
pub const CASINO_MANAGER: Person = Person(9);
/// Who sets things up.
pub const ADMINISTRATOR: Person = Person(13);
/// Who signs beside the administrator.
pub const SECOND_ADMINISTRATOR: Person = Person(14);
/// Who reads everything.
pub const AUDITOR: Person = Person(12);
/// Who pays at the cage.
pub const CASHIER: Person = Person(10);
