// The sweep as a heat map over any two of its axes; the other axes have one value each. Cells without a result are
// hatched. Of several results in one place the one in the middle is shown: an average of percentiles is none.

import * as Plot from "@observablehq/plot";
import type { Unit, Value } from "../document";
import { choice, h } from "../dom";
import { Figure, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import { cellLink } from "../sections/link";
import { inkIsDark } from "../theme";
import { LOOK } from "./plot";

interface Place { x: string; y: string; cell: number; value: number | null; failed: boolean; of: number; title: string }
const METRICS = [
  ["iops", "IOPS"], ["bytes_per_s", "bytes per second"], ["latency_p50", "median latency"],
  ["latency_p99", "latency, 99% within"], ["latency_p999", "latency, 99.9% within"], ["latency_mean", "mean latency"],
] as const;
/** Fields by which a heat map may be laid out, the numbered ones in their order. */
const NUMBERED = new Set(["block_bytes", "queue_depth", "threads", "write_percent", "random_percent", "size_bytes", "target_iops"]);

interface State { x: string; y: string; metric: string; fixed: Map<string, Value> }

export function heatmapFigure(page: Page): Figure | null {
  const axes = layable(page);
  if (axes.length < 2 || page.document.cells.length < 4) return null;
  const peak = page.document.parts[0]?.panel.find((item) => item.id === "peak_rate" || item.id.startsWith("answer "))?.cell ?? 0;
  const varied = axes.map((axis) => ({ axis, count: levels(page, axis).length })).sort((a, b) => b.count - a.count);
  const state: State = {
    x: varied[0]?.axis ?? "", y: varied[1]?.axis ?? "", metric: "iops",
    fixed: new Map(axes.map((axis) => [axis, valueOf(page, peak, axis)])),
  };
  const controls = h("div", { class: "controls" });
  const figure: Figure = new Figure("heatmap", "All cells over two axes", (width) => draw(page, state, width), [controls]);
  const lay = () => {
    controls.replaceChildren(...choices(page, axes, state, () => { lay(); figure.redraw(); }));
  };
  lay();
  return figure;
}

/** The axes of a grid. Where most combinations of values were not requested, as in a survey, workloads represent them. */
function layable(page: Page): string[] {
  const own = page.document.axes;
  const size = own.reduce((product, axis) => product * levels(page, axis).length, 1);
  const loads = own.filter((axis) => axis === "queue_depth" || axis === "threads");
  const sparse = own.length > 2 && page.document.cells.length < 0.5 * size * page.document.parts.length;
  return [...(page.compares ? ["part"] : []), ...(sparse && levels(page, "label").length > 1 ? [...loads, "label"] : own)];
}

function choices(page: Page, axes: string[], state: State, changed: () => void): HTMLElement[] {
  const named = axes.map((axis) => [axis, axisName(axis)] as const);
  const swap = (to: "x" | "y", axis: string) => {
    const other = to === "x" ? "y" : "x";
    if (state[other] === axis) state[other] = state[to];
    state[to] = axis;
    changed();
  };
  return [
    choice<string>("Colour", METRICS.filter(([name]) => page.columns.has(name)), state.metric, (v) => { state.metric = v; changed(); }),
    choice<string>("Across", named, state.x, (axis) => swap("x", axis)),
    choice<string>("Down", named, state.y, (axis) => swap("y", axis)),
    ...axes.filter((axis) => axis !== state.x && axis !== state.y).map((axis) => {
      const values = levels(page, axis);
      const options = values.map((value, place) => [place, levelName(page, axis, value)] as const);
      return choice<number>(axisName(axis), options, Math.max(0, values.indexOf(state.fixed.get(axis) ?? null)), (place) => {
        state.fixed.set(axis, values[place] ?? null);
        changed();
      });
    }),
  ];
}

function axisName(axis: string): string {
  const names: Record<string, string> = {
    part: "Result", label: "Workload", block_bytes: "Size of an I/O", queue_depth: "Depth of each thread", threads: "Threads", write_percent: "Share of writes",
    pattern: "Pattern", cache: "Cache", write_through: "Write-through", size_bytes: "Range", target_iops: "Requested IOPS", random_percent: "Random share",
    tool: "Tool", target: "Target",
  };
  return names[axis] ?? axis;
}

function valueOf(page: Page, cell: number, axis: string): Value {
  if (axis === "part") return page.cell(cell).part;
  return axis === "label" ? page.cell(cell).label : page.value(cell, axis);
}

function levels(page: Page, axis: string): Value[] {
  const values = [...new Set(page.document.cells.map((_, cell) => valueOf(page, cell, axis)))].filter((value) => value !== null);
  return NUMBERED.has(axis) || axis === "part" ? values.sort((a, b) => Number(a) - Number(b)) : values;
}

function levelName(page: Page, axis: string, value: Value): string {
  if (axis === "part") return page.document.parts[Number(value)]?.name ?? "";
  return format.shown(value, page.columns.get(axis)?.column.unit ?? "text");
}

function places(page: Page, state: State, unit: Unit): Place[] {
  const groups = new Map<string, number[]>();
  page.document.cells.forEach((_, cell) => {
    for (const [axis, value] of state.fixed) {
      if (axis !== state.x && axis !== state.y && valueOf(page, cell, axis) !== value) return;
    }
    const key = JSON.stringify([valueOf(page, cell, state.x), valueOf(page, cell, state.y)]);
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  });
  return [...groups.values()].flatMap((cells) => {
    const measured = cells.filter((cell) => page.number(cell, state.metric) !== null && !page.cell(cell).failed)
      .sort((a, b) => (page.number(a, state.metric) ?? 0) - (page.number(b, state.metric) ?? 0));
    const cell = measured[(measured.length - 1) >> 1] ?? cells[0];
    if (cell === undefined) return [];
    const [x, y] = [state.x, state.y].map((axis) => levelName(page, axis, valueOf(page, cell, axis)));
    const failed = measured.length === 0 && page.cell(cell).failed;
    const value = measured.length > 0 ? page.number(cell, state.metric) : null;
    const text = failed ? `no result: ${page.cell(cell).reasons[0] ?? "failed"}` : format.shown(value, unit);
    const validity = page.cell(cell).validity;
    return [{
      x: x ?? "", y: y ?? "", cell, value, failed, of: cells.length,
      title: `${axisName(state.x)} ${x}, ${axisName(state.y).toLowerCase()} ${y}\n${text}\n${page.cell(cell).id}` +
        (validity && validity !== "VALID" ? `, ${validity}` : "") + (cells.length > 1 ? `, the middle of ${cells.length} results` : ""),
    }];
  });
}

function draw(page: Page, state: State, width: number): Drawn {
  const unit = page.columns.get(state.metric)?.column.unit ?? "count";
  const all = places(page, state, unit);
  const names = (axis: string) => levels(page, axis).map((value) => levelName(page, axis, value));
  const [xs, ys] = [names(state.x), names(state.y)];
  const measured = all.filter((place): place is Place & { value: number } => place.value !== null && place.value > 0);
  const gaps = all.filter((place) => place.failed);
  const metric = METRICS.find(([name]) => name === state.metric)?.[1] ?? state.metric;
  const values = measured.map((place) => place.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const table = {
    heads: [axisName(state.y), ...xs],
    rows: ys.map((y) => [y, ...xs.map((x) => {
      const place = all.find((one) => one.x === x && one.y === y);
      if (!place) return "–";
      return place.failed ? "no result" : cellLink(page, place.cell, format.shown(place.value, unit));
    })]),
  };
  if (measured.length === 0) return { svg: null, summary: "No cell with these values has this figure.", table };
  const wide = Math.min(86, (width - 170) / Math.max(1, xs.length));
  const light = (value: number) => high > low && Math.log(value / low) / Math.log(high / low) > 0.55;
  const short = (value: number) => (wide < 46 ? "" : format.shown(value, unit).replace(/\u202f?IO\/s$/, "").replace(/\/s$/, ""));
  const svg = Plot.plot({
    width: Math.min(width, 170 + xs.length * 86), height: 80 + ys.length * 34, marginLeft: state.y === "label" ? 150 : 92, marginBottom: 44, marginTop: 28, style: LOOK,
    x: { type: "band", domain: xs, label: `${axisName(state.x)} →`, labelAnchor: "right", padding: 0.04 },
    y: { type: "band", domain: ys, label: `↓ ${axisName(state.y)}`, labelAnchor: "top", padding: 0.06 },
    color: { type: "log", scheme: "cividis", domain: high > low ? [low, high] : [low / 2, high * 2] },
    marks: [
      Plot.cell(measured, { x: "x", y: "y", fill: "value", rx: 2 }),
      Plot.cell(gaps, { x: "x", y: "y", fill: "url(#hatch)", stroke: "currentColor", strokeOpacity: 0.4, rx: 2 }),
      Plot.text(measured, { x: "x", y: "y", text: (p: Place) => short(p.value ?? 0), fontSize: 11,
        fill: (p: Place) => (light(p.value ?? 0) ? "#000000" : "#ffffff") }),
      Plot.text(gaps, { x: "x", y: "y", text: () => "✕", fill: "currentColor" }),
      Plot.tip(all, Plot.pointer({ x: "x", y: "y", title: "title" })),
    ],
  });
  // Literal colours: Plot would take a channel of two hex colours for a scale of its own.
  const legend = h("p", { class: "legend" }, `${format.shown(low, unit)} `,
    h("span", { class: "ramp", "data-ink": inkIsDark() ? "dark" : "light" }), ` ${format.shown(high, unit)} (logarithmic)`,
    gaps.length > 0 && h("span", { class: "gap" }, "hatched: no result"));
  const holder = h("div", {}, legend, svg);
  Object.defineProperty(holder, "value", { get: () => (svg as { value?: unknown }).value });
  svg.setAttribute("role", "presentation");
  const most = measured.reduce((best, place) => (place.value > best.value ? place : best));
  return {
    svg: holder,
    summary: `Heat map of ${metric} over ${axisName(state.x).toLowerCase()} and ${axisName(state.y).toLowerCase()}: from ` +
      `${format.shown(low, unit)} to ${format.shown(high, unit)}, most at ${most.x} and ${most.y}` +
      (gaps.length > 0 ? `; ${gaps.length} places have no result.` : "."),
    table,
    choose: (value) => page.select((value as Place).cell),
  };
}
