//! Headless Chromium, told by its DevTools protocol over a pipe.
use crate::support::PATIENCE;
use agon_testkit::until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use tempfile::TempDir;

const OPTIONS: [&str; 12] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    // every link of a page is followed at once
    "--disable-ipc-flooding-protection",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// The browser reads commands from its file 3 and writes answers to its file 4, which are our ends of its input and output.
const PIPED: &str = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null";

/// The name of what this test itself has a page run, so that it can be told from scripts of the page.
pub const OURS: &str = "agon-looks";

/// A running browser. Ends when dropped.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// What was told while an answer was awaited, oldest first.
    told: Vec<Value>,
    commands: u64,
    _profile: TempDir,
}

impl Browser {
    pub fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", PIPED, "sh"]).args(OPTIONS);
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        command.env("HOME", profile.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a shell starts");
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        Self { child, input, messages, told: Vec::new(), commands: 0, _profile: profile }
    }

    fn next(&self) -> Value {
        let missing = "the report tests need chromium on PATH; cargo xtask test says how to get it";
        self.messages
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("the browser is silent ({error}): {missing}"))
    }

    /// Gives a command and waits for its answer, which says that it was done.
    fn command(&mut self, session: Option<&str>, method: &str, params: &Value) -> Value {
        let message = self.ask(session, method, params);
        assert!(message["error"].is_null(), "{method}: {message}");
        message["result"].clone()
    }

    /// Gives a command and waits for whatever is answered.
    fn ask(&mut self, session: Option<&str>, method: &str, params: &Value) -> Value {
        self.commands += 1;
        let mut command = json!({"id": self.commands, "method": method, "params": params});
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        self.input.write_all(format!("{command}\0").as_bytes()).expect("the browser runs");
        loop {
            let message = self.next();
            if message["id"] == self.commands {
                return message;
            }
            self.hear(message);
        }
    }

    /// Keeps what was told. A dialog is closed, since it would hold everything up.
    fn hear(&mut self, message: Value) {
        if message["method"] == "Page.javascriptDialogOpening" {
            self.commands += 1;
            let close = json!({
                "id": self.commands, "sessionId": message["sessionId"],
                "method": "Page.handleJavaScriptDialog", "params": {"accept": true},
            });
            self.input.write_all(format!("{close}\0").as_bytes()).expect("the browser runs");
        }
        self.told.push(message);
    }

    /// Opens a file in a window of this width, and waits until it is loaded.
    pub fn open(&mut self, file: &Path, width: u32) -> BrowserPage<'_> {
        let mut page = self.window(width, Shade::Light);
        page.go(&format!("file://{}", file.display()));
        page
    }

    /// A window of this width without a page.
    pub fn window(&mut self, width: u32, shade: Shade) -> BrowserPage<'_> {
        let target = self.command(None, "Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.command(None, "Target.attachToTarget", &attach)["sessionId"].as_str().unwrap().to_owned();
        let mut page = BrowserPage { browser: self, session, target: target["targetId"].clone() };
        for domain in ["Page", "Runtime", "Log", "Network", "Debugger"] {
            page.command(&format!("{domain}.enable"), json!({}));
        }
        page.becomes(width, shade);
        page
    }
}

/// Which colours a page is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    Light,
    Dark,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends its own children when it is asked to; a browser that hangs is killed.
        let close = format!("{}\0", json!({"id": 0, "method": "Browser.close"}));
        let asked = self.input.write_all(close.as_bytes()).is_ok();
        while asked && self.messages.recv_timeout(PATIENCE).is_ok() {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A page that is open. Closed when dropped.
pub struct BrowserPage<'a> {
    browser: &'a mut Browser,
    session: String,
    target: Value,
}

