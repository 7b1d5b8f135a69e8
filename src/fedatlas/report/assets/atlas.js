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

function choice(view, title, parameter, options) {
  const buttons = options.map(([value, label], index) => button(label, index === 0, (chosen) => {
    buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === chosen)));
    view.signal(parameter, value).runAsync();
  }));
  return row(title, "choice", buttons);
}

function legend(view, algorithms) {
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
  return row("show", "legend", buttons);
}

async function explore(element) {
  const { spec, choices, algorithms } = JSON.parse(element.querySelector("script").textContent);
  const { view } = await vegaEmbed(element.querySelector(".plot"), spec, { actions: false, renderer: "svg" });
  element.querySelector(".controls").append(
    ...choices.map(([title, parameter, options]) => choice(view, title, parameter, options)), legend(view, algorithms));
}

// A view is drawn when its details are opened for the first time.
document.querySelectorAll("details.explore").forEach((details) => {
  const draw = () => explore(details.querySelector(".explorer"));
  if (details.open) draw();
  else details.addEventListener("toggle", draw, { once: true });
});
