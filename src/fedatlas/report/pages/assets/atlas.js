// Draws the interactive view of every figure and wires its buttons to the chart's parameters.
"use strict";

function button(label, pressed, onClick) {
  const element = document.createElement("button");
  element.type = "button";
  element.append(label);
  element.setAttribute("aria-pressed", String(pressed));
  element.addEventListener("click", () => onClick(element));
  return element;
}

function row(title, className, buttons) {
  const element = document.createElement("div");
  element.className = className;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", title);
  const span = document.createElement("span");
  span.textContent = title;
  element.append(span, ...buttons);
  return element;
}

const MANY = 24;  // options that are too many for buttons

function selection(view, title, parameter, options) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", title);
  select.append(...options.map(([value, label]) => new Option(label, value)));
  select.addEventListener("change", () => view.signal(parameter, select.value).runAsync());
  return row(title, "choice", [select]);
}

function choice(view, title, parameter, options) {
  if (options.length > MANY) return selection(view, title, parameter, options);
  const buttons = options.map(([value, label], index) => button(label, index === 0, (chosen) => {
    buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === chosen)));
    view.signal(parameter, value).runAsync();
  }));
  return row(title, "choice", buttons);
}

// With `present`, a parameter and names by its value, it offers those that are in what is shown.
function legend(view, algorithms, present) {
  const hidden = new Set();
  const buttons = algorithms.map(({ name, colour }) => {
    const dot = document.createElement("i");
    dot.className = "dot";
    dot.style.setProperty("--dot", colour);
    const element = button(dot, true, () => {
      if (!hidden.delete(name)) hidden.add(name);
      element.setAttribute("aria-pressed", String(!hidden.has(name)));
      view.signal("hidden", [...hidden]).runAsync();
    });
    element.append(name);
    return element;
  });
  if (present) {
    const [parameter, names] = present;
    const offer = (value) => buttons.forEach((one, place) => { one.hidden = !names[value].includes(algorithms[place].name); });
    offer(view.signal(parameter));
    view.addSignalListener(parameter, (name, value) => offer(value));
  }
  return row("show", "legend", buttons);
}

// The charts' data comes in scripts, packed: a page from disk may load nothing else.
const atlas = { explorers: {} };

async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// A table lies there as columns, which pack smaller; charts want rows.
function rows(columns) {
  const [names, values] = [Object.keys(columns), Object.values(columns)];
  return (values[0] ?? []).map((_, place) => Object.fromEntries(names.map((name, i) => [name, values[i][place]])));
}

function loaded(source) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => resolve(atlas.explorers[source]);
    script.onerror = () => reject(new Error(`${source} is missing`));
    document.head.append(script);
  });
}

// The title of an axis follows the parameter that chooses what it shows.
function title(view, element, [parameter, words]) {
  const write = (value) => { element.textContent = words[value]; };
  if (!parameter) return write("");
  write(view.signal(parameter));
  view.addSignalListener(parameter, (name, value) => write(value));
}

async function explore(details) {
  const plot = details.querySelector(".plot");
  try {
    const { spec, choices, titles, algorithms, present } = await unpacked(await loaded(details.dataset.source));
    for (const name in spec.datasets) spec.datasets[name] = rows(spec.datasets[name]);
    const { view } = await vegaEmbed(plot, spec, { actions: { export: true, source: false, compiled: false, editor: false }, renderer: "svg" });
    title(view, details.querySelector(".title-x"), titles.x);
    title(view, details.querySelector(".title-y"), titles.y);
    details.querySelector(".controls").append(
      ...choices.map(([title, parameter, options]) => choice(view, title, parameter, options)), legend(view, algorithms, present));
  } catch (error) {
    plot.textContent = `The chart could not be loaded: ${error.message}.`;
  }
}

// A chart is drawn when its details are opened for the first time.
document.querySelectorAll("details.explore").forEach((details) => {
  if (details.open) explore(details);
  else details.addEventListener("toggle", () => explore(details), { once: true });
});

// The table of all claims can be filtered.
document.querySelectorAll("form.filters").forEach((form) => {
  const rows = [...document.querySelectorAll("table.filtered tbody tr")];
  const filter = () => {
    const words = form.querySelector("[data-words]").value.toLowerCase();
    const chosen = [...form.querySelectorAll("select")].filter((select) => select.value);
    rows.forEach((row) => {
      row.hidden = !chosen.every((select) => row.dataset[select.dataset.column] === select.value)
        || !row.textContent.toLowerCase().includes(words);
    });
    form.querySelector("output").textContent = `${rows.filter((row) => !row.hidden).length} claims`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
});

// The columns of the table of algorithms can be chosen; it shows the experiments in which two of them ran.
document.querySelectorAll("form.columns").forEach((form) => {
  const table = document.querySelector("table.side-by-side");
  const choose = () => {
    const chosen = new Set([...form.querySelectorAll("input:checked")].map((box) => box.value));
    table.querySelectorAll("[data-method]").forEach((cell) => { cell.hidden = !chosen.has(cell.dataset.method); });
    table.querySelectorAll("[data-ran]").forEach((row) => {
      const there = row.dataset.ran.split(" ").filter((method) => chosen.has(method));
      row.hidden = there.length < Math.min(2, chosen.size);
    });
    table.querySelectorAll("tbody").forEach((group) => { group.hidden = !group.querySelector("[data-ran]:not([hidden])"); });
  };
  form.addEventListener("input", choose);
  choose();
});
