// The storage roofline: throughput over the size of an I/O, under the highest rate of I/Os (the slanted line) and the
// highest bandwidth (the level one).

import * as Plot from "@observablehq/plot";
import type { Roof } from "../document";
import { choice } from "../dom";
import { Figure, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import { cellLink } from "../sections/link";
import { colour, palette } from "../theme";
import { LOOK, logDomain, powers, sizeTicks } from "./plot";

interface Point { cell: number; x: number; y: number; group: string; title: string }

export function rooflineFigure(page: Page): Figure | null {
  const sizes = (roof: Roof) => new Set(roof.cells.map((cell) => page.number(cell, "block"))).size;
  const roofs = page.document.roofs.filter((roof) => sizes(roof) > 1);
  if (roofs.length === 0) return null;
  let chosen = 0;
  const name = (roof: Roof) => (page.compares ? `${page.document.parts[roof.part]?.name}: ${roof.name}` : roof.name);
  const controls = roofs.length > 1
    ? [choice("Of", roofs.map((roof, place) => [place, name(roof)] as const), 0, (place) => { chosen = place; figure.redraw(); })]
    : [];
  const figure: Figure = new Figure("roofline", "Storage roofline", (width) => {
    const roof = roofs[chosen] ?? roofs[0];
    return draw(page, roof as Roof, width);
  }, controls);
  return figure;
}

function draw(page: Page, roof: Roof, width: number): Drawn {
  const points: Point[] = roof.cells.flatMap((cell) => {
    const x = page.number(cell, "block");
    const y = page.figure(cell, "bytes_per_s");
    if (!x || !y) return [];
    const pattern = page.value(cell, "pattern");
    return [{
      cell, x, y, group: typeof pattern === "string" ? pattern : "other",
      title: `${page.cell(cell).label || page.cell(cell).id}\n${format.size(x)}: ${format.flow(y)}, ` +
        `${format.shown(page.figure(cell, "iops"), "rate")}\n${page.cell(cell).id}${runs(page, cell)}`,
    }];
  });
  const xs = logDomain(points.map((point) => point.x), 1.6);
  const ys = logDomain([...points.map((point) => point.y), roof.bytes_per_s], 2);
  const bend = roof.bytes_per_s / roof.iops;
  const at = (x: number) => Math.min(roof.iops * x, roof.bytes_per_s);
  const line = [xs[0], Math.min(Math.max(bend, xs[0]), xs[1]), xs[1]].map((x) => ({ x, y: at(x) }));
  const groups = [...new Set(points.map((point) => point.group))].sort();
  const labels = [
    { x: Math.sqrt(xs[0] * Math.max(bend, xs[0] * 2)), y: at(Math.sqrt(xs[0] * Math.max(bend, xs[0] * 2))), text: `${format.rate(roof.iops)} IOPS`, dx: width < 600 ? 10 : -8, dy: width < 600 ? 16 : -12, anchor: width < 600 ? "start" as const : "end" as const },
    { x: xs[1], y: roof.bytes_per_s, text: `${format.flow(roof.bytes_per_s)}`, dx: -6, dy: -12, anchor: "end" as const },
  ];
  const svg = Plot.plot({
    width, height: Math.min(420, Math.max(300, width * 0.48)), marginLeft: 84, marginBottom: 44, marginTop: 28, style: LOOK,
    x: { type: "log", base: 2, domain: xs, ticks: powers(xs[0] * 1.6, xs[1] / 1.6, 2, Math.max(4, Math.floor(width / 80))), tickFormat: (x: number) => format.size(x), label: "Size of an I/O (logarithmic) →", labelAnchor: "right", grid: true },
    y: { type: "log", base: 2, domain: ys, ticks: sizeTicks(ys), tickFormat: (y: number) => `${format.flow(y)}`, label: "↑ Throughput (logarithmic)", grid: true },
    symbol: { domain: groups, legend: groups.length > 1 },
    color: { domain: groups, range: palette().slice(0, groups.length) as string[] },
    marks: [
      Plot.areaY(line, { x: "x", y1: ys[0], y2: "y", fill: colour(0), fillOpacity: 0.07 }),
      Plot.line(line, { x: "x", y: "y", stroke: "currentColor", strokeWidth: 2.2 }),
      Plot.dot(points, { x: "x", y: "y", stroke: "group", symbol: "group", r: 3.5, strokeOpacity: 0.75, strokeWidth: 1.5 }),
      ...labels.map((label) => Plot.text([label], { x: "x", y: "y", text: "text", dy: label.dy, dx: label.dx, textAnchor: label.anchor, fontWeight: 600, stroke: "var(--ground)", strokeWidth: 4, fill: "currentColor" })),
      Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: "title" })),
    ],
  });
  const sorted = [...points].sort((a, b) => a.x - b.x || b.y - a.y);
  return {
    svg: svg as SVGSVGElement,
    summary: `Roofline of ${roof.name}: at most ${format.rate(roof.iops)} IOPS and ${format.flow(roof.bytes_per_s)}; ` +
      `${points.length} cells lie under it.`,
    table: {
      heads: ["Cell", "Size of an I/O", "Throughput", "IOPS", "Share of the ceiling"],
      rows: sorted.map((point) => [
        cellLink(page, point.cell), format.size(point.x), `${format.flow(point.y)}`,
        format.shown(page.figure(point.cell, "iops"), "rate"), format.shown((100 * point.y) / at(point.x), "percent"),
      ]),
    },
    note: `Both ceilings are the highest rates that were measured: of I/Os in cell ${page.cell(roof.iops_cell).id}${runs(page, roof.iops_cell)}, ` +
      `of bytes in cell ${page.cell(roof.bytes_cell).id}${runs(page, roof.bytes_cell)}. They meet at I/Os of ${format.size(Math.round(bend))}: smaller ones are bound by the count, larger ones by the bandwidth.`,
    choose: (value) => page.select((value as Point).cell),
  };
}

/** Of a cell that represents a load of several runs, how many these are. */
function runs(page: Page, cell: number): string {
  const load = page.load(cell);
  return load ? ` (${format.counted(load.cells.length, "run")} together)` : "";
}
