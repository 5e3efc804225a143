//! The program while it runs, and what it said in the end.
use super::PATIENCE;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::Instant;

/// How a run ended and what it said.
#[derive(Debug)]
pub struct ProgramOutput {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl ProgramOutput {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// The same, which must have ended well.
    pub fn ok(self) -> Self {
        self.code(0)
    }

    /// The same, which must have ended so.
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

/// The program while it runs. Killed when dropped.
pub struct RunningProgram {
    child: Child,
    lines: Receiver<String>,
}

impl RunningProgram {
    /// Starts the command and reads its standard output line by line.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line of standard output.
    pub fn line(&self) -> Option<String> {
        self.lines.recv_timeout(PATIENCE).ok()
    }

    /// Reads on until `count` lines with `text` came.
    pub fn read_until(&self, text: &str, count: usize) {
        for nth in 0..count {
            loop {
                let line = self.line().unwrap_or_else(|| panic!("only {nth} lines with {text:?} came"));
                if line.contains(text) {
                    break;
                }
            }
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// The same, where it has not ended by itself meanwhile: as long as it is not waited for, its id is its own.
    pub fn signal_if_it_runs(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal);
    }

    /// Whether it has closed its standard output, as it does when it ends.
    pub fn has_ended(&self) -> bool {
        loop {
            match self.lines.try_recv() {
                Ok(_) => {}
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return true,
            }
        }
    }

    /// Ends it as a crash would.
    pub fn crash(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end; gives the status and what it wrote to standard error.
    pub fn wait(mut self) -> (ExitStatus, String) {
        let started = Instant::now();
        let mut pipe = self.child.stderr.take().unwrap();
        let told = std::thread::spawn(move || {
            let mut told = String::new();
            let _ = pipe.read_to_string(&mut told);
            told
        });
        while self.lines.recv_timeout(PATIENCE.saturating_sub(started.elapsed())).is_ok() {}
        (self.child.wait().unwrap(), told.join().unwrap())
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
