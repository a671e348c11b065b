-- Version 3 of the shelf: where a rate was asked, each I/O has a response time beside its latency.

ALTER TABLE tallies ADD COLUMN response BLOB; -- histogram of nanoseconds; form in src/blob.rs; NULL without a rate
