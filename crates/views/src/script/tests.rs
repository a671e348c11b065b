//! Scripts as their shells read them.

use super::*;
use expect_test::{Expect, expect};

fn script(shell: Shell, rest_ns: u64) -> Script {
    let line = |words: &[&str], begins_group| ScriptLine {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        begins_group,
    };
    Script {
        shell,
        lines: vec![
            line(&["diskspd.exe", "-b8K", r"E:\iotest.dat"], true),
            line(&["diskspd.exe", "-b64K", r"E:\my 100%.dat"], true),
            line(&["diskspd.exe", "-rs1.5", "it's"], false),
        ],
        run_time_ns: 5_904_000_000_000,
        rest_ns,
        results: "20261121_output.txt".to_owned(),
    }
}

fn assert_written(script: &Script, expected: &Expect) {
    let mut bytes = Vec::new();
    script.write(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.contains('\r'), script.shell != Shell::Sh);
    expected.assert_eq(&text.replace('\r', ""));
}

#[test]
fn a_batch_file_has_one_command_a_line_and_blank_lines_between_groups() {
    assert_written(
        &script(Shell::Bat, 0),
        &expect![[r#"
            REM Expected run time: 98 Minutes == 1.6 Hours
            REM 3 commands, 1 h 38 min of load and rests; creating files is extra. Output is appended to 20261121_output.txt
            diskspd.exe -b8K E:\iotest.dat >> 20261121_output.txt

            diskspd.exe -b64K "E:\my 100%%.dat" >> 20261121_output.txt
            diskspd.exe -rs1.5 "it's" >> 20261121_output.txt
        "#]],
    );
}

#[test]
fn a_powershell_script_writes_what_everybody_reads() {
    assert_written(
        &script(Shell::Ps1, 500_000_000),
        &expect![[r#"
        # Expected run time: 98 Minutes == 1.6 Hours
        # 3 commands, 1 h 38 min of load and rests; creating files is extra. Output is appended to 20261121_output.txt
        & diskspd.exe -b8K E:\iotest.dat | Out-File -Append -Encoding utf8 20261121_output.txt
        Start-Sleep -Milliseconds 500

        & diskspd.exe -b64K 'E:\my 100%.dat' | Out-File -Append -Encoding utf8 20261121_output.txt
        Start-Sleep -Milliseconds 500
        & diskspd.exe '-rs1.5' 'it''s' | Out-File -Append -Encoding utf8 20261121_output.txt
    "#]],
    );
}

#[test]
fn a_shell_script_rests_between_its_commands() {
    assert_written(
        &script(Shell::Sh, 1_500_000_000),
        &expect![[r#"
        #!/bin/sh
        # Expected run time: 98 Minutes == 1.6 Hours
        # 3 commands, 1 h 38 min of load and rests; creating files is extra. Output is appended to 20261121_output.txt
        diskspd.exe -b8K 'E:\iotest.dat' >> 20261121_output.txt
        sleep 1.5

        diskspd.exe -b64K 'E:\my 100%.dat' >> 20261121_output.txt
        sleep 1.5
        diskspd.exe -rs1.5 'it'\''s' >> 20261121_output.txt
    "#]],
    );
}
