// What was measured, on what machine, by which method; and the data itself to take away.

import { save } from "../picture";
import type { Part, Value } from "../document";
import { h, section } from "../dom";
import * as format from "../format";
import type { Page } from "../page";

type Fact = [name: string, value: string | null | undefined];

function list(facts: Fact[]): HTMLElement {
  return h("dl", { class: "facts" }, ...facts.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value ?? "")]));
}

export function facts(page: Page): HTMLElement {
  return section("facts", "Machine and target", ...page.document.parts.map((part) => h("div", { class: "part" },
    page.compares ? h("h3", {}, part.name) : null,
    part.host ? list(host(part)) : h("p", { class: "empty" }, "Nothing is known of the machine."),
    ...part.targets.map((target) => list([
      ["Target", target.path], ["Size", format.size(target.size_bytes)],
      ["File system", [target.file_system, target.mount_options].filter(Boolean).join(", ")],
      ["Devices below", target.chain.map((device) => [
        `${device.name} (${device.kind}, ${format.size(device.size_bytes)}`, device.model, device.rotational ? "spinning" : null,
        device.scheduler ? `scheduler ${device.scheduler}` : null, device.queue_size ? `queue of ${device.queue_size}` : null, device.write_cache,
      ].filter(Boolean).join(", ") + ")").join(" on ")],
    ])),
    ...part.device_checks.map((sentence) => h("p", { class: "note" }, `Device's own counters: ${sentence}.`)),
    ...part.notes.map((note) => h("p", { class: "note" }, `Note: ${note}.`)))));
}

function host(part: Part): Fact[] {
  const machine = part.host;
  if (!machine) return [];
  return [
    ["Machine", machine.hostname], ["System", [machine.distribution, machine.kernel].filter(Boolean).join(", ")],
    ["Processor", [machine.cpu_model, format.counted(machine.cores, "core"), machine.governor ? `governor ${machine.governor}` : null].filter(Boolean).join(", ")],
    ["Memory", format.size(machine.ram_bytes)], ["Virtual machine", machine.virtualization],
  ];
}

export function method(page: Page): HTMLElement {
  const { document: doc } = page;
  return section("method", "Method",
    h("p", {}, "Rates are over the time that was really measured. Latency is from the submission of an I/O to the moment its completion is found, ",
      "counted in a histogram whose buckets are at most 0.4% wide; percentiles are read from the whole histogram, never averaged. A percentile is to be ",
      "trusted where ten or more I/Os lie beyond it. Intervals are 95% intervals."),
    ...doc.parts.map((part) => h("div", { class: "part" }, page.compares ? h("h3", {}, part.name) : null,
      h("p", { class: "command" }, h("span", {}, "Exact command: "), h("code", { tabindex: 0 }, part.command.map(quoted).join(" ") || "not known")),
      list([
        ["Kept as", part.name], ["Began", part.started_utc_ns === null ? null : format.moment(part.started_utc_ns)], ["Ended as", part.outcome],
        ["Measured by", part.tool_version ? `version ${part.tool_version}` : null],
        ["Tags", part.tags.join(" ")],
        ...(part.engine ? [
          ["Engine", `${part.engine.backend}${part.engine.requested === part.engine.backend ? "" : ` (requested: ${part.engine.requested})`}`],
          ["Offers used", part.engine.features.join(", ")], ["Notes", part.engine.notes.join("; ")],
          ["Seed", String(part.engine.seed)],
          ["Clock", `${part.engine.clock_source}, ${format.time(part.engine.clock_cost_ns)} a reading, ${format.time(part.engine.clock_drift_ns)} off at the end`],
        ] as Fact[] : []),
      ]))),
    h("p", { class: "note" }, `Page written by fathom ${doc.tool_version} at ${format.moment(doc.made_utc_ns)}. Again: fathom report ${doc.parts.map((part) => part.name).join(" ")}`));
}

/** As a POSIX shell reads it back. */
function quoted(word: string): string {
  return /^[A-Za-z0-9\-_./:=,+@%]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function data(page: Page): HTMLElement {
  const name = `fathom-${page.document.parts.map((part) => part.name).join("-")}`.replaceAll(/[^A-Za-z0-9.-]/g, "_");
  return section("data", "Data",
    h("p", {}, "Everything that this page shows is in it. CSV has one line a cell with all fields; JSON is the whole document, with time series and distributions."),
    h("p", { class: "controls" },
      h("button", { type: "button", id: "csv", onclick: () => save(`${name}.csv`, new Blob([csv(page)], { type: "text/csv" })) }, "Save as CSV"),
      h("button", { type: "button", id: "json", onclick: () => save(`${name}.json`, new Blob([JSON.stringify(page.document, null, 1)], { type: "application/json" })) }, "Save as JSON")));
}

/** As `fathom export --csv` writes it, without the fields that are not known. */
export function csv(page: Page): string {
  const { columns, cells } = page.document;
  const lines = cells.map((_, cell) => columns.map((column) => field(page.value(cell, column.name), column.unit)).join(","));
  return `${columns.map((column) => column.name).join(",")}\n${lines.join("\n")}\n`;
}

function field(value: Value, unit: string): string {
  if (value === null) return "";
  if (unit === "moment" && typeof value === "number") return new Date(value / 1e6).toISOString();
  const text = String(value);
  return /[,"\n\r]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
