//! Where a page's commands run as they are written: a machine of its own, as far as processes, ports and files are concerned.
//!
//! The documents use the ports that everybody uses (4222, 50051, 8080, 9090), so each page gets a network of its own, and with it names
//! for the machines that the pages speak of. `unshare` makes it, also for plain users where the system lets them (Debian does).
use super::kind::{BackgroundCommand, CommandKind, FROM_SOURCES, kind};
use super::page::Typed;
use crate::support::{agon, root};
use agon_testkit::{Process, until};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Longest time that a page may take; it is there so that nothing hangs.
const LIMIT: Duration = Duration::from_secs(600);
/// Last lines of a page that went wrong.
const SHOWN: usize = 100;
/// What is copied, so that commands may write where they like.
const COPIED: [&str; 3] = ["examples", "deploy", "helm"];
/// The longest file of questions among the examples. As many of its questions do as well.
const QUESTIONS: (&str, usize) = ("here/examples/eval/questions.csv", 12);
/// Other machines that the documents speak of.
const MACHINES: &str = "nats gateway gpu1 ollama jaeger";
/// A server of scripted speakers where Ollama is expected.
const IN_PLACE_OF_OLLAMA: &str = "agon rehearsal --listen 127.0.0.1:11434";
/// What the script of a page starts with: a loopback network, names, folders of servers, and how to tell what went wrong.
const PRELUDE: &str = r#"
set -o pipefail
set -u
ip link set lo up && mount --bind "$SANDBOX/hosts" /etc/hosts && mount -t tmpfs none /var/lib || exit 1
mkdir /var/lib/nats /var/lib/agon
declare -A PLACES=()
ended() { # line, code, allowed codes
  case " $3 " in *" $2 "*) echo "@@ line $1 ended with $2" ;; *) echo "@@ FAILED: line $1 ended with $2, not with ${3// / or }"; exit 1 ;; esac
}
vacate() { # place
  [ -n "$1" ] || return 0
  local id=${PLACES[$1]:-}
  [ -n "$id" ] || return 0
  kill -TERM -- "-$id" 2>/dev/null
  for _ in $(seq 400); do kill -0 -- "-$id" 2>/dev/null || return 0; sleep 0.05; done
  echo "@@ FAILED: the server before does not end"; exit 1
}
up() { # line, process id, place, what it says
  [ -z "$3" ] || PLACES[$3]=$2
  for _ in $(seq 1200); do
    if grep -q -- "$4" "$SANDBOX/logs/$1"; then echo "@@ line $1 is up"; return 0; fi
    kill -0 "$2" 2>/dev/null || { cat "$SANDBOX/logs/$1"; echo "@@ FAILED: line $1 ended where it should serve"; exit 1; }
    sleep 0.05
  done
  cat "$SANDBOX/logs/$1"; echo "@@ FAILED: line $1 never said '$4'"; exit 1
}
"#;

/// Runs the commands of a page in order; tells what went wrong, with everything that was said.
pub fn run(page: &str, given: &[&str], commands: &[Typed]) -> Result<(), String> {
    let sandbox = tempfile::tempdir().unwrap();
    lay_out(sandbox.path());
    std::fs::write(sandbox.path().join("page.sh"), script(given, commands)?).unwrap();
    let mut process = Process::start(page, unshared(sandbox.path())?, sandbox.path().join("page.log")).unwrap();
    let ended = until(page, LIMIT, || Ok((!process.runs()).then_some(())));
    let status = ended.and_then(|()| process.wait());
    let log = process.log();
    let lines: Vec<&str> = log.lines().collect();
    let told = lines.get(lines.len().saturating_sub(SHOWN)..).unwrap_or_default().join("\n");
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{page}: {status}\n{told}")),
        Err(error) => Err(format!("{page}: {error}\n{told}")),
    }
}

