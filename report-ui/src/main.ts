// The page: its sections in the order in which a person asks. Charts draw themselves when they come into view.

import type { PageDocument } from "./document";
import { convergenceFigure } from "./charts/convergence";
import { curveFigure } from "./charts/curve";
import { changes } from "./sections/changes";
import { heatmapFigure } from "./charts/heatmap";
import { rooflineFigure } from "./charts/roofline";
import { multiplesFigure } from "./charts/multiples";
import { h, section } from "./dom";
import { Page } from "./page";
import { answer } from "./sections/answer";
import { cells } from "./sections/cells";
import { data, facts, method } from "./sections/facts";
import { findings } from "./sections/findings";
import { bar, panel, verdicts } from "./sections/head";
import { inside } from "./sections/inside";
import { follow } from "./sections/link";

/** Sessions whose results are not loads of one kind: no axes have them in common. */
const NO_LOADS = ["files", "dd", "quick", "layers", "watch", "verify"];

function charts(page: Page): HTMLElement | null {
  if (page.document.parts.every((part) => NO_LOADS.includes(part.kind))) return null;
  const figures = [convergenceFigure(page), curveFigure(page), rooflineFigure(page), heatmapFigure(page)].filter((figure) => figure !== null);
  return figures.length === 0 ? null : section("charts", "Charts", ...models(page), ...figures.map((figure) => figure.element));
}

function overview(page: Page): HTMLElement | null {
  const figure = multiplesFigure(page);
  return figure && section("overview", "Curves", figure.element);
}

/** What all cells have in common, in sentences. */
function models(page: Page): HTMLElement[] {
  const models = page.document.parts.flatMap((part) => part.models.map((text) => (page.compares ? `${part.name}: ${text}` : text)));
  const shown = models.slice(0, 4).map((text) => h("li", {}, text));
  const rest = models.slice(4).map((text) => h("li", {}, text));
  return models.length === 0 ? [] : [
    h("ul", { class: "models" }, ...shown),
    ...(rest.length === 0 ? [] : [h("details", { class: "more-models" }, h("summary", {}, `${rest.length} more sentences of this kind`), h("ul", { class: "models" }, ...rest))]),
  ];
}

/** The hatching of what is not there, for all charts. */
function hatching(): SVGSVGElement {
  const holder = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  holder.setAttribute("width", "0");
  holder.setAttribute("height", "0");
  holder.setAttribute("aria-hidden", "true");
  holder.style.position = "absolute";
  const make = (name: string, attributes: Record<string, string>, parent: Element) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };
  const pattern = make("pattern", { id: "hatch", width: "7", height: "7", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, holder);
  make("line", { x1: "0", y1: "0", x2: "0", y2: "7", stroke: "var(--hatch)", "stroke-width": "2.5" }, pattern);
  return holder;
}

function start(): void {
  const text = document.getElementById("document")?.textContent ?? "{}";
  const page = new Page(JSON.parse(text) as PageDocument);
  const holder = document.getElementById("page");
  if (!holder) return;
  const parts = [verdicts(page), changes(page), panel(page), answer(page), overview(page), findings(page), charts(page), inside(page), cells(page), facts(page), method(page), data(page)];
  const shown = page.document.cells.length === 0 ? parts.filter((part) => part !== null && !["panel", "findings", "cells"].includes(part.id)) : parts;
  const header = bar(page);
  document.body.prepend(h("a", { class: "skip", href: "#verdict" }, "To the verdict"), header, hatching());
  holder.replaceChildren(...shown.filter((part) => part !== null));
  const links = shown.flatMap((part) => {
    const title = part?.querySelector(":scope > h2")?.textContent;
    return part && title ? [h("a", { href: `#${part.id}` }, title)] : [];
  });
  header.querySelector("nav")?.append(...links);
  follow(page);
  // For a measurement of how long it took: everything on the page answers from here on.
  requestAnimationFrame(() => {
    performance.mark("interactive");
    document.documentElement.dataset["ready"] = "true";
    document.documentElement.dataset["interactiveMs"] = performance.now().toFixed(0);
  });
}

start();
