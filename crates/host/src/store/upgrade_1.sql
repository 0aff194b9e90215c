-- From version 1 of the tables to version 2.
ALTER TABLE staff ADD COLUMN must_change INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN limited INTEGER NOT NULL DEFAULT 0;
ALTER TABLE key ADD COLUMN scheme TEXT NOT NULL DEFAULT 'hmac';
ALTER TABLE key ADD COLUMN certificate BLOB;
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
-- A lock of an earlier version held everywhere.
DELETE FROM attempt WHERE kind = 'login';
