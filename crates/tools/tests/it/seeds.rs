//! Command lines that people published: all of them are read, with a path of Linux in the place of theirs.

use crate::facts::read;
use tools::diskspd::Action;

fn runs(line: &str) {
    let request = read(line).unwrap_or_else(|refusal| panic!("{line}: {refusal}"));
    assert!(matches!(request.action, Action::Run(_)), "{line}");
}

/// A generator of batch files: 4 shares of writes, 2 of access, 4 sizes, 4 depths, 4 numbers of threads.
#[test]
fn the_512_combinations_of_a_published_matrix_are_read() {
    let mut count = 0;
    for write in ["-w0", "-w10", "-w25", "-w100"] {
        for access in ["-r", "-si"] {
            for block in ["-b8K", "-b64K", "-b512K", "-b2M"] {
                for depth in ["-o2", "-o4", "-o8", "-o16"] {
                    for threads in ["-t4", "-t8", "-t16", "-t32"] {
                        runs(&format!(
                            "-Suw -L -W5 -Z1G -d120 -c440G {threads} {depth} {block} {access} {write} /data/iotest.dat"
                        ));
                        count += 1;
                    }
                }
            }
        }
    }
    assert_eq!(count, 512);
}

/// The batch file that the same page prints in full.
#[test]
fn the_48_lines_of_a_published_batch_file_are_read() {
    for write in [0, 20] {
        for block in [8, 64] {
            for depth in [2, 4, 8, 16] {
                for threads in [4, 8, 16] {
                    runs(&format!(
                        "-Suw -L -W3 -Z1G -d120 -c440G  -t{threads} -o{depth} -b{block}K -r -w{write} /data/iotest.dat"
                    ));
                }
            }
        }
    }
}

/// A script that climbs ladders of block size, threads and depth.
#[test]
fn the_441_combinations_of_a_published_matrix_are_read() {
    let mut count = 0;
    for block in [4, 8, 16, 32, 64, 128, 512, 1024, 2048] {
        for threads in [1, 2, 4, 8, 16, 32, 64] {
            for depth in [1, 2, 4, 8, 16, 32, 64] {
                runs(&format!(
                    "-b{block}k -t{threads} -o{depth} -w0 -c1G -r -h -d10 -W5 -L /data/test.dat"
                ));
                count += 1;
            }
        }
    }
    assert_eq!(count, 441);
}

#[test]
fn published_lines_are_read() {
    for line in [
        "-Suw -L -W5 \u{2013}Z1G -d60 \u{2013}c440G -t8 -o4 -b8K -r -w20 /data/iotest.dat",
        "-Suw -L -W3 -Z1G -d120 -c440G  -t4 -o2 -b8K -r -w0 /data/iotest.dat",
        "-Suw -L -W3 -Z1G -d120 -c440G  -t16 -o16 -b64K -r -w20 /data/iotest.dat",
        "-Suw -L -W5 -Z1G -d120 -c440G -t16 -o4 -b64K -r -w10 /data/iotest.dat",
        "test.dat",
        "-b4k -w0 -c1G -r -h -d10 -W5 -L /data/test.dat",
        "-t2 -o32 -b4k -r4k -w0 -d120 -Sh -D -L -c5G /data/IO.dat",
        "-t4 -o32 -b4k -r4k -w0 -Sh -D -L /data/IO.dat",
        "-b8K -t4 -o32 -r -w30 -Suw -L -D -Z10M -B5G -g1500i -rdpct95/5:4/10 /data/t.dat",
    ] {
        runs(line);
    }
}

/// The blank behind `-L` is missing on the page, so the target belongs to the switch.
#[test]
fn a_published_line_without_a_target_is_refused() {
    let refusal = read("-t4 -o32 -b4k -r4k -w0 -Sh -D -L:/data/IO.dat").unwrap_err();
    assert!(refusal.to_string().contains("no target"), "{refusal}");
}
