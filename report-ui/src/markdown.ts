// The first screen as Markdown, for tickets. Any content of a name stays text there: it cannot begin markup, a link, a
// mention or a row of a table.

import type { Part } from "./document";
import type { Page } from "./page";
import { inTable } from "./sections/answer";
import { verdictWords } from "./sections/head";

const NAME_MAX = 200;

export function markdown(page: Page): string {
  const { parts, tool_version: version } = page.document;
  return `${parts.map((part) => partText(page, part)).join("\n\n")}\n\n_fathom ${text(version)}_\n`;
}

function partText(page: Page, part: Part): string {
  const { verdict, table } = part;
  const lines = [
    `**${text(part.kind)} ${text(part.name)}: ${text(part.target)}**`, "",
    `**${verdictWords(part)}**: ${text(verdict.cause || verdict.headline)}`,
    ...(verdict.advice ? ["", `What to do: ${text(verdict.advice)}`] : []),
  ];
  for (const goal of part.goals) lines.push("", `Goal ${text(goal.goal)} ${goal.met ? "met" : "missed"}: ${text(goal.sentence)}`);
  if (table && table.rows.length > 0) {
    const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
    lines.push("", row([table.rows_are, ...table.heads.map((head) => head.label)].map(text)),
      row([":--", ...table.heads.map((head) => (head.unit === "text" ? ":--" : "--:"))]),
      ...table.rows.map((one) => row([text(one.name || (one.cell === null ? "" : page.name(one.cell))), ...(one.gap === null
        ? one.figures.map((figure, place) => text(inTable(figure, table.heads[place])))
        : [text(`not measured: ${one.gap}`), ...table.heads.slice(1).map(() => "")])])));
    if (table.note) lines.push("", text(table.note));
  }
  if (part.command.length > 0) lines.push("", `Command: ${text(part.command.join(" "))}`);
  return lines.join("\n");
}

/** One line of plain text: controls and marks of direction are removed, every letter that means something in Markdown or
 * HTML is escaped, and addresses and mentions are broken. */
export function text(raw: string): string {
  const plain = raw.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const short = plain.length > NAME_MAX ? `${[...plain].slice(0, NAME_MAX).join("")}…` : plain;
  return short
    .replaceAll(/[\\`*_[\]#|~>$]|^[-+=]/g, "\\$&")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll("@", "@\u2060").replaceAll(/:\/\//g, ":\u2060//").replaceAll(/\bwww\./gi, "www\u2060.")
    .replaceAll(/^(\d+)([.)])(?= |$)/g, "$1\\$2");
}
