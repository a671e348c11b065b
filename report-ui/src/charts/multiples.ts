// Latency against throughput of every workload, small and on the same logarithmic axes, so that they compare by eye.
// Omitted: percentiles to choose from and the load at each point, which the large chart has.

import * as Plot from "@observablehq/plot";
import { h } from "../dom";
import { Figure, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import { cellLink } from "../sections/link";
import { colour } from "../theme";
import { LOOK, logDomain } from "./plot";

interface Point { cell: number; outstanding: number; threads: number; x: number; y: number }
const PANELS_MAX = 16;
interface Knee { outstanding: number; threads: number }

const HEIGHT = 130;
const GAP = 12;
const WIDTH_MAX = 420;

export function multiplesFigure(page: Page): Figure | null {
  if (page.compares) return null;
  const names = [...new Set(page.document.curves.map((curve) => curve.workload))];
  if (names.length < 2) return null;
  const panels = names.slice(0, PANELS_MAX).map((name) => ({ name, points: pointsOf(page, name), knee: kneeOf(page, name) }));
  const drawn = panels.filter((panel) => panel.points.length > 1);
  if (drawn.length < 2) return null;
  return new Figure("multiples", "Median latency against IOPS, all workloads on the same axes", (width) => draw(page, drawn, names.length, width));
}

function pointsOf(page: Page, name: string): Point[] {
  return page.document.curves.filter((curve) => curve.workload === name).flatMap((curve) => curve.points.flatMap((point) => {
    const x = page.figure(point.cell, "iops");
    const y = page.figure(point.cell, "latency_p50");
    return x && y ? [{ cell: point.cell, outstanding: point.outstanding, threads: curve.threads, x, y }] : [];
  })).sort((a, b) => a.outstanding - b.outstanding);
}

/// The curve that has the knee, and the load at it: the same as in the table and in the other chart.
function kneeOf(page: Page, name: string): Knee | null {
  const curve = page.document.curves.find((one) => one.workload === name && one.knee);
  const at = curve?.knee?.outstanding ?? null;
  return curve && at !== null ? { outstanding: at, threads: curve.threads } : null;
}

function draw(page: Page, panels: { name: string; points: Point[]; knee: Knee | null }[], all: number, width: number): Drawn {
  const every = panels.flatMap((panel) => panel.points);
  const [x, y] = [logDomain(every.map((point) => point.x), 1.6), logDomain(every.map((point) => point.y), 1.6)];
  const across = Math.max(1, Math.min(panels.length, Math.floor((width + GAP) / (220 + GAP))));
  const each = Math.min(WIDTH_MAX, Math.floor((width - GAP * (across - 1)) / across));
  const tens = ([low, high]: [number, number]) => {
    const powers = Array.from({ length: 19 }, (_, power) => 10 ** power).filter((value) => value >= low && value <= high);
    return powers.length > 3 ? powers.filter((_, place) => place % Math.ceil(powers.length / 3) === 0) : powers;
  };
  const pictures = panels.map((panel) => {
    const knees = panel.points.filter((point) => point.outstanding === panel.knee?.outstanding && point.threads === panel.knee.threads).slice(0, 1);
    const svg = Plot.plot({
      width: each, height: HEIGHT, marginLeft: 48, marginRight: 10, marginTop: 8, marginBottom: 22, style: LOOK,
      x: { type: "log", domain: x, ticks: tens(x), tickFormat: (value: number) => format.tick(format.rate(value)), label: null, grid: true },
      y: { type: "log", domain: y, ticks: tens(y), tickFormat: (value: number) => format.time(value), label: null, grid: true },
      marks: [
        Plot.line(panel.points, { x: "x", y: "y", z: "threads", stroke: colour(0), strokeWidth: 1.6 }),
        Plot.dot(panel.points, { x: "x", y: "y", r: 2.2, fill: colour(0) }),
        Plot.dot(knees, { x: "x", y: "y", r: 6, stroke: colour(1), strokeWidth: 1.8 }),
      ],
    });
    svg.setAttribute("aria-hidden", "true");
    return h("div", { class: "small-multiple" }, h("p", {}, panel.name), svg as SVGSVGElement);
  });
  return {
    svg: h("div", { class: "multiples" }, ...pictures),
    summary: `Median latency against IOPS of ${format.counted(panels.length, "workload")} on the same logarithmic axes.`,
    note: `Across: IOPS; upwards: median latency; both logarithmic and the same in all. Each dot is a queue depth; the ring is the knee.${
      all > panels.length ? ` ${panels.length} of ${all} workloads are drawn.` : ""}`,
    table: {
      heads: ["Workload", "QD", "IOPS", "Median", "Point"],
      rows: panels.flatMap((panel) => panel.points.map((point) => [
        panel.name, String(point.outstanding), format.rate(point.x), format.time(point.y), cellLink(page, point.cell),
      ])),
    },
  };
}
