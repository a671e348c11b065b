// The answer first: verdict and three sentences of every part, then the five figures that a person looks for.

import type { Part, PanelItem, Validity } from "../document";
import { h, section } from "../dom";
import * as format from "../format";
import type { Page } from "../page";
import { markdown } from "../markdown";
import { themeSwitch } from "../theme";
import { cellLink } from "./link";

/** A sign next to the colour: many people cannot read colour alone. */
const SIGNS: Record<Validity, string> = { VALID: "✓", "NOT CHECKED": "?", CAUTION: "!", INVALID: "✕" };

/** The name of its style. */
const styleOf = (validity: Validity | null): string => (validity ?? "unknown").toLowerCase().replace(" ", "_");

export function badge(validity: Validity | null): HTMLElement {
  return validity === null
    ? h("span", { class: "badge unknown" }, "NOT JUDGED")
    : h("span", { class: `badge ${styleOf(validity)}` }, h("span", { "aria-hidden": "true" }, SIGNS[validity]), validity);
}

/** Copies the first screen as Markdown. */
function copyButton(page: Page): HTMLElement {
  const button = h("button", { type: "button", class: "quiet", id: "copy", onclick: () => {
    const done = (text: string) => { button.textContent = text; setTimeout(() => { button.textContent = "Copy as text"; }, 2000); };
    const text = markdown(page);
    navigator.clipboard.writeText(text).then(() => done("Copied"), () => done("Not allowed here"));
  } }, "Copy as text");
  return button;
}

export function bar(page: Page): HTMLElement {
  return h("header", { class: "bar" },
    h("span", { class: "brand" }, "fathom", h("span", { class: "quiet-text" }, " report")),
    h("nav", { "aria-label": "Sections", id: "sections" }),
    h("span", { class: "tools" }, copyButton(page), themeSwitch(),
      h("button", { type: "button", class: "quiet", id: "print", onclick: () => print() }, "Print")));
}

function kindOf(part: Part): string {
  const kinds: Record<string, string> = { dd: "dd", pts: "PTS", quick: "Quick", files: "Files", layers: "Layers" };
  const word = kinds[part.kind] ?? part.kind.charAt(0).toUpperCase() + part.kind.slice(1);
  return `${word} ${part.name}`;
}

/** `Survey 1 · /data/f · vda, QEMU, 256 GiB · host vm · ext4 · 2026-11-22 12:47 UTC`. */
function setting(part: Part): (Node | string)[] {
  const target = part.targets.length === 1 ? part.targets[0] : undefined;
  const device = target?.chain.at(-1);
  const known = part.verdict.simulated ? [] : [
    device ? [device.name, device.model, format.size(device.size_bytes)].filter(Boolean).join(", ") : null,
    target?.file_system, part.host ? `host ${part.host.hostname}` : null,
  ];
  const rest = [...known, part.started_utc_ns === null ? null : format.moment(part.started_utc_ns)].filter((text) => text !== null && text !== undefined && text !== "");
  return [`${kindOf(part)} · `, h("span", { class: "target" }, part.target || "no target"), rest.map((text) => ` · ${text ?? ""}`).join("")];
}

export function verdictWords(part: Part): string {
  const { validity, simulated } = part.verdict;
  return `${validity === null ? "NOT JUDGED" : validity}${simulated ? " (SIMULATED: no hardware was measured)" : ""}`;
}

export function verdicts(page: Page): HTMLElement {
  const blocks = page.document.parts.map((part, place) => {
    const { cause, headline, validity, simulated, advice, sentences } = part.verdict;
    const words = cause || headline;
    const heading = page.compares ? "h2" : "h1";
    const shown = part.table && part.kind !== "sweep" && part.kind !== "import" ? [] : sentences.filter((sentence) => !same(sentence, words));
    return h("div", { class: `verdict ${styleOf(validity)}`, "data-part": place },
      h("p", { class: "what" }, ...setting(part)),
      h(heading, { class: words.length > 70 ? "long" : "" }, badge(validity), " ", simulated ? h("span", { class: "badge simulated", title: "A simulated device: no hardware was measured." }, "SIMULATED") : null, simulated ? " " : null,
        h("span", { class: "headline" }, words)),
      advice ? h("p", { class: "sentence" }, h("strong", {}, "Do this: "), `${advice}.`) : null,
      part.goals.length > 0 && h("ul", { class: "goals" }, ...part.goals.map((goal) => h("li", { class: goal.met ? "met" : "missed" },
        h("span", { "aria-hidden": "true" }, goal.met ? "✔ " : "✘ "), h("strong", {}, goal.goal), ` ${goal.met ? "met" : "missed"}: ${goal.sentence}`))),
      ...shown.map((sentence) => h("p", { class: "sentence" }, sentence)),
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
  const rows = (first?.panel ?? []).map((item) => h("tr", {}, h("th", { scope: "row" }, item.label),
    ...page.document.parts.map((part) => {
      const own = part.panel.find((other) => other.id === item.id && other.label === item.label);
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
  const between = item.estimate ? format.halfWidth(item.estimate) : "";
  return h("div", { class: known ? "card" : "card gap-card", id: `panel-${item.id.replaceAll(" ", "-")}` },
    h("p", { class: "card-label" }, item.label),
    h("p", { class: `card-figure ${known ? (item.text === null ? "" : "words") : "none"}`, "data-value": item.estimate?.value }, figureOf(item),
      item.id === "knee" && known ? h("span", { class: "card-unit" }, " I/Os in flight") : null),
    between !== "" ? h("p", { class: "between" }, `${between} (95% CI)`) : null,
    item.note ? h("p", { class: "card-note" }, item.note) : null,
    item.cell === null || page.document.cells.length === 1 ? null : h("p", { class: "card-cell" }, cellLink(page, item.cell)));
}
