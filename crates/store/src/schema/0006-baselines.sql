-- Version 6 of the shelf: results that a person gave a name, to hold later ones against.
CREATE TABLE baselines (
    name       TEXT PRIMARY KEY, -- what it is called
    session_id INTEGER NOT NULL REFERENCES sessions (id), -- the session; it cannot be deleted while it has this name
    number     INTEGER NOT NULL, -- the result in it; 0 for the whole session
    set_utc_ns INTEGER NOT NULL  -- when it got the name: nanoseconds since 1970 in UTC
) STRICT, WITHOUT ROWID;
