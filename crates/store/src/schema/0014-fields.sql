-- Version 14 of the database: `results` has the fields of docs/fields.md, under their names and in their units, as CSV, Parquet and
-- JSON have them. The verdicts of results, which stood in `answers` alone, can be read by SQL.
CREATE TABLE verdicts (
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, -- the session
    number     INTEGER NOT NULL, -- the result in it
    verdict    TEXT NOT NULL,    -- 'VALID', 'CAUTION', 'INVALID', 'NOT CHECKED'
    reason     TEXT NOT NULL,    -- the cause that its first line names; empty where there is none
    findings   TEXT NOT NULL,    -- ids of its findings, joined by a space
    PRIMARY KEY (session_id, number)
) STRICT, WITHOUT ROWID;

DROP VIEW results;

-- One line for each result. For example:
--   SELECT id, block_bytes, threads, iops FROM results WHERE session = 12 ORDER BY block_bytes, threads;
CREATE VIEW results AS
SELECT
    s.id || '.' || h.number AS id,
    s.id AS session,
    h.number,
    s.kind,
    h.origin,
    nullif(h.label, '') AS label,
    (SELECT group_concat(tag, ' ') FROM
        (SELECT DISTINCT tag FROM tags t
          WHERE t.session_id = s.id AND t.number IN (0, h.number) ORDER BY tag)) AS tags, -- its own and its session's
    (SELECT group_concat(field || '=' || value, ' ') FROM
        (SELECT n.field, n.value FROM notes n
          WHERE n.session_id = s.id AND (n.number = h.number OR n.number = 0 AND NOT EXISTS
              (SELECT 1 FROM notes o WHERE o.session_id = s.id AND o.number = h.number AND o.field = n.field))
          ORDER BY n.field)) AS notes,                                          -- its own outrank its session's
    nullif(h.tool, '') AS tool,
    h.tool_version,
    h.source,
    rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%S', h.started_utc_ns / 1000000000, 'unixepoch')
        || printf('.%09d', h.started_utc_ns % 1000000000), '0'), '.') || 'Z' AS started_utc,
    h.host,
    nullif(h.target, '') AS target,
    h.outcome,
    coalesce(h.reason, nullif(v.reason, '')) AS reason,
    nullif(v.verdict, '') AS verdict,
    nullif(v.findings, '') AS findings,
    h.key,
    h.block_bytes,
    h.queue_depth,
    h.threads,
    h.write_percent,
    h.pattern,
    h.random_percent,
    h.cache,
    h.write_through,                                                            -- 1 or 0
    h.size_bytes,
    h.rate_per_s AS target_iops,
    h.engine,
    h.measured_ns,
    coalesce(t.ios_per_s, t.ios / (nullif(h.measured_ns, 0) / 1e9)) AS iops,
    coalesce(t.bytes_per_s, t.bytes / (nullif(h.measured_ns, 0) / 1e9)) AS bytes_per_s,
    t.latency_mean_ns AS latency_mean_ns,
    t.latency_sd_ns AS latency_sd_ns,
    t.latency_min_ns AS latency_min_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'latency'
        AND p.quantile = 0.5) AS latency_p50_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'latency'
        AND p.quantile = 0.9) AS latency_p90_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'latency'
        AND p.quantile = 0.95) AS latency_p95_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'latency'
        AND p.quantile = 0.99) AS latency_p99_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'latency'
        AND p.quantile = 0.999) AS latency_p999_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'latency'
        AND p.quantile = 0.9999) AS latency_p9999_ns,
    t.latency_max_ns AS latency_max_ns,
    t.ios AS ios,
    t.bytes AS bytes,
    t.errors AS errors,
    coalesce(r.ios_per_s, r.ios / (nullif(h.measured_ns, 0) / 1e9)) AS read_iops,
    coalesce(r.bytes_per_s, r.bytes / (nullif(h.measured_ns, 0) / 1e9)) AS read_bytes_per_s,
    r.latency_mean_ns AS read_latency_mean_ns,
    r.latency_sd_ns AS read_latency_sd_ns,
    r.latency_min_ns AS read_latency_min_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'read' AND p.time = 'latency'
        AND p.quantile = 0.5) AS read_latency_p50_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'read' AND p.time = 'latency'
        AND p.quantile = 0.9) AS read_latency_p90_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'read' AND p.time = 'latency'
        AND p.quantile = 0.95) AS read_latency_p95_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'read' AND p.time = 'latency'
        AND p.quantile = 0.99) AS read_latency_p99_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'read' AND p.time = 'latency'
        AND p.quantile = 0.999) AS read_latency_p999_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'read' AND p.time = 'latency'
        AND p.quantile = 0.9999) AS read_latency_p9999_ns,
    r.latency_max_ns AS read_latency_max_ns,
    r.ios AS read_ios,
    r.bytes AS read_bytes,
    r.errors AS read_errors,
    coalesce(w.ios_per_s, w.ios / (nullif(h.measured_ns, 0) / 1e9)) AS write_iops,
    coalesce(w.bytes_per_s, w.bytes / (nullif(h.measured_ns, 0) / 1e9)) AS write_bytes_per_s,
    w.latency_mean_ns AS write_latency_mean_ns,
    w.latency_sd_ns AS write_latency_sd_ns,
    w.latency_min_ns AS write_latency_min_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'write' AND p.time = 'latency'
        AND p.quantile = 0.5) AS write_latency_p50_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'write' AND p.time = 'latency'
        AND p.quantile = 0.9) AS write_latency_p90_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'write' AND p.time = 'latency'
        AND p.quantile = 0.95) AS write_latency_p95_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'write' AND p.time = 'latency'
        AND p.quantile = 0.99) AS write_latency_p99_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'write' AND p.time = 'latency'
        AND p.quantile = 0.999) AS write_latency_p999_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'write' AND p.time = 'latency'
        AND p.quantile = 0.9999) AS write_latency_p9999_ns,
    w.latency_max_ns AS write_latency_max_ns,
    w.ios AS write_ios,
    w.bytes AS write_bytes,
    w.errors AS write_errors,
    t.response_mean_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'response'
        AND p.quantile = 0.5) AS response_p50_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'response'
        AND p.quantile = 0.99) AS response_p99_ns,
    (SELECT ns FROM percentiles p WHERE p.headline_id = h.id AND p.operation = 'total' AND p.time = 'response'
        AND p.quantile = 0.999) AS response_p999_ns,
    t.response_max_ns
FROM headlines h
JOIN sessions s ON s.id = h.session_id
LEFT JOIN figures t ON t.headline_id = h.id AND t.operation = 'total'
LEFT JOIN figures r ON r.headline_id = h.id AND r.operation = 'read'
LEFT JOIN figures w ON w.headline_id = h.id AND w.operation = 'write'
LEFT JOIN verdicts v ON v.session_id = h.session_id AND v.number = h.number;
