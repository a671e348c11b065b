-- Version 1 of the shelf: sessions, their runs, and everything that was counted.
--
-- Written for a person with the sqlite3 program as much as for fathom. Start with the view `run_overview` at
-- the end of this file. Units stand in the names: _ns nanoseconds, _bytes bytes, _percent whole percent.
-- Columns that end in _json hold one JSON document each; `->` and `->>` look into them.
-- Never edited once released: a change is a new file with the next number.

-- One command that ran something: `fathom run` or `fathom survey`.
CREATE TABLE sessions (
    id             INTEGER PRIMARY KEY AUTOINCREMENT, -- what a person says: `fathom show 12`; never used twice
    kind           TEXT NOT NULL CHECK (kind IN ('run', 'survey')), -- which command: `fathom run` or `fathom survey`
    started_utc_ns INTEGER NOT NULL,                  -- nanoseconds since 1970 in UTC
    command_json   TEXT NOT NULL,                     -- list of words as they were given, program name first
    tool_version   TEXT NOT NULL,                     -- version of fathom
    target         TEXT NOT NULL,                     -- what was measured, as it was given
    outcome        TEXT CHECK (outcome IN ('complete', 'interrupted', 'failed')), -- NULL: cut short, never finished
    context        TEXT                               -- JSON: what its report says beside its runs; NULL where nothing
) STRICT;

-- One execution of one plan. The headline columns are for queries by hand; the documents and the tables
-- below are the whole record.
CREATE TABLE runs (
    id                INTEGER PRIMARY KEY, -- for joins only
    session_id        INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, -- the session that it belongs to
    number            INTEGER NOT NULL CHECK (number >= 1), -- within its session: run 3 of session 12 is called 12.3
    label             TEXT NOT NULL,    -- what the run was for: '4K random read'
    started_utc_ns    INTEGER NOT NULL, -- start of the warm-up: nanoseconds since 1970 in UTC
    outcome           TEXT NOT NULL CHECK (outcome IN ('complete', 'interrupted', 'failed')), -- how it ended
    backend           TEXT NOT NULL,    -- what moved the bytes: 'io_uring', 'sync', 'null'
    -- Headline: of the plan. NULL where the targets of one run differ.
    block_bytes       INTEGER,          -- bytes of one I/O
    queue_depth       INTEGER,          -- most I/Os outstanding per thread
    threads           INTEGER NOT NULL, -- of all targets together
    write_percent     INTEGER,          -- share of I/Os that are writes, 0 to 100
    access            TEXT,             -- 'random' or 'sequential'
    -- Headline: of the measured phase, over all threads and operations.
    ios               INTEGER NOT NULL, -- I/Os completed without error
    bytes             INTEGER NOT NULL, -- bytes that they moved
    errors            INTEGER NOT NULL, -- I/Os that failed
    measured_ns       INTEGER NOT NULL, -- length of the measured phase: what a rate is divided by
    -- When the phases really began and ended, counted from the start of the warm-up.
    measured_from_ns  INTEGER NOT NULL, -- counting began
    measured_to_ns    INTEGER NOT NULL, -- counting ended
    drained_ns        INTEGER NOT NULL, -- the last completion was found
    -- Documents.
    tool_version      TEXT NOT NULL,    -- version of fathom
    command_json      TEXT NOT NULL,    -- list of words as they were given, program name first
    plan_json         TEXT NOT NULL,    -- the checked plan
    host_json         TEXT NOT NULL,    -- facts of the machine before the run
    engine_json       TEXT NOT NULL,    -- backend, features, notes, clock
    window_json       TEXT NOT NULL,    -- the kernel's counters around the measured phase
    lifetime_json     TEXT NOT NULL,    -- the kernel's counters around all phases and the drain
    outcome_json      TEXT NOT NULL,    -- how it ended; of a failed run, the I/O that ended it
    UNIQUE (session_id, number)
) STRICT;

