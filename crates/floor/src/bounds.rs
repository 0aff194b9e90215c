//! Bounds on everything that can grow, each with a refusal of its own.

/// Programs approved before they are started.
pub const APPROVED: usize = 16;
/// Tables on a floor.
pub const TABLES: usize = 1_000;
/// Terminals on a floor.
pub const TERMINALS: usize = 200_000;
/// Devices on a floor.
pub const DEVICES: usize = 10_000;
/// People employed on a floor.
pub const STAFF: usize = 20_000;
/// Rulebooks installed on a floor.
pub const RULEBOOKS: usize = 64;
/// Bytes of an installed rulebook.
pub const RULEBOOK_BYTES: usize = 256 * 1024;
/// Characters of a name.
pub const NAME: usize = 64;
/// Characters of a reason or note.
pub const REASON: usize = 1_000;
/// Stakes a terminal may have in one round: every spot of the largest layout, and pieces besides.
pub const STAKES: usize = 400;
/// Multi-piece bets a terminal may have in one round.
pub const GROUPS: usize = 40;
/// Changes in one command.
pub const CHANGES: usize = 200;
/// The largest amount of one command or limit: ten million dollars.
pub const AMOUNT: i64 = 1_000_000_000;
/// The largest credit of a terminal: a hundred million dollars.
pub const CREDIT: i64 = 10_000_000_000;
/// Results kept for the displays of a table.
pub const HISTORY: usize = 200;
/// Settled rounds of a table that can still be corrected or voided.
pub const CORRECTABLE: usize = 32;
/// Milliseconds that a stoppage within the grace may last at most (D6).
pub const GRACE: i64 = 60_000;
/// Rounds voided by one command.
pub const VOIDED: usize = 32;
/// Terminals in one event of a correction or void. If a command has more, they come in parts of this size, so that each
/// event stays below 512 KiB and the final events fit into one batch.
pub const ADJUSTED: usize = 8_000;
/// Tickets that expire in one command, for the same reason; the host asks again for the rest.
pub const EXPIRED: usize = 20_000;
/// Alerts of one class that have a line of their own. Beyond it there is room for a first alert of each table, terminal and
/// device, and for one of each kind at each table: further ones take the place of the last of their kind, with a count. What
/// is refused at the doors is one line with a count: nothing that a stranger does takes room from the rest.
pub const ALERTS: usize = 500;
/// Of these about one table: further ones of the same kind take the place of the last, which names the latest round.
pub const ALERTS_EACH: usize = 25;
/// How far a sender's number may be ahead of its last one, or, in microseconds, of the clock.
pub const NUMBER_AHEAD: u64 = 1_000_000;
/// A day in microseconds: how far a number may be ahead of the clock.
pub const NUMBER_AHEAD_OF_CLOCK: u64 = 86_400_000_000;
/// Players' positions at a live table.
pub const POSITIONS: u8 = 64;
/// Tumbles or spins after the first one whose readings are kept in one round.
pub const TUMBLES: usize = 4;
/// Failures reported in one round that are kept for the console.
pub const FAILED: usize = 8;
/// Chips recorded on a live table in one round.
pub const CHIPS: usize = 2_000;
/// Milliseconds after the close in which what stood on a live layout may still be recorded, unless the table has a period of
/// its own (D20).
pub const RECORDING: i64 = 20_000;
/// Past rounds of a table that are recalled at once (D24).
pub const RECALLED: usize = 512;
/// Bytes of what a device read of a past round.
pub const READ_OF_PAST: usize = 1024;
/// Rounds corrected or voided by one act.
pub const RANGE: usize = 512;
/// Rounds of a live table that one act changes with whole events; of more, what they pay and claim comes in parts.
pub const LIVE_RANGE: usize = 64;
/// Milliseconds after which past rounds that were recalled are put back, if the host has not done so.
pub const RECALLED_FOR: i64 = 15 * 60 * 1000;
/// Calls for a second person that wait (D28).
pub const CALLS: usize = 1_000;
/// Those of one person.
pub const CALLS_OF_ONE: usize = 4;
/// How many times the floor's threshold one person moves alone (D28) before another has countersigned.
pub const ALONE_TIMES: i64 = 10;
/// Milliseconds within which a second person who was called has to come (D28).
pub const SECOND_PERSON_WITHIN: i64 = 15 * 60 * 1000;
/// Milliseconds after which a call lapses.
pub const CALL_STANDS: i64 = 60 * 60 * 1000;
/// Milliseconds in which nothing can have been tumbled or spun after a round began: what is reported then without a beginning
/// may be about the round before (D19).
pub const TUMBLE_TAKES: i64 = 500;
/// Tables a player at one terminal may choose from (D29).
pub const CHOICES: usize = 64;
/// Answers kept for each sender.
pub const ANSWERS: usize = 32;
/// Terminals in one part of a settlement, so that a batch stays well below 512 KiB.
pub const PART: usize = 16_384;
/// Tickets that have neither been redeemed nor expired.
pub const TICKETS: usize = 1_000_000;
/// Milliseconds after which a live terminal that has not acknowledged the close counts as lost (D12).
pub const ACKNOWLEDGE_WITHIN: i64 = 2_000;
/// Milliseconds after which the pit is alerted about a ticket whose printer has not reported (D25).
pub const REPORT_WITHIN: i64 = 30_000;
/// Wrong ticket numbers that may be tried at one place before it has to wait, and for how long in milliseconds.
pub const WRONG_TICKETS: u16 = 5;
/// Mistyped ticket numbers, whose check digits are wrong, that may be tried there.
pub const MISTYPED: u16 = 20;
/// Milliseconds that a place waits after too many wrong ticket numbers.
pub const WRONG_TICKETS_FOR: i64 = 10 * 60 * 1000;
/// Denominations in one count.
pub const PILES: usize = 32;
/// Times that one drawer is counted before it is closed.
pub const COUNTS: u16 = 3;
/// Sealed codes of a floor.
pub const SEALED: usize = 16;
/// Milliseconds for which an opened code stands for a second person.
pub const SEALED_FOR: i64 = 15 * 60 * 1000;

/// How many people one administrator dismisses alone in a gaming day, all together (D27).
pub const DISMISSED_ALONE: u32 = 3;
