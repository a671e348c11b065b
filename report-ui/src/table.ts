// Tables of a chart's numbers: plain, in the order of the chart, for eyes and for screen readers.

import { h } from "./dom";

export interface TableData {
  heads: string[];
  rows: (string | Node)[][];
}

const ROWS_MAX = 1000;

export function plainTable(id: string, data: TableData): HTMLElement {
  const head = h("tr", {}, ...data.heads.map((text) => h("th", { scope: "col" }, text)));
  const rows = data.rows.slice(0, ROWS_MAX).map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, cell))));
  const more = data.rows.length - rows.length;
  const label = document.getElementById(`${id}-caption`)?.textContent ?? id;
  return h("div", {},
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${label}` },
      h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))),
    more > 0 && h("p", { class: "note" }, `${more} more rows are in the data below.`));
}
