// The document with ways to ask it: the value of a field, the name of a cell, which cell is looked at.
// Deliberately absent: elements and charts.

import * as format from "./format";
import type { Cell, Column, Load, PageDocument, Part, Value } from "./document";

export class Page {
  readonly columns = new Map<string, { column: Column; place: number | null }>();
  private readonly loads = new Map<number, Load>();
  private listeners: ((cell: number) => void)[] = [];
  private looked: number;

  constructor(readonly document: PageDocument) {
    let place = 0;
    for (const column of document.columns) {
      const alike = column.alike !== undefined;
      const known = { column, place: alike ? null : place };
      this.columns.set(column.name, known).set(column.short, known);
      if (!alike) place += 1;
    }
    for (const load of document.loads) {
      const [shown] = load.cells;
      if (shown !== undefined) this.loads.set(shown, load);
    }
    this.looked = this.first();
  }

  /** The cell that is shown at the start: one that the panel names, else the first with an inside. */
  private first(): number {
    const named = this.document.parts.flatMap((part) => part.panel.map((item) => item.cell));
    const inside = (cell: number | null): cell is number => cell !== null && this.cell(cell).detail !== null;
    return named.find(inside) ?? Math.max(0, this.document.cells.findIndex((cell) => cell.detail !== null));
  }

  cell(place: number): Cell {
    const cell = this.document.cells[place];
    if (!cell) throw new RangeError(`no cell ${place}`);
    return cell;
  }

  part(cell: number): Part {
    const part = this.document.parts[this.cell(cell).part];
    if (!part) throw new RangeError(`no part of cell ${cell}`);
    return part;
  }

  value(cell: number, name: string): Value {
    const found = this.columns.get(name);
    if (!found) return null;
    if (found.place === null) return this.cell(cell).failed && isFigure(name) ? null : found.column.alike ?? null;
    return this.cell(cell).values[found.place] ?? null;
  }

  number(cell: number, name: string): number | null {
    const value = this.value(cell, name);
    return typeof value === "number" ? value : null;
  }

  /** The load of several runs that a cell represents in charts. */
  load(cell: number): Load | null {
    return this.loads.get(cell) ?? null;
  }

  /** A figure as charts show it: of a load of several runs that of all of them. */
  figure(cell: number, name: string): number | null {
    const load = this.load(cell);
    return load ? figureOf(load, name) : this.number(cell, name);
  }

  /** Several parts are distinguished by their names. */
  get compares(): boolean {
    return this.document.parts.length > 1;
  }

  /** What was asked of a cell, in short: `4K random read, QD64`; its label where that is not known. */
  name(cell: number): string {
    const [block, writes, depth, threads, rate] = ["block", "write", "queue_depth", "threads", "target_iops"].map((name) => this.number(cell, name));
    if (!block) return this.cell(cell).label || this.cell(cell).id;
    const operation = writes === null ? "I/O" : writes === 0 ? "read" : writes === 100 ? "write" : `${100 - (writes ?? 0)}/${writes}`;
    const load = rate ? `, ${format.rate(rate)} IOPS requested` : depth && threads ? `, QD${depth * threads}` : "";
    return [format.size(block).replace("iB", "").replace(/\s/, ""), this.value(cell, "pattern"), operation].filter(Boolean).join(" ") + load;
  }

  get selected(): number {
    return this.looked;
  }

  select(cell: number): void {
    this.looked = cell;
    for (const listener of this.listeners) listener(cell);
  }

  onSelect(listener: (cell: number) => void): void {
    this.listeners.push(listener);
  }
}

function figureOf(load: Load, name: string): number | null {
  const at = (quantile: number) => load.latency.percentiles.find((one) => one.quantile === quantile)?.latency_ns ?? null;
  switch (name) {
    case "iops": return load.iops;
    case "bytes_per_s": return load.bytes_per_s;
    case "latency_mean": return load.latency.mean_ns;
    case "latency_p50": return at(0.5);
    case "latency_p99": return at(0.99);
    case "latency_p999": return at(0.999);
    default: throw new RangeError(`no ${name} of several runs`);
  }
}

/** Whether a field is a result of a cell, and not what was requested. */
export function isFigure(name: string): boolean {
  return /^(read_|write_|response_)?(iops|bytes_per_s|latency_.*|ios|bytes|errors|mean.*|p\d+.*|max.*)$/.test(name);
}