/// The page's script in namespaces of its own: as the root of a namespace of users, as plain users may, or else as root.
fn unshared(sandbox: &Path) -> Result<Command, String> {
    let own = |root: &[&str], program: &str| {
        let mut command = Command::new("unshare");
        command.args(root).args(["--net", "--mount", "--pid", "--fork", "--kill-child", program]);
        command
    };
    let may = |root: &&[&str]| own(root, "true").output().is_ok_and(|output| output.status.success());
    let ways: [&[&str]; 2] = [&["--map-root-user"], &[]];
    let root = ways.iter().copied().find(may).ok_or(
        "no network of its own for this page. This needs `unshare` (package util-linux) and a system that lets plain users have \
         namespaces (kernel.unprivileged_userns_clone, user.max_user_namespaces; in a container --privileged)",
    )?;
    let mut command = own(root, "bash");
    command.arg(sandbox.join("page.sh")).current_dir(sandbox.join("here")).env_clear();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", sandbox.join("bin").display());
    command.env("PATH", path).env("HOME", sandbox.join("home")).env("TMPDIR", sandbox.join("tmp"));
    command.env("SANDBOX", sandbox).env("LANG", "C.UTF-8");
    Ok(command)
}

/// A folder like a fresh checkout, an empty home, the program on the search path.
fn lay_out(sandbox: &Path) {
    for folder in ["bin", "home", "tmp", "logs", "here"] {
        std::fs::create_dir(sandbox.join(folder)).unwrap();
    }
    // else a call that is refused would look well
    std::fs::write(sandbox.join("home/.curlrc"), "fail-with-body\n").unwrap();
    std::os::unix::fs::symlink(agon(), sandbox.join("bin/agon")).unwrap();
    std::fs::write(sandbox.join("hosts"), format!("127.0.0.1 localhost {MACHINES}\n")).unwrap();
    for folder in COPIED.iter().filter(|folder| root().join(folder).is_dir()) {
        let copied = Command::new("cp").arg("-r").arg(root().join(folder)).arg(sandbox.join("here")).status();
        assert!(copied.unwrap().success(), "{folder} cannot be copied");
    }
    let questions = sandbox.join(QUESTIONS.0);
    let text = std::fs::read_to_string(&questions).unwrap();
    let kept: Vec<&str> = text.lines().take(1 + QUESTIONS.1).collect();
    std::fs::write(questions, kept.join("\n") + "\n").unwrap();
}

fn script(given: &[&str], commands: &[Typed]) -> Result<String, String> {
    let before = std::iter::once(&IN_PLACE_OF_OLLAMA).chain(given).enumerate();
    // lines of their own, which no page has
    let before = before.map(|(index, text)| Typed { line: 100_000 + index, text: (*text).to_owned(), exits: None });
    let mut script = PRELUDE.to_owned();
    for command in before.chain(commands.iter().cloned()) {
        let text = command.text.replace(FROM_SOURCES, "agon");
        let line = command.line;
        match kind(&command)? {
            CommandKind::Elsewhere(_) => {}
            CommandKind::Runs(codes) => {
                let codes = codes.iter().map(i32::to_string).collect::<Vec<_>>().join(" ");
                write!(script, "echo '@@ line {line}'\n{{\n{text}\n}} </dev/null\nended {line} $? '{codes}'\n")
                    .unwrap();
            }
            CommandKind::Serves(BackgroundCommand { says, place }) => {
                let place = place.unwrap_or_default();
                let text = text.trim_end().trim_end_matches('&');
                write!(script, "vacate '{place}'\n: >\"$SANDBOX/logs/{line}\"\nset -m\n{{\n{text}\n}} </dev/null >\"$SANDBOX/logs/{line}\" 2>&1 &\n").unwrap();
                write!(script, "set +m\nup {line} $! '{place}' '{says}'\n").unwrap();
            }
        }
    }
    script.push_str("echo '@@ all ran'\n");
    Ok(script)
}
