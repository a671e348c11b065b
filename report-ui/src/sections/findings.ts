// What the rules found, each with its numbers, how sure it is, and what to do next.

import type { Finding } from "../document";
import { h, section } from "../dom";
import * as format from "../format";
import type { Page } from "../page";
import { cellLink } from "./link";

const CELLS_SHOWN = 4;
/** The others are folded: the first screen has the table. */
const FIRST = 3;

export function findings(page: Page): HTMLElement {
  const { findings: all, cells } = page.document;
  if (all.length === 0) {
    return section("findings", "Findings", h("p", { class: "empty" }, cells.some((cell) => cell.validity !== null)
      ? "No rule objects to these results." : "No rule applies to these results."));
  }
  const list = (some: Finding[]) => h("ol", { class: "findings" }, ...some.map((finding) => one(page, finding)));
  const rest = all.slice(FIRST);
  const worst = rest.filter((finding) => finding.severity !== "note").length;
  return section("findings", "Findings", list(all.slice(0, FIRST)), rest.length === 0 ? null : h("details", { class: "more" },
    h("summary", {}, `${format.counted(rest.length, "more finding")}${worst > 0 ? `, ${format.counted(worst, "warning")} among them` : ""}`), list(rest)));
}

function one(page: Page, finding: Finding): HTMLElement {
  const [first, ...others] = finding.cells;
  const links = finding.cells.slice(0, CELLS_SHOWN).flatMap((cell, place) => [place > 0 ? "; " : "", cellLink(page, cell)]);
  const more = finding.cells.length - CELLS_SHOWN;
  const where = finding.cells.length === 0 ? h("p", { class: "where" }, "Of all results together.") : page.document.cells.length > 1 && first !== undefined
    ? h("p", { class: "where" }, others.length > 0 ? `In ${format.counted(finding.cells.length, "result")}, here of the first: ` : "In ", ...links,
      more > 0 ? ` and ${more} more` : null)
    : null;
  return h("li", { class: `finding ${finding.severity}`, "data-rule": finding.id },
    h("p", { class: "found" }, h("span", { class: `weight ${finding.severity}` }, finding.severity), " ", capital(finding.sentence)),
    where,
    h("p", { class: "advice" }, h("strong", {}, "What to do: "), finding.advice),
    h("details", {},
      h("summary", {}, "Evidence"),
      h("dl", { class: "evidence" },
        ...finding.evidence.flatMap(({ name, value }) => [h("dt", {}, label(name)), h("dd", {}, evidence(name, value))]),
        h("dt", {}, "Group"), h("dd", {}, finding.group),
        h("dt", {}, "Explained by"), h("dd", {}, h("code", {}, `fathom explain ${finding.id}`)),
        h("dt", {}, "Confidence"), h("dd", {}, finding.confidence))));
}

function capital(text: string): string {
  // A device keeps its name as the kernel has it.
  const first = /^([svx]+d[a-z]+|nvme|loop|dm-|md|zram)\d*\b/.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase();
  return first + text.slice(1) + (text.endsWith(".") ? "" : ".");
}

/** Names of evidence end with their unit. */
const UNITS = [["_ns", "time"], ["_bytes_per_s", "size_per_second"], ["_bytes", "size"], ["_per_s", "rate"], ["_percent", "percent"]] as const;

function label(name: string): string {
  const unit = UNITS.find(([end]) => name.endsWith(end));
  const bare = unit ? name.slice(0, -unit[0].length) : name.replace(/_share$/, "");
  return capital(bare.replaceAll("_", " ")).replace(/\.$/, "");
}

function evidence(name: string, value: number): string {
  if (name.endsWith("_share")) return format.shown(value * 100, "percent");
  const unit = UNITS.find(([end]) => name.endsWith(end));
  return unit ? format.shown(value, unit[1]) : Number.isInteger(value) ? String(value) : format.digits(value);
}
