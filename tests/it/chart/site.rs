//! A namespace with a release in it: workloads, and how they are rolled.
use super::network::Network;
use super::pod::Pod;
use super::render::{Render, list, text};
use super::secrets::Secrets;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// What all pods of a release share.
pub struct Site {
    pub render: Render,
    pub secrets: Secrets,
    pub network: Network,
    folder: TempDir,
    born: AtomicU32,
}

impl Site {
    /// The namespace before anything runs. Servers outside the render are given by `host:port`.
    pub fn new(render: Render, outside: BTreeMap<String, u16>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::make(folder.path());
        let network = Network::new(&render, outside);
        Self { render, secrets, network, folder, born: AtomicU32::new(0) }
    }

    /// A folder for a pod. One that is started again has a new one.
    pub fn pod_folder(&self, pod: &str) -> PathBuf {
        let folder = self.folder.path().join("pods").join(format!("{pod}.{}", self.number()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }
    /// The folder of what outlives a pod.
    pub fn claims_folder(&self, pod: &str) -> PathBuf {
        self.folder.path().join("claims").join(pod)
    }
    fn number(&self) -> u32 {
        self.born.fetch_add(1, Ordering::Relaxed)
    }

    /// What nats-server refused in all this time, but for what roles try at their start to learn that they may not.
    pub fn violations(&self) -> Vec<String> {
        let pods = std::fs::read_dir(self.folder.path().join("pods")).unwrap();
        let logs = pods.filter_map(|pod| std::fs::read_to_string(pod.unwrap().path().join("nats.log")).ok());
        let lines = logs.flat_map(|log| log.lines().map(str::to_owned).collect::<Vec<_>>());
        lines.filter(|line| line.contains("Violation") && !line.contains("agon.v1.echo.")).collect()
    }

    /// The pod of `helm test`, started.
    pub fn helm_test(&self) -> Pod {
        let manifest = self.render.of_kind("Pod").next().expect("the render has a test");
        assert_eq!(manifest["metadata"]["annotations"]["helm.sh/hook"], "test");
        Pod::start(self, &format!("{}-{}", text(manifest, "/metadata/name"), self.number()), manifest, &[])
    }
    /// Runs `helm test`, which has to succeed.
    pub fn helm_test_succeeds(&self) -> String {
        let mut pod = self.helm_test();
        let (code, said) = pod.until_over();
        assert_eq!(code, Some(0), "{said}");
        pod.end(self);
        said
    }
}

/// A release that runs.
pub struct Release {
    /// Pods of each workload, by its kind and name. They end before what they stand on.
    workloads: BTreeMap<(String, String), Vec<Pod>>,
    pub site: std::sync::Arc<Site>,
}

impl Release {
    /// Starts everything but the workloads that are left out, first NATS, then the job, then the rest.
    pub fn install(site: Site, left_out: &[&str]) -> Self {
        let mut release = Self { workloads: BTreeMap::new(), site: std::sync::Arc::new(site) };
        let wanted = |object: &&Value| !left_out.contains(&text(object, "/metadata/name"));
        let site = release.site.clone();
        for set in site.render.of_kind("StatefulSet") {
            assert_eq!(set["spec"]["podManagementPolicy"], "Parallel");
            release.scale_up(set);
        }
        for job in site.render.of_kind("Job") {
            let name = format!("{}-{}", text(job, "/metadata/name"), site.number());
            let (code, said) = Pod::start(&site, &name, &job["spec"]["template"], &[]).until_over();
            assert_eq!(code, Some(0), "{name}: {said}");
        }
        for kind in ["Deployment", "DaemonSet"] {
            site.render.of_kind(kind).filter(wanted).for_each(|workload| release.scale_up(workload));
        }
        release
    }

    fn scale_up(&mut self, workload: &Value) {
        let count = self.site.render.replicas(workload);
        assert!(count > 0, "{} has no pod", workload["metadata"]["name"]);
        let mut pods: Vec<Pod> = (0..count).map(|at| self.start(workload, at)).collect();
        pods.iter_mut().for_each(|pod| pod.until_ready(&self.site));
        self.workloads.insert(key(workload), pods);
    }

    fn start(&self, workload: &Value, at: u64) -> Pod {
        let (kind, name) = key(workload);
        let claims =
            list(workload, "/spec/volumeClaimTemplates").iter().map(|claim| text(claim, "/metadata/name").to_owned());
        let number = if kind == "StatefulSet" { at } else { u64::from(self.site.number()) };
        Pod::start(&self.site, &format!("{name}-{number}"), &workload["spec"]["template"], &claims.collect::<Vec<_>>())
    }

    /// Replaces each pod of a workload in turn, as its strategy says. It calls back right before each is told to end.
    pub fn roll(&mut self, kind: &str, name: &str, mut before: impl FnMut(&Pod)) {
        let site = self.site.clone();
        let workload = site.render.object(kind, name);
        let surge = match kind {
            "Deployment" => {
                assert_eq!(workload["spec"]["strategy"]["type"], "RollingUpdate");
                let update = &workload["spec"]["strategy"]["rollingUpdate"];
                let (surge, away) = (update["maxSurge"].as_u64().unwrap(), update["maxUnavailable"].as_u64().unwrap());
                assert_eq!(surge + away, 1, "one pod at a time");
                surge == 1
            }
            "StatefulSet" | "DaemonSet" => false,
            other => panic!("{other} is not rolled"),
        };
        let mut old = self.workloads.remove(&key(workload)).unwrap();
        let mut new = Vec::new();
        // stateful sets go from the last to the first
        while let Some(pod) = old.pop() {
            let at = old.len() as u64;
            if surge {
                let mut next = self.start(workload, at);
                next.until_ready(&site);
                new.push(next);
                before(&pod);
                pod.end(&site);
            } else {
                before(&pod);
                pod.end(&site);
                let mut next = self.start(workload, at);
                next.until_ready(&site);
                new.push(next);
            }
        }
        new.reverse();
        self.workloads.insert(key(workload), new);
    }

    /// The pods that run.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.workloads.values().flatten()
    }
    /// Ends everything in order, NATS last.
    pub fn uninstall(mut self) {
        let nats = |key: &(String, String)| key.0 == "StatefulSet";
        let rest: Vec<_> = self.workloads.keys().filter(|key| !nats(key)).cloned().collect();
        for key in rest {
            for pod in self.workloads.remove(&key).unwrap() {
                pod.end(&self.site);
            }
        }
    }
}

fn key(workload: &Value) -> (String, String) {
    (text(workload, "/kind").to_owned(), text(workload, "/metadata/name").to_owned())
}
