// The first result against each of the others: the sentence, every figure with its ratio, and the rate cell by cell.

import * as Plot from "@observablehq/plot";
import type { CellChange, Change, Comparison, Outcome, Unit } from "../document";
import { h, section } from "../dom";
import { Figure, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import { LOOK } from "../charts/plot";
import { colour } from "../theme";

const CELLS_DRAWN = 60;

export function changes(page: Page): HTMLElement | null {
  const { comparisons } = page.document;
  if (comparisons.length === 0) return null;
  return section("changes", "What changed", ...comparisons.flatMap((one, place) => comparison(page, one, place)));
}

function comparison(page: Page, one: Comparison, place: number): HTMLElement[] {
  const unitOf = (change: Change): Unit => page.columns.get(change.metric)?.column.unit ?? "count";
  const several = one.cells.length > 1;
  const rows = several ? one.cells.map((cell) => byCell(cell)) : one.overall.map((change) => h("tr", {}, h("th", { scope: "row" }, change.short),
    h("td", { class: "number" }, format.shown(change.a, unitOf(change))), h("td", { class: "number" }, format.shown(change.b, unitOf(change))),
    h("td", { class: change.differs ? "number changed" : "number" }, change.ratio ? percent(change.ratio.value) : "–"),
    h("td", {}, between(change)), h("td", {}, verdictOf(change))));
  const heads = several ? ["Results", `${one.a}, IOPS`, `${one.b}, IOPS`, "Change", "95% interval", "Verdict"]
    : ["Figure", one.a, one.b, "Change", "95% interval", "Verdict"];
  const name = `From ${one.a} to ${one.b}`;
  const cells = one.cells.filter((cell) => cell.ratio !== null);
  const figure = cells.length > 1 ? new Figure(`changes-${place}`, `Rate of ${one.b} over that of ${one.a}, cell by cell`, (width) => forest(cells, one, width)) : null;
  return [
    h("h3", {}, name), h("p", { class: "sentence" }, `${one.answer.charAt(0).toUpperCase()}${one.answer.slice(1)}.`),
    h("div", { class: several ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": `Figures: ${name}` },
      h("table", { class: "changes" }, h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...rows))),
    ...(one.differences.length > 0 ? [h("details", {}, h("summary", {}, `${format.counted(one.differences.length, "difference")} other than the figures`),
      h("ul", {}, ...one.differences.map((it) => h("li", {}, `${page.columns.get(it.what)?.column.short ?? it.what}: ${it.a} and ${it.b}${it.of_work ? " (of the work itself)" : ""}`))))] : []),
    ...one.notes.map((note) => h("p", { class: "note" }, `${note}.`)),
    ...(figure ? [figure.element] : []),
  ];
}

/** One row a cell: no mean over cells, which are of unlike work. */
function byCell(cell: CellChange): HTMLElement {
  const verdict = outcome(cell.outcome ?? "inconclusive", cell.at_most_share);
  return h("tr", {}, h("th", { scope: "row" }, cell.name || `${cell.a[0]} and ${cell.b[0]}`),
    ...[0, 1].map((side) => h("td", { class: "number" }, cell.rates ? format.rate(cell.rates[side] ?? 0) : "–")),
    h("td", { class: cell.differs ? "number changed" : "number" }, cell.ratio ? percent(cell.ratio.value) : "–"), h("td", {}, between(cell)),
    h("td", { class: cell.doubt ? "weak-mark" : null, title: cell.doubt }, `${verdict}${cell.doubt ? `; ${cell.doubt}` : ""}`));
}

function percent(ratio: number): string {
  const change = (ratio - 1) * 100;
  return `${change > 0 ? "+" : ""}${format.shown(change, "percent")}`;
}

function between(change: Change | CellChange): string {
  const ratio = change.ratio;
  return ratio === null || ratio.low === null || ratio.high === null ? "–" : `${percent(ratio.low)} to ${percent(ratio.high)}`;
}

function verdictOf(change: Change): string {
  if (change.cannot !== null) return change.cannot;
  const seen = change.minimum_detectable_share === null ? "" : `; from ${format.shown(change.minimum_detectable_share * 100, "percent")} on it would have been seen`;
  return `${outcome(change.outcome, change.at_most_share)}${change.outcome === "inconclusive" ? seen : ""}`;
}

/** The words of `fathom compare`. */
function outcome(word: Outcome, most: number | null | undefined): string {
  if (word === "no_difference") return `no difference above ${format.shown((most ?? 0) * 100, "percent")}`;
  return word;
}

/** A forest plot: a dot and its interval a cell, and the line of no change. */
function forest(cells: CellChange[], one: Comparison, width: number): Drawn {
  const rows = [...cells].sort((a, b) => (a.ratio?.value ?? 1) - (b.ratio?.value ?? 1)).map((cell) => ({
    name: cell.name || `${cell.a[0]} and ${cell.b[0]}`, ratio: cell.ratio?.value ?? 1, low: cell.ratio?.low ?? null, high: cell.ratio?.high ?? null,
    differs: cell.differs === true, title: `${cell.name}\n${percent(cell.ratio?.value ?? 1)} (${between(cell)})\n${cell.a.join(", ")} and ${cell.b.join(", ")}`,
  }));
  const drawn = rows.length <= CELLS_DRAWN ? rows : [...rows.slice(0, CELLS_DRAWN / 2), ...rows.slice(-CELLS_DRAWN / 2)];
  const ends = drawn.flatMap((row) => [row.ratio, row.low ?? row.ratio, row.high ?? row.ratio]).filter((value) => value > 0);
  const reach = Math.max(1.05, ...ends.map((value) => Math.max(value, 1 / value)));
  const svg = Plot.plot({
    width, height: 70 + drawn.length * 18, marginLeft: Math.min(width * 0.6, 14 + Math.max(...drawn.map((row) => row.name.length)) * 6.8), marginBottom: 40, style: LOOK,
    x: { type: "log", domain: [1 / reach, reach], ticks: 5, tickFormat: (x: number) => format.digits(x), label: "Ratio of rates (logarithmic; 1 is no change) →", labelAnchor: "right", grid: true },
    y: { type: "point", domain: drawn.map((row) => row.name), label: null },
    marks: [
      Plot.ruleX([1], { strokeWidth: 1.5 }),
      Plot.ruleY(drawn.filter((row) => row.low !== null && row.low > 0), { y: "name", x1: "low", x2: "high", stroke: colour(0) }),
      Plot.dot(drawn, { y: "name", x: "ratio", stroke: colour(0), fill: (row: { differs: boolean }) => (row.differs ? colour(0) : "var(--ground)"), r: 3.5 }),
      Plot.tip(drawn, Plot.pointerY({ y: "name", x: "ratio", title: "title" })),
    ],
  });
  const differing = rows.filter((row) => row.differs).length;
  return {
    svg: svg as SVGSVGElement,
    summary: `Rate of ${one.b} over that of ${one.a} in ${rows.length} cells: from ${format.digits(rows[0]?.ratio ?? 1)} to ${format.digits(rows[rows.length - 1]?.ratio ?? 1)}; ${differing} differ significantly.`,
    note: `A filled dot is a significant change.${drawn.length < rows.length ? ` The ${CELLS_DRAWN / 2} lowest and the ${CELLS_DRAWN / 2} highest of ${rows.length} cells are drawn.` : ""}`,
    table: {
      heads: ["Cell", one.a, one.b, "Change", "95% interval", "Differs"],
      rows: rows.map((row) => [row.name, cells.find((cell) => cell.name === row.name)?.a.join(", ") ?? "", cells.find((cell) => cell.name === row.name)?.b.join(", ") ?? "",
        percent(row.ratio), row.low === null || row.high === null ? "–" : `${percent(row.low)} to ${percent(row.high)}`, row.differs ? "yes" : "no"]),
    },
  };
}
