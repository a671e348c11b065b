// What every test of the page needs: the program, a shelf with results, a browser without a network.
// Deliberately absent: what is checked.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const FATHOM = process.env.FATHOM_BIN ?? "fathom";
/** Pictures for people to look at take longer than all checks: `cargo xtask images` asks for them. */
export const PICTURES = process.env.REPORT_SIZES === "all";
const SHOTS = process.env.REPORT_SHOTS ?? join(tmpdir(), "report-shots");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
  // Each context would prepare the browser's own pages, in a process each. The last list of features counts, so Playwright's is here, too.
  "--disable-features=PreloadTopChromeWebUI,AcceptCHFrame,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,GlobalMediaControls,HttpsUpgrades,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,Translate",
];

/** After an action, lets the page draw what it changed before the next line reads it. */
function settling(page) {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const action of ["click", "fill", "press", "selectOption", "check", "uncheck"]) {
    const plain = page[action].bind(page);
    page[action] = async (...words) => {
      const answer = await plain(...words);
      await page.evaluate(drawn).catch(() => {}); // the action may have left the page
      return answer;
    };
  }
  return page;
}

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
    return settling(page);
  }

  /** Every chart of the page, drawn. */
  async drawAll(page) {
    for (const figure of await page.$$("figure[id]:not([hidden])")) {
      await figure.evaluate((element) => element.scrollIntoView());
      await page.waitForFunction((element) => element.querySelector(".canvas")?.childElementCount > 0, figure);
    }
    await page.evaluate(() => scrollTo(0, 0));
  }

  /** Draws every chart, and keeps a picture of the whole page where pictures are asked for. */
  async shot(page, name) {
    await this.drawAll(page);
    await this.picture(page, name);
  }

  async picture(page, name) {
    if (PICTURES) await page.screenshot({ path: this.keep(`${name}.png`), fullPage: true });
  }

  /** Where something is kept for people to look at. */
  keep(name) {
    return join(SHOTS, name);
  }

  /** Closes every page that a test opened: open ones go on drawing. */
  async closePages() {
    for (const context of this.browser?.contexts() ?? []) await context.close();
  }

  async close() {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export { readFileSync };
