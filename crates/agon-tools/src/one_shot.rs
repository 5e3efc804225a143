//! A program that is given a text, prints one, and ends.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, Command};
use tokio::time::{sleep, timeout};

use crate::process::ProcessGroup;
use crate::text::one_line;

/// How long what a program has printed may take to be read once it has ended.
const GRACE: Duration = Duration::from_secs(1);
/// Bytes of the end of standard error that are looked at; what comes before is read and dropped.
const MAX_COMPLAINT_BYTES: usize = 4096;
const MAX_COMPLAINT_CHARS: usize = 300;

/// One run of a program.
#[derive(Clone, Copy, Debug)]
pub struct OneShot<'a> {
    /// The program and its arguments. No shell reads them.
    pub run: &'a [String],
    /// The folder in which it runs.
    pub folder: &'a Path,
    /// What it is given on standard input, which is then closed.
    pub input: &'a str,
    /// When it is ended, with all that it has started.
    pub timeout: Duration,
    /// Bytes that it may print.
    pub most: usize,
}

/// What a program printed that ended with code 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneShotOutput {
    /// Standard output.
    pub output: String,
    /// The last line of standard error, cut; empty where there is none.
    pub complaint: String,
}

/// Why a run came to nothing; each with the last line of standard error, cut, where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OneShotError {
    /// It could not be started.
    #[error("it cannot be started: {0}")]
    NotStarted(String),
    /// It was ended.
    #[error("it did not end within {} s", after.as_secs_f64())]
    Timeout {
        /// So long it ran.
        after: Duration,
        /// What it complained of.
        complaint: String,
    },
    /// It ended by itself, and not well.
    #[error("it ended with {how}")]
    Ended {
        /// Its code or its signal.
        how: String,
        /// What it complained of.
        complaint: String,
    },
    /// It was ended because it printed too much.
    #[error("it printed more than {most} bytes")]
    TooLong {
        /// What is allowed.
        most: usize,
        /// What it complained of.
        complaint: String,
    },
    /// It printed what is no text.
    #[error("it printed what is not UTF-8")]
    NotText {
        /// What it complained of.
        complaint: String,
    },
}

impl OneShotError {
    /// The last line of standard error, cut; empty where there is none.
    pub fn complaint(&self) -> &str {
        match self {
            Self::NotStarted(_) => "",
            Self::Timeout { complaint, .. }
            | Self::Ended { complaint, .. }
            | Self::TooLong { complaint, .. }
            | Self::NotText { complaint } => complaint,
        }
    }
}

/// What a program has printed until now.
#[derive(Default)]
struct PrintedUntilNow {
    output: Vec<u8>,
    is_too_long: bool,
    complaint: Vec<u8>,
}

impl OneShot<'_> {
    /// Runs the program in a process group of its own, with our environment. Whoever drops this ends the group.
    pub async fn run(self) -> Result<OneShotOutput, OneShotError> {
        let (program, arguments) =
            self.run.split_first().ok_or(OneShotError::NotStarted("it has no name".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder);
        let started = ProcessGroup::of(command);
        let (process, streams) = started.map_err(|error| OneShotError::NotStarted(error.kind().to_string()))?;
        let mut printed = PrintedUntilNow::default();
        let status = {
            let PrintedUntilNow { output, is_too_long, complaint } = &mut printed;
            let reading = async {
                let out = async {
                    *is_too_long = !read(streams.output, output, self.most).await;
                    if *is_too_long {
                        process.kill();
                    }
                };
                let complaints = read_end(streams.complaints, complaint);
                tokio::join!(feed(streams.input, self.input), out, complaints);
            };
            let ending = async {
                let status = process.ended().await;
                // what it left behind would keep its streams open
                process.kill();
                status
            };
            let mut reading = std::pin::pin!(reading);
            let whole = async {
                let mut ending = std::pin::pin!(ending);
                tokio::select! {
                    status = &mut ending => {
                        tokio::select! { () = &mut reading => {} () = sleep(GRACE) => {} }
                        status
                    }
                    () = &mut reading => ending.await,
                }
            };
            timeout(self.timeout, whole).await
        };
        process.kill();
        printed.told(&self, status)
    }
}

impl PrintedUntilNow {
    fn told(
        self,
        run: &OneShot<'_>,
        status: Result<Option<std::process::ExitStatus>, tokio::time::error::Elapsed>,
    ) -> Result<OneShotOutput, OneShotError> {
        // what a program says before it ends says most: a traceback has its error there
        let end = String::from_utf8_lossy(&self.complaint);
        let last = end.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let complaint = one_line(last, MAX_COMPLAINT_CHARS);
        if self.is_too_long {
            return Err(OneShotError::TooLong { most: run.most, complaint });
        }
        match status {
            Err(_) => Err(OneShotError::Timeout { after: run.timeout, complaint }),
            Ok(Some(status)) if status.success() => match String::from_utf8(self.output) {
                Ok(output) => Ok(OneShotOutput { output, complaint }),
                Err(_) => Err(OneShotError::NotText { complaint }),
            },
            Ok(status) => {
                let how = status.map_or_else(|| "a status that is not known".to_owned(), |status| status.to_string());
                Err(OneShotError::Ended { how, complaint })
            }
        }
    }
}

/// A program need not read what it is given, so it is no fault when it does not.
async fn feed(mut input: ChildStdin, text: &str) {
    if input.write_all(text.as_bytes()).await.is_ok() {
        let _ = input.shutdown().await;
    }
}

/// Reads to the end; false where there is more than may be.
async fn read(mut stream: impl AsyncRead + Unpin, into: &mut Vec<u8>, most: usize) -> bool {
    let mut piece = [0; 8 * 1024];
    // what cannot be read has ended
    while let Ok(read @ 1..) = stream.read(&mut piece).await {
        if into.len() + read > most {
            return false;
        }
        into.extend_from_slice(piece.get(..read).unwrap_or_default());
    }
    true
}

/// Reads to the end, and keeps the last bytes.
async fn read_end(mut stream: impl AsyncRead + Unpin, into: &mut Vec<u8>) {
    let mut piece = [0; 8 * 1024];
    while let Ok(read @ 1..) = stream.read(&mut piece).await {
        into.extend_from_slice(piece.get(..read).unwrap_or_default());
        into.drain(..into.len().saturating_sub(MAX_COMPLAINT_BYTES));
    }
}
