-- Version 4 of the shelf: every result is one line of `headlines`, whether fathom measured it, read it from another
-- tool's output, or has none. Start with the view `results` at the end of this file; docs/results-database.md explains its columns.
--
-- Runs of older versions get their lines when the file is brought up to date. `runs` and what hangs on it stay as they
-- were: the whole record. Its headline columns and the view `run_overview` stay for queries of old.

-- Sessions of more kinds than two, with what a sweep finds its own by.
CREATE TABLE sessions_4 (
    id             INTEGER PRIMARY KEY AUTOINCREMENT, -- what a person says: `fathom show 12`; never used twice
    kind           TEXT NOT NULL,                     -- which command: 'run', 'survey', 'sweep', 'import'
    started_utc_ns INTEGER NOT NULL,                  -- nanoseconds since 1970 in UTC
    command_json   TEXT NOT NULL,                     -- list of words as they were given, program name first
    tool_version   TEXT NOT NULL,                     -- version of fathom
    target         TEXT NOT NULL,                     -- what was measured, as it was given
    outcome        TEXT CHECK (outcome IN ('complete', 'interrupted', 'failed')), -- NULL: cut short, never finished
    context        TEXT,                              -- JSON: what its report says beside its runs; NULL where nothing
    fingerprint    TEXT,                              -- of a sweep: the same for the same matrix on the same target
    results        INTEGER NOT NULL DEFAULT 0,        -- how many lines it has in `headlines`
    crc            INTEGER                            -- CRC-32 of this row; form in src/seal.rs
) STRICT;
INSERT INTO sessions_4 (id, kind, started_utc_ns, command_json, tool_version, target, outcome, context)
SELECT id, kind, started_utc_ns, command_json, tool_version, target, outcome, context FROM sessions;
DELETE FROM sqlite_sequence WHERE name = 'sessions_4';
INSERT INTO sqlite_sequence (name, seq) SELECT 'sessions_4', seq FROM sqlite_sequence WHERE name = 'sessions';
DROP VIEW run_overview;
DROP TABLE sessions;
ALTER TABLE sessions_4 RENAME TO sessions;
CREATE INDEX sessions_by_fingerprint ON sessions (fingerprint) WHERE fingerprint IS NOT NULL;

-- One line a result. NULL: not known, or the targets of one run differ in it.
CREATE TABLE headlines (
    id             INTEGER PRIMARY KEY, -- for joins only
    session_id     INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, -- the session that it belongs to
    number         INTEGER NOT NULL CHECK (number >= 1), -- within its session: result 3 of session 12 is called 12.3
    origin         TEXT NOT NULL CHECK (origin IN ('measured', 'imported', 'missing')), -- where the figures come from
    label          TEXT NOT NULL,    -- what it was for: '4K random read'
    key            TEXT,             -- what a sweep knows the cell by: a cell is in its session once
    reason         TEXT CHECK ((origin = 'missing') = (reason IS NOT NULL)), -- of a missing one: why
    tool           TEXT NOT NULL,    -- who measured: 'fathom', 'diskspd', 'sqlio', 'fio', 'iometer'
    tool_version   TEXT,             -- its version
    source         TEXT,             -- of an imported one: name of the file
    started_utc_ns INTEGER,          -- nanoseconds since 1970 in UTC
    host           TEXT,             -- the machine
    target         TEXT NOT NULL,    -- files and devices, joined by a space
    outcome        TEXT,             -- 'complete', 'interrupted', 'failed'
    block_bytes    INTEGER,          -- bytes of one I/O
    queue_depth    INTEGER,          -- most I/Os outstanding of each thread
    threads        INTEGER,          -- of the whole run
    write_percent  INTEGER,          -- share of I/Os that write, 0 to 100
    pattern        TEXT,             -- 'random', 'sequential', 'mixed', 'stripe'
    random_percent INTEGER,          -- share of I/Os that go to a random place, 0 to 100
    cache          TEXT,             -- 'unbuffered', 'cached', 'local_off'
    write_through  INTEGER,          -- 1: a write was complete only when it was durable
    size_bytes     INTEGER,          -- length of the range that was used, of all targets together
    rate_per_s     INTEGER,          -- I/Os that were to start a second, where that was asked
    engine         TEXT,             -- what moved the bytes: 'io_uring', 'sync', 'null'
    measured_ns    INTEGER,          -- length of the measured phase: what a rate is divided by
    line_crc       INTEGER,          -- CRC-32 of this line with its figures and percentiles; form in src/seal.rs
    record_crc     INTEGER,          -- CRC-32 of all else that is kept of the result; NULL where there is nothing
    UNIQUE (session_id, number),
    UNIQUE (session_id, key)
) STRICT;

-- What came of a result, by operation. Rates only where another tool printed them: fathom's own follow from the counts.
CREATE TABLE figures (
    headline_id      INTEGER NOT NULL REFERENCES headlines (id) ON DELETE CASCADE, -- headlines.id
    operation        TEXT NOT NULL CHECK (operation IN ('total', 'read', 'write')), -- which; total is both together
    ios              INTEGER, -- I/Os completed without error
    bytes            INTEGER, -- bytes that they moved
    errors           INTEGER, -- I/Os that failed
    ios_per_s        REAL,    -- I/Os a second, as printed
    bytes_per_s      REAL,    -- bytes a second, as printed
    latency_mean_ns  INTEGER, -- from submission to completion: mean
    latency_sd_ns    INTEGER, -- standard deviation, as printed
    latency_min_ns   INTEGER, -- smallest
    latency_max_ns   INTEGER, -- largest
    response_mean_ns INTEGER, -- from the moment at which an I/O was to start: mean; only where a rate was asked
    response_min_ns  INTEGER, -- smallest
    response_max_ns  INTEGER, -- largest
    PRIMARY KEY (headline_id, operation)
) STRICT, WITHOUT ROWID;

