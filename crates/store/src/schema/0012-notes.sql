-- Version 12 of the database: what people add to sessions and results, among it the hints that findings are judged by.
CREATE TABLE notes (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, -- the session
    number     INTEGER NOT NULL, -- the result in it; 0 for the whole session
    field      TEXT NOT NULL,    -- name of the option of `fathom note` that gives it: medium, cap-iops, comment
    value      TEXT NOT NULL,    -- as it was given
    PRIMARY KEY (session_id, number, field)
) STRICT, WITHOUT ROWID;
