//! Credentials and sessions: what opens a door, what no longer does, and what can be read in the file.

use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use floor::{DeviceId, Moment, StaffId, TerminalId, TicketNumber};
use host::store::*;
use rustix::time::{ClockId, clock_gettime};

const MINUTE: i64 = 60_000;
const LIN: StaffId = StaffId(3);
const PASSWORD: &str = "correct horse battery";
const T7: Holder = Holder::Terminal(TerminalId(7));
const T8: Holder = Holder::Terminal(TerminalId(8));
const D7: Holder = Holder::Device(DeviceId(7));

fn here() -> IpAddr {
    "10.0.0.7".parse().unwrap()
}

fn at(minutes: i64) -> Moment {
    Moment(1_700_000_000_000).after(minutes * MINUTE)
}

/// Cheap passwords: what is tested is not their cost.
fn limits() -> Limits {
    Limits { work: Work { memory: 64, passes: 1 }, ..Limits::default() }
}

fn with(limits: Limits) -> Store {
    let store = Store::in_memory_with(limits).unwrap();
    store.set_password(LIN, "Lin", PASSWORD).unwrap();
    store
}

fn store() -> Store {
    with(limits())
}

fn sign_in(store: &Store, now: Moment) -> Session {
    store.sign_in("lin", PASSWORD, here(), now).unwrap()
}

/// Wrong passwords in a row, each looked at and refused.
fn fail(store: &Store, times: u32, now: Moment) {
    for time in 0..times {
        let refused = store.sign_in("lin", "not the password", here(), now).unwrap_err();
        assert!(matches!(refused, SignInRefused::Wrong), "attempt {time}: {refused:?}");
    }
}

