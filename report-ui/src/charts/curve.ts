// Latency against throughput: one line a workload and number of threads, from the fewest I/Os in flight to the most.
// Both axes are of the same I/Os; the load is written at the points.

import * as Plot from "@observablehq/plot";
import type { Curve } from "../document";
import { choice } from "../dom";
import { Figure, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import { cellLink } from "../sections/link";
import { colour } from "../theme";
import { LOOK, linearSizeTicks, logDomain, logTicks } from "./plot";

interface Point {
  cell: number; outstanding: number; line: string; threads: number; x: number; y: number; title: string;
}
type Flow = "iops" | "bytes_per_s";
const LATENCIES = [
  ["latency_p99", "99% within"], ["latency_p50", "half within (median)"], ["latency_p999", "99.9% within"],
  ["latency_mean", "mean"],
] as const;

export function curveFigure(page: Page): Figure | null {
  const { curves } = page.document;
  if (curves.length === 0) return null;
  const workloads = [...new Set(curves.map((curve) => curve.workload))];
  const peak = page.document.parts[0]?.panel.find((item) => item.id === "peak_rate" || item.id.startsWith("answer "))?.cell;
  const first = curves.find((curve) => curve.points.some((point) => point.cell === peak)) ?? curves[0];
  const state = { workload: first?.workload ?? "", flow: "iops" as Flow, latency: LATENCIES[0][0] as string };
  const redraw = () => figure.redraw();
  const controls = [
    choice("Workload", workloads.map((name) => [name, name] as const), state.workload, (v) => { state.workload = v; redraw(); }),
    choice<Flow>("Throughput in", [["iops", "IOPS"], ["bytes_per_s", "bytes per second"]], "iops", (v) => { state.flow = v; redraw(); }),
    choice<string>("Latency", LATENCIES, state.latency, (v) => { state.latency = v; redraw(); }),
  ];
  const figure: Figure = new Figure("latency-throughput", "Latency against throughput", (width) => {
    const shown = curves.filter((curve) => curve.workload === state.workload);
    return draw(page, shown, state, width);
  }, controls);
  return figure;
}

function lineName(page: Page, curve: Curve): string {
  const threads = format.counted(curve.threads, "thread");
  return page.compares ? `${page.document.parts[curve.part]?.name ?? ""}, ${threads}` : threads;
}

function draw(page: Page, curves: Curve[], state: { flow: Flow; latency: string; workload: string }, width: number): Drawn {
  const flowUnit = state.flow === "iops" ? "rate" : "size_per_second";
  const points: Point[] = curves.flatMap((curve) => curve.points.flatMap((point) => {
    const x = page.figure(point.cell, state.flow);
    const y = page.figure(point.cell, state.latency);
    if (x === null || y === null) return [];
    const line = lineName(page, curve);
    const title = `${format.counted(point.outstanding, "I/O")} in flight, ${line}\n${format.shown(x, flowUnit)}\n` +
      `${LATENCIES.find(([name]) => name === state.latency)?.[1]} ${format.time(y)}\n${page.cell(point.cell).id}` +
      (point.runs < 2 ? "" : page.load(point.cell) ? ` (${point.runs} runs together)` : `, the middle of ${point.runs} runs`);
    return [{ cell: point.cell, outstanding: point.outstanding, line, threads: curve.threads, x, y, title }];
  }));
  const table = {
    heads: ["Cell", "Outstanding", "Line", "IOPS", "Throughput", "Median", "99%", "99.9%"],
    rows: curves.flatMap((curve) => curve.points.map((point) => [
      cellLink(page, point.cell), String(point.outstanding), lineName(page, curve),
      format.shown(page.figure(point.cell, "iops"), "rate"),
      format.shown(page.figure(point.cell, "bytes_per_s"), "size_per_second"),
      ...["latency_p50", "latency_p99", "latency_p999"].map((name) => format.shown(page.figure(point.cell, name), "time")),
    ])),
  };
  if (points.length === 0) {
    return { svg: null, summary: "No cell of this workload has enough I/Os for this percentile.", table };
  }
  const ordered = [...curves].sort((a, b) => a.part - b.part || a.threads - b.threads);
  const lines = [...new Set(ordered.map((curve) => lineName(page, curve)))];
  const domain = logDomain(points.map((point) => point.y), 1.5);
  const knees = curves.flatMap((curve) => {
    const at = curve.knee?.outstanding;
    if (at === null || at === undefined) return [];
    const there = points.find((point) => point.line === lineName(page, curve) && point.outstanding === at);
    return there ? [there] : [];
  });
  const caps = curves.flatMap((curve) => (state.flow === "iops" && curve.cap?.iops ? [curve.cap.iops] : []));
  const best = Math.max(...points.map((point) => point.x), ...caps);
  const svg = Plot.plot({
    width, height: Math.min(440, Math.max(300, width * 0.5)), marginLeft: 64, marginRight: 48, marginBottom: 44, style: LOOK,
    x: { domain: [0, best * 1.06], label: state.flow === "iops" ? "IOPS →" : "Bytes per second →", labelAnchor: "right",
      tickFormat: (x: number) => format.tick(state.flow === "iops" ? format.rate(x) : format.flow(x)), ticks: state.flow === "iops" ? Math.max(3, width / 130) : linearSizeTicks(best * 1.06, Math.max(3, width / 130)), grid: true },
    y: { type: "log", domain, ticks: logTicks(domain), tickFormat: (y: number) => format.time(y), label: "↑ Latency (logarithmic)", grid: true },
    symbol: { domain: lines, legend: lines.length > 1 },
    color: { domain: lines, range: lines.map((_, place) => colour(place)) },
    marks: [
      Plot.ruleX(caps, { strokeDasharray: "6 4", strokeWidth: 1.5 }),
      Plot.text(caps, { x: (x: number) => x, frameAnchor: "top", dy: -8, text: (x: number) => `cap ${format.rate(x)}` }),
      Plot.line(points, { x: "x", y: "y", z: "line", stroke: "line", strokeWidth: 2 }),
      Plot.dot(points, { x: "x", y: "y", stroke: "line", symbol: "line", r: 4, fill: "var(--ground)", strokeWidth: 1.8 }),
      Plot.dot(knees, { x: "x", y: "y", stroke: "line", r: 10, strokeWidth: 2 }),
      Plot.text(knees, { x: "x", y: "y", text: () => "knee", dy: 20, fontWeight: 600, stroke: "var(--ground)", strokeWidth: 4, fill: "currentColor" }),
      Plot.text(labelled(points), { x: "x", y: "y", text: (p: Point) => String(p.outstanding), dy: -11, fontSize: 11,
        stroke: "var(--ground)", strokeWidth: 3, fill: "currentColor" }),
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: "title" })),
    ],
  });
  const top = [...points].sort((a, b) => b.x - a.x)[0];
  const joined = points.some((point) => page.load(point.cell)) ? "A load that was run more than once is one point: all its runs together." : "";
  return {
    svg: svg as SVGSVGElement,
    summary: `Latency against throughput of ${state.workload}: up to ${format.shown(top?.x, flowUnit)} with ` +
      `${format.counted(top?.outstanding ?? 0, "I/O")} in flight, at ${format.time(top?.y ?? 0)}.`,
    table,
    note: `The numbers at the points are I/Os outstanding over all threads. ${joined ? `${joined} ` : ""}${curves.find((curve) => curve.knee)?.knee?.how
      ? `Knee: ${curves.find((curve) => curve.knee)?.knee?.how}. ` : ""}${curves.find((c) => c.cap)?.cap?.how ?? ""}`,
    choose: (value) => page.select((value as Point).cell),
  };
}

/** Only one line's loads are written, the one with the highest rate: on all they would cover each other. */
function labelled(points: Point[]): Point[] {
  const top = [...points].sort((a, b) => b.x - a.x)[0];
  const own = points.filter((point) => point.line === top?.line);
  const span = Math.max(...points.map((p) => p.x)) || 1;
  const kept: Point[] = [];
  for (const point of own) {
    const crowded = kept.some((p) => Math.abs(p.x - point.x) / span < 0.035 && Math.abs(Math.log(p.y / point.y)) < 0.35);
    if (!crowded) kept.push(point);
  }
  return kept;
}
