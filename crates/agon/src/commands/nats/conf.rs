//! The configuration as text, for nats-server 2.9.10 and newer.
use super::lent::{Lent, lent};
use super::users::{Account, SYSTEM, User, UserCredential};
use crate::cli::{NATS_ACCOUNT, NATS_ROLES, NatsConfigArgs};
use crate::grants::Grants;
use crate::shell::quoted;
use std::path::Path;

/// What the streams of one account may take on disk; those of `agon provision` reserve 2.6 GiB unless told otherwise.
const FILE_GB: usize = 8;
/// The same in memory.
const MEMORY_MB: usize = 256;

const ADVICE: &str = "\
# Begin passwords with a letter, and use only letters and digits: this file format reads other texts differently.
";
const SERVER: &str = "
server_name: \"agon-nats\"
listen: \"0.0.0.0:4222\"

# Monitoring, on this machine only: the port has no authentication.
http: \"127.0.0.1:8222\"

";
const NO_TLS: &str = "\
# No encryption: print this with --tls DIR, or use it in a private network.

";
const STORE: &str =
    "  # 2.10 and newer: a power cut then loses nothing that was answered. Older servers do not know the line.
  # sync_interval: always
  # Encrypts what is stored; the key belongs into a variable of the environment.
  # cipher: \"chachapoly\", key: $AGON_NATS_STORE_KEY
";

/// The configuration that the options ask for.
pub fn text(args: &NatsConfigArgs, accounts: &[Account]) -> String {
    let mut page = ConfWriter::default();
    page.head(args, accounts);
    if args.accounts_only {
        accounts.iter().for_each(|account| page.account(account, accounts.len()));
        return page.text;
    }
    page.text.push_str(SERVER);
    match &args.tls {
        Some(folder) => page.tls(folder),
        None => page.text.push_str(NO_TLS),
    }
    let tenants = accounts.len().saturating_sub(1).max(1);
    page.open("jetstream {");
    page.line("store_dir: \"/var/lib/nats\"");
    page.line(&format!("max_file_store: {}GB", FILE_GB * tenants));
    page.line(&format!("max_memory_store: {}MB", MEMORY_MB * tenants));
    page.text.push_str(STORE);
    page.close("}");
    page.text.push('\n');
    page.open("accounts {");
    accounts.iter().for_each(|account| page.account(account, tenants));
    page.close("}");
    page.line(&format!("system_account: {SYSTEM}"));
    page.text
}

/// Text that grows by lines.
#[derive(Default)]
struct ConfWriter {
    text: String,
    depth: usize,
}