fn locked(refused: SignInRefused) -> Moment {
    match refused {
        SignInRefused::LockedOut { until } => until,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_store_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Store>();
}

// ---- passwords

#[test]
fn a_person_signs_in_with_login_and_password_whatever_the_case_of_the_login() {
    let store = Store::in_memory().unwrap();
    store.set_password(LIN, "Lin", PASSWORD).unwrap();
    for login in ["lin", "LIN", " Lin "] {
        assert_eq!(store.sign_in(login, PASSWORD, here(), at(0)).unwrap().info.staff, LIN);
    }
    assert_eq!(store.login_of(LIN).unwrap().as_deref(), Some("lin"));
}

#[test]
fn an_unknown_login_and_a_wrong_password_are_the_same_answer() {
    let store = store();
    let wrong = store.sign_in("lin", "not the password", here(), at(0)).unwrap_err();
    let unknown = store.sign_in("nobody", "not the password", here(), at(0)).unwrap_err();
    assert!(matches!((&wrong, &unknown), (SignInRefused::Wrong, SignInRefused::Unknown)));
    assert_eq!((wrong.code(), wrong.to_string()), (unknown.code(), unknown.to_string()));
    // Also after so many failures that the login is locked.
    fail(&store, 4, at(0));
    for _ in 0..4 {
        assert!(matches!(store.sign_in("nobody", "x", here(), at(0)), Err(SignInRefused::Unknown)));
    }
    let wrong = store.sign_in("lin", "not the password", here(), at(0)).unwrap_err();
    let unknown = store.sign_in("nobody", "not the password", here(), at(0)).unwrap_err();
    assert_eq!(locked(wrong), locked(unknown));
}

#[test]
fn an_unknown_login_costs_the_work_of_a_known_one() {
    let store = with(Limits { login_failures: 100, address_failures: 100, ..Limits::default() });
    // The processor's time for this thread, so that whatever else the machine does is left out.
    let time = |login: &str| {
        let spent = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
        let started = spent();
        for _ in 0..5 {
            assert!(store.verify(login, "not the password", here(), at(0)).is_err());
        }
        spent() - started
    };
    // Even the processor's time grows where others crowd the caches: the best of a few tries counts.
    let best = |login: &str| (0..4).map(|_| time(login)).min().unwrap();
    let (known, unknown) = (best("lin"), best("nobody"));
    assert!(unknown * 3 > known && known * 3 > unknown, "{known:?} {unknown:?}");
}

#[test]
fn what_nobody_can_have_as_login_or_password_is_refused_like_any_other() {
    let store = store();
    let long = "x".repeat(100_000);
    for (login, password) in [("", PASSWORD), (&long, PASSWORD), ("lin", &long), ("a b", "x"), ("lin\0", PASSWORD)] {
        let refused = store.sign_in(login, password, here(), at(0)).unwrap_err();
        assert_eq!(refused.code(), "sign_in");
    }
}

#[test]
fn a_login_waits_longer_after_each_further_failure_at_one_address_and_nowhere_else() {
    let store = store();
    fail(&store, 5, at(0));
    let (mut now, mut waits) = (at(0), Vec::new());
    for _ in 0..7 {
        // The right password is not looked at here.
        let until = locked(store.sign_in("LIN", PASSWORD, here(), now).unwrap_err());
        waits.push(until.since(now) / 1000);
        assert_eq!(locked(store.verify("lin", PASSWORD, here(), until.after(-1)).unwrap_err()), until);
        let elsewhere = "10.0.0.8".parse().unwrap();
        assert!(store.sign_in("lin", PASSWORD, elsewhere, now).is_ok(), "never at another address");
        now = until;
        fail(&store, 1, now);
    }
    assert_eq!(waits, [15, 30, 60, 120, 240, 300, 300]);
    // It restarts fifteen minutes after the last failure.
    let later = now.after(15 * MINUTE);
    fail(&store, 4, later);
    sign_in(&store, later);
}

#[test]
fn a_login_that_is_tried_from_many_addresses_is_slowed_at_each_and_locked_at_none() {
    let store = store();
    let address = |number: u32| IpAddr::from(number.to_be_bytes());
    for number in 0..10 {
        for _ in 0..5 {
            assert!(matches!(store.verify("lin", "guess", address(number), at(0)), Err(SignInRefused::Wrong)));
        }
    }
    for number in 100..120 {
        assert!(matches!(store.verify("lin", "guess", address(number), at(0)), Err(SignInRefused::Wrong)));
        locked(store.verify("lin", "guess", address(number), at(0)).unwrap_err());
    }
    assert!(store.verify("lin", PASSWORD, address(200), at(0)).is_ok());
}

#[test]
fn a_login_is_unlocked_and_it_is_known_where_it_waits() {
    let store = store();
    store.set_password(StaffId(4), "linda", PASSWORD).unwrap();
    fail(&store, 5, at(0));
    (0..5).for_each(|_| drop(store.verify("linda", "guess", here(), at(0))));
    let waits = |staff: StaffId| {
        let all = store.credentials(at(0)).unwrap();
        all.into_iter().find(|one| one.staff == staff).unwrap().waits
    };
    assert_eq!(waits(LIN), [("10.0.0.7".to_owned(), at(0).after(15_000))]);
    assert!(store.unlock(LIN).unwrap());
    assert!(!store.unlock(LIN).unwrap());
    assert_eq!((waits(LIN).len(), waits(StaffId(4)).len()), (0, 1), "another login is another");
    sign_in(&store, at(0));
}

#[test]
fn strangers_at_an_address_take_no_signature_from_people_who_are_signed_in_there() {
    let store = store();
    for number in 0..20 {
        let _ = store.sign_in(&format!("guess-{number}"), "guess", here(), at(0));
    }
    locked(store.sign_in("lin", PASSWORD, here(), at(0)).unwrap_err());
    let signs =
        |password: &str, asks: StaffId| store.verify_with("lin", &Secret::Password(password.to_owned()), asks, at(0));
    let (one, other) = (StaffId(8), StaffId(9));
    assert_eq!(signs(PASSWORD, one).unwrap(), LIN);
    // Who guesses waits wherever they are, and no one else does.
    for _ in 0..5 {
        assert!(matches!(signs("guess", one), Err(SignInRefused::Wrong)));
    }
    locked(signs(PASSWORD, one).unwrap_err());
    assert_eq!(signs(PASSWORD, other).unwrap(), LIN);
    assert!(store.failed_with(LIN, one, at(0)).unwrap() && !store.failed_with(LIN, other, at(0)).unwrap());
    assert!(store.sign_in("lin", PASSWORD, "10.0.0.9".parse().unwrap(), at(0)).is_ok(), "Lin signs in");
    assert!(store.unlock(LIN).unwrap());
    assert_eq!(signs(PASSWORD, one).unwrap(), LIN);
}

#[test]
fn sealed_codes_are_not_guessed_and_nobody_is_locked_out_elsewhere() {
    let store = with(Limits { code_failures_together: 30, ..limits() });
    let address = |number: u32| IpAddr::from(number.to_be_bytes());
    for number in 0..3 {
        for _ in 0..10 {
            store.tries_sealed_code(address(number), at(0)).unwrap();
        }
        locked(store.tries_sealed_code(address(number), at(0)).unwrap_err());
    }
    // So many were wrong everywhere that each further address has one attempt.
    for number in 10..20 {
        store.tries_sealed_code(address(number), at(0)).unwrap();
        locked(store.tries_sealed_code(address(number), at(0)).unwrap_err());
    }
    store.tries_sealed_code(address(0), at(16)).unwrap();
    store.sealed_code_was_right(address(0)).unwrap();
}

#[test]
fn a_password_that_another_person_chose_is_good_for_choosing_a_new_one() {
    let store = store();
    store.reset_password(LIN, "lin", "chosen by another").unwrap();
    let session = store.sign_in("lin", "chosen by another", here(), at(0)).unwrap();
    assert!(session.info.limited);
    assert!(store.session(session.token.text(), at(0)).unwrap().unwrap().limited);
    assert!(matches!(store.verify("lin", "chosen by another", here(), at(0)), Err(SignInRefused::MustChange)));
    store.change_password(session.token.text(), "chosen by another", PASSWORD, at(0)).unwrap();
    assert!(!store.session(session.token.text(), at(0)).unwrap().unwrap().limited);
    assert_eq!(store.verify("lin", PASSWORD, here(), at(0)).unwrap(), LIN);
    assert!(!sign_in(&store, at(0)).info.limited);
}

#[test]
fn one_login_has_one_form_however_it_is_typed() {
    let store = store();
    for typed in ["LIN", " lin", "ｌｉｎ", "lin\n"] {
        assert!(store.sign_in(typed, PASSWORD, here(), at(0)).is_ok(), "{typed:?}");
    }
    assert!(matches!(store.set_password(StaffId(4), "ＬＩＮ", PASSWORD), Err(PasswordRefused::LoginTaken)));
    assert!(matches!(store.set_password(StaffId(4), "li\u{200b}n", PASSWORD), Err(PasswordRefused::Login)));
}

#[test]
fn a_success_forgets_the_failures_of_the_login() {
    let store = store();
    for _ in 0..4 {
        fail(&store, 4, at(0));
        sign_in(&store, at(0));
    }
}

#[test]
fn failures_long_ago_do_not_count() {
    let store = store();
    fail(&store, 4, at(0));
    fail(&store, 4, at(15));
    sign_in(&store, at(15));
}

#[test]
fn an_address_is_limited_whatever_logins_it_tries() {
    let store = store();
    for number in 0..20 {
        let refused = store.sign_in(&format!("guess{number}"), "x", here(), at(0)).unwrap_err();
        assert!(matches!(refused, SignInRefused::Unknown), "{number}: {refused:?}");
    }
    assert_eq!(locked(store.sign_in("lin", PASSWORD, here(), at(1)).unwrap_err()), at(5));
    assert!(store.sign_in("lin", PASSWORD, "10.0.0.8".parse().unwrap(), at(1)).is_ok());
    sign_in(&store, at(5));
}

#[test]
fn a_success_does_not_clear_an_address_that_goes_on_guessing() {
    let store = store();
    for number in 0..19 {
        assert!(store.verify(&format!("guess{number}"), "x", here(), at(0)).is_err());
        sign_in(&store, at(0));
    }
    assert!(matches!(store.verify("guess", "x", here(), at(0)), Err(SignInRefused::Unknown)));
    locked(store.sign_in("lin", PASSWORD, here(), at(0)).unwrap_err());
}

#[test]
fn the_last_attempt_of_an_address_may_succeed_and_then_locks_nothing() {
    let store = store();
    for number in 0..19 {
        assert!(store.verify(&format!("guess{number}"), "x", here(), at(0)).is_err());
    }
    sign_in(&store, at(0));
    sign_in(&store, at(0));
}

#[test]
fn addresses_of_one_ipv6_network_are_one() {
    let store = store();
    for number in 0..20 {
        let address = format!("2001:db8::{number:x}").parse().unwrap();
        assert!(store.verify(&format!("guess{number}"), "x", address, at(0)).is_err());
    }
    locked(store.verify("lin", PASSWORD, "2001:db8::ffff".parse().unwrap(), at(0)).unwrap_err());
    assert!(store.verify("lin", PASSWORD, "2001:db8:0:1::1".parse().unwrap(), at(0)).is_ok());
}

#[test]
fn many_attempts_at_once_are_no_way_around_the_lock() {
    let store = Store::in_memory_with(Limits { work: Work::default(), address_failures: 1000, ..limits() }).unwrap();
    store.set_password(LIN, "lin", PASSWORD).unwrap();
    let looked_at: usize = std::thread::scope(|scope| {
        let attempts: Vec<_> = (0..30).map(|_| scope.spawn(|| store.verify("lin", "guess", here(), at(0)))).collect();
        attempts
            .into_iter()
            .map(|attempt| attempt.join().unwrap())
            .filter(|answer| matches!(answer, Err(SignInRefused::Wrong)))
            .count()
    });
    assert_eq!(looked_at, 5);
}

#[test]
fn the_second_person_is_known_by_password_and_failures_count_the_same_way() {
    let store = store();
    assert_eq!(store.verify("lin", PASSWORD, here(), at(0)).unwrap(), LIN);
    for _ in 0..3 {
        assert!(matches!(store.verify("lin", "wrong", here(), at(0)), Err(SignInRefused::Wrong)));
    }
    fail(&store, 2, at(0));
    locked(store.verify("lin", PASSWORD, here(), at(0)).unwrap_err());
}

#[test]
fn a_lock_survives_a_restart_and_a_clock_that_is_set_back_prolongs_none_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let store = Store::open_with(&path, limits()).unwrap();
    store.set_password(LIN, "lin", PASSWORD).unwrap();
    fail(&store, 5, at(0));
    drop(store);
    let store = Store::open_with(&path, limits()).unwrap();
    locked(store.sign_in("lin", PASSWORD, here(), at(0).after(14_000)).unwrap_err());
    // The clock goes back by an hour: no wait is prolonged by that.
    assert!(store.sign_in("lin", PASSWORD, here(), at(-60)).is_ok());
}

