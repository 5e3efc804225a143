//! Whether an address that does not speak gRPC is the other port of a server.
use super::connect::Client;
use super::refusal;
use crate::exit::{Exit, Stop};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::Status;

/// How long the other end may take to show what it speaks.
const PATIENCE: Duration = Duration::from_secs(2);

impl Client {
    /// The program's end that follows from a refusal; where the connection broke or the answer is no gRPC, whoever listens there is asked what it speaks.
    pub(super) async fn stop(&self, status: &Status, doing: &str) -> Stop {
        if let Some(spoken) = self.wrong_door(status).await {
            let whose = match spoken {
                ForeignProtocol::Http1 => {
                    "speaks HTTP/1.1 and not gRPC: it is the HTTP port of a server, or of another program"
                }
                ForeignProtocol::Nats => "speaks NATS and not gRPC: it is the port of a NATS server",
            };
            return Stop::say(
                Exit::Unavailable,
                format!(
                    "{doing}: {} {whose}\n  \
                     name the gRPC port: 50051, or the port of gateway.grpc of the server",
                    self.address
                ),
            );
        }
        refusal::stop(status, doing, &self.address)
    }

    /// Whether who listens there does not speak gRPC, so that no wait helps.
    pub(super) async fn is_wrong_door(&self, status: &Status) -> bool {
        self.wrong_door(status).await.is_some()
    }

    async fn wrong_door(&self, status: &Status) -> Option<ForeignProtocol> {
        if refusal::broke(status) || refusal::is_foreign(status) { spoken(&self.address).await } else { None }
    }
}

/// What who listens speaks instead of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForeignProtocol {
    Http1,
    Nats,
}

/// How a plain HTTP/1.1 request is answered, or a connection greeted. Nothing secret is sent.
async fn spoken(address: &str) -> Option<ForeignProtocol> {
    let authority = address.strip_prefix("http://")?;
    let asked = async {
        let mut line = TcpStream::connect(with_port(authority)).await?;
        let request = format!("GET /healthz HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
        line.write_all(request.as_bytes()).await?;
        let mut start = [0; 7];
        line.read_exact(&mut start).await?;
        Ok::<_, std::io::Error>(start)
    };
    match timeout(PATIENCE, asked).await.ok()?.ok()?.as_slice() {
        b"HTTP/1." => Some(ForeignProtocol::Http1),
        b"INFO {\"" => Some(ForeignProtocol::Nats),
        _ => None,
    }
}

fn with_port(authority: &str) -> String {
    let after = authority.rsplit(']').next().unwrap_or(authority);
    if after.contains(':') { authority.to_owned() } else { format!("{authority}:80") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn answered(with: &'static str) -> Option<ForeignProtocol> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (spoken, ()) = tokio::join!(spoken(&address), async {
            let (mut line, _) = listener.accept().await.unwrap();
            line.write_all(with.as_bytes()).await.unwrap();
            // until the other end has read and gone
            line.read_to_end(&mut Vec::new()).await.ok();
        });
        spoken
    }

    #[tokio::test]
    async fn other_protocols_are_known_by_their_first_bytes() {
        assert_eq!(answered("HTTP/1.1 404 Not Found\r\n\r\n").await, Some(ForeignProtocol::Http1));
        assert_eq!(answered("INFO {\"server_id\":\"a\"}\r\n").await, Some(ForeignProtocol::Nats));
        assert_eq!(answered("220 mail.example.org ESMTP\r\n").await, None);
    }
}
