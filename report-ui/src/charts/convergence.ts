// The value of each cell of a PTS test in each round, relative to its mean over the last five: the Steady State Convergence Plot
// of SNIA's report. Omitted: which cell decides about steady state, which the facts have.

import * as Plot from "@observablehq/plot";
import { h } from "../dom";
import { Figure, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import { colour } from "../theme";
import { LOOK } from "./plot";

/** Rounds of the measurement window. */
const WINDOW = 5;
const LINES_MAX = 64;
const HEIGHT = 280;
interface Point { name: string; round: number; share: number; value: number }

export function convergenceFigure(page: Page): Figure | null {
  const rows = page.document.parts.filter((part) => part.kind === "pts").flatMap((part) => part.table?.rows ?? []);
  const lines = rows.filter((row) => row.trend.length >= WINDOW).slice(0, LINES_MAX);
  if (lines.length === 0) return null;
  const points = lines.flatMap((row) => {
    const last = row.trend.slice(-WINDOW);
    const mean = last.reduce((sum, value) => sum + value, 0) / last.length;
    return mean > 0 ? row.trend.map((value, place): Point => ({ name: row.name, round: place + 1, share: value / mean * 100, value })) : [];
  });
  const title = "Convergence to steady state: each cell by round, relative to the mean of its last five";
  return points.length === 0 ? null : new Figure("convergence", title, (width) => draw(points, lines.length, rows.length, width));
}

function draw(points: Point[], lines: number, all: number, width: number): Drawn {
  const rounds = Math.max(...points.map((point) => point.round));
  const svg = Plot.plot({
    width, height: HEIGHT, marginLeft: 52, style: LOOK,
    x: { label: "round", domain: [1, Math.max(rounds, 2)], tickFormat: "d", ticks: Math.min(rounds, 12) },
    y: { label: "of the mean", grid: true, tickFormat: (value: number) => `${value}%` },
    marks: [
      Plot.ruleY([90, 110], { stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.6 }),
      Plot.line(points, { x: "round", y: "share", z: "name", stroke: colour(0), strokeOpacity: lines > 1 ? 0.6 : 1, strokeWidth: 1.5, tip: true, title: (point: Point) => `${point.name}, round ${point.round}: ${format.share(point.share)}` }),
    ],
  });
  svg.setAttribute("aria-hidden", "true");
  return {
    svg: h("div", {}, svg as SVGSVGElement),
    summary: `The values of ${format.counted(lines, "cell")} in ${format.counted(rounds, "round")}, relative to the mean of the last five rounds of each.`,
    note: `The dashed lines are 90% and 110% of the mean.${all > lines ? ` ${lines} of ${all} cells are drawn: those with at least ${WINDOW} rounds.` : ""}`,
    table: {
      heads: ["Cell", "Round", "Of the mean"],
      rows: points.map((point) => [point.name, String(point.round), format.share(point.share)]),
    },
  };
}
