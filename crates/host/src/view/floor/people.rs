//! People and their posts.

use floor::{Call, Floor, JointAct, Moment, Post, Table, bounds};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::view::Money;

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

/// An act of two people, for which a second person is called (D28).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JointActName(pub JointAct);

impl PartialSchema for JointActName {
    fn schema() -> RefOr<Schema> {
        let names = JointAct::ALL.iter().map(|act| act.as_str());
        let description = "An act of two people, for which a second person is called (D28).";
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).description(Some(description)).into()
    }
}

impl ToSchema for JointActName {}

/// A call for a second person (D28).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CallRow {
    /// To which table; `null`: to the pit.
    pub table: Option<u16>,
    /// Who called.
    pub by: Option<PersonRow>,
    /// The act it is for; `null` in a call of an earlier program, which serves for no act.
    pub act: Option<JointActName>,
    /// What the number below stands for: `round`, `terminal`, `ticket` and so on; `null` where there is none.
    pub subject_kind: Option<&'static str>,
    /// The number of what the act is about.
    pub subject: Option<u64>,
    /// The most money that it may move; `null`: none.
    pub amount: Option<Money>,
    /// Why.
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
        act: call.purpose.map(|purpose| JointActName(purpose.act)),
        subject_kind: call
            .purpose
            .filter(|purpose| purpose.subject.is_some())
            .map(|purpose| purpose.act.subject().as_str()),
        subject: call.purpose.and_then(|purpose| purpose.subject),
        amount: call.purpose.and_then(|purpose| purpose.amount).map(Money),
        reason: call.reason.to_string(),
        at: call.at.0,
        alone_from: call.at.0.saturating_add(bounds::SECOND_PERSON_WITHIN),
    };
    floor.calls().filter(|call| !call.is_over(at)).map(row).collect()
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
    /// Tests and enrols devices and terminals; touches neither rounds nor money (D30).
    Technician,
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
            Post::Technician => PostName::Technician,
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
            PostName::Technician => Post::Technician,
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
