// The frame of every chart: title, what is drawn, its summary, and the table of the same numbers.
// Drawn when it comes into view, again when width, theme or the selection changes, and always before printing.

import { h } from "./dom";
import { savePng, saveSvg } from "./picture";
import { onPrint, onTheme } from "./theme";
import { plainTable, type TableData } from "./table";

export interface Drawn {
  svg: SVGSVGElement | HTMLElement | null;
  /** Above the chart: which lines it has, and which are shown. */
  legend?: HTMLElement;
  /** What a person who cannot see the chart should know, in a sentence. */
  summary: string;
  table: TableData;
  /** Below the chart: how to read it. */
  note?: string;
  /** A point of the chart was chosen. */
  choose?: (value: unknown) => void;
}

export class Figure {
  private static readonly all: Figure[] = [];
  readonly element: HTMLElement;
  private readonly canvas = h("div", { class: "canvas" });
  private readonly note = h("p", { class: "note" });
  private readonly rows = h("div", { class: "rows" });
  private readonly details: HTMLDetailsElement;
  private readonly files: HTMLElement;
  private seen = false;
  private width = 0;

  constructor(readonly id: string, title: string, private readonly draw: (width: number) => Drawn, controls: Node[] = []) {
    this.details = h("details", {}, h("summary", {}, "Table of these numbers"), this.rows);
    const file = `fathom-${id}`;
    this.files = h("p", { class: "files" },
      h("button", { type: "button", class: "quiet", "aria-label": `Save ${title} as SVG`, onclick: () => saveSvg(file, this.canvas, title) }, "SVG"), " ",
      h("button", { type: "button", class: "quiet", "aria-label": `Save ${title} as PNG`, onclick: () => void savePng(file, this.canvas, title) }, "PNG"));
    this.element = h("figure", { id, "aria-labelledby": `${id}-caption` },
      h("figcaption", { id: `${id}-caption` }, title),
      controls.length > 0 && h("div", { class: "controls" }, ...controls),
      this.canvas, this.note, this.files, this.details);
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.show();
    }, { rootMargin: "400px" }).observe(this.element);
    new ResizeObserver(() => {
      if (this.seen && Math.abs(this.canvas.clientWidth - this.width) > 8) this.redraw();
    }).observe(this.canvas);
    onTheme(() => this.seen && this.redraw());
    onPrint(() => this.redraw());
    Figure.all.push(this);
    this.details.addEventListener("toggle", () => this.seen && this.redraw());
  }

  /** Draws what stands above an element, so that it does not move when the reader scrolls to it. */
  static settleBefore(element: Element): void {
    for (const figure of Figure.all) {
      const above = figure.element.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (above && figure.element.isConnected) figure.show();
    }
  }

  private show(): void {
    if (!this.seen) this.redraw();
  }

  redraw(): void {
    this.seen = true;
    this.width = this.canvas.clientWidth || 640;
    const drawn = this.draw(Math.max(280, this.width));
    const { svg } = drawn;
    if (svg) {
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", drawn.summary);
      const { choose } = drawn;
      if (choose) {
        svg.style.cursor = "pointer";
        svg.addEventListener("click", () => {
          const value: unknown = (svg as { value?: unknown }).value;
          if (value !== null && value !== undefined) choose(value);
        });
      }
      nameless(svg);
      svg.addEventListener("pointerleave", () => nameless(svg));
      this.canvas.replaceChildren(...(drawn.legend ? [drawn.legend] : []), svg);
    } else {
      this.canvas.replaceChildren(h("p", { class: "empty" }, drawn.summary));
    }
    this.note.textContent = drawn.note ?? "";
    this.note.hidden = !drawn.note;
    this.files.hidden = !svg;
    this.details.hidden = drawn.table.rows.length === 0;
    // A long table is created when the reader opens it.
    this.rows.replaceChildren(...(this.details.open ? [plainTable(this.id, drawn.table)] : []));
  }
}

/** The lines of a chart by name and colour, each of which can be hidden. */
export class Legend {
  private readonly hidden = new Set<string>();
  constructor(private readonly changed: () => void) {}

  shows(name: string): boolean {
    return !this.hidden.has(name);
  }

  /** A button a line: pressed where it is shown. */
  element(lines: readonly (readonly [name: string, colour: string])[]): HTMLElement {
    return h("div", { class: "lines" }, ...lines.map(([name, colour]) => h("button", {
      type: "button", class: "line", "aria-pressed": String(this.shows(name)), onclick: () => this.toggle(name),
    }, h("span", { class: "swatch", style: `background:${colour}`, "aria-hidden": "true" }), name)));
  }

  private toggle(name: string): void {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.changed();
  }
}

/** Groups of a picture have no names of their own for those who do not see it: the picture as a whole has one. */
function nameless(svg: Element): void {
  for (const group of svg.querySelectorAll("g[aria-label]")) {
    group.setAttribute("data-mark", group.getAttribute("aria-label") ?? "");
    group.removeAttribute("aria-label");
  }
}
