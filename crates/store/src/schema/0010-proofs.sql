-- Version 10 of the database: which files contain nothing but what fathom wrote, as long as they are as they were closed.
CREATE TABLE proofs (
    device     INTEGER NOT NULL, -- device number of the file system
    inode      INTEGER NOT NULL, -- inode number
    generation INTEGER NOT NULL, -- which file of those that had this inode number; 0 where the file system does not count
    size       INTEGER NOT NULL, -- bytes
    changed_ns INTEGER,          -- last change of content or attributes, nanoseconds since 1970; NULL while it is written
    content    TEXT NOT NULL,    -- blocks, or why its content carries no block headers
    PRIMARY KEY (device, inode)
) STRICT, WITHOUT ROWID;
