//! Programs that are run once.

use std::path::Path;
use std::time::{Duration, Instant};

use agon_tools::{OneShot, OneShotError, OneShotOutput};

/// Runs a script of the shell with a text on standard input.
async fn run(script: &str, input: &str, timeout: Duration) -> Result<OneShotOutput, OneShotError> {
    let run = ["sh", "-c", script].map(str::to_owned);
    OneShot { run: &run, folder: Path::new("/"), input, timeout, most: 1_000 }.run().await
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_program_is_given_its_input_and_its_output_is_text() {
    let ran = run("pwd; cat; echo first >&2; echo 'last complaint' >&2", "hello\n", LONG).await.unwrap();
    assert_eq!(ran, OneShotOutput { output: "/\nhello\n".to_owned(), complaint: "last complaint".to_owned() });
    // it need not read
    let unread = "x".repeat(1_000_000);
    assert_eq!(run("echo done", &unread, LONG).await.unwrap().output, "done\n");
}

#[tokio::test]
async fn failures_are_told_apart_with_the_last_complaint() {
    let ended = run("echo why >&2; exit 3", "", LONG).await.unwrap_err();
    assert_eq!(ended, OneShotError::Ended { how: "exit status: 3".to_owned(), complaint: "why".to_owned() });
    let killed = run("kill -9 $$", "", LONG).await.unwrap_err();
    assert!(matches!(&killed, OneShotError::Ended { how, .. } if how.contains("signal")), "{killed:?}");
    let hangs = run("echo waits >&2; sleep 600", "", Duration::from_millis(300)).await.unwrap_err();
    assert_eq!((hangs.complaint(), hangs.to_string().as_str()), ("waits", "it did not end within 0.3 s"));
    let bytes = run("printf '\\377'", "", LONG).await.unwrap_err();
    assert_eq!(bytes, OneShotError::NotText { complaint: String::new() });
    let nobody = ["/no/such/program".to_owned()];
    let nobody = OneShot { run: &nobody, folder: Path::new("/"), input: "", timeout: LONG, most: 1 }.run().await;
    assert!(matches!(nobody, Err(OneShotError::NotStarted(_))), "{nobody:?}");
}

#[tokio::test]
async fn a_flood_is_cut_off_and_complaints_without_end_are_dropped() {
    let began = Instant::now();
    let flood = run("yes", "", LONG).await.unwrap_err();
    assert_eq!(flood, OneShotError::TooLong { most: 1_000, complaint: String::new() });
    assert!(began.elapsed() < Duration::from_secs(30));
    let loud = run("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo done", "", LONG).await.unwrap();
    assert_eq!(loud.output, "done\n");
    assert!(loud.complaint.len() < 1_000 && loud.complaint.starts_with("xxx"), "{}", loud.complaint.len());
}

/// The process that a script wrote down as its child.
fn child_of(folder: &tempfile::TempDir) -> i32 {
    std::fs::read_to_string(folder.path().join("child")).unwrap().trim().parse().unwrap()
}

/// Whether a process is gone, or nothing but an entry that nobody has read.
fn is_gone(pid: i32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

async fn until_gone(pid: i32) {
    let gone = async {
        while !is_gone(pid) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("the child lives on");
}

#[tokio::test]
async fn what_a_program_started_ends_with_it_and_does_not_hold_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("sleep 600 & echo $! > {}/child; echo done", folder.path().display());
    assert_eq!(run(&script, "", LONG).await.unwrap().output, "done\n");
    until_gone(child_of(&folder)).await;

    let script = format!("sleep 600 & echo $! > {}/child; wait", folder.path().display());
    let hangs = run(&script, "", Duration::from_millis(500)).await;
    assert!(matches!(hangs, Err(OneShotError::Timeout { .. })), "{hangs:?}");
    until_gone(child_of(&folder)).await;

    // whoever stops waiting ends it
    std::fs::remove_file(folder.path().join("child")).unwrap();
    let running = run(&script, "", LONG);
    let started = async {
        while !std::fs::read_to_string(folder.path().join("child")).is_ok_and(|text| text.ends_with('\n')) {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        ran = running => panic!("{ran:?}"),
        () = started => {}
    }
    until_gone(child_of(&folder)).await;
}
