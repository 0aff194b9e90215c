//! Visits every reachable state of small floors and checks the rules in each of them.
//!
//! A floor with one table, one or two terminals and one person for each post has few enough states to visit all of
//! them. A [`Spec`] says what can happen on such a floor, [`alphabet`] lists every command that can be sent there, and
//! a [`Search`] goes breadth first through all states, each once by its normal form ([`floor::Floor::normal_form`]).
//! What must hold is a [`Property`]; where one does not, the shortest sequence of commands is reported, ready for
//! `croupier pipe`.
//!
//! ```
//! let spec = explore::floor_named("rws-sicbo", "by-hand").expect("a small floor");
//! let found = explore::Search::of(spec)?.run(&explore::Bounds::default(), &|_, _, _| {});
//! assert!(found.is_fixpoint() && found.broken.is_empty());
//! # Ok::<(), String>(())
//! ```

mod alphabet;
mod house;
mod hunt;
mod insider;
mod lines;
mod moves;
mod node;
mod office;
mod phases;
mod property;
mod report;
mod rescue;
mod resume;
mod screens;
mod search;
mod seen;
mod spec;
mod suspects;
mod trail;
mod truth;
mod walker;

pub use alphabet::alphabet;
pub use house::{House, THRESHOLD};
pub use hunt::{Hunted, Reach};
pub use insider::{Bound, Mechanism, POSTS, insider_bound, insider_search};
pub use lines::{from_lines, refreshed, replay, to_lines};
pub use moves::{Form, Move, next_expiry, next_moment};
pub use node::{Node, Step, World, held};
pub use phases::{PHASES, Phases, phase_of};
pub use property::{Property, Violation};
pub use report::{insider_tables, report};
pub use rescue::{Lost, PARTS, Parts, rescue, rescue_with_any_dead};
pub use search::{Bounds, Broken, Found, Search};
pub use spec::{Budget, GAMES, MORNING, Spec, Topics, floor_named, floors};
pub use suspects::{InsiderBounds, Insiders, Wrong, insiders};
pub use trail::Caught;
