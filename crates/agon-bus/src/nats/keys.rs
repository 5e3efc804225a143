//! Keys of users, as nats-server knows them without passwords.
use nkeys::{KeyPair, KeyPairType};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there is no key.
#[derive(Debug, Error)]
pub enum KeyFileError {
    /// A key that is in use must not be lost.
    #[error("{} exists already; a key is never overwritten", .0.display())]
    Exists(PathBuf),
    /// The file cannot be written.
    #[error("cannot write the key to {}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The key has no seed.
    #[error("cannot make a key")]
    Key(#[source] nkeys::error::Error),
}

/// Makes a user's key: the seed goes to a new file that only its owner may read, the public key is the answer.
pub fn make_key(path: &Path) -> Result<String, KeyFileError> {
    let key = KeyPair::new_user();
    let seed = key.seed().map_err(KeyFileError::Key)?;
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::AlreadyExists => KeyFileError::Exists(path.to_owned()),
        _ => KeyFileError::Write { path: path.to_owned(), source },
    };
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(format!("{seed}\n").as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(key.public_key())
}

/// Whether a text is the public key of a user.
pub fn is_public_key(text: &str) -> bool {
    KeyPair::from_public_key(text).is_ok_and(|key| key.key_pair_type() == KeyPairType::User)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_made_key_is_readable_by_its_owner_alone_and_is_the_one_that_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("host.nk");
        let public = make_key(&path).unwrap();
        let seed = std::fs::read_to_string(&path).unwrap();
        assert_eq!(KeyPair::from_seed(seed.trim()).unwrap().public_key(), public);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(is_public_key(&public) && !is_public_key(seed.trim()) && !is_public_key(&public[1..]));
    }

    #[test]
    fn a_key_is_never_overwritten_and_a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("host.nk");
        make_key(&path).unwrap();
        let kept = std::fs::read(&path).unwrap();
        assert!(matches!(make_key(&path), Err(KeyFileError::Exists(_))));
        assert_eq!(std::fs::read(&path).unwrap(), kept);
        let error = make_key(&folder.path().join("none/host.nk")).unwrap_err();
        assert!(matches!(error, KeyFileError::Write { .. }) && error.to_string().contains("none/host.nk"));
    }

    #[test]
    fn keys_of_other_kinds_are_no_users() {
        assert!(!is_public_key(&KeyPair::new_account().public_key()));
        assert!(!is_public_key("U"));
    }
}
