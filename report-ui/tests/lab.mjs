// What every test of the page needs: the program, a shelf with results, a browser without a network.
// Deliberately absent: what is checked.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const FATHOM = process.env.FATHOM_BIN ?? "fathom";
const SHOTS = process.env.REPORT_SHOTS ?? join(tmpdir(), "report-shots");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

export class Lab {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "fathom-page-"));
    this.store = join(this.folder, "s.db");
    mkdirSync(join(SHOTS, "sizes"), { recursive: true });
  }

  /** Runs the program in the folder; whatever its exit code. */
  run(...words) {
    const said = spawnSync(FATHOM, words, { cwd: this.folder, env: { PATH: process.env.PATH, FATHOM_STORE: this.store, TZ: "UTC" }, encoding: "utf8", maxBuffer: 1 << 28 });
    return { code: said.status, out: said.stdout, err: said.stderr };
  }

  good(...words) {
    const said = this.run(...words);
    if (said.code !== 0) throw new Error(`fathom ${words.join(" ")}: ${said.code}\n${said.err}`);
    return said.out;
  }

  report(name, ...ids) {
    const path = join(this.folder, `${name}.html`);
    this.good("report", ...ids, "-o", path);
    return path;
  }

  exported(id) {
    return JSON.parse(this.good("export", id, "--json"));
  }

  /** Opens a page and waits for `ready`, by default for the script of a report. */
  async open(path, options = {}, ready = "html[data-ready]") {
    this.browser ??= await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.troubles = [];
    page.asked = [];
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => page.troubles.push(String(error)));
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.troubles.push(message.text()));
    page.on("dialog", (dialog) => { page.troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("request", (request) => page.asked.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    await page.waitForSelector(ready);
    return page;
  }

  /** Every chart of the page, drawn. */
  async drawAll(page) {
    for (const figure of await page.$$("figure[id]:not([hidden])")) {
      await figure.evaluate((element) => element.scrollIntoView());
      await page.waitForFunction((element) => element.querySelector(".canvas")?.childElementCount > 0, figure);
    }
    await page.evaluate(() => scrollTo(0, 0));
  }

  /** A picture of the whole page, kept for people to look at. */
  async shot(page, name) {
    await this.drawAll(page);
    await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
  }

  /** Where something is kept for people to look at. */
  keep(name) {
    return join(SHOTS, name);
  }

  async close() {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export { readFileSync };