#[test]
fn passwords_that_are_refused_say_why() {
    let store = store();
    let refused = |login: &str, password: &str| store.set_password(StaffId(4), login, password).unwrap_err();
    assert!(matches!(refused("kim", "eleven char"), PasswordRefused::TooShort { minimum: 12 }));
    assert!(matches!(refused("kim", &"x".repeat(257)), PasswordRefused::TooLong { .. }));
    assert!(matches!(refused("kim.harris.jr", "Kim.Harris.Jr"), PasswordRefused::IsLogin));
    assert!(matches!(refused("kim", "Password1234!"), PasswordRefused::Common));
    assert!(matches!(refused("lin", PASSWORD), PasswordRefused::LoginTaken));
    assert!(matches!(refused("", PASSWORD), PasswordRefused::Login));
    assert!(matches!(refused("two words", PASSWORD), PasswordRefused::Login));
    // Characters count, not bytes.
    store.set_password(StaffId(4), "kim", "十二个字的很长的密码就够").unwrap();
}

#[test]
fn a_password_is_changed_with_the_old_one_and_other_sessions_end() {
    let store = store();
    let (own, other) = (sign_in(&store, at(0)), sign_in(&store, at(0)));
    let change = |old: &str, new: &str| store.change_password(own.token.text(), old, new, at(1));
    assert!(matches!(change("wrong", "another password"), Err(PasswordRefused::Old(SignInRefused::Wrong))));
    assert!(matches!(change(PASSWORD, PASSWORD), Err(PasswordRefused::Same)));
    assert!(matches!(change(PASSWORD, "short"), Err(PasswordRefused::TooShort { .. })));
    change(PASSWORD, "another password").unwrap();
    assert!(store.session(own.token.text(), at(1)).unwrap().is_some());
    assert!(store.session(other.token.text(), at(1)).unwrap().is_none());
    assert!(store.sign_in("lin", PASSWORD, here(), at(1)).is_err());
    assert!(store.sign_in("lin", "another password", here(), at(1)).is_ok());
    let stranger = store.change_password("no token", PASSWORD, "another password", at(1));
    assert!(matches!(stranger, Err(PasswordRefused::SignedOut)));
}

#[test]
fn a_password_set_anew_or_taken_away_ends_all_sessions() {
    let store = store();
    let session = sign_in(&store, at(0));
    store.set_password(LIN, "lin", "another password").unwrap();
    assert!(store.session(session.token.text(), at(0)).unwrap().is_none());
    let session = store.sign_in("lin", "another password", here(), at(0)).unwrap();
    store.remove_password(LIN).unwrap();
    assert!(store.session(session.token.text(), at(0)).unwrap().is_none());
    assert!(!store.has_password(LIN).unwrap());
    assert!(store.sign_in("lin", "another password", here(), at(0)).is_err());
}

// ---- sessions

