//! How fast models generated in earlier runs: a small file beside the store, by server and model.
use crate::commands::Context;
use crate::servers::ReachableServer;
use crate::store;
use agon_core::{HostId, ModelName};
use agon_runtime::Speeds;
use std::collections::BTreeMap;
use std::path::PathBuf;

const FILE_NAME: &str = "speeds.json";
/// Models of one server that are remembered.
const MOST: usize = 1_000;

/// Tokens a second of each model at each address.
type SpeedTable = BTreeMap<String, BTreeMap<ModelName, f64>>;

/// The speeds of earlier runs. What cannot be read or written is forgotten: debates do without.
#[derive(Clone, Debug)]
pub struct Remembered {
    path: Option<PathBuf>,
}

impl Remembered {
    /// Those that belong to the store of these settings.
    pub fn of(context: &Context) -> Self {
        let path = store::path(context).ok().map(|store| store.with_file_name(FILE_NAME));
        Self { path }
    }

    fn read(&self) -> SpeedTable {
        let text = self.path.as_deref().and_then(|path| agon_files::read_text(path).ok());
        let known: SpeedTable = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let sound = |models: BTreeMap<ModelName, f64>| {
            models.into_iter().filter(|(_, speed)| speed.is_finite() && *speed > 0.0).take(MOST).collect()
        };
        known.into_iter().map(|(server, models)| (server, sound(models))).collect()
    }

    /// What the hosts of a node begin with.
    pub fn at<'a>(&self, servers: impl Iterator<Item = &'a ReachableServer>) -> Speeds {
        let known = self.read();
        let of = |server: &ReachableServer| {
            let host = HostId::from(server.settings.name.as_str());
            let models = known.get(&address(server)).cloned().unwrap_or_default();
            models.into_iter().map(move |(model, speed)| ((host.clone(), model), speed))
        };
        Speeds::new(servers.flat_map(of))
    }

    /// Writes down what was measured at these servers, as `(server's address, its host)`.
    pub fn keep(&self, servers: &[(String, HostId)], speeds: &Speeds) {
        let found = speeds.all().into_iter().filter_map(|((host, model), speed)| {
            let (address, _) = servers.iter().find(|(_, id)| *id == host)?;
            Some((address.clone(), model, speed))
        });
        self.write(found);
    }

    /// Writes down one speed.
    pub fn note(&self, server: &ReachableServer, model: &str, speed: f64) {
        self.write(std::iter::once((address(server), ModelName::from(model), speed)));
    }

    fn write(&self, found: impl Iterator<Item = (String, ModelName, f64)>) {
        let (Some(path), mut found) = (&self.path, found.peekable()) else { return };
        if found.peek().is_none() {
            return;
        }
        let mut known = self.read();
        for (server, model, speed) in found {
            known.entry(server).or_default().insert(model, speed);
        }
        // whole or not at all: another run may read it now
        let written = serde_json::to_vec_pretty(&known).map_err(std::io::Error::from).and_then(|bytes| {
            let draft = path.with_extension(format!("json.{}", std::process::id()));
            std::fs::write(&draft, bytes).and_then(|()| std::fs::rename(&draft, path))
        });
        if let Err(error) = written {
            tracing::debug!(path = %path.display(), %error, "speeds of models not stored");
        }
    }
}

/// By what a server is known again.
pub fn address(server: &ReachableServer) -> String {
    server.client.endpoint().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_is_known_again_and_what_is_no_speed_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let remembered = Remembered { path: Some(folder.path().join(FILE_NAME)) };
        assert!(remembered.read().is_empty());
        let measured = |speed| Speeds::new([(("gpu1".into(), "m".into()), speed), (("else".into(), "m".into()), 9.0)]);

        remembered.keep(&[("http://a".into(), "gpu1".into())], &measured(2.5));
        remembered.keep(&[("http://b".into(), "gpu1".into())], &measured(-1.0));

        let known = remembered.read();
        assert_eq!(known["http://a"], [("m".into(), 2.5)].into());
        assert!(known["http://b"].is_empty());
        std::fs::write(folder.path().join(FILE_NAME), "no JSON").unwrap();
        assert!(remembered.read().is_empty());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left behind");
    }
}
