-- Version 5 of the shelf: latencies and the machine's counters over time, all threads together.

ALTER TABLE runs ADD COLUMN series BLOB; -- form in src/series.rs; NULL where none was kept
