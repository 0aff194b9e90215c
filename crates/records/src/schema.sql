-- Where the records are, and whether they were closed in order. `journal` is the id of the journal they are made from,
-- `mark` a hash of its record at `sequence`, `large_cash` the amount from which cash is reported, `forgotten` the gaming day before which there is nothing any more.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    day_starts INTEGER NOT NULL,
    large_cash INTEGER NOT NULL,
    clean INTEGER NOT NULL,
    boot TEXT,
    journal BLOB,
    mark BLOB,
    forgotten TEXT
) STRICT;
INSERT INTO meta (one, sequence, at, day_starts, large_cash, clean) VALUES (1, 0, 0, 0, 0, 0);

-- The house. Moments are milliseconds since 1970, amounts are cents, everywhere.

CREATE TABLE rulebooks (
    rulebook INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    game TEXT NOT NULL,
    version TEXT NOT NULL,
    canonical TEXT NOT NULL
) STRICT;

CREATE TABLE spots (
    rulebook INTEGER NOT NULL,
    layout INTEGER NOT NULL,
    spot INTEGER NOT NULL,
    notation TEXT NOT NULL,
    paragraph TEXT NOT NULL,
    PRIMARY KEY (rulebook, layout, spot)
) STRICT, WITHOUT ROWID;

CREATE TABLE tables (
    table_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    mode TEXT NOT NULL,
    rulebook INTEGER NOT NULL,
    open INTEGER NOT NULL
) STRICT;

-- The last two columns are the meters up to which wagers are in the money table.
CREATE TABLE terminals (
    terminal INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    table_id INTEGER NOT NULL,
    layout INTEGER NOT NULL,
    wagers INTEGER NOT NULL,
    bets_returned INTEGER NOT NULL
) STRICT;

-- The terminal's own meters (S7, S11), and what is put aside for a ticket that is being printed.
CREATE TABLE meters (
    terminal INTEGER PRIMARY KEY,
    cash_in INTEGER NOT NULL,
    tickets_in INTEGER NOT NULL,
    attendant_in INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    bets_returned INTEGER NOT NULL,
    tickets_out INTEGER NOT NULL,
    attendant_out INTEGER NOT NULL,
    wagers INTEGER NOT NULL,
    corrections INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    prepared INTEGER NOT NULL
) STRICT;

-- The limits of a table, each set of them from the event that made it.
CREATE TABLE limits (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    table_id INTEGER NOT NULL,
    from_next_round INTEGER NOT NULL,
    minimum INTEGER NOT NULL,
    maximum INTEGER,
    step INTEGER NOT NULL,
    betting_period INTEGER NOT NULL,
    families TEXT NOT NULL,
    staff INTEGER,
    reason TEXT NOT NULL
) STRICT;
CREATE INDEX limits_of_table ON limits (table_id, sequence);

CREATE TABLE devices (
    device INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    table_id INTEGER,
    terminal INTEGER
) STRICT;

CREATE TABLE staff (
    staff INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    post TEXT NOT NULL,
    acting TEXT,
    active INTEGER NOT NULL
) STRICT;

CREATE TABLE shifts (
    shift INTEGER PRIMARY KEY,
    cashier INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    closed_at INTEGER,
    counted INTEGER,
    expected INTEGER
) STRICT;

-- Rounds.

CREATE TABLE rounds (
    round INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL,
    rulebook INTEGER NOT NULL,
    device INTEGER,
    first_sequence INTEGER NOT NULL,
    begun_at INTEGER NOT NULL,
    opened_at INTEGER,
    closed_at INTEGER,
    ended_at INTEGER,
    status TEXT NOT NULL,
    outcome TEXT,
    outcome_sorted TEXT,
    players INTEGER NOT NULL DEFAULT 0,
    staked INTEGER NOT NULL DEFAULT 0,
    returned INTEGER NOT NULL DEFAULT 0,
    void_by TEXT,
    paragraph TEXT,
    reason TEXT,
    staff INTEGER,
    witness INTEGER
) STRICT;
CREATE INDEX rounds_of_table ON rounds (table_id, round);
CREATE INDEX rounds_by_time ON rounds (begun_at);
CREATE INDEX rounds_by_outcome ON rounds (outcome_sorted) WHERE outcome_sorted IS NOT NULL;
CREATE INDEX rounds_by_status ON rounds (status) WHERE status <> 'settled';

