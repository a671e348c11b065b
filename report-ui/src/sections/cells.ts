// All cells in one table that can be filtered and sorted. Numbers are those of the store; hidden columns are a click away.

import type { Column } from "../document";
import { choice, h, section } from "../dom";
import { read } from "../filter";
import * as format from "../format";
import type { Page } from "../page";
import { badge } from "./head";
import { cellLink } from "./link";

const FIGURES = ["iops", "bytes_per_s", "latency_mean", "latency_p50", "latency_p99", "latency_p999", "latency_max", "errors"];
/** Rows that are shown before the reader asks for all. */
const ROWS_FIRST = 200;
/** Percentiles by the number of I/Os of which one lies beyond. */
const ONE_IN: Record<string, number> = { p50: 2, p90: 10, p95: 20, p99: 100, p999: 1000, p9999: 10_000 };

interface State { filter: string; sort: string; falls: boolean; all: boolean; shown: Set<string> }

export function cells(page: Page): HTMLElement {
  const { columns, cells: every } = page.document;
  const fields = columns.filter((column) => column.short !== "id" && column.alike === undefined);
  const usual = (column: Column) => page.document.axes.includes(column.name) || FIGURES.includes(column.short) ||
    (page.document.axes.length === 0 && column.short === "label");
  const state: State = { filter: "", sort: "", falls: false, all: false, shown: new Set(columns.filter(usual).map((column) => column.short)) };
  const body = h("tbody");
  const head = h("thead");
  const status = h("p", { class: "note", role: "status", id: "cells-status" });
  const more = h("button", { type: "button", class: "quiet", onclick: () => { state.all = true; fill(); } }, "Show all rows");
  const input = h("input", {
    type: "search", id: "filter", placeholder: "write=0 block<=64K latency_p99<5ms", autocomplete: "off", spellcheck: "false",
    "aria-describedby": "filter-help cells-status", oninput: () => { state.filter = input.value; fill(); },
  });
  const sortBy = (name: string) => {
    state.falls = state.sort === name ? !state.falls : FIGURES.includes(name) && name !== "errors" && !name.startsWith("latency");
    state.sort = name;
    fill();
    head.querySelector<HTMLElement>(`[data-sort="${name}"]`)?.focus();
  };
  const fill = () => {
    const cols = columns.filter((column) => state.shown.has(column.short));
    const wanted = read(page, state.filter);
    const places = every.map((_, place) => place).filter((place) => wanted.fits(place));
    order(page, places, state);
    const rows = state.all ? places : places.slice(0, ROWS_FIRST);
    head.replaceChildren(heads(cols, state, sortBy));
    body.replaceChildren(...rows.map((place) => row(page, place, cols)));
    more.hidden = rows.length === places.length;
    status.textContent = `${wanted.problem ? `${wanted.problem} ` : ""}${String(places.length)} of ` +
      `${format.counted(every.length, "result")}${rows.length < places.length ? `, the first ${rows.length} shown` : ""}.`;
    input.setAttribute("aria-invalid", String(Boolean(wanted.problem)));
  };
  const picker = h("details", { class: "columns" }, h("summary", {}, "Columns"),
    h("div", { class: "checks" }, ...fields.map((column) => h("label", { title: column.about },
      h("input", { type: "checkbox", checked: state.shown.has(column.short), onchange: (event) => {
        if ((event.target as HTMLInputElement).checked) state.shown.add(column.short); else state.shown.delete(column.short);
        fill();
      } }), column.short))));
  const alike = columns.filter((column) => column.alike !== undefined && column.alike !== null && !["id", "session"].includes(column.short));
  fill();
  return section("cells", every.length === 1 ? "The result" : "All results", coverage(page),
    h("div", { class: "controls" }, h("label", { class: "choice wide" }, h("span", {}, "Filter"), input), ...quick(page, state, input, fill)),
    h("p", { class: "note", id: "filter-help" }, "Words are searched in all fields; fields are compared with =, !=, <, <=, >, >= and values with their units. All conditions must be met."),
    picker, status,
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Table: all results" }, h("table", { class: "cells", id: "cells-table" }, head, body)),
    more,
    alike.length > 0 && every.length > 1 && h("details", {}, h("summary", {}, "The same in all cells"),
      h("dl", { class: "evidence" }, ...alike.flatMap((column) => [h("dt", { title: column.about }, column.short), h("dd", {}, format.shown(column.alike, column.unit))]))));
}

