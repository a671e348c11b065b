// A cell's name as a link: it shows the inside of the cell. Its address, `#point-2.5`, is one that Back returns from and
// that can be sent to others.

import { h } from "../dom";
import { Figure } from "../figure";
import type { Page } from "../page";

const POINT = "#point-";

export function cellLink(page: Page, cell: number, text?: string): HTMLElement {
  const { id, label, detail } = page.cell(cell);
  const shown = text ?? page.name(cell);
  if (detail === null) return h("span", { title: `${id} ${label}`, "data-id": id }, shown);
  return h("a", { class: "cell", href: `${POINT}${id}`, title: `Show ${id}: ${label}`, "data-id": id }, shown);
}

/** Follows the address of the page, now and whenever it changes. */
export function follow(page: Page): void {
  const go = () => {
    const { hash } = location;
    const id = decodeURIComponent(hash.slice(POINT.length));
    const cell = hash.startsWith(POINT) ? page.document.cells.findIndex((one) => one.id === id && one.detail !== null) : -1;
    if (cell >= 0) {
      page.select(cell);
      reach(document.getElementById("inside"));
      document.getElementById("inside-title")?.focus({ preventScroll: true });
    } else if (hash.length > 1) {
      reach(document.getElementById(hash.slice(1)));
    }
  };
  addEventListener("hashchange", go);
  // The same address again is no change of it.
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) go();
  });
  go();
}

/** Scrolls there after all charts above have their height. */
function reach(element: Element | null): void {
  if (!element) return;
  Figure.settleBefore(element);
  element.scrollIntoView({ block: "start" });
}
