// The table that answers: one row a workload, an operation or a result, as the text of the session has it.

import type { Part, TableFigure, TableHead, TableRow } from "../document";
import { h, section } from "../dom";
import * as format from "../format";
import type { Page } from "../page";
import { cellLink } from "./link";

/** Half of an interval, in percent, from which on a figure is known badly. */
const WIDE_PERCENT = 10;
const LINE = { width: 84, height: 20 } as const;

export function answer(page: Page): HTMLElement | null {
  const [part] = page.document.parts;
  if (page.compares || !part?.table || part.table.rows.length === 0) return null;
  return section("answer", title(part), tableOf(page, part),
    part.table.note ? h("p", { class: "note" }, `${part.table.note}.`) : null);
}

function title(part: Part): string {
  return ({ Workload: "Workloads", Operation: "Operations", "I/O path": "I/O paths" })[part.table?.rows_are ?? ""] ?? "Results";
}

function tableOf(page: Page, part: Part): HTMLElement {
  const { rows_are: what, heads, rows, trend } = part.table ?? { rows_are: "", heads: [], rows: [], trend: "" };
  const trends = rows.some((row) => row.trend.length > 1);
  const head = [what, ...heads.map((one) => one.label), ...(trends ? [trend] : [])];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${title(part)}` },
    h("table", { class: "answer" },
      h("thead", {}, h("tr", {}, ...head.map((text, place) => h("th", { scope: "col", class: isNumber(heads[place - 1]) ? "number" : null }, text)))),
      h("tbody", {}, ...rows.map((row) => h("tr", { class: row.gap === null ? null : "failed" },
        h("th", { scope: "row" }, row.cell === null ? row.name : cellLink(page, row.cell, row.name || page.name(row.cell))),
        ...(row.gap === null
          ? row.figures.map((figure, place) => cellOf(figure, heads[place]))
          : [h("td", { colspan: heads.length }, `not measured: ${row.gap}`)]),
        trends && h("td", {}, row.trend.length > 1 ? spark(row, trend) : null))))));
}

function isNumber(head: TableHead | undefined): boolean {
  return head !== undefined && head.unit !== "text";
}

function cellOf(figure: TableFigure, head: TableHead | undefined): HTMLElement {
  const wide = head?.label === "95% CI" && typeof figure.value === "number" && figure.value > WIDE_PERCENT;
  const doubtful = figure.mark === "*" || figure.mark === "!";
  return h("td", { class: [isNumber(head) ? "number" : "", wide || doubtful ? "weak-mark" : ""].filter(Boolean).join(" ") || null }, inTable(figure, head));
}

/** As the terminal's table has it: the unit is in the head where the head is one. */
export function inTable(figure: TableFigure, head: TableHead | undefined): string {
  const { value } = figure;
  if (value === null || head === undefined) return "–";
  const bare = () => {
    if (typeof value !== "number") return format.shown(value, head.unit);
    if (head.unit === "rate") return format.rate(value);
    if (head.unit === "size_per_second") return format.digits(value / 2 ** 20);
    return head.label === "95% CI" ? `±${format.share(value)}` : format.shown(value, head.unit);
  };
  return figure.mark === "~" ? `~${bare()}` : `${bare()}${figure.mark ?? ""}`;
}

/** A line of the row's values, each as far from the next. */
function spark(row: TableRow, what: string): SVGSVGElement {
  const { width, height } = LINE;
  const top = Math.max(...row.trend, 1);
  const at = (value: number, place: number) =>
    `${((place / (row.trend.length - 1)) * (width - 4) + 2).toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${what}, from ${format.rate(row.trend[0] ?? 0)} to ${format.rate(row.trend.at(-1) ?? 0)}`,
  })) svg.setAttribute(name, String(value));
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("points", row.trend.map(at).join(" "));
  line.setAttribute("class", "spark");
  svg.append(line);
  return svg;
}