/** The axes with few values, as choices that write into the filter. */
function quick(page: Page, state: State, input: HTMLInputElement, fill: () => void): HTMLElement[] {
  return page.document.axes.slice(0, 6).map((name) => {
    const { unit, short: axis } = page.columns.get(name)?.column ?? { unit: "text", short: name };
    const values = [...new Set(page.document.cells.map((_, cell) => page.value(cell, axis)))].filter((value) => value !== null);
    if (unit !== "text") values.sort((a, b) => Number(a) - Number(b));
    const options: [string, string][] = [["", "any"], ...values.map((value): [string, string] => [typed(value), format.shown(value, unit)])];
    return choice<string>(axis, options, "", (value) => {
      const others = state.filter.split(/\s+/).filter((word) => word !== "" && !word.startsWith(`${axis}=`));
      state.filter = [...others, ...(value === "" ? [] : [`${axis}=${value}`])].join(" ");
      input.value = state.filter;
      fill();
    });
  });
}

function typed(value: unknown): string {
  const text = String(value);
  return /\s/.test(text) ? `"${text}"` : text;
}

function order(page: Page, places: number[], state: State): void {
  if (state.sort === "") return;
  const key = (place: number) => (state.sort === "validity" ? ["VALID", "NOT CHECKED", "CAUTION", "INVALID"].indexOf(page.cell(place).validity ?? "") : page.value(place, state.sort));
  places.sort((a, b) => {
    const [one, other] = [key(a), key(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const difference = typeof one === "number" && typeof other === "number" ? one - other : compareText(String(one), String(other));
    return state.falls ? -difference : difference;
  });
}

/** 12.9 before 12.10. */
function compareText(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

function heads(columns: Column[], state: State, sortBy: (name: string) => void): HTMLElement {
  const head = (name: string, text: string, about: string, number: boolean) => {
    const sorted = state.sort === name ? (state.falls ? "descending" : "ascending") : "none";
    const sign = sorted === "none" ? "" : sorted === "ascending" ? " ▲" : " ▼";
    return h("th", { scope: "col", "aria-sort": sorted, class: number ? "number" : "" },
      h("button", { type: "button", class: "sort", "data-sort": name, title: about, onclick: () => sortBy(name) }, text, h("span", { "aria-hidden": "true" }, sign)));
  };
  return h("tr", {}, head("id", "cell", "name of the result", false), head("validity", "verdict", "how far it may be used", false),
    ...columns.map((column) => head(column.short, column.short, column.about, !["text", "tags"].includes(column.unit))));
}

function row(page: Page, place: number, columns: Column[]): HTMLElement {
  const cell = page.cell(place);
  return h("tr", { class: cell.failed ? "failed" : "", "data-cell": cell.id },
    h("th", { scope: "row" }, cellLink(page, place, page.cell(place).id)),
    h("td", { title: cell.reasons.join("; ") }, cell.failed && cell.validity === null ? h("span", { class: "badge failed" }, "NO RESULT") : badge(cell.validity)),
    ...columns.map((column) => {
      const value = page.value(place, column.short);
      const weak = isWeak(page, place, column.short);
      return h("td", {
        class: ["text", "tags"].includes(column.unit) ? "" : "number", "data-field": column.short,
        title: weak ? "fewer than ten I/Os are beyond it: another run may give another value" : null,
      }, format.shown(value, column.unit), weak ? h("span", { class: "weak-mark" }, "~") : null);
    }));
}

/** The bound is that of the summary in the terminal. */
function isWeak(page: Page, place: number, name: string): boolean {
  const oneIn = ONE_IN[name.slice(name.lastIndexOf("_") + 1)];
  const ios = page.number(place, "ios");
  if (!oneIn || ios === null || page.value(place, "origin") !== "measured" || page.value(place, name) === null) return false;
  return ios / oneIn < 10;
}

function coverage(page: Page): HTMLElement {
  const rows = page.document.parts.map((part) => {
    const { planned, done, failed, interrupted, valid, caution, invalid, repeated } = part.counts;
    const left = planned === null ? 0 : Math.max(0, planned - (done - repeated) - failed);
    const words: [number, string][] = [[done, "with a result"], [valid, "valid"], [caution, "CAUTION"], [invalid, "invalid"], [failed, "failed"],
      [interrupted, "interrupted"], [repeated, "repeated"], [left, "not tried yet"]];
    return h("p", {}, page.compares ? h("strong", {}, `${part.name}: `) : null,
      planned === null ? "" : `${format.counted(planned, "cell")} planned; `,
      words.filter(([count], place) => count > 0 || place === 0).map(([count, word]) => `${String(count)} ${word}`).join(", "), ".");
  });
  return h("div", { id: "coverage" }, ...rows, ...page.document.left_out.map((text) => h("p", { class: "note" }, `${text}.`)));
}