#[test]
fn a_session_ends_thirty_minutes_after_its_last_use() {
    let store = store();
    let session = sign_in(&store, at(0));
    let alive = |minutes| store.session(session.token.text(), at(minutes)).unwrap();
    assert_eq!(session.info.expires, at(30));
    assert_eq!(alive(29).unwrap().expires, at(59));
    // Looking does not prolong it.
    assert!(store.peek_session(session.token.text(), at(58)).unwrap().is_some());
    assert!(alive(59).is_none());
}

#[test]
fn a_session_ends_twelve_hours_after_it_began_however_much_it_is_used() {
    let store = store();
    let session = sign_in(&store, at(0));
    for minutes in (0..720).step_by(20) {
        assert!(store.session(session.token.text(), at(minutes)).unwrap().is_some(), "{minutes}");
    }
    assert_eq!(store.session(session.token.text(), at(719)).unwrap().unwrap().expires, at(720));
    assert!(store.session(session.token.text(), at(720)).unwrap().is_none());
}

#[test]
fn uses_seconds_apart_prolong_a_session_too() {
    let store = store();
    let session = sign_in(&store, at(0));
    for second in 0..=40 {
        assert!(store.session(session.token.text(), at(0).after(second * 1000)).unwrap().is_some());
    }
    assert!(store.peek_session(session.token.text(), at(30).after(39_999)).unwrap().is_some());
    assert!(store.peek_session(session.token.text(), at(30).after(40_000)).unwrap().is_none());
}

#[test]
fn signing_out_ends_the_session_and_others_go_on_until_all_of_the_person_are_ended() {
    let store = store();
    let sessions = [sign_in(&store, at(0)), sign_in(&store, at(0)), sign_in(&store, at(0))];
    let alive = || sessions.iter().filter(|s| store.session(s.token.text(), at(1)).unwrap().is_some()).count();
    store.sign_out(sessions[0].token.text()).unwrap();
    assert_eq!(alive(), 2);
    assert_eq!(store.end_sessions_of(StaffId(99)).unwrap(), 0);
    assert_eq!(store.end_sessions_of(LIN).unwrap(), 2);
    assert_eq!(alive(), 0);
}

#[test]
fn a_person_has_so_many_sessions_and_the_oldest_ends() {
    let store = store();
    let sessions: Vec<Session> = (0..10).map(|minute| sign_in(&store, at(minute))).collect();
    let alive: Vec<bool> = sessions.iter().map(|s| store.session(s.token.text(), at(10)).unwrap().is_some()).collect();
    assert_eq!(alive, [vec![false; 2], vec![true; 8]].concat());
}

#[test]
fn it_is_known_who_is_signed_in() {
    let store = store();
    store.set_password(StaffId(4), "kim", PASSWORD).unwrap();
    sign_in(&store, at(0));
    store.sign_in("kim", PASSWORD, here(), at(10)).unwrap();
    let staff = |minutes| -> Vec<StaffId> {
        store.signed_in(at(minutes)).unwrap().into_iter().map(|session| session.staff).collect()
    };
    assert_eq!((staff(10), staff(30), staff(40)), (vec![LIN, StaffId(4)], vec![StaffId(4)], vec![]));
}

#[test]
fn sessions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let store = Store::open_with(&path, limits()).unwrap();
    store.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = sign_in(&store, at(0));
    drop(store);
    let store = Store::open_with(&path, limits()).unwrap();
    assert_eq!(store.session(session.token.text(), at(1)).unwrap().unwrap().staff, LIN);
}

#[test]
fn a_token_that_is_guessed_or_cut_opens_nothing() {
    let store = store();
    let session = sign_in(&store, at(0));
    let token = session.token.text();
    assert!(token.len() >= 43);
    for guess in ["", "x", &token[1..], &token.to_lowercase(), &format!("{token} "), &"x".repeat(1_000_000)] {
        assert!(store.session(guess, at(0)).unwrap().is_none());
    }
}

// ---- codes and keys

fn enrolled(store: &Store, holder: Holder) -> Key {
    let code = store.make_code(holder, at(0)).unwrap();
    let key = Key::new().unwrap();
    assert_eq!(enrol(store, code.text(), &key, here(), at(0)).unwrap(), holder);
    key
}

/// Without a certificate, as where none is asked for.
fn enrol(store: &Store, code: &str, key: &Key, address: IpAddr, now: Moment) -> Result<Holder, KeyRefused> {
    store.enrol(code, &key.public(), Shown::default(), address, now)
}

fn given(store: &Store, holder: Holder, now: Moment) -> Key {
    let key = Key::new().unwrap();
    store.give_key(holder, &key.public(), now).unwrap();
    key
}

fn proved(store: &Store, holder: Holder, key: &Key, now: Moment) -> Result<(), KeyRefused> {
    let nonce = store.nonce(now).unwrap();
    store.prove(holder, nonce.text(), &key.proof(holder, nonce.text()), Shown::default(), now)
}

#[test]
fn a_code_is_eight_letters_that_nobody_takes_for_others() {
    let store = store();
    for _ in 0..200 {
        let code = store.make_code(T7, at(0)).unwrap();
        let text = code.text();
        assert_eq!((text.len(), text.as_bytes()[4], code.expires), (9, b'-', at(15)));
        assert!(!text.contains(['0', 'O', '1', 'I', 'L']), "{text}");
    }
}

#[test]
fn a_code_enrols_once_and_is_read_as_people_type_it() {
    let store = store();
    let code = store.make_code(D7, at(0)).unwrap();
    let typed = format!(" {} ", code.text().to_lowercase().replace('-', " "));
    let key = Key::new().unwrap();
    assert_eq!(enrol(&store, &typed, &key, here(), at(14)).unwrap(), D7);
    proved(&store, D7, &key, at(14)).unwrap();
    assert!(matches!(enrol(&store, code.text(), &Key::new().unwrap(), here(), at(14)), Err(KeyRefused::Code)));
}

