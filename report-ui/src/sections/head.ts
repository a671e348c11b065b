// The answer first: verdict and three sentences of every part, then the five figures that a person looks for.

import type { Part, PanelItem, Validity } from "../document";
import { h, section } from "../dom";
import * as format from "../format";
import type { Page } from "../page";
import { themeSwitch } from "../theme";
import { cellLink } from "./link";

const WORDS: Record<Validity, string> = { valid: "VALID", not_checked: "NOT CHECKED", caution: "CAUTION", invalid: "INVALID" };
/** A sign beside the colour: colour alone says nothing to many. */
const SIGNS: Record<Validity, string> = { valid: "✓", not_checked: "?", caution: "!", invalid: "✕" };

export function badge(validity: Validity | null): HTMLElement {
  return validity === null
    ? h("span", { class: "badge unknown" }, "NOT JUDGED")
    : h("span", { class: `badge ${validity}` }, h("span", { "aria-hidden": "true" }, SIGNS[validity]), WORDS[validity]);
}

export function bar(): HTMLElement {
  return h("header", { class: "bar" },
    h("span", { class: "brand" }, "fathom", h("span", { class: "quiet-text" }, " report")),
    h("nav", { "aria-label": "Sections", id: "sections" }),
    h("span", { class: "tools" }, themeSwitch(),
      h("button", { type: "button", class: "quiet", id: "print", onclick: () => print() }, "Print")));
}

function kindOf(part: Part): string {
  const kinds: Record<string, string> = { run: "Run", survey: "Survey", sweep: "Sweep", import: "Import" };
  return `${kinds[part.kind] ?? part.kind} ${part.name}`;
}

export function verdicts(page: Page): HTMLElement {
  const blocks = page.document.parts.map((part, place) => {
    const { headline, validity, sentences } = part.verdict;
    const words = headline.replace(/^(VALID|NOT CHECKED|CAUTION|INVALID)( as [^:(]*)?( \([^)]*\))?: /, "");
    const heading = page.compares ? "h2" : "h1";
    const started = part.started_utc_ns === null ? "" : ` · ${format.moment(part.started_utc_ns)}`;
    const doubt = headline.match(/^[A-Z ]+?( as [^:(]*)?( \(([^)]*)\))?:/);
    return h("div", { class: `verdict ${validity ?? "unknown"}`, "data-part": place },
      h("p", { class: "what" }, `${kindOf(part)} · `, h("span", { class: "target" }, part.target || "no target"), started),
      h(heading, { class: words.length > 90 ? "long" : "" }, badge(validity), " ", h("span", { class: "headline" }, words)),
      doubt?.[1] || doubt?.[3] ? h("p", { class: "quiet-text" }, [doubt[1]?.trim(), doubt[3] === "simulated" ? "simulated device: no hardware was measured" : doubt[3] ? `${doubt[3]} in doubt` : ""].filter(Boolean).join(", ")) : null,
      ...sentences.filter((sentence) => !same(sentence, words)).map((sentence) => h("p", { class: "sentence" }, sentence)),
      part.outcome !== "complete" && h("p", { class: "sentence strong" }, `This ${part.kind} ended as: ${part.outcome}.`));
  });
  const title = page.compares ? h("h1", { class: "several" }, `${page.document.parts.map((part) => part.name).join(", ")} side by side`) : null;
  return h("section", { id: "verdict", "aria-label": "Verdict" }, title, ...blocks);
}

function same(sentence: string, words: string): boolean {
  const bare = (text: string) => text.replace(/\.$/, "").toLowerCase();
  return bare(sentence) === bare(words);
}

export function panel(page: Page): HTMLElement {
  const [first] = page.document.parts;
  if (!page.compares) {
    return section("panel", "At a glance", h("div", { class: "panel" }, ...(first?.panel ?? []).map((item) => card(page, item))));
  }
  const heads = h("tr", {}, h("th", { scope: "col" }, "Figure"), ...page.document.parts.map((part) => h("th", { scope: "col" }, part.name)));
  const rows = (first?.panel ?? []).map((item, place) => h("tr", {}, h("th", { scope: "row" }, item.label),
    ...page.document.parts.map((part) => {
      const own = part.panel[place];
      return h("td", {}, own ? h("span", { class: "figure" }, figureOf(own)) : "–",
        own?.estimate ? h("span", { class: "between" }, format.interval(own.estimate, own.unit)) : null,
        own ? h("span", { class: "between" }, own.note, own.cell === null ? "" : " · ", own.cell === null ? null : cellLink(page, own.cell)) : null);
    })));
  return section("panel", "At a glance", h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures side by side" },
    h("table", { class: "side-by-side" }, h("thead", {}, heads), h("tbody", {}, ...rows))));
}

function figureOf(item: PanelItem): string {
  if (item.text !== null) return item.text;
  if (item.estimate === null) return "not known";
  return format.shown(item.estimate.value, item.unit);
}

function card(page: Page, item: PanelItem): HTMLElement {
  const known = item.estimate !== null || item.text !== null;
  const between = item.estimate ? format.interval(item.estimate, item.unit) : "";
  return h("div", { class: known ? "card" : "card gap-card", id: `panel-${item.id}` },
    h("p", { class: "card-label" }, item.label),
    h("p", { class: known ? "card-figure" : "card-figure none", "data-value": item.estimate?.value }, figureOf(item),
      item.id === "knee" && known ? h("span", { class: "card-unit" }, " I/Os outstanding") : null),
    between !== "" ? h("p", { class: "between" }, `95% interval ${between}`)
      : item.estimate && item.unit !== "count" ? h("p", { class: "between" }, "interval not known") : null,
    h("p", { class: "card-note" }, item.note),
    item.cell === null ? null : h("p", { class: "card-cell" }, "cell ", cellLink(page, item.cell)));
}
