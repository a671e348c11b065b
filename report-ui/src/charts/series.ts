// One result over time: rate, latency, where latencies lay, and the machine's counters, each a chart of its own on the
// same axis of time. Every axis begins at zero but that of the latency map, which is labelled as logarithmic.

import * as Plot from "@observablehq/plot";
import type { Counters, Detail, Heat, Times, Track } from "../document";
import { h } from "../dom";
import type { TimeAxis } from "../time";
import type { Drawn, Legend } from "../figure";
import * as format from "../format";
import type { TableData } from "../table";
import { colour } from "../theme";
import { LOOK, linearSizeTicks, logDomain, logTicks } from "./plot";

const MARGINS = { marginLeft: 76, marginRight: 16, marginBottom: 40 } as const;
const NONE: TableData = { heads: [], rows: [] };

/** Begin and length of each step, in seconds. */
function steps(times: Times): { from: number; to: number; seconds: number }[] {
  return times.ios.map((_, place) => {
    const length = place === times.ios.length - 1 ? times.last_ns : times.step_ns;
    const from = (place * times.step_ns) / 1e9;
    return { from, to: from + length / 1e9, seconds: length / 1e9 };
  });
}

/** The last step as wide as the others. */
function toTheEnd<T extends { from: number; to: number }>(rows: T[]): T[] {
  const last = rows[rows.length - 1];
  return last ? [...rows, { ...last, from: last.to }] : rows;
}

const SECONDS = "Seconds from the start of the measured phase →";

/** How long a result is, in seconds. */
export function secondsOf(detail: Detail): number {
  const { times, heat, counters } = detail;
  if (times) return steps(times).at(-1)?.to ?? 1;
  const read = (counters?.at_ns ?? []).map((at) => at / 1e9);
  return Math.max(heat ? (heat.rows.length * heat.step_ns) / 1e9 : 0, ...read) || 1;
}

/** Draws a chart on the shared axis of time. */
function overTime(id: string, time: TimeAxis, options: Plot.PlotOptions): SVGSVGElement {
  const svg = Plot.plot({
    ...MARGINS, style: LOOK, clip: true, ...options,
    x: { domain: time.domain, label: SECONDS, labelAnchor: "right" },
  }) as SVGSVGElement & Plot.Plot;
  const scale = svg.scale("x");
  if (scale?.invert) time.attach(id, svg, { apply: (value) => scale.apply(value) as number, invert: (place) => scale.invert?.(place) as number, range: [...(scale.range ?? [0, 1])] as [number, number] });
  return svg;
}

/** The warm-up that was cut, the steady window and what was marked, behind a chart. */
function behind(times: Times): Plot.Markish[] {
  const { steady, cut_ns: cut } = times;
  const window = steady.from_ns !== null && steady.to_ns !== null ? [{ x1: steady.from_ns / 1e9, x2: steady.to_ns / 1e9 }] : [];
  return [
    cut ? Plot.rectX([{ x1: 0, x2: cut / 1e9 }], { x1: "x1", x2: "x2", fill: "url(#hatch)", fillOpacity: 0.7 }) : null,
    cut ? Plot.text([cut / 1e9], { x: (x: number) => x, frameAnchor: "top", dy: 4, dx: 4, textAnchor: "start", text: () => "warm-up cut" }) : null,
    Plot.rectX(window, { x1: "x1", x2: "x2", fill: "currentColor", fillOpacity: 0.06 }),
    Plot.text(window, { x: "x2", frameAnchor: "top", dy: 5, dx: -6, textAnchor: "end", text: () => "steady-state window", stroke: "var(--ground)", strokeWidth: 3, fill: "currentColor" }),
    Plot.ruleX(times.marks, { x: (m: { at_ns: number }) => m.at_ns / 1e9, strokeDasharray: "4 3" }),
    Plot.text(times.marks, { x: (m: { at_ns: number }) => m.at_ns / 1e9, text: "text", frameAnchor: "top", dy: 18, dx: 4, textAnchor: "start" }),
  ];
}