#[test]
fn a_code_ends_after_fifteen_minutes_and_when_another_is_made() {
    let store = store();
    let code = store.make_code(T7, at(0)).unwrap();
    assert!(matches!(enrol(&store, code.text(), &Key::new().unwrap(), here(), at(15)), Err(KeyRefused::Code)));
    let first = store.make_code(T7, at(20)).unwrap();
    let second = store.make_code(T7, at(20)).unwrap();
    assert!(matches!(enrol(&store, first.text(), &Key::new().unwrap(), here(), at(20)), Err(KeyRefused::Code)));
    assert!(enrol(&store, second.text(), &Key::new().unwrap(), here(), at(20)).is_ok());
}

#[test]
fn wrong_codes_are_limited_by_address_and_never_keep_out_a_fresh_one() {
    let store = store();
    let code = store.make_code(T7, at(0)).unwrap();
    for _ in 0..10 {
        assert!(matches!(enrol(&store, "ABCD-EFGH", &Key::new().unwrap(), here(), at(0)), Err(KeyRefused::Code)));
    }
    let refused = enrol(&store, code.text(), &Key::new().unwrap(), here(), at(1)).unwrap_err();
    assert!(matches!(refused, KeyRefused::TooManyAttempts { until } if until == at(15)), "{refused:?}");
    for number in 0..290_u32 {
        let address = IpAddr::from(number.to_be_bytes());
        assert!(
            matches!(enrol(&store, "not a code", &Key::new().unwrap(), address, at(2)), Err(KeyRefused::Code)),
            "{number}"
        );
    }
    let elsewhere = "10.0.0.8".parse().unwrap();
    assert!(enrol(&store, code.text(), &Key::new().unwrap(), elsewhere, at(2)).is_ok(), "nobody locks all enrolments");
    // While codes are tried from everywhere, one wrong code makes an address wait.
    let code = store.make_code(T7, at(3)).unwrap();
    for number in 0..20_u32 {
        let address = IpAddr::from((number + 1_000).to_be_bytes());
        assert!(matches!(enrol(&store, "ABCD-EFGH", &Key::new().unwrap(), address, at(3)), Err(KeyRefused::Code)));
        let again = enrol(&store, code.text(), &Key::new().unwrap(), address, at(3));
        assert!(matches!(again, Err(KeyRefused::TooManyAttempts { .. })), "{number}");
    }
    let code = store.make_code(T7, at(17)).unwrap();
    assert!(enrol(&store, code.text(), &Key::new().unwrap(), here(), at(17)).is_ok());
}

#[test]
fn a_key_is_proved_by_the_agreed_words() {
    use base64::Engine;
    use ring::signature::{Ed25519KeyPair, KeyPair};
    let store = store();
    let base64 = base64::engine::general_purpose::STANDARD;
    // As a terminal written by another vendor does it.
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let public = PublicKey::parse(Scheme::Ed25519, &base64.encode(pair.public_key().as_ref())).unwrap();
    store.give_key(T7, &public, at(0)).unwrap();
    let nonce = store.nonce(at(0)).unwrap();
    let words = format!("croupier:terminal:7:{}", nonce.text());
    let proof = base64.encode(pair.sign(words.as_bytes()).as_ref());
    let key = Key::parse(&base64.encode([7; 32])).unwrap();
    assert_eq!((&proof, &public), (&key.proof(T7, nonce.text()), &key.public()));
    store.prove(T7, nonce.text(), &proof, Shown::default(), at(0)).unwrap();
}

#[test]
fn a_key_of_p256_is_proved_as_browsers_sign() {
    use base64::Engine;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    let store = store();
    let random = ring::rand::SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
    let public = PublicKey::new(Scheme::P256, pair.public_key().as_ref()).unwrap();
    store.give_key(T7, &public, at(0)).unwrap();
    let sign = |words: String| {
        let signature = pair.sign(&random, words.as_bytes()).unwrap();
        base64::engine::general_purpose::STANDARD.encode(signature.as_ref())
    };
    let nonce = store.nonce(at(0)).unwrap();
    let proof = sign(format!("croupier:terminal:7:{}", nonce.text()));
    store.prove(T7, nonce.text(), &proof, Shown::default(), at(0)).unwrap();
    let nonce = store.nonce(at(0)).unwrap();
    let other = sign(format!("croupier:terminal:8:{}", nonce.text()));
    assert!(matches!(store.prove(T7, nonce.text(), &other, Shown::default(), at(0)), Err(KeyRefused::Proof)));
}

#[test]
fn a_key_enrolled_with_a_certificate_is_good_with_that_one_only() {
    let store = store();
    let key = Key::new().unwrap();
    let with = |certificate: Option<[u8; 32]>| Shown { certificate, asked: true };
    let code = store.make_code(T7, at(0)).unwrap();
    let none = store.enrol(code.text(), &key.public(), with(None), here(), at(0));
    assert!(matches!(none, Err(KeyRefused::Certificate)));
    store.enrol(code.text(), &key.public(), with(Some([1; 32])), here(), at(0)).unwrap();
    for (shown, good) in [(with(Some([1; 32])), true), (with(Some([2; 32])), false), (Shown::default(), false)] {
        let nonce = store.nonce(at(0)).unwrap();
        let proved = store.prove(T7, nonce.text(), &key.proof(T7, nonce.text()), shown, at(0));
        assert_eq!(proved.is_ok(), good, "{shown:?}");
    }
}

