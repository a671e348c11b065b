-- Version 7 of the shelf: steps of work with files (`fathom files`, `fathom dd`). Each is a line of `headlines` with origin
-- 'measured' and engine 'files'; its record is here and not in `runs`.
CREATE TABLE files (
    headline_id   INTEGER PRIMARY KEY REFERENCES headlines (id) ON DELETE CASCADE, -- headlines.id
    document_json TEXT NOT NULL -- the whole record: the machine, what was asked, and what each thread counted
) STRICT;
