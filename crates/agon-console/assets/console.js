// What the server cannot do: to put pieces of a running debate into its page as they come, and to say when a request failed.
"use strict";

const notice = document.getElementById("notice");

/** Says something at the top of the page; nothing takes it away again. */
function say(text) {
  notice.textContent = text || "";
  notice.hidden = !text;
}

document.addEventListener("htmx:responseError", (event) => {
  const { status, responseText } = event.detail.xhr;
  say(responseText && responseText.length < 2000 && !responseText.startsWith("<") ? responseText : `The server answered ${status}.`);
});
document.addEventListener("htmx:sendError", () => say("The server cannot be reached; trying again."));
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) say("");
});

// A table that is drawn anew keeps its ticks.
const picked = new Set();
document.addEventListener("change", ({ target }) => {
  if (target.name === "pick") target.checked ? picked.add(target.value) : picked.delete(target.value);
});
document.addEventListener("htmx:afterSwap", () => {
  refreshMistakes();
  for (const box of document.querySelectorAll("input[name=pick]")) box.checked = picked.has(box.value);
});

/** A mistake of the form that is mended, or is another one by now, does not stay at its field. */
function refreshMistakes() {
  const said = (id) => [...document.querySelectorAll(`#findings .error a[href="#${CSS.escape(id)}"]`)].map((link) => link.closest("li").querySelector(".said").textContent);
  for (const wrong of document.querySelectorAll(".wrong-here")) {
    const all = said(wrong.id.replace(/-wrong$/, ""));
    if (all.length) wrong.textContent = all.join("; ");
    else wrong.remove();
  }
  for (const control of document.querySelectorAll("#draft [aria-invalid]")) if (!said(control.id).length) control.removeAttribute("aria-invalid");
}

// What the reader has opened and ticked, and the words of running speeches, are the page's own.
const kept = {
  beforeNodeMorphed: (old, fresh) => !(old.nodeType === 1 && old.hasAttribute("data-words") && fresh.hasAttribute?.("data-words")),
  beforeAttributeUpdated: (name, node) => !(name === "open" && node.localName === "details"),
};

function element(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content.firstElementChild;
}

/** Puts pieces where they belong; one that is not there yet waits for its place in the order. */
function put(parts) {
  const fresh = new Map();
  for (const { id, html } of parts) {
    const old = document.getElementById(id);
    if (old) Idiomorph.morph(old, html, { morphStyle: "outerHTML", ignoreActiveValue: true, callbacks: kept });
    else fresh.set(id, element(html));
  }
  return fresh;
}

/** Brings the sections into this order, and takes away those that are not in it. */
function arrange(main, order, fresh) {
  for (const old of [...main.children]) if (!order.includes(old.id)) old.remove();
  let place = main.firstElementChild;
  for (const id of order) {
    const section = fresh.get(id) || document.getElementById(id);
    if (!section) continue;
    if (section === place) place = place.nextElementSibling;
    else main.insertBefore(section, place);
  }
}

function follow(sheet) {
  const main = document.getElementById("sections");
  const line = document.getElementById("line");
  const follows = document.getElementById("follow");
  // the stream, and the last event that it told
  let source, seen = new URL(sheet.dataset.live, location.href);
  const heard = [];
  const words = (id) => document.querySelector(`#${CSS.escape(id)} [data-words]`);
  const scroll = () => {
    const now = document.getElementById("now");
    if (follows.checked && now && !now.hidden) now.scrollIntoView({ block: "end" });
  };
  const on = (name, take) => heard.push([name, (event) => {
    if (event.lastEventId) seen.searchParams.set("after", event.lastEventId);
    take(JSON.parse(event.data));
  }]);

  const tell = (text) => {
    line.textContent = text;
    line.classList.toggle("live", text === "live");
  };
  // The words of running speeches so far: they may come before the place where they belong, and a piece that is put anew has none.
  const spoken = new Map();
  const show = (id) => {
    const place = words(id);
    if (place) place.textContent = spoken.get(id) ?? "";
  };

  on("patch", ({ order, parts, over, halted }) => {
    tell("live");
    say("");
    arrange(main, order, put(parts));
    for (const id of spoken.keys()) show(id);
    if (over || String(halted) !== sheet.dataset.halted) {
      leave();
      // other orders and links belong to it now
      location.reload();
    }
    scroll();
  });
  on("piece", ({ parts }) => put(parts));
  on("speech", ({ id, text }) => {
    spoken.set(id, text);
    show(id);
    scroll();
  });
  on("words", ({ id, at, text }) => {
    // what is known already is not said twice
    spoken.set(id, (spoken.get(id) ?? "").slice(0, at) + text);
    show(id);
    scroll();
  });
  on("notice", ({ text }) => {
    tell("waiting");
    say(text);
  });
  on("gone", ({ text }) => {
    leave();
    tell("over");
    say(text);
  });

  const listen = () => {
    source = new EventSource(seen);
    source.onerror = () => {
      tell(source.readyState === EventSource.CLOSED ? "the line is lost: load the page again" : "connecting again");
      // a server that refuses is asked again, too: it may be starting
      if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000);
    };
    for (const [name, take] of heard) source.addEventListener(name, take);
  };
  // a page that nobody sees holds none of the few connections that a browser has for a server, and goes on later where it was
  const look = () => (document.hidden ? source?.close() : listen());
  const leave = () => {
    document.removeEventListener("visibilitychange", look);
    source.close();
  };
  document.addEventListener("visibilitychange", look);
  addEventListener("beforeunload", leave);
  look();
}

const sheet = document.querySelector("[data-live]");
if (sheet) follow(sheet);

/** A click on the place of a problem puts the cursor there: lines and columns count from 1, columns in characters. */
function pointInto(event) {
  const link = event.target.closest?.("a[data-line]");
  const file = document.getElementById("text");
  if (!link || !file) return;
  event.preventDefault();
  const [line, column] = [Number(link.dataset.line), Number(link.dataset.column)];
  const lines = file.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const at = start + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  file.focus();
  file.setSelectionRange(at, at);
  file.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(file).lineHeight));
}
document.addEventListener("click", pointInto);

/** Puts a file that was chosen into the editor. */
async function openFile({ target }) {
  const [file] = (target.id === "pick-file" && target.files) || [];
  if (!file) return;
  const text = document.getElementById("text");
  text.value = await file.text();
  document.getElementById("file_name").value = file.name;
  text.dispatchEvent(new Event("input", { bubbles: true }));
}
document.addEventListener("change", openFile);

/** What works only with a script is shown by it. */
function showScripted() {
  for (const part of document.querySelectorAll("[data-script]")) part.hidden = false;
}
document.addEventListener("htmx:load", showScripted);