impl BrowserPage<'_> {
    fn command(&mut self, method: &str, params: Value) -> Value {
        let session = self.session.clone();
        self.browser.command(Some(&session), method, &params)
    }

    fn until(&mut self, event: &str) {
        while self.told(event).next().is_none() {
            let message = self.browser.next();
            self.browser.hear(message);
        }
    }

    /// Gives the window another width and other colours.
    pub fn becomes(&mut self, width: u32, shade: Shade) {
        let screen = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.command("Emulation.setDeviceMetricsOverride", screen);
        let prefers = match shade {
            Shade::Light => "light",
            Shade::Dark => "dark",
        };
        let features = json!([{"name": "prefers-color-scheme", "value": prefers}]);
        self.command("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Opens a page, and waits until it is loaded. What was told before is forgotten.
    pub fn go(&mut self, url: &str) {
        self.browser.told.clear();
        self.command("Page.navigate", json!({"url": url}));
        self.until("Page.loadEventFired");
    }

    /// Waits until an expression is true in the page, whichever page that is by then.
    pub fn wait_for(&mut self, expression: &str) {
        let held =
            until(
                expression,
                PATIENCE,
                || Ok((self.try_evaluate(expression) == Some(Value::Bool(true))).then_some(())),
            );
        assert!(held.is_ok(), "not true in time: {expression}\n{}", self.text());
    }

    /// What a reader sees of the page.
    pub fn text(&mut self) -> String {
        self.try_evaluate("document.body.innerText")
            .and_then(|text| Some(text.as_str()?.to_owned()))
            .unwrap_or_default()
    }

    /// Presses and releases the mouse in the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let name = serde_json::to_string(selector).unwrap();
        let place = self.evaluate(&format!(
            "(() => {{ const at = document.querySelector({name}); at.scrollIntoView({{block: 'center', behavior: 'instant'}}); \
             const box = at.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.command("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key: `Tab`, `Enter` or `Space`.
    pub fn press(&mut self, key: &str) {
        let (code, number, text) = match key {
            "Tab" => ("Tab", 9, None),
            "Enter" => ("Enter", 13, Some("\r")),
            "Space" => ("Space", 32, Some(" ")),
            other => panic!("no key {other}"),
        };
        let name = if key == "Space" { " " } else { key };
        let mut event = json!({"key": name, "code": code, "windowsVirtualKeyCode": number, "type": "rawKeyDown"});
        if let Some(text) = text {
            event["type"] = "keyDown".into();
            event["text"] = text.into();
        }
        self.command("Input.dispatchKeyEvent", event.clone());
        event["type"] = "keyUp".into();
        self.command("Input.dispatchKeyEvent", event);
    }

    /// Types a text where the focus is.
    pub fn write(&mut self, text: &str) {
        self.command("Input.insertText", json!({"text": text}));
    }

    /// Goes from control to control by the Tab key until the focus is on an element.
    pub fn tab_to(&mut self, selector: &str) {
        let name = serde_json::to_string(selector).unwrap();
        for _ in 0..200 {
            if self.evaluate(&format!("document.activeElement === document.querySelector({name})")) == true {
                return;
            }
            self.press("Tab");
        }
        panic!("{selector} cannot be reached by the keyboard");
    }

    /// Writes a picture of the whole page where somebody wants to see it: into the folder of `AGON_PICTURES`.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("AGON_PICTURES") else { return };
        std::fs::create_dir_all(&folder).unwrap();
        let picture = self.png(true);
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), picture).unwrap();
    }

    /// A picture of the window, or of the whole page.
    pub fn png(&mut self, whole: bool) -> Vec<u8> {
        let taken = self.command("Page.captureScreenshot", json!({"format": "png", "captureBeyondViewport": whole}));
        data_encoding::BASE64.decode(taken["data"].as_str().unwrap().as_bytes()).unwrap()
    }

    /// The parameters of the events of a kind so far.
    pub fn told<'a>(&'a self, event: &'a str) -> impl Iterator<Item = &'a Value> {
        let of_page = self.browser.told.iter().filter(|told| told["sessionId"] == self.session.as_str());
        of_page.filter(move |told| told["method"] == event).map(|told| &told["params"])
    }

    /// The same, or nothing while one page gives way to another.
    fn try_evaluate(&mut self, expression: &str) -> Option<Value> {
        let asked = json!({"expression": format!("{expression}\n//# sourceURL={OURS}"), "returnByValue": true});
        let session = self.session.clone();
        let answer = self.browser.ask(Some(&session), "Runtime.evaluate", &asked);
        answer["result"]["result"].get("value").cloned()
    }

    /// What an expression comes to in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let named = format!("{expression}\n//# sourceURL={OURS}");
        let asked = json!({"expression": named, "returnByValue": true, "awaitPromise": true});
        let answer = self.command("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
        answer["result"]["value"].clone()
    }
}

impl Drop for BrowserPage<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.browser.command(None, "Target.closeTarget", &json!({"targetId": self.target}));
            self.browser.told.clear();
        }
    }
}
