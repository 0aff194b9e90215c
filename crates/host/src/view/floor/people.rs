//! People and their posts.

use floor::{Call, Floor, Moment, Post, Table, bounds};
use serde::Serialize;
use utoipa::ToSchema;

/// A person, by name.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PersonRow {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
}

/// A person by the id.
pub fn person(floor: &Floor, id: floor::StaffId) -> Option<PersonRow> {
    floor.person(id).map(|staff| PersonRow { id: id.0, name: staff.name().to_owned() })
}

/// A call for a second person (D28).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CallRow {
    /// To which table; `null`: to the pit.
    pub table: Option<u16>,
    /// Who called.
    pub by: Option<PersonRow>,
    /// What for.
    pub reason: String,
    /// When.
    pub at: i64,
    /// From when on the Shift Manager or above may decide alone.
    pub alone_from: i64,
}

/// The calls that wait for a second person.
pub fn calls(floor: &Floor, at: Moment) -> Vec<CallRow> {
    let row = |call: &Call| CallRow {
        table: call.table.map(|table| table.0),
        by: person(floor, call.by),
        reason: call.reason.to_string(),
        at: call.at.0,
        alone_from: call.at.0.saturating_add(bounds::SECOND_PERSON_WITHIN),
    };
    floor.calls().filter(|call| at.since(call.at) <= bounds::CALL_STANDS).map(row).collect()
}

/// A person, for the pit and the administration.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct StaffSection {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
    /// What the person is employed as.
    pub post: PostName,
    /// What the person is acting as.
    pub acting: Option<PostName>,
    /// Whether the person is employed now.
    pub active: bool,
    /// The tables this person deals at.
    pub tables: Vec<u16>,
}

/// What a person is employed or assigned as.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PostName {
    /// A dealer.
    Dealer,
    /// A Pit Supervisor.
    PitSupervisor,
    /// A Pit Manager.
    PitManager,
    /// The Shift Manager.
    ShiftManager,
    /// The Casino Manager.
    CasinoManager,
    /// At the cage.
    Cashier,
    /// Reads everything, changes nothing.
    Auditor,
    /// Configures, never touches a round.
    Administrator,
}

impl From<Post> for PostName {
    fn from(post: Post) -> PostName {
        use rulebook::Rank;
        match post {
            Post::Pit(Rank::Dealer) => PostName::Dealer,
            Post::Pit(Rank::PitSupervisor) => PostName::PitSupervisor,
            Post::Pit(Rank::PitManager) => PostName::PitManager,
            Post::Pit(Rank::ShiftManager) => PostName::ShiftManager,
            Post::Pit(Rank::CasinoManager) => PostName::CasinoManager,
            Post::Cashier => PostName::Cashier,
            Post::Auditor => PostName::Auditor,
            Post::Administrator => PostName::Administrator,
        }
    }
}

impl From<PostName> for Post {
    fn from(post: PostName) -> Post {
        use rulebook::Rank;
        match post {
            PostName::Dealer => Post::Pit(Rank::Dealer),
            PostName::PitSupervisor => Post::Pit(Rank::PitSupervisor),
            PostName::PitManager => Post::Pit(Rank::PitManager),
            PostName::ShiftManager => Post::Pit(Rank::ShiftManager),
            PostName::CasinoManager => Post::Pit(Rank::CasinoManager),
            PostName::Cashier => Post::Cashier,
            PostName::Auditor => Post::Auditor,
            PostName::Administrator => Post::Administrator,
        }
    }
}

/// A person with the tables this person deals at.
pub fn staff(floor: &Floor, staff: &floor::Staff) -> StaffSection {
    let deals = |table: &&Table| table.dealer() == Some(staff.id());
    StaffSection {
        id: staff.id().0,
        name: staff.name().to_owned(),
        post: staff.post().into(),
        acting: staff.acting().map(PostName::from),
        active: staff.is_active(),
        tables: floor.tables().iter().filter(deals).map(|table| table.id().0).collect(),
    }
}
