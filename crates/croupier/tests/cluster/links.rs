//! Links between machines that are cut while both sides live.

use std::io::Write as _;

use crate::faults::{Fault, Playing};
use crate::machines::Machines;

/// Machines whose links can be cut, or a line that says why there are none.
pub fn machines() -> Option<Machines> {
    match Machines::make(3) {
        Ok(machines) => Some(machines),
        Err(why) => {
            // Not by a macro: what tests print is kept back when they pass.
            let _ = writeln!(
                std::io::stderr(),
                "NO LINK WAS CUT: this machine does not allow network namespaces here ({why})"
            );
            None
        }
    }
}

#[test]
fn a_machine_that_is_cut_off_promises_nothing_and_another_takes_over() {
    let _alone = crate::alone();
    let Some(machines) = machines() else { return };
    let play = || {
        let mut playing = Playing::start(Some(&machines), 1);
        for fault in [Fault::CutLeader, Fault::CutFollower, Fault::CutLink] {
            playing.fail(fault, 0);
        }
        playing.end();
    };
    machines.inside(play).expect("inside");
}
