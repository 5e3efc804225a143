//! Whether an address that does not speak gRPC is the other port of a server.
use super::connect::Client;
use super::told;
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
        if self.is_wrong_door(status).await {
            return Stop::say(
                Exit::Unavailable,
                format!(
                    "{doing}: {0} speaks HTTP/1.1 and not gRPC: it is the HTTP port of a server, or of another program\n  \
                     name the gRPC port, which is 50051 unless gateway.grpc of the server says otherwise",
                    self.address
                ),
            );
        }
        told::stop(status, doing, &self.address)
    }

    /// Whether who listens there does not speak gRPC, so that no wait helps.
    pub(super) async fn is_wrong_door(&self, status: &Status) -> bool {
        (told::broke(status) || told::is_foreign(status)) && speaks_http1(&self.address).await
    }
}

/// Whether a plain HTTP/1.1 request is answered in kind. Nothing secret is sent.
async fn speaks_http1(address: &str) -> bool {
    let Some(authority) = address.strip_prefix("http://") else { return false };
    let asked = async {
        let mut line = TcpStream::connect(with_port(authority)).await?;
        let request = format!("GET /healthz HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
        line.write_all(request.as_bytes()).await?;
        let mut start = [0; 7];
        line.read_exact(&mut start).await?;
        Ok::<_, std::io::Error>(&start == b"HTTP/1.")
    };
    timeout(PATIENCE, asked).await.is_ok_and(|answered| answered.unwrap_or(false))
}

fn with_port(authority: &str) -> String {
    let after = authority.rsplit(']').next().unwrap_or(authority);
    if after.contains(':') { authority.to_owned() } else { format!("{authority}:80") }
}
