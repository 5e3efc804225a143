//! How to reach NATS.
use secrecy::SecretString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Everything about one connection. [`NatsConfig::new`] fills in what suits a role in a cluster.
#[derive(Clone, Debug)]
pub struct NatsConfig {
    /// The servers, as `nats://host:port` or `tls://host:port`; more are learned from the first that answers.
    pub urls: Vec<String>,
    /// The connection's name in the server's reports.
    pub name: String,
    /// The first tokens of the subjects that answers come on: one for the role, which permissions name, and one for the node.
    pub inbox_prefix: String,
    /// Who connects.
    pub auth: NatsAuth,
    /// How the connection is secured.
    pub tls: NatsTls,
    /// How long to go on trying when no server can be reached at first; zero tries once.
    pub wait: Duration,
    /// How long one attempt to connect may take.
    pub connect_timeout: Duration,
    /// How often the connection is tested; one that misses three tests is given up.
    pub ping_interval: Duration,
    /// How long an answer may take where the caller does not say.
    pub request_timeout: Duration,
    /// The longest pause between attempts to reconnect.
    pub reconnect_pause: Duration,
    /// Messages that wait for one listener or server; further ones are lost to it.
    pub subscription_capacity: NonZeroUsize,
    /// Messages that wait to be sent before senders have to wait.
    pub client_capacity: NonZeroUsize,
}

const SUBSCRIPTION_CAPACITY: NonZeroUsize = NonZeroUsize::MIN.saturating_add(8_191);
const CLIENT_CAPACITY: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1_023);

impl NatsConfig {
    /// The settings for a role on a node, without credentials.
    pub fn new(urls: impl IntoIterator<Item = impl Into<String>>, role: &str, node: &str) -> Self {
        Self {
            urls: urls.into_iter().map(Into::into).collect(),
            name: format!("{role}/{node}"),
            inbox_prefix: format!("_INBOX_{}.{}", as_token(role), as_token(node)),
            auth: NatsAuth::None,
            tls: NatsTls::default(),
            wait: Duration::ZERO,
            connect_timeout: Duration::from_secs(3),
            ping_interval: Duration::from_secs(5),
            request_timeout: Duration::from_secs(2),
            reconnect_pause: Duration::from_secs(4),
            subscription_capacity: SUBSCRIPTION_CAPACITY,
            client_capacity: CLIENT_CAPACITY,
        }
    }
}

/// What may not stand in a token of a subject becomes `-`.
fn as_token(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// Who connects. Files are read again at every reconnect, so that renewed credentials need no restart.
#[derive(Clone, Debug, Default)]
pub enum NatsAuth {
    /// Nobody in particular, or whom the client certificate names.
    #[default]
    None,
    /// A user with a password.
    UserPassword {
        /// The name that the server's configuration gives the user.
        user: String,
        /// In plain text, as it is sent.
        password: SecretString,
    },
    /// The token that the server's configuration names.
    Token(SecretString),
    /// A credentials file, as `nsc` writes it: a signed token and the seed of its key.
    CredsFile(PathBuf),
    /// A file with the seed of a user's nkey.
    NKeySeed(PathBuf),
}

/// How the connection is secured. A server that wants TLS gets it even where nothing is set here.
#[derive(Clone, Debug, Default)]
pub struct NatsTls {
    /// Refuse servers that do not speak TLS.
    pub require: bool,
    /// The authorities to trust instead of the system's, as PEM.
    pub ca_file: Option<PathBuf>,
    /// The client's certificate, as PEM.
    pub cert_file: Option<PathBuf>,
    /// The key of the client's certificate, as PEM.
    pub key_file: Option<PathBuf>,
}
