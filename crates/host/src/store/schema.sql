CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE staff (
    staff    INTEGER PRIMARY KEY,
    login    TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL
) STRICT;

CREATE TABLE session (
    hash    BLOB PRIMARY KEY,
    staff   INTEGER NOT NULL REFERENCES staff (staff) ON DELETE CASCADE,
    address TEXT NOT NULL,
    made    INTEGER NOT NULL,
    seen    INTEGER NOT NULL
) STRICT;
CREATE INDEX session_staff ON session (staff, made);

-- Attempts that failed, or are being looked at: by login, by address, and for codes.
CREATE TABLE attempt (
    kind  TEXT NOT NULL,
    who   TEXT NOT NULL,
    count INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    PRIMARY KEY (kind, who)
) STRICT;
CREATE INDEX attempt_since ON attempt (since);

CREATE TABLE code (
    kind    TEXT NOT NULL,
    id      INTEGER NOT NULL,
    hash    BLOB NOT NULL UNIQUE,
    expires INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT;

CREATE TABLE key (
    kind  TEXT NOT NULL,
    id    INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    made  INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT;
