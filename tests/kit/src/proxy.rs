//! A bad line: a TCP proxy that can be cut, frozen, slowed and led elsewhere.
use anyhow::{Context, Result};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes that are passed on at once.
const CHUNK: usize = 16 * 1024;
/// How long the proxy tries to reach its target for a new connection.
const REACH: Duration = Duration::from_secs(2);

/// How the line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProxyMode {
    /// Everything is passed on, each piece after this delay.
    Open(Duration),
    /// Connections stand and nothing is passed on.
    Frozen,
    /// There are no connections, and new ones are closed at once.
    Cut,
}

struct ProxyState {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    line: ProxyMode,
    /// New connections go to these in turn.
    targets: VecDeque<SocketAddr>,
    /// Both ends of every connection, by its number.
    open: Vec<(u64, TcpStream, TcpStream)>,
    next: u64,
    ended: bool,
}

/// A listener on a free loopback port that forwards to a target. Ends when dropped.
pub struct TcpProxy {
    port: u16,
    shared: Arc<ProxyState>,
    accepting: Option<JoinHandle<()>>,
}

impl TcpProxy {
    /// Starts to forward to a port of this machine.
    pub fn start(target: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for the proxy")?;
        let port = listener.local_addr()?.port();
        let targets = VecDeque::from([local(target)]);
        let state = State { line: ProxyMode::Open(Duration::ZERO), targets, open: Vec::new(), next: 0, ended: false };
        let shared = Arc::new(ProxyState { state: Mutex::new(state), changed: Condvar::new() });
        let accepting = Some(std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.accept(&listener)
        }));
        Ok(Self { port, shared, accepting })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }
    /// Its address, `127.0.0.1:port`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Drops every connection and takes no new ones.
    pub fn cut(&self) {
        self.shared.set(ProxyMode::Cut);
        self.shared.hang_up();
    }
    /// Passes nothing on and keeps the connections: what is sent waits on the line.
    pub fn freeze(&self) {
        self.shared.set(ProxyMode::Frozen);
    }
    /// Passes each piece on after this delay.
    pub fn delay(&self, each: Duration) {
        self.shared.set(ProxyMode::Open(each));
    }
    /// Makes the line good again.
    pub fn heal(&self) {
        self.shared.set(ProxyMode::Open(Duration::ZERO));
    }
    /// Leads new connections to another port and drops the old ones, as a load balancer does.
    pub fn lead_to(&self, target: u16) {
        self.lead_to_any(&[target]);
        self.shared.hang_up();
    }
    /// Leads new connections to these ports in turn, as a service of Kubernetes does; old ones stay as they are. Where there are
    /// none, new connections are closed at once.
    pub fn lead_to_any(&self, targets: &[u16]) {
        self.shared.lock().targets = targets.iter().copied().map(local).collect();
    }
    /// Connections that stand.
    pub fn connections(&self) -> usize {
        self.shared.lock().open.len()
    }
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.cut();
        // Wakes the thread that accepts; if that fails it has ended already.
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        if let Some(accepting) = self.accepting.take() {
            accepting.join().ok();
        }
    }
}

