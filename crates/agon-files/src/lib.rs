//! Files that settings and command lines name: read up to a limit, and only where they can end.
//!
//! Invariant: no other crate reads a file that was named to it, but for the documents of a tool, which have a limit of their own.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The longest file of settings, keys, certificates or a script, in bytes.
pub const MAX_FILE: usize = 4 * 1024 * 1024;

/// Reads a file of at most `most` bytes. Folders, devices, sockets and named pipes are refused, because they need not end; the pipe of
/// a shell's `<(command)` is read like a file.
pub fn read(path: &Path, most: usize) -> Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    let kind = metadata.file_type();
    // What a process has open lies in no folder.
    let is_named = path.canonicalize().is_ok();
    if !(kind.is_file() || (kind.is_fifo() && !is_named)) {
        return Err(refused(format!("it is {}, not a file", name(kind))));
    }
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        // a pipe has no length, and some files of the system say 0
        let known = usize::try_from(metadata.len()).ok().filter(|length| *length > most);
        let length = known.map(|length| format!(": it has {length}")).unwrap_or_default();
        return Err(refused(format!("it is longer than {most} bytes{length}")));
    }
    Ok(bytes)
}

/// Reads a text of at most [`MAX_FILE`] bytes.
pub fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path, MAX_FILE)?).map_err(|_| refused("it is not UTF-8".to_owned()))
}

fn refused(why: String) -> Error {
    Error::new(ErrorKind::InvalidInput, why)
}

fn name(kind: std::fs::FileType) -> &'static str {
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        read(path, 1000).unwrap_err().to_string()
    }

    #[test]
    fn what_need_not_end_is_refused_and_said_to_be_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();

        assert_eq!(refusal(Path::new("/dev/zero")), "it is a device, not a file");
        assert_eq!(refusal(folder.path()), "it is a folder, not a file");
        assert_eq!(refusal(&pipe), "it is a named pipe, not a file");
        assert_eq!(refusal(&socket), "it is a socket, not a file");
    }

    #[test]
    fn a_long_file_is_refused_after_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse.toml");
        File::create(&path).unwrap().set_len(10_000_000_000).unwrap();
        assert_eq!(refusal(&path), "it is longer than 1000 bytes: it has 10000000000");
        assert!(read_text(&path).unwrap_err().to_string().contains("4194304"));
        std::fs::write(&path, "x".repeat(1000)).unwrap();
        assert_eq!(read(&path, 1000).unwrap().len(), 1000);
    }
}
