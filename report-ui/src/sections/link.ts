// A cell's name as a button: it shows the inside of the cell.

import { h } from "../dom";
import type { Page } from "../page";

export function cellLink(page: Page, cell: number, text?: string): HTMLElement {
  const id = page.cell(cell).id;
  if (page.cell(cell).detail === null) return h("span", { title: page.cell(cell).label }, text ?? id);
  return h("button", {
    type: "button", class: "cell", title: `Show the inside of ${id}: ${page.cell(cell).label}`,
    onclick: () => {
      page.select(cell);
      document.getElementById("inside")?.scrollIntoView({ behavior: "smooth", block: "start" });
      document.getElementById("inside-title")?.focus({ preventScroll: true });
    },
  }, text ?? id);
}