impl ProxyState {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, line: ProxyMode) {
        self.lock().line = line;
        self.changed.notify_all();
    }

    fn hang_up(&self) {
        for (_, client, server) in std::mem::take(&mut self.lock().open) {
            // one that is closed already is as good
            client.shutdown(Shutdown::Both).ok();
            server.shutdown(Shutdown::Both).ok();
        }
    }

    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for client in listener.incoming() {
            let (ended, line, target) = {
                let mut state = self.lock();
                let next = state.targets.pop_front();
                state.targets.extend(next);
                (state.ended, state.line, next)
            };
            if ended {
                return;
            }
            let (Ok(client), Some(target)) = (client, target) else { continue };
            if line == ProxyMode::Cut {
                continue;
            }
            if let Ok(server) = TcpStream::connect_timeout(&target, REACH) {
                // without it the connection is dropped, which is what a bad line does
                self.join(client, server).ok();
            }
        }
    }

    /// Passes on in both directions, each in its thread.
    fn join(self: &Arc<Self>, client: TcpStream, server: TcpStream) -> Result<()> {
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let pairs = [(client.try_clone()?, server.try_clone()?), (server.try_clone()?, client.try_clone()?)];
        let number = {
            let mut state = self.lock();
            state.next += 1;
            let number = state.next;
            state.open.push((number, client, server));
            number
        };
        for (from, to) in pairs {
            let shared = Arc::clone(self);
            std::thread::spawn(move || shared.pass_on(from, to, number));
        }
        Ok(())
    }

    fn pass_on(&self, mut from: TcpStream, mut to: TcpStream, number: u64) {
        let mut buffer = vec![0; CHUNK];
        while let Ok(count) = from.read(&mut buffer) {
            let Some(piece) = buffer.get(..count).filter(|piece| !piece.is_empty()) else { break };
            let Some(delay) = self.wait_for_line() else { break };
            if !delay.is_zero() {
                std::thread::sleep(delay);
            }
            if to.write_all(piece).is_err() {
                break;
            }
        }
        from.shutdown(Shutdown::Both).ok();
        to.shutdown(Shutdown::Both).ok();
        self.lock().open.retain(|(open, ..)| *open != number);
    }

    /// The delay of the line once it passes on; nothing where it is cut.
    fn wait_for_line(&self) -> Option<Duration> {
        let mut state = self.lock();
        loop {
            match state.line {
                ProxyMode::Open(delay) => return Some(delay),
                ProxyMode::Cut => return None,
                ProxyMode::Frozen => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// A server that says back what it hears, and its port.
    fn echo(mark: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || {
                    let mut buffer = [0; 64];
                    while let Ok(count @ 1..) = stream.read(&mut buffer) {
                        stream.write_all(mark.as_bytes()).unwrap();
                        stream.write_all(&buffer[..count]).unwrap();
                    }
                });
            }
        });
        port
    }

    fn connect(proxy: &TcpProxy) -> TcpStream {
        let stream = TcpStream::connect(proxy.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    fn ask(stream: &mut TcpStream, text: &str) -> String {
        stream.write_all(text.as_bytes()).unwrap();
        hear(stream, text.len() + 1)
    }

    fn hear(stream: &mut TcpStream, count: usize) -> String {
        let mut buffer = vec![0; count];
        stream.read_exact(&mut buffer).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn a_good_line_passes_everything_on() {
        let proxy = TcpProxy::start(echo("a")).unwrap();
        let mut stream = connect(&proxy);
        assert_eq!(ask(&mut stream, "hello"), "ahello");
    }

    #[test]
    fn a_cut_line_drops_what_stands_and_takes_nothing_until_it_heals() {
        let proxy = TcpProxy::start(echo("a")).unwrap();
        let mut stream = connect(&proxy);
        ask(&mut stream, "x");
        proxy.cut();
        assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
        assert_eq!(connect(&proxy).read(&mut [0; 8]).unwrap_or(0), 0);
        proxy.heal();
        assert_eq!(ask(&mut connect(&proxy), "y"), "ay");
    }

    #[test]
    fn a_frozen_line_keeps_what_is_sent_until_it_heals() {
        let proxy = TcpProxy::start(echo("a")).unwrap();
        let mut stream = connect(&proxy);
        ask(&mut stream, "x");
        proxy.freeze();
        stream.write_all(b"later").unwrap();
        let (sender, heard) = mpsc::channel();
        std::thread::spawn(move || sender.send(hear(&mut stream, 6)).unwrap());
        assert_eq!(heard.recv_timeout(Duration::from_millis(50)), Err(mpsc::RecvTimeoutError::Timeout));
        proxy.heal();
        assert_eq!(heard.recv_timeout(Duration::from_secs(20)).as_deref(), Ok("alater"));
    }

    #[test]
    fn a_line_that_is_led_elsewhere_drops_its_connections() {
        let proxy = TcpProxy::start(echo("a")).unwrap();
        let mut stream = connect(&proxy);
        ask(&mut stream, "x");
        proxy.lead_to(echo("b"));
        assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0);
        assert_eq!(ask(&mut connect(&proxy), "y"), "by");
    }

    #[test]
    fn a_line_to_several_takes_each_in_turn_and_keeps_what_stands_when_one_goes() {
        let (a, b) = (echo("a"), echo("b"));
        let proxy = TcpProxy::start(a).unwrap();
        let mut first = connect(&proxy);
        assert_eq!(ask(&mut first, "x"), "ax");
        proxy.lead_to_any(&[a, b]);
        let mut both = [ask(&mut connect(&proxy), "y"), ask(&mut connect(&proxy), "y")];
        both.sort();
        assert_eq!(both, ["ay", "by"]);
        proxy.lead_to_any(&[b]);
        assert_eq!([ask(&mut first, "z"), ask(&mut connect(&proxy), "z")], ["az", "bz"]);
        proxy.lead_to_any(&[]);
        assert_eq!(connect(&proxy).read(&mut [0; 8]).unwrap_or(0), 0);
    }
}
