// The axis of time that the charts of one result share: the part that is shown, and the moment under the pointer.
// Omitted: what a chart draws, and its other axis, which stays as it is.

import { h } from "./dom";

interface Scale { apply: (value: number) => number; invert: (place: number) => number; range: [number, number] }
type Part = [from: number, to: number];

/** A drag of fewer pixels is a click. */
const DRAG_MIN = 6;

export class TimeAxis {
  private part: Part | null = null;
  private whole: Part = [0, 1];
  private readonly lines = new Map<string, { line: SVGLineElement; scale: Scale }>();
  private readonly from = h("input", { type: "number", min: 0, step: "any", id: "time-from", onchange: () => this.typed() });
  private readonly to = h("input", { type: "number", min: 0, step: "any", id: "time-to", onchange: () => this.typed() });
  private readonly all = h("button", { type: "button", id: "time-all", onclick: () => this.show(null) }, "Whole time");
  readonly controls = h("div", { class: "controls" },
    h("label", { class: "choice", for: "time-from" }, h("span", {}, "Seconds from"), this.from),
    h("label", { class: "choice", for: "time-to" }, h("span", {}, "to"), this.to), this.all,
    h("span", { class: "note" }, "Drag over a chart to zoom in; a double click shows the whole time."));

  constructor(private readonly changed: () => void) {}

  /** Another result: all of it is shown. */
  reset(seconds: number): void {
    this.lines.clear();
    this.whole = [0, seconds];
    this.part = null;
    this.write();
  }

  /** The part of the axis that is shown. */
  get domain(): Part {
    return this.part ?? this.whole;
  }

  private show(part: Part | null): void {
    const [low, high] = this.whole;
    const [from, to] = part ?? this.whole;
    const cut: Part = [Math.max(low, Math.min(from, to)), Math.min(high, Math.max(from, to))];
    this.part = part === null || cut[1] - cut[0] <= 0 ? null : cut;
    this.write();
    this.changed();
  }

  private typed(): void {
    const [from, to] = [this.from.valueAsNumber, this.to.valueAsNumber];
    this.show(Number.isFinite(from) && Number.isFinite(to) ? [from, to] : null);
  }

  private write(): void {
    const shown = (seconds: number) => String(Number(seconds.toPrecision(4)));
    [this.from.value, this.to.value] = [shown(this.domain[0]), shown(this.domain[1])];
    this.all.disabled = this.part === null;
  }

  /** Makes a chart follow the pointer on all charts of the axis, and zoom. */
  attach(id: string, svg: SVGSVGElement, scale: Scale): void {
    const [top, bottom] = [0, Number(svg.getAttribute("height"))];
    const line = drawn("line", { y1: top, y2: bottom, class: "crosshair", visibility: "hidden" });
    const band = drawn("rect", { y: top, height: bottom, class: "zoom", visibility: "hidden" });
    svg.append(band, line);
    this.lines.set(id, { line, scale });
    let began: number | null = null;
    const place = (event: PointerEvent) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) * Number(svg.getAttribute("width"))) / box.width;
      return Math.min(Math.max(x, scale.range[0]), scale.range[1]);
    };
    svg.addEventListener("pointermove", (event) => {
      const x = place(event);
      this.point(scale.invert(x));
      if (began !== null) set(band, { x: Math.min(began, x), width: Math.abs(x - began), visibility: "visible" });
    });
    svg.addEventListener("pointerleave", () => this.point(null));
    // The chart's own tip takes this event and stops it.
    svg.addEventListener("pointerdown", (event) => { began = place(event); }, { capture: true });
    svg.addEventListener("pointerup", (event) => {
      const [from, to] = [began, place(event)];
      began = null;
      set(band, { visibility: "hidden" });
      if (from !== null && Math.abs(to - from) >= DRAG_MIN) this.show([scale.invert(from), scale.invert(to)]);
    });
    svg.addEventListener("dblclick", () => this.show(null));
  }

  private point(seconds: number | null): void {
    for (const { line, scale } of this.lines.values()) {
      if (seconds === null) { set(line, { visibility: "hidden" }); continue; }
      const x = scale.apply(seconds);
      set(line, { x1: x, x2: x, visibility: "visible" });
    }
  }
}

function drawn<K extends "line" | "rect">(tag: K, attributes: Record<string, string | number>): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  return element;
}

function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}
