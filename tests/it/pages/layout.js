// What is wrong with the layout of a page. `links` is what links may begin with, `sections` how many second headings there are at least.
((links, sections) => {
  const problems = [];
  const root = document.documentElement;
  const wide = root.clientWidth;
  for (const details of document.querySelectorAll("details")) details.open = true;
  if (root.scrollWidth > wide) problems.push(`the page is ${root.scrollWidth} px wide in a window of ${wide}`);

  const style = (element) => getComputedStyle(element);
  const ancestors = function* (element) {
    for (let at = element; at && at !== root; at = at.parentElement) yield at;
  };
  const scrolls = (element) => [...ancestors(element)].some((at) => ["auto", "scroll"].includes(style(at).overflowX));
  const floats = (element) => [...ancestors(element)].some((at) => ["fixed", "sticky"].includes(style(at).position));
  const box = (element) => {
    for (const at of ancestors(element)) if (!style(at).display.startsWith("inline")) return at;
    return document.body;
  };
  // What is left of a rectangle by all that clips it or moves it out of sight; nothing where that is too little to see.
  const seen = (element, { left, top, right, bottom }) => {
    for (const at of ancestors(element)) {
      if (style(at).overflowX === "visible" && style(at).overflowY === "visible") continue;
      const clip = at.getBoundingClientRect();
      [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
      [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
    }
    return right > 0 && right - left > 1 && bottom - top > 1 ? { left, top, right, bottom, height: bottom - top } : null;
  };
  const words = (node) => JSON.stringify(node.data.trim().slice(0, 40));

  // Every line of text on the page, where it stands.
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("script, style, title, desc, template")) continue;
    if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const at of range.getClientRects()) {
      const shown = seen(parent, at);
      if (shown) lines.push({ node, parent, at, shown });
    }
  }

  for (const { node, parent, at } of lines) {
    const drawing = parent.closest("svg");
    if (!scrolls(parent) && (at.right > wide + 1 || at.left < -1)) problems.push(`${words(node)} leaves the window`);
    if (drawing) {
      const frame = drawing.getBoundingClientRect();
      const inside = at.left >= frame.left - 2 && at.right <= frame.right + 2 && at.top >= frame.top - 2 && at.bottom <= frame.bottom + 2;
      if (!inside) problems.push(`${words(node)} is cut off by its drawing`);
      if (at.height < 9) problems.push(`${words(node)} is too small to read: ${at.height.toFixed(1)} px`);
    } else {
      const frame = box(parent).getBoundingClientRect();
      if (!scrolls(parent) && at.right > frame.right + 2) problems.push(`${words(node)} is wider than its box`);
    }
  }

  // Lines that lie on one another.
  const still = lines.filter(({ parent }) => !floats(parent)).sort((one, other) => one.shown.top - other.shown.top);
  still.forEach((one, index) => {
    for (let next = index + 1; next < still.length && still[next].shown.top < one.shown.bottom; next += 1) {
      const other = still[next];
      if (one.node === other.node) continue;
      const width = Math.min(one.shown.right, other.shown.right) - Math.max(one.shown.left, other.shown.left);
      const height = Math.min(one.shown.bottom, other.shown.bottom) - Math.max(one.shown.top, other.shown.top);
      if (width > 2 && height > 0.4 * Math.min(one.shown.height, other.shown.height)) {
        problems.push(`${words(one.node)} and ${words(other.node)} lie on one another`);
      }
    }
  });

  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((heading) => [heading.tagName, heading.textContent.trim()]);
  if (levels.filter(([tag]) => tag === "H1").length !== 1) problems.push("the page has not exactly one h1");
  if (levels.filter(([tag]) => tag === "H2").length < sections) problems.push("the page has no sections");
  if (levels.some(([, text]) => !text)) problems.push("a heading is empty");

  for (const link of document.querySelectorAll("[href], [*|href]")) {
    const href = link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "";
    if (!links.test(href)) problems.push(`a link to ${href.slice(0, 40)}`);
    if (href.startsWith("#") && href.length > 1 && !document.getElementById(href.slice(1))) problems.push(`a link to nothing: ${href}`);
  }
  // Whatever a reader may click inside the page.
  for (const link of document.querySelectorAll("a[href^='#'], a[href^='javascript'], summary, svg [onclick]")) {
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
  return [...new Set(problems)];
})