/// The tables of version 1, with a person, a session and a key that both sides had.
fn version_one(path: &Path) {
    let old = rusqlite::Connection::open(path).unwrap();
    old.execute_batch(
        "CREATE TABLE secret (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
         CREATE TABLE staff (staff INTEGER PRIMARY KEY, login TEXT NOT NULL UNIQUE, password TEXT NOT NULL) STRICT;
         CREATE TABLE session (hash BLOB PRIMARY KEY,
            staff INTEGER NOT NULL REFERENCES staff (staff) ON DELETE CASCADE,
            address TEXT NOT NULL, made INTEGER NOT NULL, seen INTEGER NOT NULL) STRICT;
         CREATE INDEX session_staff ON session (staff, made);
         CREATE TABLE attempt (kind TEXT NOT NULL, who TEXT NOT NULL, count INTEGER NOT NULL, since INTEGER NOT NULL,
            until INTEGER, PRIMARY KEY (kind, who)) STRICT;
         CREATE INDEX attempt_since ON attempt (since);
         CREATE TABLE code (kind TEXT NOT NULL, id INTEGER NOT NULL, hash BLOB NOT NULL UNIQUE,
            expires INTEGER NOT NULL, PRIMARY KEY (kind, id)) STRICT;
         CREATE TABLE key (kind TEXT NOT NULL, id INTEGER NOT NULL, bytes BLOB NOT NULL, made INTEGER NOT NULL,
            PRIMARY KEY (kind, id)) STRICT;
         INSERT INTO staff VALUES (3, 'ｌin', 'a hash');
         INSERT INTO attempt VALUES ('login', 'lin', 5, 0, 300000);
         PRAGMA user_version = 1;",
    )
    .unwrap();
    old.execute("INSERT INTO key VALUES ('terminal', 7, ?1, 0)", [[9_u8; 32]]).unwrap();
}

#[test]
fn a_store_of_version_1_is_brought_up_and_its_keys_are_good_until_the_next_enrolment() {
    use base64::Engine;
    use hmac::{Hmac, KeyInit, Mac};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    version_one(&path);
    drop(Store::open_with(&path, limits()).unwrap());
    let store = Store::open_with(&path, limits()).unwrap();
    assert_eq!(store.who_has("Lin").unwrap(), Some(LIN));
    let old = || {
        let nonce = store.nonce(at(0)).unwrap();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&[9; 32]).unwrap();
        mac.update(format!("croupier:terminal:7:{}", nonce.text()).as_bytes());
        let proof = base64::engine::general_purpose::STANDARD.encode(mac.finalize().into_bytes());
        store.prove(T7, nonce.text(), &proof, Shown::default(), at(0))
    };
    old().unwrap();
    let new = enrolled(&store, T7);
    assert!(matches!(old(), Err(KeyRefused::Proof)));
    proved(&store, T7, &new, at(0)).unwrap();
}

#[test]
fn a_nonce_that_was_answered_cannot_be_answered_again() {
    let store = store();
    let key = enrolled(&store, T7);
    let nonce = store.nonce(at(0)).unwrap();
    let proof = key.proof(T7, nonce.text());
    store.prove(T7, nonce.text(), &proof, Shown::default(), at(0)).unwrap();
    assert!(matches!(store.prove(T7, nonce.text(), &proof, Shown::default(), at(0)), Err(KeyRefused::Nonce)));
    // What a stranger answers badly uses up nothing.
    let nonce = store.nonce(at(0)).unwrap();
    assert!(matches!(store.prove(T7, nonce.text(), "AAAA", Shown::default(), at(0)), Err(KeyRefused::Proof)));
    store.prove(T7, nonce.text(), &key.proof(T7, nonce.text()), Shown::default(), at(0)).unwrap();
    // Nor can it be answered again as long as it lives, even if others were removed meanwhile.
    let late = at(0).after(29_000);
    store.prune(late).unwrap();
    assert!(matches!(
        store.prove(T7, nonce.text(), &key.proof(T7, nonce.text()), Shown::default(), late),
        Err(KeyRefused::Nonce)
    ));
}

#[test]
fn a_nonce_of_another_host_or_that_was_changed_is_not_answered() {
    let (store, other) = (store(), store());
    let key = enrolled(&store, T7);
    let foreign = other.nonce(at(0)).unwrap();
    let own = store.nonce(at(0)).unwrap();
    let changed = |from: char, to: char| own.text().replacen(from, &to.to_string(), 1);
    let first = own.text().chars().next().unwrap();
    let other_first = if first == 'A' { 'B' } else { 'A' };
    for nonce in [foreign.text().to_owned(), changed(first, other_first), format!("{}A", own.text()), String::new()] {
        let proof = key.proof(T7, &nonce);
        assert!(matches!(store.prove(T7, &nonce, &proof, Shown::default(), at(0)), Err(KeyRefused::Nonce)), "{nonce}");
    }
    // One that a connection made for itself is good on that connection only.
    let kept = Nonce::new().unwrap();
    let proof = key.proof(T7, kept.text());
    assert!(matches!(store.prove(T7, kept.text(), &proof, Shown::default(), at(0)), Err(KeyRefused::Nonce)));
    store.prove_own(T7, kept, &proof, Shown::default()).unwrap();
}

#[test]
fn a_nonce_lives_thirty_seconds_and_must_be_the_hosts_own() {
    let store = store();
    let key = enrolled(&store, T7);
    let nonce = store.nonce(at(0)).unwrap();
    let late = at(0).after(30_001);
    assert!(matches!(
        store.prove(T7, nonce.text(), &key.proof(T7, nonce.text()), Shown::default(), late),
        Err(KeyRefused::Nonce)
    ));
    assert!(matches!(
        store.prove(T7, "made up", &key.proof(T7, "made up"), Shown::default(), at(0)),
        Err(KeyRefused::Nonce)
    ));
}

#[test]
fn another_terminals_key_is_refused() {
    let store = store();
    let (seven, eight) = (enrolled(&store, T7), enrolled(&store, T8));
    assert!(seven != eight);
    assert!(matches!(proved(&store, T8, &seven, at(0)), Err(KeyRefused::Proof)));
    // Nor does a proof for oneself speak for another, or a terminal's for the device of the same number.
    let device = enrolled(&store, D7);
    for (holder, key, as_holder) in [(T7, &seven, T8), (T7, &seven, D7), (D7, &device, T7)] {
        let nonce = store.nonce(at(0)).unwrap();
        let proof = key.proof(holder, nonce.text());
        assert!(matches!(
            store.prove(as_holder, nonce.text(), &proof, Shown::default(), at(0)),
            Err(KeyRefused::Proof)
        ));
    }
    proved(&store, T7, &seven, at(0)).unwrap();
    proved(&store, D7, &device, at(0)).unwrap();
}