-- Percentiles: a reading of the histogram when a run is kept, no deeper than its count supports; of an imported run, as
-- printed.
CREATE TABLE percentiles (
    headline_id INTEGER NOT NULL REFERENCES headlines (id) ON DELETE CASCADE, -- headlines.id
    operation   TEXT NOT NULL CHECK (operation IN ('total', 'read', 'write')), -- which; total is both together
    time        TEXT NOT NULL CHECK (time IN ('latency', 'response')), -- which time
    quantile    REAL NOT NULL,    -- share of I/Os that were at most this slow, 0 to 1
    ns          INTEGER NOT NULL, -- nanoseconds
    PRIMARY KEY (headline_id, operation, time, quantile)
) STRICT, WITHOUT ROWID;

-- Results that were read from another tool's output, whole.
CREATE TABLE imported (
    headline_id   INTEGER PRIMARY KEY REFERENCES headlines (id) ON DELETE CASCADE, -- headlines.id
    document_json TEXT NOT NULL -- all that was read, and the text that it was read from
) STRICT;

-- Words that people give to sessions and results.
CREATE TABLE tags (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, -- the session
    number     INTEGER NOT NULL, -- the result in it; 0 for the whole session
    tag        TEXT NOT NULL,    -- the word
    PRIMARY KEY (session_id, number, tag)
) STRICT, WITHOUT ROWID;

-- As in version 1.
CREATE VIEW run_overview AS
SELECT
    s.id || '.' || r.number AS run,
    strftime('%Y-%m-%dT%H:%M:%SZ', r.started_utc_ns / 1000000000, 'unixepoch') AS started_utc,
    s.kind,
    s.target,
    r.label,
    r.block_bytes,
    r.queue_depth,
    r.threads,
    r.write_percent,
    r.access,
    r.backend,
    r.ios,
    r.errors,
    r.measured_ns / 1e9 AS measured_s,
    r.ios * 1e9 / nullif(r.measured_ns, 0) AS ios_per_s,
    r.bytes * 1e9 / nullif(r.measured_ns, 0) / 1048576 AS mib_per_s,
    (SELECT sum(t.latency_mean_ns * t.ios) / sum(t.ios) / 1e3
       FROM tallies t WHERE t.run_id = r.id AND t.ios > 0) AS latency_mean_us,
    r.outcome
FROM runs r
JOIN sessions s ON s.id = r.session_id;

-- One line a result, in the units people think in. For example:
--   SELECT result, block_kib, threads, ios_per_s FROM results WHERE session = 12 ORDER BY block_kib, threads;
CREATE VIEW results AS
SELECT
    s.id || '.' || h.number AS result,                                          -- the name: `fathom show 12.3`
    s.id AS session,                                                            -- its first part
    h.number,                                                                   -- its second part
    s.kind,                                                                     -- 'run', 'survey', 'sweep', 'import'
    h.origin,                                                                   -- 'measured', 'imported', 'missing'
    h.label,
    (SELECT group_concat(tag, ' ') FROM
        (SELECT DISTINCT tag FROM tags t
          WHERE t.session_id = s.id AND t.number IN (0, h.number) ORDER BY tag)) AS tags, -- its own and its session's
    h.tool,
    h.tool_version,
    h.source,
    strftime('%Y-%m-%dT%H:%M:%SZ', h.started_utc_ns / 1000000000, 'unixepoch') AS started_utc, -- ISO 8601
    h.host,
    h.target,
    coalesce(h.outcome, h.origin) AS outcome,                                   -- 'complete', …; 'imported', 'missing'
    h.reason,                                                                   -- why there is no result
    h.block_bytes / 1024.0 AS block_kib,                                        -- KiB
    h.queue_depth,
    h.threads,
    h.write_percent,
    h.pattern,
    h.cache,
    h.write_through,                                                            -- 1 or 0
    h.size_bytes / 1073741824.0 AS size_gib,                                    -- GiB
    h.engine,
    h.measured_ns / 1e9 AS measured_s,                                          -- seconds
    t.ios,
    t.errors,
    coalesce(t.ios_per_s, t.ios * 1e9 / nullif(h.measured_ns, 0)) AS ios_per_s, -- I/Os a second
    coalesce(t.bytes_per_s, t.bytes * 1e9 / nullif(h.measured_ns, 0)) / 1048576 AS mib_per_s, -- MiB a second
    coalesce(r.ios_per_s, r.ios * 1e9 / nullif(h.measured_ns, 0)) AS read_ios_per_s,
    coalesce(w.ios_per_s, w.ios * 1e9 / nullif(h.measured_ns, 0)) AS write_ios_per_s,
    t.latency_mean_ns / 1e3 AS latency_mean_us,                                 -- microseconds
    (SELECT ns / 1e3 FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total'
        AND p.time = 'latency' AND p.quantile = 0.5) AS latency_p50_us,
    (SELECT ns / 1e3 FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total'
        AND p.time = 'latency' AND p.quantile = 0.99) AS latency_p99_us,
    (SELECT ns / 1e3 FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total'
        AND p.time = 'latency' AND p.quantile = 0.999) AS latency_p999_us,
    t.latency_max_ns / 1e3 AS latency_max_us
FROM headlines h
JOIN sessions s ON s.id = h.session_id
LEFT JOIN figures t ON t.headline_id = h.id AND t.operation = 'total'
LEFT JOIN figures r ON r.headline_id = h.id AND r.operation = 'read'
LEFT JOIN figures w ON w.headline_id = h.id AND w.operation = 'write';