/** `4 pauses of up to 201 ms, every 3.00 s`; empty where there is none. */
function pausesOf(times: Times): string {
  const { pauses } = times;
  if (pauses.length === 0) return "";
  const longest = format.time(Math.max(...pauses.map((pause) => pause.length_ns)));
  const gaps = pauses.slice(1).map((pause, place) => pause.from_ns - (pauses[place]?.from_ns ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const regular = gaps.length > 1 && gaps.every((gap) => Math.abs(gap - mean) <= Math.max(0.1 * mean, times.step_ns));
  return `${format.counted(pauses.length, "pause")} of ${pauses.length > 1 ? "up to " : ""}${longest}${regular ? `, every ${format.time(mean)}` : ""}, in which no I/O completed`;
}

export function rateChart(detail: Detail, time: TimeAxis, width: number): Drawn {
  const { times } = detail;
  if (!times) return { svg: null, summary: "This result has no time series.", table: NONE };
  const rows = steps(times).map((step, place) => {
    const ios = times.ios[place] ?? 0;
    const y = step.seconds > 0 ? ios / step.seconds : 0;
    const bytes = step.seconds > 0 ? (times.bytes[place] ?? 0) / step.seconds : 0;
    return { ...step, y, bytes, ios, title: `${format.digits(step.from)} s to ${format.digits(step.to)} s\n${format.rate(y)} IOPS, ${format.flow(bytes)}` };
  });
  const most = Math.max(...rows.map((row) => row.y), 1);
  const { iops: mean, from_ns: from, to_ns: to } = times.steady;
  const line = mean !== null && from !== null && to !== null ? [{ x1: from / 1e9, x2: to / 1e9, y: mean }] : [];
  const svg = overTime("rate", time, {
    width, height: 220,
    y: { domain: [0, most * 1.2], tickFormat: (y: number) => format.tick(format.rate(y)), label: "↑ IOPS", grid: true, ticks: 5 },
    marks: [
      ...behind(times),
      Plot.rectY(rows, { x1: "from", x2: "to", y: "y", fill: colour(0), fillOpacity: 0.25 }),
      Plot.line(toTheEnd(rows), { x: "from", y: "y", stroke: colour(0), strokeWidth: 1.8, curve: "step-after" }),
      Plot.ruleY(line, { x1: "x1", x2: "x2", y: "y", strokeWidth: 1.5, strokeDasharray: "6 4" }),
      Plot.ruleY([0]),
      Plot.tip(rows, Plot.pointerX({ x: (d: { from: number; to: number }) => (d.from + d.to) / 2, y: "y", title: "title" })),
    ],
  });
  const pauses = pausesOf(times);
  const steady = pauses !== "" ? `interrupted: ${pauses}` : times.steady.steady === null ? `not known to be steady: ${times.steady.reason ?? "the run is too short"}`
    : times.steady.steady ? `steady: ${format.rate(mean ?? 0)} IOPS in the last five windows` : "not steady in the last five windows";
  return {
    svg,
    summary: `Rate over time: up to ${format.rate(most)} IOPS; ${steady}.`,
    note: `${times.warmup_ns > 0 ? `Load ran ${format.time(times.warmup_ns)} before counting began.` : "There was no warm-up before counting."} The rate is ${steady}.` +
      (times.merged > 1 ? ` Each step here is ${times.merged} steps of the record.` : ""),
    table: {
      heads: ["From", "To", "I/Os", "IOPS", "Throughput"],
      rows: rows.map((row) => [`${format.digits(row.from)} s`, `${format.digits(row.to)} s`, String(row.ios), format.rate(row.y), `${format.flow(row.bytes)}`]),
    },
  };
}

export function latencyChart(detail: Detail, time: TimeAxis, legend: Legend, width: number): Drawn {
  const { times } = detail;
  if (!times) return { svg: null, summary: "This result has no time series.", table: NONE };
  const all = steps(times).map((step, place) => ({ ...step, mean: times.mean_ns[place] ?? null, max: times.max_ns[place] ?? null }));
  const rows = all.flatMap(({ mean, max, ...step }) => (mean === null || max === null ? [] : [{
    ...step, mean, max, title: `${format.digits(step.from)} s to ${format.digits(step.to)} s\nmean ${format.time(mean)}\nlargest ${format.time(max)}`,
  }]));
  if (rows.length === 0) return { svg: null, summary: "No I/O completed, so there is no latency.", table: NONE };
  const domain = logDomain(rows.flatMap((row) => [row.mean, row.max]), 1.7);
  const lines = [["largest", colour(1)], ["mean", colour(0)]] as const;
  const svg = overTime("latency", time, {
    width, height: 220,
    y: { type: "log", domain, ticks: logTicks(domain), tickFormat: (y: number) => format.time(y), label: "↑ Latency (logarithmic)", grid: true },
    marks: [
      ...behind(times),
      legend.shows("largest") ? Plot.line(toTheEnd(rows), { x: "from", y: "max", stroke: colour(1), strokeWidth: 1.3, curve: "step-after", strokeDasharray: "3 2" }) : null,
      legend.shows("mean") ? Plot.line(toTheEnd(rows), { x: "from", y: "mean", stroke: colour(0), strokeWidth: 2, curve: "step-after" }) : null,
      Plot.tip(rows, Plot.pointerX({ x: (d: { from: number; to: number }) => (d.from + d.to) / 2, y: "mean", title: "title" })),
    ],
  });
  const worst = rows.reduce((a, b) => (b.max > a.max ? b : a));
  return {
    svg,
    legend: legend.element(lines),
    summary: `Latency over time: the largest, ${format.time(worst.max)}, between ${format.digits(worst.from)} and ${format.digits(worst.to)} seconds.`,
    table: {
      heads: ["From", "To", "Mean", "Largest"],
      rows: rows.map((row) => [`${format.digits(row.from)} s`, `${format.digits(row.to)} s`, format.time(row.mean), format.time(row.max)]),
    },
  };
}

export function latencyMap(heat: Heat, time: TimeAxis, width: number): Drawn {
  const step = heat.step_ns / 1e9;
  const boxes = heat.rows.flatMap((row, place) => {
    const from = place * step;
    const found = [];
    for (let i = 0; i + 1 < row.length; i += 2) {
      const [column, count] = [row[i] ?? 0, row[i + 1] ?? 0];
      const [low, high] = [heat.bounds_ns[column] ?? 1, heat.bounds_ns[column + 1] ?? 2];
      found.push({ x1: from, x2: from + step, y1: Math.max(low, 1), y2: high, count,
        title: `${format.digits(from)} s to ${format.digits(from + step)} s\n${format.time(low)} to ${format.time(high)}\n${format.counted(count, "I/O")}` });
    }
    return found;
  });
  if (boxes.length === 0) return { svg: null, summary: "Latencies over time were not kept for this result.", table: NONE };
  const domain = logDomain(boxes.flatMap((box) => [box.y1, box.y2]), 1.05);
  const most = Math.max(...boxes.map((box) => box.count));
  const percentiles = heat.rows.flatMap((row, place) => [0.5, 0.99].flatMap((share) => {
    const at = percentileOf(heat, row, share);
    return at === null ? [] : [{ share, from: place * step, to: (place + 1) * step, at }];
  }));
  const svg = overTime("map", time, {
    width, height: 280,
    y: { type: "log", domain, ticks: logTicks(domain), tickFormat: (y: number) => format.time(y), label: "↑ Latency (logarithmic)" },
    color: { type: "log", scheme: "cividis", domain: [1, Math.max(2, most)] },
    marks: [
      Plot.rect(boxes, { x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "count", inset: 0 }),
      ...[0.5, 0.99].map((share) => Plot.ruleY(percentiles.filter((one) => one.share === share), {
        x1: "from", x2: "to", y: "at", stroke: "currentColor", strokeWidth: share === 0.5 ? 1.2 : 2, strokeDasharray: share === 0.5 ? "2 2" : "none",
      })),
      Plot.tip(boxes, Plot.pointer({ x: (b: { x1: number; x2: number }) => (b.x1 + b.x2) / 2, y: (b: { y1: number; y2: number }) => Math.sqrt(b.y1 * b.y2), title: "title" })),
    ],
  });
  const legend = h("p", { class: "legend" }, "1 ", h("span", { class: "ramp" }), ` ${format.counted(most, "I/O")} (logarithmic)`);
  svg.setAttribute("role", "presentation");
  return {
    svg: h("div", {}, legend, svg),
    summary: `Latencies over time: from ${format.time(Math.min(...boxes.map((box) => box.y1)))} to ${format.time(Math.max(...boxes.map((box) => box.y2)))}.`,
    note: "Each column is a step of time, each box a range of latencies, its colour how many I/Os took that long. Lines: p50 (dotted) and p99 of each step, as the upper end of its range.",
    table: {
      heads: ["From", "To", "Latency from", "Latency to", "I/Os"],
      rows: boxes.map((box) => [`${format.digits(box.x1)} s`, `${format.digits(box.x2)} s`, format.time(box.y1), format.time(box.y2), String(box.count)]),
    },
  };
}

/** The latency that a share of a step's I/Os does not exceed: the upper end of its range. */
function percentileOf(heat: Heat, row: readonly number[], share: number): number | null {
  let all = 0;
  for (let i = 1; i < row.length; i += 2) all += row[i] ?? 0;
  let below = 0;
  for (let i = 0; i + 1 < row.length; i += 2) {
    below += row[i + 1] ?? 0;
    if (below >= share * all) return heat.bounds_ns[(row[i] ?? 0) + 1] ?? null;
  }
  return null;
}

export function counterChart(counters: Counters, track: Track, { time, lines }: { time: TimeAxis; lines: Legend }, width: number): Drawn {
  const rows = track.lines.flatMap((line) => line.values.flatMap((value, place) => {
    const to = (counters.at_ns[place] ?? 0) / 1e9;
    const from = to - (counters.length_ns[place] ?? 0) / 1e9;
    const begins = place === 0 || line.values[place - 1] === null;
    const title = `${format.digits(from)} s to ${format.digits(to)} s\n${line.name}: ${format.shown(value, track.unit)}`;
    const row = { line: line.name, from, to, value: value ?? 0, title, lead: false };
    return value === null ? [] : begins ? [{ ...row, to: Math.max(0, from), lead: true }, row] : [row];
  }));
  if (rows.length === 0) return { svg: null, summary: `${track.label}: nothing was read.`, table: NONE };
  const names = track.lines.map((line) => line.name);
  const most = track.unit === "percent" ? 100 : Math.max(...rows.map((row) => row.value)) * 1.1 || 1;
  const shown = rows.filter((row) => lines.shows(row.line));
  const svg = overTime(track.id, time, {
    width, height: 150,
    y: { domain: [0, most], ticks: track.unit.startsWith("size") ? linearSizeTicks(most, 4) : 4, tickFormat: (y: number) => format.tick(format.shown(y, track.unit)), label: `↑ ${track.label}`, grid: true },
    color: { domain: names, range: names.map((_, place) => colour(place)) },
    marks: [
      Plot.line(shown, { x: "to", y: "value", z: "line", stroke: "line", strokeWidth: 1.8, curve: "step-before" }),
      Plot.ruleY([0]),
      Plot.tip(shown, Plot.pointerX({ x: "to", y: "value", title: "title" })),
    ],
  });
  return {
    svg,
    legend: lines.element(names.map((name, place) => [name, colour(place)] as const)),
    summary: `${track.label} over time, up to ${format.shown(Math.max(...rows.map((row) => row.value)), track.unit)}.`,
    table: {
      heads: ["From", "To", "What", track.label],
      rows: rows.filter((row) => !row.lead).map((row) => [`${format.digits(row.from)} s`, `${format.digits(row.to)} s`, row.line, format.shown(row.value, track.unit)]),
    },
  };
}
