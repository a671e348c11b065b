-- Version 9 of the shelf: summaries, small copies of what `fathom list` and `fathom table` print, so that neither reads
-- anything else. They follow from the other tables; where one is damaged, those are read. `results` does not use them.
CREATE TABLE session_summaries (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE, -- sessions.id
    summary    BLOB NOT NULL -- form in src/summary.rs
) STRICT;

CREATE TABLE result_summaries (
    session_id INTEGER NOT NULL, -- headlines.session_id
    number     INTEGER NOT NULL, -- headlines.number
    summary    BLOB NOT NULL, -- form in src/summary.rs
    PRIMARY KEY (session_id, number),
    FOREIGN KEY (session_id, number) REFERENCES headlines (session_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX tags_by_tag ON tags (tag);
-- How many sessions there are can be counted in this without reading them.
CREATE INDEX sessions_by_kind ON sessions (kind);
