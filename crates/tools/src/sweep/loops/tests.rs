//! Scripts as people write them, and what they start.

use super::*;

fn lines(name: &str, text: &str) -> Vec<String> {
    let found = read_script(name, text);
    assert_eq!(found.unread, [], "{name}");
    found
        .lines
        .iter()
        .map(|line| line.words.join(" "))
        .collect()
}

fn unread(name: &str, text: &str) -> Vec<(usize, String)> {
    let found = read_script(name, text);
    let unread = found.unread.into_iter();
    unread.map(|line| (line.number, line.why)).collect()
}

#[test]
fn loops_of_batch_files_are_followed() {
    let text = "@echo off\r\nset \"EXE=C:\\tools\\diskspd.exe\"\r\nset T=D:\\io.dat\r\nrem a comment about diskspd\r\n\
                for %%b in (4K 8K,64K) do (\r\n  echo block %%b\r\n  for /L %%o in (1,1,3) do %EXE% -b%%b -o%%o -Su %T% > r_%%b.txt\r\n)\r\n\
                diskspd -b8K ^\r\n  -o4 \"C:\\my files\\x.dat\" | findstr total\r\n";
    let found = lines("run.BAT", text);
    assert_eq!(found.len(), 10, "{found:?}");
    assert_eq!(found[0], "-b4K -o1 -Su D:\\io.dat");
    assert_eq!(found[8], "-b64K -o3 -Su D:\\io.dat");
    let last = &read_script("run.cmd", text).lines[9];
    assert_eq!(
        (last.number, last.words[2].as_str()),
        (9, "C:\\my files\\x.dat")
    );
}

#[test]
fn numbers_count_down_and_variables_nest_in_batch_files() {
    assert_eq!(
        lines(
            "a.cmd",
            "set /a N=4\nfor /l %%i in (3,-1,1) do start \"\" /wait diskspd -t%N% -o%%i f"
        ),
        ["-t4 -o3 f", "-t4 -o2 f", "-t4 -o1 f"]
    );
}

#[test]
fn what_a_batch_file_leaves_open_is_listed_by_line() {
    let text = "diskspd -b8K %1\nif exist x diskspd -b4K f\ndiskspd -b4K %NOWHERE%\nfor /f %%a in (list.txt) do diskspd %%a\ndiskspd -b1M f";
    let found = read_script("a.bat", text);
    let numbers: Vec<usize> = found.unread.iter().map(|line| line.number).collect();
    assert_eq!((numbers, found.lines.len()), (vec![1, 2, 3, 4], 1));
}

#[test]
fn loops_of_powershell_are_followed() {
    let text = "<# about diskspd.exe #>\n$exe = \"C:\\Tools\\diskspd.exe\" # the program\n$file = 'E:\\test.dat'\n\
                $blocks = @('4K', '64K')\nforeach ($b in $blocks)\n{\n  1..2 | % {\n    $r = & $exe \"-b$b\" -o$_ -r $file | Select-String total\n  }\n}\n\
                for ($t = 1; $t -le 8; $t *= 2) { .\\diskspd.exe -t$t -d10 \"$file\" }\n";
    let found = lines("loops.ps1", text);
    assert_eq!(found.len(), 8, "{found:?}");
    assert_eq!(found[0], "-b4K -o1 -r E:\\test.dat");
    assert_eq!(found[3], "-b64K -o2 -r E:\\test.dat");
    assert_eq!(found[7], "-t8 -d10 E:\\test.dat");
}

#[test]
fn the_ways_to_start_a_program_are_known() {
    let head = "$n = 5; $a = \"-b8K -d$n f.dat\"\n";
    for text in [
        "Start-Process -FilePath diskspd.exe -ArgumentList $a -Wait -NoNewWindow",
        "Start-Process .\\diskspd.exe \"-b8K -d$n f.dat\" -Wait",
        "Start-Process diskspd.exe -ArgumentList '-b8K', \"-d$n\", 'f.dat'",
        "Invoke-Expression \"C:\\x\\diskspd.exe -b8K -d$($n) f.dat\"",
        "$out = iex (\".\\diskspd.exe \" + $a)",
        "cmd /c \"diskspd.exe $a > out.txt\"",
        "& .\\diskspd.exe $a.Split(\" \")",
        "& 'diskspd.exe' (\"-b8K -d{0} f.dat\" -f $n)",
        "$p = @(\"-b8K\", \"-d$n\", \"f.dat\")\n& diskspd.exe @p",
        "$c = @\"\ndiskspd.exe -b8K -d$n f.dat\n\"@\nInvoke-Expression $c",
    ] {
        let found = lines("a.ps1", &format!("{head}{text}"));
        assert_eq!(found, ["-b8K -d5 f.dat"], "{text}");
    }
}

#[test]
fn what_powershell_leaves_open_is_listed_by_line() {
    let text = "param($target)\nfunction Go {\n  diskspd.exe -b8K f\n}\nif ($x) {\n  & diskspd.exe -b4K f }\n\
                diskspd.exe -b8K $target\nforeach ($d in (Get-Disk)) { diskspd.exe -b8K \"#$d\" }\ndiskspd.exe -b1M f\nWrite-Host \"diskspd done\"\n";
    let found = unread("a.ps1", text);
    let numbers: Vec<usize> = found.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [3, 6, 7, 8], "{found:?}");
    assert!(found[2].1.contains("$target"), "{found:?}");
    assert_eq!(read_script("a.ps1", text).lines.len(), 1);
}

#[test]
fn a_script_that_starts_nothing_that_is_followed_lists_its_lines() {
    let text = "$p = $PSScriptRoot + '\\diskspd.exe'\nforeach ($f in (dir)) {\n  Invoke-Expression $cmd\n}\n\
                (&$p -c\"$size\" -d\"$n\" f.dat) 2>$null\n$x = \"diskspd.exe -b{0} -t4 f\"\n";
    let numbers: Vec<usize> = unread("a.ps1", text)
        .iter()
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(numbers, [3, 5, 6]);
}

#[test]
fn endless_loops_end() {
    let many = "foreach ($a in 1..9000) { foreach ($b in 1..9000) { $c = $a } }\ndiskspd -b4K f";
    assert!(read_script("a.ps1", many).lines.len() <= 1);
    let lines = read_script("a.ps1", "1..9999 | % { 1..9 | % { diskspd -b4K f } }");
    assert_eq!((lines.lines.len(), lines.is_cut), (10_000, true));
    let lines = read_script("a.cmd", "for /L %%a in (1,1,10000) do diskspd -o%%a f");
    assert_eq!((lines.lines.len(), lines.is_cut), (10_000, false));
    let doubled = "set a=xxxxxxxx\n".to_owned() + &"set a=%a%%a%\n".repeat(60) + "diskspd %a% f";
    assert_eq!(unread("a.cmd", &doubled).len(), 1);
    let doubled = "$a = 'xxxxxxxx'\n".to_owned() + &"$a = $a + $a\n".repeat(60) + "diskspd $a f";
    assert_eq!(unread("a.ps1", &doubled).len(), 1);
    assert!(
        read_script("a.cmd", "for /L %%a in (1,0,5) do diskspd f")
            .lines
            .is_empty()
    );
}

proptest::proptest! {
    #[test]
    fn no_script_makes_the_reader_panic(text in "[-$%@(){}\"'`a-c0-9 =+.,|&;\n]{0,80}|\\PC{0,60}") {
        for name in ["a.ps1", "a.cmd"] {
            read_script(name, &text);
            read_script(name, &format!("foreach ($a in {text}) {{ diskspd $a }}\nfor %%a in ({text}) do diskspd %%a"));
        }
    }
}
