//! How the program ends: one number for each kind of ending, and errors that carry theirs.
use crate::settings::masked;
use std::fmt;
use std::process::ExitCode;

/// The exit codes; `docs/reference/cli.md` lists them for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; a debate was decided, with or without missing seats.
    Done,
    /// A check found something that needs mending (`agon doctor`).
    Unwell,
    /// The debate ended in a tie or inconclusive.
    Undecided,
    /// The debate failed, or a stored log is damaged.
    Failed,
    /// The debate was cancelled.
    Cancelled,
    /// Wrong usage, a bad debate file, bad settings, or an unknown debate.
    Usage,
    /// No model server, or not the model that the debate needs.
    Unavailable,
    /// Agon itself failed: its store, its files, or a defect.
    Internal,
    /// Interrupted by Ctrl-C or a signal; the debate can be resumed.
    Interrupted,
    /// Whoever read the output went away; the debate can be resumed.
    BrokenPipe,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unwell => 1,
            Self::Undecided => 2,
            Self::Failed => 3,
            Self::Cancelled => 4,
            Self::Usage => 64,
            Self::Unavailable => 69,
            Self::Internal => 70,
            Self::Interrupted => 130,
            Self::BrokenPipe => 141,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An error that ends the program, and how it ends.
#[derive(Debug)]
pub struct Stop {
    /// With which code.
    pub exit: Exit,
    /// Why; nothing where all was said already.
    pub error: Option<anyhow::Error>,
}

impl Stop {
    /// Ends with `exit` because of `error`.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, error: Some(error.into()) }
    }
    /// Ends with `exit`, saying `message`.
    pub fn say(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, error: Some(anyhow::anyhow!("{message}")) }
    }
    /// Ends as wrong usage, saying `message`.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::say(Exit::Usage, message)
    }
    /// Why, with all causes and without secrets of addresses; empty where all was said already.
    pub fn why(&self) -> String {
        self.error.as_ref().map_or_else(String::new, |error| masked(&format!("{error:#}")).into_owned())
    }
    /// Ends with `exit`; the reader knows already why.
    pub fn quietly(exit: Exit) -> Self {
        Self { exit, error: None }
    }
}

/// What is not said to be something else is Agon's own failure, except that a closed pipe is the reader's choice.
impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        if is_broken_pipe(&error) { Self::quietly(Exit::BrokenPipe) } else { Self::new(Exit::Internal, error) }
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::from(anyhow::Error::from(error))
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.map(std::io::Error::kind).any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn a_closed_pipe_is_the_readers_choice_and_no_failure() {
        let closed = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let stop = Stop::from(Err::<(), _>(closed).context("cannot print").unwrap_err());
        assert_eq!(stop.exit, Exit::BrokenPipe);
        assert!(stop.error.is_none());
    }

    #[test]
    fn an_error_without_a_code_is_agons_own() {
        assert_eq!(Stop::from(anyhow::anyhow!("disk full")).exit, Exit::Internal);
    }
}
