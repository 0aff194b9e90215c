CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE staff (
    staff       INTEGER PRIMARY KEY,
    login       TEXT NOT NULL UNIQUE,
    password    TEXT NOT NULL,
    -- The password was chosen by another person: it opens nothing until its owner has changed it.
    must_change INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE session (
    hash    BLOB PRIMARY KEY,
    staff   INTEGER NOT NULL REFERENCES staff (staff) ON DELETE CASCADE,
    address TEXT NOT NULL,
    made    INTEGER NOT NULL,
    seen    INTEGER NOT NULL,
    -- Good for changing the password and nothing else.
    limited INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_staff ON session (staff, made);

-- Public keys of passkeys.
CREATE TABLE passkey (
    id     BLOB PRIMARY KEY,
    staff  INTEGER NOT NULL REFERENCES staff (staff) ON DELETE CASCADE,
    name   TEXT NOT NULL,
    scheme TEXT NOT NULL,
    bytes  BLOB NOT NULL,
    count  INTEGER NOT NULL,
    made   INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_staff ON passkey (staff, made);

-- Attempts that failed, or are being looked at: by login, by login and address, by address, and for codes.
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

-- Public keys; of scheme 'hmac', secrets that an earlier version gave out.
CREATE TABLE key (
    kind        TEXT NOT NULL,
    id          INTEGER NOT NULL,
    bytes       BLOB NOT NULL,
    made        INTEGER NOT NULL,
    scheme      TEXT NOT NULL DEFAULT 'hmac',
    -- The SHA-256 hash of the client certificate that must be shown with it.
    certificate BLOB,
    PRIMARY KEY (kind, id)
) STRICT;
