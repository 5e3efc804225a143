
"use strict";
(() => {
  const find = (name) => document.getElementById("cells-" + name);
  const table = find("table"), filters = find("filters"), text = find("text"), count = find("count"), more = find("more");
  if (!table || !filters) return;
  const body = table.tBodies[0], rows = Array.from(body.rows), step = 200;
  const lists = Array.from(filters.querySelectorAll("select"));
  let most = step, late = 0, first = rows[0];
  rows.forEach((row) => {
    if (row.dataset.s === undefined) { first = row; return; }
    row.cells[0].append(first.cells[0].lastChild.textContent);
    [5, 7].forEach((at) => { row.cells[at].textContent = first.cells[at].textContent; });
  });
  const show = () => {
    const wanted = lists.filter((list) => list.value).map((list) => [list.name, list.value]);
    const words = text.value.trim().toLowerCase();
    const found = rows.filter((row) => wanted.every(([name, value]) => row.dataset[name] === value) &&
      (!words || row.textContent.toLowerCase().includes(words)));
    body.replaceChildren(...found.slice(0, most));
    const shown = Math.min(most, found.length).toLocaleString("en"), all = found.length.toLocaleString("en");
    count.textContent = shown === all ? all + " shown" : shown + " of " + all + " shown";
    more.hidden = found.length <= most;
  };
  const anew = () => { most = step; show(); };
  lists.forEach((list) => list.addEventListener("change", anew));
  text.addEventListener("input", () => { clearTimeout(late); late = setTimeout(anew, 150); });
  more.addEventListener("click", () => { most += step; show(); });
  filters.hidden = false;
  show();
})();