-- `returned` is what the settlement or void returned, `entitled` what the bets return by the result as it stands.
CREATE TABLE settlements (
    round INTEGER NOT NULL,
    terminal INTEGER NOT NULL,
    visit INTEGER,
    layout INTEGER NOT NULL,
    staked INTEGER NOT NULL,
    returned INTEGER NOT NULL,
    entitled INTEGER NOT NULL,
    PRIMARY KEY (round, terminal)
) STRICT, WITHOUT ROWID;
CREATE INDEX settlements_of_terminal ON settlements (terminal, round);

CREATE TABLE bets (
    round INTEGER NOT NULL,
    terminal INTEGER NOT NULL,
    number INTEGER NOT NULL,
    spot INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    stake INTEGER NOT NULL,
    PRIMARY KEY (round, terminal, number)
) STRICT, WITHOUT ROWID;

-- Multi-piece bets: `bets.pieces` is their number, zero for a plain bet.
CREATE TABLE pieces (
    round INTEGER NOT NULL,
    terminal INTEGER NOT NULL,
    number INTEGER NOT NULL,
    bet TEXT NOT NULL,
    unit INTEGER NOT NULL,
    PRIMARY KEY (round, terminal, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE chip_shares (
    round INTEGER NOT NULL,
    position INTEGER NOT NULL,
    spot INTEGER NOT NULL,
    bet INTEGER NOT NULL,
    at_risk INTEGER NOT NULL,
    returned INTEGER NOT NULL,
    entitled INTEGER NOT NULL,
    PRIMARY KEY (round, position, spot)
) STRICT, WITHOUT ROWID;

-- Rounds that have left the list of recent ones, as the floor hashes them: what is needed to recall one (D24).
CREATE TABLE past_rounds (
    table_id INTEGER NOT NULL,
    leaf INTEGER NOT NULL,
    round INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    bytes BLOB,
    -- What its device read, which the hash does not prove.
    read BLOB NOT NULL,
    PRIMARY KEY (table_id, leaf)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_rounds_by_round ON past_rounds (round);

CREATE TABLE corrections (
    sequence INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    at INTEGER NOT NULL,
    was TEXT,
    outcome TEXT,
    void_by TEXT,
    paragraph TEXT,
    staff INTEGER NOT NULL,
    witness INTEGER,
    reason TEXT NOT NULL,
    record_was TEXT,
    record TEXT
) STRICT;
CREATE INDEX corrections_of_round ON corrections (round);

CREATE TABLE adjustments (
    sequence INTEGER NOT NULL,
    number INTEGER NOT NULL,
    terminal INTEGER,
    position INTEGER,
    was INTEGER NOT NULL,
    entitled INTEGER NOT NULL,
    credited INTEGER NOT NULL,
    payable INTEGER NOT NULL,
    unpaid INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    uncollected INTEGER NOT NULL,
    PRIMARY KEY (sequence, number)
) STRICT, WITHOUT ROWID;

-- Bet changes and acknowledged closes, see changes.rs. One list once the round has ended.
CREATE TABLE changes (
    round INTEGER NOT NULL,
    first INTEGER NOT NULL,
    lines BLOB NOT NULL,
    PRIMARY KEY (round, first)
) STRICT, WITHOUT ROWID;

-- Everything else that happened in a round, and every significant event (then it has a kind).
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT,
    code TEXT NOT NULL,
    table_id INTEGER,
    round INTEGER,
    terminal INTEGER,
    device INTEGER,
    staff INTEGER,
    words TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_round ON events (round, sequence) WHERE round IS NOT NULL;
CREATE INDEX events_by_kind ON events (kind, sequence) WHERE kind IS NOT NULL;
CREATE INDEX events_by_time ON events (at) WHERE kind IS NOT NULL;

CREATE TABLE alerts (
    alert INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    code TEXT NOT NULL,
    table_id INTEGER,
    words TEXT NOT NULL,
    acknowledged_at INTEGER,
    acknowledged_by INTEGER
) STRICT;
CREATE INDEX alerts_open ON alerts (alert) WHERE acknowledged_at IS NULL;

-- Money. The visit is the one whose credit moved.

CREATE TABLE money (
    number INTEGER PRIMARY KEY,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    amount INTEGER NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    terminal INTEGER,
    shift INTEGER,
    table_id INTEGER,
    round INTEGER,
    ticket INTEGER,
    staff INTEGER,
    visit INTEGER
) STRICT;
CREATE INDEX money_of_terminal ON money (terminal, number) WHERE terminal IS NOT NULL;
CREATE INDEX money_of_visit ON money (visit, number) WHERE visit IS NOT NULL;
CREATE INDEX money_of_shift ON money (shift, number) WHERE shift IS NOT NULL;

CREATE TABLE tickets (
    ticket INTEGER PRIMARY KEY,
    amount INTEGER NOT NULL,
    state TEXT NOT NULL,
    terminal INTEGER,
    shift INTEGER,
    prepared_at INTEGER,
    issued_at INTEGER,
    expires_at INTEGER,
    reprints INTEGER NOT NULL DEFAULT 0,
    closed_at INTEGER,
    closed_terminal INTEGER,
    closed_shift INTEGER,
    duplicate_of INTEGER
) STRICT;
CREATE INDEX tickets_by_state ON tickets (state, ticket);

-- What was counted and signed for at the cage and at live tables: each can be printed again. `held` is what the drawer, the
-- tray or the box should have held before it, `counts` is "denomination:pieces …" in cents.
CREATE TABLE slips (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    shift INTEGER,
    to_shift INTEGER,
    table_id INTEGER,
    amount INTEGER NOT NULL,
    held INTEGER,
    difference INTEGER,
    counts TEXT NOT NULL,
    reason TEXT,
    staff INTEGER,
    second INTEGER
) STRICT;
CREATE INDEX slips_by_time ON slips (at);
CREATE INDEX slips_of_shift ON slips (shift) WHERE shift IS NOT NULL;

CREATE TABLE day_totals (
    day TEXT NOT NULL,
    table_id INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    void INTEGER NOT NULL,
    corrected INTEGER NOT NULL,
    turnover INTEGER NOT NULL,
    win INTEGER NOT NULL,
    corrections INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    PRIMARY KEY (day, table_id)
) STRICT, WITHOUT ROWID;

-- For people with a SQL prompt: every bet in the notation.
CREATE VIEW bets_in_notation AS
SELECT b.round, b.terminal, s.visit, n.notation AS spot, p.bet AS pieces, b.stake
FROM bets b
JOIN settlements s USING (round, terminal)
JOIN rounds r USING (round)
JOIN spots n ON n.rulebook = r.rulebook AND n.layout = s.layout AND n.spot = b.spot
LEFT JOIN pieces p ON p.round = b.round AND p.terminal = b.terminal AND p.number = b.pieces;

-- Who moved what, alone or with a second person (D27), and what the audit of people found.
CREATE TABLE moved (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    act TEXT NOT NULL,
    amount INTEGER NOT NULL,
    staff INTEGER NOT NULL,
    second INTEGER,
    visit INTEGER
) STRICT;
CREATE INDEX moved_by_time ON moved (at);

-- When a tumbler, a wheel or its reading was out of service, and who took it out and put it back.
CREATE TABLE out_of_service (
    sequence INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    function TEXT NOT NULL,
    table_id INTEGER,
    at INTEGER NOT NULL,
    staff INTEGER NOT NULL,
    witness INTEGER NOT NULL,
    reason TEXT NOT NULL,
    back_at INTEGER,
    back_staff INTEGER,
    back_witness INTEGER
) STRICT;
CREATE INDEX out_of_service_by_device ON out_of_service (device, function);

CREATE TABLE findings (
    sequence INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    code TEXT NOT NULL,
    staff INTEGER,
    words TEXT NOT NULL,
    PRIMARY KEY (sequence, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX findings_by_time ON findings (at);

-- Cash of a visit in a gaming day: notes, tickets and hand pays.
CREATE TABLE visit_cash (
    day TEXT NOT NULL,
    visit INTEGER NOT NULL,
    terminal INTEGER NOT NULL,
    notes_in INTEGER NOT NULL DEFAULT 0,
    tickets_in INTEGER NOT NULL DEFAULT 0,
    attendant_in INTEGER NOT NULL DEFAULT 0,
    tickets_out INTEGER NOT NULL DEFAULT 0,
    hand_pays INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, visit)
) STRICT, WITHOUT ROWID;
