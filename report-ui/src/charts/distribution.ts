// The percentile curve on an axis of nines: solid where ten I/Os or more lie beyond, dotted where fewer do.

import * as Plot from "@observablehq/plot";
import type { Detail, Distribution } from "../document";
import type { Drawn } from "../figure";
import * as format from "../format";
import { colour } from "../theme";
import { LOOK, logDomain, logTicks } from "./plot";

interface Point { x: number; y: number; low: number | null; high: number | null; name: string; trusted: boolean; title: string }
const NAMES: Record<string, string> = { total: "all I/Os", read: "reads", write: "writes" };

function points(curve: Distribution): Point[] {
  const name = NAMES[curve.operation] ?? curve.operation;
  return curve.one_in.map((x, place) => {
    const y = curve.latency_ns[place] ?? 0;
    const trusted = x <= curve.resolved_to_one_in;
    const [low, high] = [curve.low_ns[place] ?? null, curve.high_ns[place] ?? null];
    const between = low !== null && high !== null ? `\n95% interval ${format.time(low)} to ${format.time(high)}` : "";
    return { x, y, low, high, name, trusted, title: `${name}: ${format.percentile(x)} within ${format.time(y)}${between}${trusted ? "" : "\nfewer than ten I/Os lie beyond"}` };
  });
}

export function distributionChart(detail: Detail, width: number): Drawn {
  const curves = detail.distributions.filter((curve) => curve.one_in.length > 1);
  const all = curves.flatMap(points);
  if (all.length === 0) return { svg: null, summary: "Too few I/Os for a distribution.", table: { heads: [], rows: [] } };
  const names = curves.map((curve) => NAMES[curve.operation] ?? curve.operation);
  const end = Math.max(...all.map((point) => point.x), 10);
  const total = curves[0] as Distribution;
  const trust = Math.min(end, total.resolved_to_one_in);
  const domain = logDomain(all.map((point) => point.y), 1.25);
  const nines = [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter((tick) => tick <= end * 1.01);
  const ribbon = all.filter((point) => point.low !== null && point.high !== null);
  const svg = Plot.plot({
    width, height: 320, marginLeft: 76, marginRight: 24, marginBottom: 44, marginTop: 26, style: LOOK,
    x: { type: "log", domain: [1, end], ticks: nines, tickFormat: (x: number) => format.percentile(x), label: "Share of I/Os that are at most this slow (axis of nines) →", labelAnchor: "right", grid: true },
    y: { type: "log", domain, ticks: logTicks(domain), tickFormat: (y: number) => format.time(y), label: "↑ Latency (logarithmic)", grid: true },
    color: { domain: names, range: names.map((_, place) => colour(place)), legend: names.length > 1 },
    marks: [
      trust < end ? Plot.rectX([{ x1: Math.max(1, trust), x2: end }], { x1: "x1", x2: "x2", fill: "url(#hatch)", fillOpacity: 0.6 }) : null,
      trust < end ? Plot.text([trust], { x: (x: number) => Math.max(1, x), frameAnchor: "bottom", dy: -8, dx: 6, textAnchor: "start", lineWidth: 9, text: () => "fewer than ten I/Os beyond", stroke: "var(--ground)", strokeWidth: 4, fill: "currentColor" }) : null,
      Plot.areaY(ribbon, { x: "x", y1: "low", y2: "high", z: "name", fill: "name", fillOpacity: 0.18 }),
      Plot.line(all, { x: "x", y: "y", z: "name", stroke: "name", strokeWidth: 1.5, strokeDasharray: "2 3" }),
      Plot.line(all.filter((point) => point.trusted), { x: "x", y: "y", z: "name", stroke: "name", strokeWidth: 2.2 }),
      Plot.tip(all, Plot.pointerX({ x: "x", y: "y", title: "title" })),
    ],
  });
  const wanted = [2, 10, 20, 100, 1000, 10_000, 100_000, 1e6];
  return {
    svg: svg as unknown as HTMLElement,
    summary: `Percentiles of latency: ${wanted.slice(0, 4).filter((x) => x !== 20).map((x) => `${format.percentile(x)} within ${format.time(near(all, x))}`).join(", ")}; ` +
      `to be trusted up to ${format.percentile(Math.max(1, trust))}.`,
    note: `${format.counted(total.ios, "I/O")}; a percentile is to be trusted where ten or more of them lie beyond it` +
      `${ribbon.length > 0 ? "; the band is its 95% interval" : ""}. Largest: ${format.time(total.max_ns ?? 0)}.`,
    table: {
      heads: ["Of", "Share", "Within", "I/Os beyond"],
      rows: curves.flatMap((curve) => points(curve).map((point) => [
        point.name, format.percentile(point.x), format.time(point.y), Math.floor(curve.ios / point.x).toString(),
      ])),
    },
  };
}

function near(all: Point[], x: number): number {
  return all.reduce((best, point) => (Math.abs(Math.log(point.x / x)) < Math.abs(Math.log(best.x / x)) ? point : best)).y;
}
