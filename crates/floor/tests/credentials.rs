//! Changes of the means of signing in (D27): recorded, by whom they may be made, and when two people are needed.

use crate::common::*;
use floor::*;

fn change(what: CredentialChange, by: StaffId, second: Option<StaffId>) -> Body {
    Body::ChangeCredential { staff: DEALER, what, by: Some(by), second }
}

#[test]
fn d27_a_password_reset_and_a_removed_passkey_need_two_people() {
    let mut house = House::with("rws-sicbo");
    for what in [CredentialChange::PasswordReset, CredentialChange::PasskeyRemoved] {
        for second in [None, Some(ADMINISTRATOR), Some(SUPERVISOR), Some(CASHIER), Some(StaffId(99))] {
            house.refused(Sender::System, change(what, ADMINISTRATOR, second), Code::SecondPerson);
        }
        let events = house.system(change(what, ADMINISTRATOR, Some(MANAGER)));
        let by = Some(ADMINISTRATOR);
        assert_eq!(events, [Event::CredentialChanged { staff: DEALER, what, by, second: Some(MANAGER) }]);
    }
}

#[test]
fn d27_each_change_of_credentials_is_for_those_who_may_make_it() {
    use CredentialChange::*;
    let mut house = House::with("rws-sicbo");
    for (what, by, may) in [
        (Created, ADMINISTRATOR, true),
        (Created, CASINO_MANAGER, false),
        (PasswordReset, MANAGER, false),
        (PasswordChanged, DEALER, true),
        (PasswordChanged, ADMINISTRATOR, false),
        (PasskeyAdded, DEALER, true),
        (PasskeyAdded, ADMINISTRATOR, false),
        (PasskeyRemoved, DEALER, true),
        (PasskeyRemoved, SECOND_DEALER, false),
        (Unlocked, ADMINISTRATOR, true),
        (Unlocked, MANAGER, true),
        (Unlocked, SUPERVISOR, false),
        (Unlocked, CASHIER, false),
    ] {
        let second = matches!(what, PasswordReset | PasskeyRemoved).then_some(SECOND_MANAGER);
        let body = change(what, by, second);
        if may {
            house.system(body);
        } else {
            house.refused(Sender::System, body, Code::Rank);
        }
    }
    // The person who resets a password knows it, so a person never resets their own that way.
    let own = Body::ChangeCredential {
        staff: ADMINISTRATOR,
        what: PasswordReset,
        by: Some(ADMINISTRATOR),
        second: Some(MANAGER),
    };
    house.refused(Sender::System, own, Code::Rank);
}

#[test]
fn d27_only_the_host_records_a_change_of_credentials() {
    let mut house = House::with("rws-sicbo");
    let body = change(CredentialChange::Unlocked, ADMINISTRATOR, None);
    house.refused(Sender::Staff(ADMINISTRATOR), body.clone(), Code::NotForSender);
    house.refused(Sender::Terminal(T0), body, Code::NotForSender);
    let nobody = Body::ChangeCredential { staff: StaffId(99), what: CredentialChange::Created, by: None, second: None };
    house.refused(Sender::System, nobody, Code::NotFound);
}
