//! Volumes of pods, laid out in folders.
use super::places::Places;
use super::render::{Render, list, only, text};
use super::secrets::Secrets;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// What volumes are made of.
pub struct VolumeSources<'a> {
    pub render: &'a Render,
    pub secrets: &'a Secrets,
    /// The pod's own folder: what is empty at first.
    pub pod: &'a Path,
    /// The folder of what outlives the pod.
    pub claims: &'a Path,
}

/// A file of a volume.
struct VolumeFile {
    path: String,
    bytes: Vec<u8>,
    /// Texts of ConfigMaps are changed as [`Places`] says; secrets are not.
    rendered: bool,
}

impl VolumeSources<'_> {
    /// Lays out what is mounted into a container.
    pub fn lay_out(&self, pod: &Value, claims: &[String], container: &Value, places: &Places<'_>) {
        for mount in list(container, "/volumeMounts") {
            only(mount, &["name", "mountPath", "subPath", "readOnly"]);
            let (name, at) = (text(mount, "/name"), places.path(text(mount, "/mountPath")));
            if claims.iter().any(|claim| claim == name) {
                self.link(&self.claims.join(name), &at);
                continue;
            }
            let volume = list(pod, "/volumes").iter().find(|volume| volume["name"] == name);
            let volume = volume.unwrap_or_else(|| panic!("no volume {name}"));
            if volume.get("emptyDir").is_some() {
                only(volume, &["name", "emptyDir"]);
                assert_eq!(volume["emptyDir"], serde_json::json!({}));
                self.link(&self.pod.join("volumes").join(name), &at);
                continue;
            }
            let files = self.files(volume);
            match mount["subPath"].as_str() {
                None => files.iter().for_each(|file| write(&at.join(&file.path), file, places)),
                Some(part) => {
                    let file = files.iter().find(|file| file.path == part);
                    write(&at, file.unwrap_or_else(|| panic!("the volume {name} has no {part}")), places);
                }
            }
        }
    }

    fn link(&self, folder: &Path, at: &Path) {
        fs::create_dir_all(folder).unwrap();
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(folder, at).unwrap();
    }

    fn files(&self, volume: &Value) -> Vec<VolumeFile> {
        only(volume, &["name", "configMap", "secret", "projected"]);
        if let Some(projected) = volume.get("projected") {
            only(projected, &["sources", "defaultMode"]);
            return list(projected, "/sources").iter().flat_map(|source| self.source(source)).collect();
        }
        self.source(volume)
    }

    fn source(&self, source: &Value) -> Vec<VolumeFile> {
        only(source, &["name", "configMap", "secret"]);
        let (map, secret) = (&source["configMap"], &source["secret"]);
        if !map.is_null() {
            only(map, &["name", "defaultMode"]);
            let files = self.render.files(text(map, "/name")).into_iter();
            return files.map(|(path, text)| VolumeFile { path, bytes: text.into_bytes(), rendered: true }).collect();
        }
        only(secret, &["name", "secretName", "items", "defaultMode"]);
        let name = secret.get("secretName").or(secret.get("name")).and_then(Value::as_str).unwrap();
        let items =
            list(secret, "/items").iter().map(|item| (text(item, "/key").to_owned(), text(item, "/path").to_owned()));
        let mut items: Vec<_> = items.collect();
        if items.is_empty() {
            items = self.secrets.keys(name).into_iter().map(|key| (key.clone(), key)).collect();
        }
        let file =
            |(key, path): (String, String)| VolumeFile { path, bytes: self.secrets.value(name, &key), rendered: false };
        items.into_iter().map(file).collect()
    }
}

fn write(at: &Path, file: &VolumeFile, places: &Places<'_>) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    if file.rendered {
        let text = std::str::from_utf8(&file.bytes).unwrap();
        fs::write(at, places.file(&file.path, text)).unwrap();
    } else {
        fs::write(at, &file.bytes).unwrap();
    }
}
