//! The listening socket and its connections, with a switch that kills them all as the death of a process does.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::serve::Listener;
use futures_util::task::AtomicWaker;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    time::{Instant, sleep, sleep_until},
};

use crate::stats::lock;

/// Connections that may wait to be accepted; the system lowers it to its own limit.
const BACKLOG: u32 = 16_384;

/// Kills connections and keeps the door shut for a while.
#[derive(Debug)]
pub struct Switch {
    down_until: watch::Sender<Option<Instant>>,
    lines: Mutex<HashMap<u64, Weak<Pulse>>>,
    next: AtomicU64,
    closed: AtomicBool,
}

/// Whether a connection is to live, and whom to wake when not.
#[derive(Debug, Default)]
struct Pulse {
    doomed: AtomicBool,
    task: AtomicWaker,
}

impl Switch {
    /// A switch with no connections.
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            down_until: watch::Sender::new(None),
            lines: Mutex::default(),
            next: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        })
    }

    /// Refuses new connections for `gone` and resets those there are, in this order: whoever notices the reset finds the door shut.
    pub fn go_down(&self, gone: Duration) {
        self.down_until.send_replace(Some(Instant::now() + gone));
    }

    /// Resets every connection, now and from now on.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.cut_all();
    }

    /// Whether the door is shut at this moment.
    pub fn is_down(&self) -> bool {
        self.down_until.borrow().is_some()
    }

    fn cut_all(&self) {
        for pulse in lock(&self.lines).values().filter_map(Weak::upgrade) {
            pulse.doomed.store(true, Ordering::SeqCst);
            pulse.task.wake();
        }
    }

    fn enter(self: &Arc<Self>, stream: TcpStream) -> TrackedConnection {
        let pulse = Arc::new(Pulse::default());
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.lines).insert(id, Arc::downgrade(&pulse));
        if self.closed.load(Ordering::SeqCst) {
            pulse.doomed.store(true, Ordering::SeqCst);
        }
        TrackedConnection { stream, pulse, id, switch: Arc::clone(self) }
    }
}

/// Accepts connections while the server is up.
#[derive(Debug)]
pub struct SwitchedListener {
    addr: SocketAddr,
    listener: Option<TcpListener>,
    /// Bound and never listening: keeps the port ours while the door is shut, so that connects are refused and nobody else moves in.
    _reserve: Option<TcpSocket>,
    switch: Arc<Switch>,
    down_until: watch::Receiver<Option<Instant>>,
}

impl SwitchedListener {
    /// Binds `addr`; port 0 takes a free one.
    pub fn open(addr: SocketAddr, switch: Arc<Switch>) -> io::Result<Self> {
        let reserve = bind(addr)?;
        let addr = reserve.local_addr()?;
        let down_until = switch.down_until.subscribe();
        let (listener, reserve) = match listen(addr) {
            Ok(listener) => (listener, Some(reserve)),
            // a system that gives an address to one socket only gets along without the reserve
            Err(_) => (reserve.listen(BACKLOG)?, None),
        };
        Ok(Self { addr, listener: Some(listener), _reserve: reserve, switch, down_until })
    }

    async fn stay_down(&mut self, until: Instant) {
        self.listener = None;
        self.switch.cut_all();
        sleep_until(until).await;
        while self.listener.is_none() {
            match listen(self.addr) {
                Ok(listener) => self.listener = Some(listener),
                Err(error) => {
                    tracing::warn!(%error, addr = %self.addr, "cannot listen again yet");
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
        // a second crash while this one lasted keeps it shut
        self.switch.down_until.send_if_modified(|down| down.take_if(|other| *other <= until).is_some());
    }
}

fn bind(addr: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if addr.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    Ok(socket)
}

fn listen(addr: SocketAddr) -> io::Result<TcpListener> {
    bind(addr)?.listen(BACKLOG)
}

impl Listener for SwitchedListener {
    type Io = TrackedConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TrackedConnection, SocketAddr) {
        loop {
            let down = *self.down_until.borrow_and_update();
            if let Some(until) = down {
                self.stay_down(until).await;
                continue;
            }
            let Some(listener) = &self.listener else {
                self.stay_down(Instant::now()).await;
                continue;
            };
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, from)) => {
                        // a token is a small packet that must not wait for the next one
                        let _ = stream.set_nodelay(true);
                        return (self.switch.enter(stream), from);
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept");
                        sleep(Duration::from_millis(20)).await; // out of descriptors: let some close
                    }
                },
                _ = self.down_until.changed() => {}
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.addr)
    }
}

/// One connection.
#[derive(Debug)]
pub struct TrackedConnection {
    stream: TcpStream,
    pulse: Arc<Pulse>,
    id: u64,
    switch: Arc<Switch>,
}

impl TrackedConnection {
    fn check(&self, cx: &Context<'_>) -> io::Result<()> {
        self.pulse.task.register(cx.waker());
        if self.pulse.doomed.load(Ordering::SeqCst) { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }
}

impl Drop for TrackedConnection {
    fn drop(&mut self) {
        lock(&self.switch.lines).remove(&self.id);
        if self.pulse.doomed.load(Ordering::SeqCst) {
            // closing with nothing to linger for sends RST, as the kernel does for a killed process with unread data
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for TrackedConnection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

/// Not vectored on purpose: the many small frames of a stream are cheaper copied into one write than sent as a long list of buffers.
impl AsyncWrite for TrackedConnection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
