//! How full streams are.
use super::link::NatsLink;
use super::provision::find_stream;
use crate::port::BusError;
use std::sync::Arc;

/// What a stream holds, and how much it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Bytes in one copy of it.
    pub bytes: u64,
    /// As many as it may hold; none where nothing limits them.
    pub byte_limit: Option<u64>,
    /// Messages that it holds now.
    pub messages: u64,
    /// As many as it may hold; none where nothing limits them.
    pub message_limit: Option<u64>,
}

/// Looks how full streams are. Clones share the connection.
#[derive(Clone)]
pub struct StreamWatch {
    link: NatsLink,
    names: Arc<[String]>,
}

impl StreamWatch {
    /// Over this connection, whose user may ask for these streams.
    pub fn new(link: NatsLink, names: impl IntoIterator<Item = String>) -> Self {
        Self { link, names: names.into_iter().collect() }
    }

    /// The streams that are worth looking at.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How full a stream is now, if it exists. Fails at once while the connection is being restored.
    pub async fn look(&self, stream: &str) -> Result<Option<Fill>, BusError> {
        if !self.link.is_connected() {
            return Err(BusError::Failed(format!("the connection to {} is being restored", self.link.servers())));
        }
        let found = find_stream(&self.link, stream).await?;
        Ok(found.map(|info| Fill {
            bytes: info.state.bytes,
            byte_limit: limit(info.config.max_bytes),
            messages: info.state.messages,
            message_limit: limit(info.config.max_messages),
        }))
    }
}

/// A limit as the server tells it; 0 and -1 are none.
fn limit(told: i64) -> Option<u64> {
    u64::try_from(told).ok().filter(|limit| *limit > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_limited_has_no_limit() {
        assert_eq!([-1, 0, 7].map(limit), [None, None, Some(7)]);
    }
}