impl ConfWriter {
    fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }
    fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }
    fn close(&mut self, line: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    fn head(&mut self, args: &NatsConfigArgs, accounts: &[Account]) {
        self.line("# nats-server for an Agon cluster, with least-privilege users. For nats-server 2.9.10 and newer.");
        self.line(&format!("# Made by: {}", command(args)));
        self.line("#");
        self.line("# docs/guide/security.md explains each line, and the limits of this protection.");
        let variables: Vec<&String> = accounts.iter().flat_map(|account| &account.users).filter_map(variable).collect();
        if !variables.is_empty() {
            self.line("# Passwords come from the environment of nats-server, which must define:");
            variables.iter().for_each(|name| self.line(&format!("#   {name}")));
            self.text.push_str(ADVICE);
        }
    }

    fn tls(&mut self, folder: &Path) {
        let file = |name: &str| format!("{:?}", folder.join(name).display().to_string());
        self.line("# Clients must present a certificate of ca_file, and still name their user.");
        self.open("tls {");
        self.line(&format!("cert_file: {}", file("tls.crt")));
        self.line(&format!("key_file: {}", file("tls.key")));
        self.line(&format!("ca_file: {}", file("ca.crt")));
        self.line("verify: true");
        self.line("timeout: 5");
        self.close("}");
        self.text.push('\n');
    }

    fn account(&mut self, account: &Account, tenants: usize) {
        self.open(&format!("{} {{", account.name));
        if account.users.iter().any(|user| user.grants.is_some()) {
            match tenants {
                1 => self.line("jetstream: enabled"),
                // else one could fill the disk of all
                _ => self.line(&format!("jetstream: {{ max_file: {FILE_GB}GB, max_mem: {MEMORY_MB}MB }}")),
            }
        }
        let (hosts, users): (Vec<&User>, Vec<&User>) = account.users.iter().partition(|user| user.lent);
        self.users(&users);
        let (hosts_account, lent) = (account.of_hosts(), lent(&hosts));
        if hosts.is_empty() {
            return self.close("}");
        }
        self.line("# The part that hosts may use, and the messages from hosts.");
        self.list("exports", &lent.exported(&hosts_account));
        self.list("imports", &lent.heard(&hosts_account));
        self.close("}");
        self.hosts(&account.name, &hosts, &lent);
    }

    /// The account of hosts. The server sends its answers wherever it is told to, without asking what the one who tells it may: so hosts
    /// are told apart by an account, and not by permissions alone.
    fn hosts(&mut self, account: &str, hosts: &[&User], lent: &Lent) {
        self.line("# Hosts have their own account: answers to their requests cannot reach the streams' account.");
        self.open(&format!("{account}_HOSTS {{"));
        self.users(hosts);
        self.list("exports", &lent.told(account));
        self.list("imports", &lent.imported(account));
        self.close("}");
    }

    fn users(&mut self, users: &[&User]) {
        self.open("users: [");
        users.iter().for_each(|user| self.user(user));
        self.close("]");
    }

    fn list(&mut self, name: &str, lines: &[String]) {
        self.open(&format!("{name}: ["));
        lines.iter().for_each(|line| self.line(line));
        self.close("]");
    }

    fn user(&mut self, user: &User) {
        self.line(&format!("# {}", user.about));
        self.open("{");
        match &user.proof {
            UserCredential::Password(variable) => {
                self.line(&format!("user: \"{}\"", user.name));
                self.line(&format!("password: ${variable}"));
            }
            UserCredential::Key(key) => {
                self.line(&format!("# {}", user.name));
                self.line(&format!("nkey: {key}"));
            }
        }
        if let Some(grants) = &user.grants {
            self.permissions(grants);
        }
        self.close("}");
    }

    fn permissions(&mut self, grants: &Grants) {
        self.open("permissions: {");
        self.open("publish: {");
        match grants.all_publish().next() {
            Some(_) => self.publish(grants),
            None => self.line("deny: [\">\"]"),
        }
        self.close("}");
        self.open("subscribe: {");
        self.open("allow: [");
        self.subjects(&grants.subscribe);
        self.close("]");
        self.close("}");
        if grants.answers {
            self.line("# One answer to each request, for as long as the longest turn may take.");
            self.line("allow_responses: { max: 1, expires: \"1h\" }");
        }
        self.close("}");
    }

    fn publish(&mut self, grants: &Grants) {
        self.open("allow: [");
        self.subjects(&grants.publish);
        for (shard, subjects) in grants.shards.iter().enumerate() {
            self.line(&format!("# The logs' shard {shard}: these lines once for each of nats.shards."));
            self.subjects(subjects);
        }
        self.close("]");
    }

    fn subjects(&mut self, subjects: &[String]) {
        subjects.iter().for_each(|subject| self.line(&format!("\"{subject}\"")));
    }
}

fn variable(user: &User) -> Option<&String> {
    match &user.proof {
        UserCredential::Password(variable) => Some(variable),
        UserCredential::Key(_) => None,
    }
}

/// The command that prints the same again.
fn command(args: &NatsConfigArgs) -> String {
    let mut words = vec!["agon nats config".to_owned()];
    let mut add = |flag: &str, value: &str| words.push(format!("{flag} {}", quoted(value)));
    let roles = args.roles.join(",");
    if roles != NATS_ROLES {
        add("--roles", &roles);
    }
    args.bound_host.iter().for_each(|host| add("--bound-host", host));
    args.seat.iter().for_each(|seat| add("--seat", seat));
    if args.account != [NATS_ACCOUNT] {
        args.account.iter().for_each(|account| add("--account", account));
    }
    if args.shards != 1 {
        add("--shards", &args.shards.to_string());
    }
    args.nkey.iter().for_each(|key| add("--nkey", key));
    if let Some(folder) = &args.tls {
        add("--tls", &folder.display().to_string());
    }
    if args.accounts_only {
        words.push("--accounts-only".to_owned());
    }
    words.join(" ")
}