#[test]
fn a_proof_that_is_no_base64_of_32_bytes_is_refused() {
    let store = store();
    enrolled(&store, T7);
    for proof in ["", "%%%", "AAAA", &"A".repeat(44), &"A".repeat(1_000_000)] {
        let nonce = store.nonce(at(0)).unwrap();
        assert!(matches!(store.prove(T7, nonce.text(), proof, Shown::default(), at(0)), Err(KeyRefused::Proof)));
    }
}

#[test]
fn a_revoked_key_is_refused_with_its_tokens_and_codes() {
    let store = store();
    let key = enrolled(&store, T7);
    let nonce = store.nonce(at(0)).unwrap();
    let (token, _) =
        store.prove_for_token(T7, nonce.text(), &key.proof(T7, nonce.text()), Shown::default(), at(0)).unwrap();
    let code = store.make_code(T7, at(0)).unwrap();
    assert!(store.revoke(T7).unwrap());
    assert!(!store.revoke(T7).unwrap());
    assert!(matches!(proved(&store, T7, &key, at(0)), Err(KeyRefused::NoKey)));
    assert_eq!(store.bearer(token.text(), Shown::default(), at(0)), None);
    assert!(matches!(enrol(&store, code.text(), &Key::new().unwrap(), here(), at(0)), Err(KeyRefused::Code)));
    assert!(!store.has_key(T7).unwrap());
}

#[test]
fn a_new_key_replaces_the_old_one_when_the_code_is_used_and_not_before() {
    let store = store();
    let old = enrolled(&store, T7);
    let nonce = store.nonce(at(0)).unwrap();
    let (token, _) =
        store.prove_for_token(T7, nonce.text(), &old.proof(T7, nonce.text()), Shown::default(), at(0)).unwrap();
    let code = store.make_code(T7, at(0)).unwrap();
    proved(&store, T7, &old, at(0)).unwrap();
    let new = Key::new().unwrap();
    enrol(&store, code.text(), &new, here(), at(0)).unwrap();
    assert!(matches!(proved(&store, T7, &old, at(0)), Err(KeyRefused::Proof)));
    assert_eq!(store.bearer(token.text(), Shown::default(), at(0)), None);
    proved(&store, T7, &new, at(0)).unwrap();
}

#[test]
fn a_bearer_token_lives_an_hour_and_each_holder_has_four() {
    let store = store();
    let key = given(&store, T7, at(0));
    let other = given(&store, T8, at(0));
    let token = |holder, key: &Key| {
        let nonce = store.nonce(at(0)).unwrap();
        store.prove_for_token(holder, nonce.text(), &key.proof(holder, nonce.text()), Shown::default(), at(0)).unwrap()
    };
    let (eight, expires) = token(T8, &other);
    assert_eq!(expires, at(60));
    let tokens: Vec<Token> = (0..6).map(|_| token(T7, &key).0).collect();
    let known: Vec<bool> =
        tokens.iter().map(|token| store.bearer(token.text(), Shown::default(), at(59)) == Some(T7)).collect();
    assert_eq!(known, [false, false, true, true, true, true]);
    assert_eq!(store.bearer(eight.text(), Shown::default(), at(59)), Some(T8));
    assert_eq!(store.bearer(eight.text(), Shown::default(), at(60)), None);
    // No staff session comes of it, and no bearer token of a session.
    assert!(store.session(eight.text(), at(1)).unwrap().is_none());
    assert_eq!(store.bearer(sign_in(&store, at(0)).token.text(), Shown::default(), at(0)), None);
}

#[test]
fn keys_are_given_to_many_at_once_and_it_is_known_who_has_one() {
    let store = store();
    assert_eq!(store.holders().unwrap(), []);
    let old = given(&store, T7, at(0));
    let keys = [D7, T8, T7].map(|holder| (holder, Key::new().unwrap()));
    let public = keys.clone().map(|(holder, key)| (holder, key.public()));
    store.give_keys(&public, at(1)).unwrap();
    for (holder, key) in &keys {
        let holder = *holder;
        proved(&store, holder, key, at(1)).unwrap();
    }
    assert!(matches!(proved(&store, T7, &old, at(1)), Err(KeyRefused::Proof)));
    assert_eq!(store.holders().unwrap(), [(D7, at(1)), (T7, at(1)), (T8, at(1))]);
    store.revoke(T7).unwrap();
    assert_eq!(store.holders().unwrap(), [(D7, at(1)), (T8, at(1))]);
}

#[test]
fn keys_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let key = enrolled(&Store::open_with(&path, limits()).unwrap(), T7);
    let store = Store::open_with(&path, limits()).unwrap();
    proved(&store, T7, &key, at(0)).unwrap();
}

// ---- bounds, the file

#[test]
fn strangers_who_ask_for_nonces_push_out_nobodys_and_fill_no_memory() {
    let store = with(Limits { nonces_each: 3, ..limits() });
    let (key, other) = (enrolled(&store, T7), enrolled(&store, T8));
    let first = store.nonce(at(0)).unwrap();
    for _ in 0..70_000 {
        let nonce = store.nonce(at(0)).unwrap();
        assert!(store.prove(T7, nonce.text(), "AAAA", Shown::default(), at(0)).is_err());
    }
    assert_eq!(store.shortlived().0, 0, "nothing is kept");
    store.prove(T7, first.text(), &key.proof(T7, first.text()), Shown::default(), at(0)).unwrap();
    // A terminal that answers without end affects only itself.
    proved(&store, T7, &key, at(0)).unwrap();
    proved(&store, T7, &key, at(0)).unwrap();
    assert!(matches!(proved(&store, T7, &key, at(0)), Err(KeyRefused::Nonce)));
    proved(&store, T8, &other, at(0)).unwrap();
    assert_eq!(store.shortlived().0, 4);
    proved(&store, T7, &key, at(2)).unwrap();
}

