//! Deliberate faults, switched on one at a time by tests to prove that the properties and scenarios detect them.
//!
//! `mutant!("name")` marks the place of a possible fault and is `false`. With the feature `mutants`, which no released
//! program has, it is `true` on the thread that has switched this fault on. `crates/explore/MUTANTS.md` says how to add
//! one.

/// Whether a deliberate fault is switched on.
#[cfg(not(feature = "mutants"))]
macro_rules! mutant {
    ($name:literal) => {
        crate::mutants::never()
    };
}

/// Whether a deliberate fault is switched on.
#[cfg(feature = "mutants")]
macro_rules! mutant {
    ($name:literal) => {{
        const PLACE: usize = crate::mutants::place($name);
        crate::mutants::is_on(PLACE)
    }};
}

/// Without the feature no fault is ever on, and the compiler removes the check.
#[cfg(not(feature = "mutants"))]
#[inline(always)]
pub(crate) const fn never() -> bool {
    false
}

#[cfg(feature = "mutants")]
pub(crate) use switched::is_on;
#[cfg(feature = "mutants")]
pub use switched::{MUTANTS, Mutant, place, switch_on};

#[cfg(feature = "mutants")]
mod switched {
    use std::cell::Cell;

    #[cfg(not(debug_assertions))]
    compile_error!("deliberate faults are for tests: no optimised program is built with the feature `mutants`");

    /// A deliberate fault.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct Mutant {
        /// The name in the code.
        pub name: &'static str,
        /// The paragraph or decision it breaks.
        pub breaks: &'static str,
        /// What is wrong while it is on.
        pub fault: &'static str,
    }

    const fn fault(name: &'static str, breaks: &'static str, fault: &'static str) -> Mutant {
        Mutant { name, breaks, fault }
    }

    include!("mutants/list.rs");

    thread_local! {
        static ON: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Switches one fault on for this thread, and every other one off; `None` switches all of them off.
    pub fn switch_on(name: Option<&'static str>) {
        ON.set(name.map_or(usize::MAX, place));
    }

    #[inline]
    pub(crate) fn is_on(place: usize) -> bool {
        ON.get() == place
    }

    /// The place of a fault in the list. A name that is not listed does not compile.
    #[must_use]
    #[allow(clippy::indexing_slicing, clippy::panic)]
    pub const fn place(name: &str) -> usize {
        let mut place = 0;
        while place < MUTANTS.len() {
            if same(MUTANTS[place].name.as_bytes(), name.as_bytes()) {
                return place;
            }
            place += 1;
        }
        panic!("this fault is not in the list of mutants")
    }

    #[allow(clippy::indexing_slicing)]
    const fn same(one: &[u8], other: &[u8]) -> bool {
        let mut place = 0;
        while place < one.len() && place < other.len() && one[place] == other[place] {
            place += 1;
        }
        place == one.len() && place == other.len()
    }
}