-- The targets of a run, in the plan's order, as they stood before it.
CREATE TABLE targets (
    run_id     INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, -- runs.id
    target     INTEGER NOT NULL, -- place in the plan, from 0
    path       TEXT NOT NULL,    -- as it was given
    size_bytes INTEGER NOT NULL, -- its size; the device's capacity
    facts_json TEXT NOT NULL,    -- all facts: kind, alignment, file system, chain of devices, claims, content
    PRIMARY KEY (run_id, target)
) STRICT;

-- The threads of a run. Each serves one target.
CREATE TABLE threads (
    run_id    INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, -- runs.id
    place     INTEGER NOT NULL, -- order in the record, from 0
    thread    INTEGER NOT NULL, -- number over the whole plan
    target    INTEGER NOT NULL, -- place of its target in the plan, from 0
    abandoned INTEGER NOT NULL, -- I/Os in flight when the drain gave up: the device never answered
    PRIMARY KEY (run_id, place)
) STRICT;

-- What one thread did by one operation.
CREATE TABLE tallies (
    run_id          INTEGER NOT NULL, -- runs.id
    place           INTEGER NOT NULL, -- of its thread
    operation       TEXT NOT NULL CHECK (operation IN ('read', 'write')), -- which
    ios             INTEGER NOT NULL, -- I/Os completed without error in the measured phase
    bytes           INTEGER NOT NULL, -- bytes moved by `ios`
    short_ios       INTEGER NOT NULL, -- of `ios`, how many moved fewer bytes than asked
    latency_mean_ns REAL,             -- exact mean of `latency`, for queries; NULL without I/Os
    lifetime_ios    INTEGER NOT NULL, -- I/Os completed in all phases and the drain, failed ones included
    lifetime_bytes  INTEGER NOT NULL, -- bytes moved in all phases and the drain
    latency         BLOB NOT NULL,    -- histogram of nanoseconds; form in src/blob.rs
    intervals       BLOB NOT NULL,    -- time series in steps of the plan's interval; form in src/blob.rs
    PRIMARY KEY (run_id, place, operation),
    FOREIGN KEY (run_id, place) REFERENCES threads (run_id, place) ON DELETE CASCADE
) STRICT;

-- Failed I/Os of the measured phase.
CREATE TABLE errors (
    run_id    INTEGER NOT NULL, -- runs.id
    place     INTEGER NOT NULL, -- of its thread
    operation TEXT NOT NULL,    -- 'read' or 'write'
    rank      INTEGER NOT NULL, -- order in the record, from 0
    errno     INTEGER NOT NULL, -- as the kernel numbers it
    count     INTEGER NOT NULL, -- how many I/Os ended with it
    PRIMARY KEY (run_id, place, operation, rank),
    FOREIGN KEY (run_id, place, operation) REFERENCES tallies (run_id, place, operation) ON DELETE CASCADE
) STRICT;

-- One line a run, in the units people think in. For example:
--   SELECT run, label, queue_depth, ios_per_s FROM run_overview WHERE target = 'fathom.dat' ORDER BY started_utc;
CREATE VIEW run_overview AS
SELECT
    s.id || '.' || r.number AS run,                                             -- the name: `fathom show 12.3`
    strftime('%Y-%m-%dT%H:%M:%SZ', r.started_utc_ns / 1000000000, 'unixepoch') AS started_utc, -- ISO 8601
    s.kind,                                                                     -- 'run' or 'survey'
    s.target,                                                                   -- as it was given
    r.label,
    r.block_bytes,
    r.queue_depth,
    r.threads,
    r.write_percent,
    r.access,
    r.backend,
    r.ios,
    r.errors,
    r.measured_ns / 1e9 AS measured_s,                                          -- seconds
    r.ios * 1e9 / nullif(r.measured_ns, 0) AS ios_per_s,                        -- I/Os a second
    r.bytes * 1e9 / nullif(r.measured_ns, 0) / 1048576 AS mib_per_s,            -- MiB a second
    (SELECT sum(t.latency_mean_ns * t.ios) / sum(t.ios) / 1e3
       FROM tallies t WHERE t.run_id = r.id AND t.ios > 0) AS latency_mean_us,  -- microseconds
    r.outcome
FROM runs r
JOIN sessions s ON s.id = r.session_id;
