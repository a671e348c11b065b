-- Version 13 of the database: the answer of each session's report, so that lists show it without reading results. It follows
-- from the results; without it a list lacks a verdict, and nothing else.
CREATE TABLE answers (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE, -- the session
    answer     BLOB NOT NULL -- validity, headline and device, with a checksum: see answers.rs
) STRICT;