#[test]
fn codes_that_wait_are_bounded() {
    let store = store();
    for id in 0..4096 {
        store.make_code(Holder::Terminal(TerminalId(id)), at(0)).unwrap();
    }
    assert!(matches!(store.make_code(D7, at(0)), Err(KeyRefused::TooManyCodes)));
    assert!(store.make_code(D7, at(15)).is_ok());
}

#[test]
fn attempts_remembered_are_bounded_and_the_newest_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    drop(Store::open_with(&path, limits()).unwrap());
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11999)
             INSERT INTO attempt SELECT 'login', 'guess' || i, 1, {} + i, NULL FROM n;",
            at(-1).0
        ))
        .unwrap();
    let store = Store::open_with(&path, limits()).unwrap();
    assert!(store.verify("newest", "x", here(), at(0)).is_err());
    let count = |filter: &str| -> i64 {
        database.query_row(&format!("SELECT count(*) FROM attempt {filter}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count(""), count("WHERE who = 'newest'")), (10_000, 1));
}

#[test]
fn what_has_expired_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let store = Store::open_with(&path, limits()).unwrap();
    store.set_password(LIN, "lin", PASSWORD).unwrap();
    let key = enrolled(&store, T8);
    let used = sign_in(&store, at(0));
    sign_in(&store, at(0));
    fail(&store, 5, at(1));
    store.make_code(T7, at(0)).unwrap();
    assert!(enrol(&store, "ABCD-EFGH", &Key::new().unwrap(), here(), at(0)).is_err());
    let nonce = store.nonce(at(0)).unwrap();
    store.prove_for_token(T8, nonce.text(), &key.proof(T8, nonce.text()), Shown::default(), at(0)).unwrap();
    let count = |table: &str| -> i64 {
        let database = rusqlite::Connection::open(&path).unwrap();
        database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    let counts = || (["session", "attempt", "code", "key"].map(count), store.shortlived());
    assert_eq!(counts(), ([2, 5, 1, 1], (1, 1)));
    store.prune(at(0)).unwrap();
    assert_eq!(counts(), ([2, 5, 1, 1], (1, 1)), "nothing has expired yet");
    // One session is used and stays.
    assert!(store.session(used.token.text(), at(20)).unwrap().is_some());
    store.prune(at(45)).unwrap();
    assert_eq!(counts(), ([1, 0, 0, 1], (0, 1)));
    store.prune(at(61)).unwrap();
    assert_eq!(counts(), ([0, 0, 0, 1], (0, 0)));
}

#[test]
fn the_ticket_secret_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let number = |store: &Store| TicketNumber::drawn("floor", 1).hash(&store.ticket_key());
    let first = number(&Store::open_with(&path, limits()).unwrap());
    assert_eq!(first, number(&Store::open_with(&path, limits()).unwrap()));
    assert_ne!(first, number(&Store::in_memory_with(limits()).unwrap()));
}

/// Every byte of the store's files.
fn bytes(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap();
    files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

#[test]
fn no_password_token_or_code_can_be_read_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let store = Store::open_with(&path, limits()).unwrap();
    store.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = sign_in(&store, at(0));
    store.change_password(session.token.text(), PASSWORD, "quite another word", at(0)).unwrap();
    assert!(store.verify("lin", "a guess of somebody", here(), at(0)).is_err());
    let used = store.make_code(T7, at(0)).unwrap();
    let key = Key::new().unwrap();
    enrol(&store, used.text(), &key, here(), at(0)).unwrap();
    let waiting = store.make_code(T8, at(0)).unwrap();
    let nonce = store.nonce(at(0)).unwrap();
    let (bearer, _) =
        store.prove_for_token(T7, nonce.text(), &key.proof(T7, nonce.text()), Shown::default(), at(0)).unwrap();
    let secrets = [
        PASSWORD.to_owned(),
        "quite another word".to_owned(),
        "a guess of somebody".to_owned(),
        session.token.text().to_owned(),
        bearer.text().to_owned(),
        used.text().to_owned(),
        used.text().replace('-', ""),
        waiting.text().to_owned(),
        waiting.text().replace('-', ""),
    ];
    let look = |bytes: &[u8]| {
        for secret in &secrets {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret} can be read");
        }
        // The test finds what is there.
        assert!(bytes.windows(8).any(|window| window == b"argon2id"));
    };
    look(&bytes(folder.path()));
    drop(store);
    look(&bytes(folder.path()));
}

#[test]
fn secrets_do_not_show_in_debug_output() {
    let store = store();
    let session = sign_in(&store, at(0));
    let code = store.make_code(T7, at(0)).unwrap();
    let key = Key::new().unwrap();
    enrol(&store, code.text(), &key, here(), at(0)).unwrap();
    let shown = format!("{session:?} {code:?} {key:?} {:?}", store.ticket_key());
    for secret in [session.token.text(), code.text(), &key.text()] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn only_the_owner_can_read_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let store = Store::open_with(&path, limits()).unwrap();
    store.set_password(LIN, "lin", PASSWORD).unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 2, "{files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600));
    // The permissions of a file that were opened are closed again.
    drop(store);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let _store = Store::open_with(&path, limits()).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_store_of_another_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    drop(Store::open_with(&path, limits()).unwrap());
    let database = rusqlite::Connection::open(&path).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Store::open_with(&path, limits()), Err(Error::Version { found: 99, expected: VERSION })));
    let kept: i64 = database.query_row("SELECT count(*) FROM secret", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 3);
}

#[test]
fn the_store_writes_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("credentials.db");
    let _store = Store::open_with(&path, limits()).unwrap();
    let database = rusqlite::Connection::open(&path).unwrap();
    let mode: String = database.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}
