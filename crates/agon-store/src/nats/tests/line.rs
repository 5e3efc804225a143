//! A bad line between a store and its server.
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A proxy that can lose what the server says. What it has lost cannot be made up for, so a line that lost something has to be cut.
pub(super) struct LossyProxy {
    port: u16,
    deaf: watch::Sender<bool>,
    connections: Arc<Mutex<JoinSet<()>>>,
    _listener: JoinSet<()>,
}

impl LossyProxy {
    pub(super) async fn to(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let deaf = watch::Sender::new(false);
        let connections: Arc<Mutex<JoinSet<()>>> = Arc::default();
        let mut listening = JoinSet::new();
        listening.spawn({
            let (deaf, connections) = (deaf.clone(), Arc::clone(&connections));
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else { continue };
                    connections.lock().unwrap().spawn(carry(client, server, deaf.subscribe()));
                }
            }
        });
        Self { port, deaf, connections, _listener: listening }
    }
    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
    /// Answers are lost from now on; what is asked still arrives.
    pub(super) fn lose_answers(&self) {
        self.deaf.send_replace(true);
    }
    /// Cuts all connections; new ones are good.
    pub(super) fn cut(&self) {
        self.deaf.send_replace(false);
        self.connections.lock().unwrap().abort_all();
    }
}

async fn carry(client: TcpStream, server: TcpStream, deaf: watch::Receiver<bool>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = copy(from_client, to_server, None) => {}
        () = copy(from_server, to_client, Some(deaf)) => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, deaf: Option<watch::Receiver<bool>>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let Ok(read @ 1..) = from.read(&mut buffer).await else { return };
        let lost = deaf.as_ref().is_some_and(|deaf| *deaf.borrow());
        if !lost && to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
