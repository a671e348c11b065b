// The filter of the table: words, and comparisons of fields as `fathom table --where` has them, all of which have to be met.

import type { Column, Value } from "./document";
import * as format from "./format";
import type { Page } from "./page";

export interface Filter { fits(cell: number): boolean; problem: string }

const TEST = /^([a-z0-9_]+)(<=|>=|!=|=|<|>|~)(.+)$/i;

export function read(page: Page, text: string): Filter {
  const tests: ((cell: number) => boolean)[] = [];
  const problems: string[] = [];
  for (const word of text.match(/(?:"[^"]*"|\S)+/g) ?? []) {
    if (word.toLowerCase() === "and") continue;
    const parts = TEST.exec(word);
    const column = parts && page.columns.get(parts[1]?.toLowerCase() ?? "")?.column;
    if (parts && column) {
      const test = comparison(page, column, parts[2] ?? "=", (parts[3] ?? "").replaceAll('"', ""));
      if (typeof test === "string") problems.push(test); else tests.push(test);
    } else if (parts) {
      problems.push(`There is no field “${parts[1]}”.`);
    } else {
      const wanted = word.replaceAll('"', "").toLowerCase();
      tests.push((cell) => everything(page, cell).includes(wanted));
    }
  }
  return { fits: (cell) => tests.every((test) => test(cell)), problem: problems.join(" ") };
}

function everything(page: Page, cell: number): string {
  const { id, label, validity, reasons, values } = page.cell(cell);
  return [id, label, validity ?? "", ...reasons, ...values.filter((value) => typeof value === "string")].join(" ").toLowerCase();
}

function comparison(page: Page, column: Column, sign: string, text: string): ((cell: number) => boolean) | string {
  const numeric = !["text", "name", "tags", "truth", "moment"].includes(column.unit);
  const wanted = numeric ? number(text, column.unit) : text.toLowerCase();
  if (wanted === null) return `Read “${text}” for ${column.short}; a number with its unit is needed.`;
  return (cell) => {
    const value = page.value(cell, column.name);
    if (value === null) return sign === "!=";
    const compared = comparable(value, column);
    if (sign === "~") return String(compared).includes(String(wanted));
    switch (sign) {
      case "=": return compared === wanted;
      case "!=": return compared !== wanted;
      case "<": return compared < wanted;
      case "<=": return compared <= wanted;
      case ">": return compared > wanted;
      default: return compared >= wanted;
    }
  };
}

function comparable(value: NonNullable<Value>, column: Column): string | number {
  return typeof value === "number" && column.unit !== "moment" ? value : format.shown(value, column.unit).toLowerCase();
}

const TIMES: Record<string, number> = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };
const POWERS: Record<string, number> = { "": 0, k: 1, m: 2, g: 3, t: 4 };

function number(text: string, unit: string): number | null {
  const parts = /^([\d.]+)\s*([a-zµ/%]*)$/i.exec(text);
  const value = Number(parts?.[1]);
  if (!parts || !Number.isFinite(value)) return null;
  const word = (parts[2] ?? "").toLowerCase();
  if (unit === "time") return word === "" ? value : word in TIMES ? value * (TIMES[word] ?? 1) : null;
  const bare = word.replace(/(ib|b)?(\/s)?$/, "").replace(/%$/, "");
  const power = POWERS[bare];
  if (power === undefined) return null;
  return value * (unit.startsWith("size") ? 1024 : 1000) ** power;
}
