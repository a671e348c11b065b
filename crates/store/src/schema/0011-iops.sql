-- Version 11 of the database: IOPS have one name, in SQL as in CSV and JSON. `run_overview`, the view of version 1, had part
-- of what `results` has, and is gone.
DROP VIEW run_overview;
DROP VIEW results;

-- One line for each result, in the units people think in. For example:
--   SELECT result, block_kib, threads, iops FROM results WHERE session = 12 ORDER BY block_kib, threads;
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
    h.rate_per_s AS target_iops,                                                -- I/Os scheduled per second, --rate
    h.engine,
    h.measured_ns / 1e9 AS measured_s,                                          -- seconds
    t.ios,
    t.errors,
    coalesce(t.ios_per_s, t.ios * 1e9 / nullif(h.measured_ns, 0)) AS iops,
    coalesce(t.bytes_per_s, t.bytes * 1e9 / nullif(h.measured_ns, 0)) / 1048576 AS mib_per_s,
    coalesce(r.ios_per_s, r.ios * 1e9 / nullif(h.measured_ns, 0)) AS read_iops,
    coalesce(w.ios_per_s, w.ios * 1e9 / nullif(h.measured_ns, 0)) AS write_iops,
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
