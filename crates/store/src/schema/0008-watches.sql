-- Version 8 of the shelf: what was seen of a device while somebody watched it (`fathom watch --record`). Each is a line of
-- `headlines` with origin 'measured' and engine 'watch'; its record is here and not in `runs`.
CREATE TABLE watches (
    headline_id   INTEGER PRIMARY KEY REFERENCES headlines (id) ON DELETE CASCADE, -- headlines.id
    document_json TEXT NOT NULL -- the whole record: the machine, the device, and what it did in each moment
) STRICT;
