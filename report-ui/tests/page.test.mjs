// The page as a person uses it: every number against the store, every control by mouse and by keyboard.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Lab, PICTURES, readFileSync } from "./lab.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const EVIL = '<img src=x onerror=alert(1)> & "q" <!--.dat';
const lab = new Lab();
const paths = {};

before(() => {
  const short = ["--engine", "null", "-d", "60ms", "--warmup", "0s", "--interval", "5ms", "--null-delay", "50us"];
  lab.good("sweep", "sim:ssd", "-d", "2s", "--interval", "100ms", "-b", "4K,64K", "-o", "1,2,4,8", "-w", "0,50,100"); // 1
  lab.run("sweep", ...short, "--null-error-every", "3000", "-b", "4K,64K", "-o", "1,8,64");         // 2
  lab.good("run", EVIL, "--create", "4M", "-o", "4", "-d", "1500ms", "--warmup", "50ms", "--interval", "20ms", "-w", "30", "--overwrite"); // 3
  lab.run("run", ...short, "--null-error-every", "100");                                            // 4
  lab.good("run", ...short);                                                                        // 5
  paths.sweep = lab.report("sweep", "1");
  paths.gaps = lab.report("gaps", "2");
  paths.evil = lab.report("evil", "3");
  paths.failed = lab.report("failed", "4");
  paths.compared = lab.report("compared", "1", "2");
  paths.runs = lab.report("runs", "3.1", "5.1");
  lab.good("survey", "sim:ssd,neighbour=20000", "--page", "none", "--budget", "30s");                   // 6
  paths.survey = lab.report("survey", "6");
  lab.good("files", ".", "--files", "64", "--data", "4M", "-b", "64K");                             // 7
  paths.files = lab.report("files", "7");
  lab.good("run", "sim:ssd,pause=200ms,pause-every=3s", "-o", "32", "-d", "12s", "--seed", "1");                   // 8
  paths.paused = lab.report("paused", "8");
  lab.good("run", "sim:ssd,pause=200ms,pause-every=3s", "-o", "32", "-d", "12s", "--seed", "1");                   // 9
  lab.good("report", "--all", "-o", join(lab.folder, "site"));
  paths.history = join(lab.folder, "site", "index.html");
  lab.good("pts", "tp", "sim:ssd,law=constant", "--scale", "1/1000", "--max-rounds", "5");           // 10
  paths.pts = lab.report("pts", "10");
});
afterEach(() => lab.closePages());
after(() => lab.close());

test("the first screen of a survey is its table, with the figures of the terminal", async () => {
  const page = await lab.open(paths.survey, { viewport: { width: 1440, height: 900 } });
  const terminal = JSON.parse(lab.good("show", "6", "--json"));
  const rows = page.locator("table.answer tbody tr");
  assert.equal(await rows.count(), terminal.rows.length);
  const box = await rows.last().boundingBox();
  assert.ok(box.y + box.height < 900, `the last workload ends at ${box.y + box.height}`);
  const text = lab.good("show", "6");
  for (const [place, row] of terminal.rows.entries()) {
    const shown = await rows.nth(place).locator("td").allTextContents();
    const line = text.split("\n").find((one) => one.startsWith(row.workload));
    assert.equal(shown[0], line.slice(22).trim().split(/ +/)[0], row.workload); // IOPS with its mark
    assert.equal(await rows.nth(place).locator("polyline").count(), 1);
  }
  assert.match(await page.textContent("h1"), /CAUTION.*SIMULATED.*other I\/O on sim:ssd/s);
  assert.equal(await page.locator(".badge.simulated").count(), 1);
  assert.match(await page.textContent(".verdict"), /Do this: stop the other I\/O/);
  assert.deepEqual(page.troubles, []);
});

test("a session of files has its verdict, its figures and no cell without a result", async () => {
  const page = await lab.open(paths.files);
  const verdict = JSON.parse(lab.good("show", "7", "--json")).verdict;
  assert.equal((await page.textContent("h1 .badge")).replace(/^\W/, ""), verdict.validity);
  assert.equal(await page.textContent("h1 .headline"), verdict.reasons[0]);
  assert.equal(await page.locator("tr.failed").count(), 0);
  assert.ok(await page.locator("table.answer tbody tr").count() > 10);
});

test("a test of PTS has a chart of its convergence with each round of each cell", async () => {
  const page = await lab.open(paths.pts);
  const report = JSON.parse(lab.good("show", "10", "--json"));
  const cells = report.parts.filter((part) => part.kind === "rounds").flatMap((part) => part.cells).filter((cell) => cell.values.length >= 5);
  const figure = page.locator("#convergence");
  await figure.scrollIntoViewIfNeeded();
  await figure.locator("details summary").click();
  const table = figure.locator("table tbody tr");
  await table.first().waitFor(); // it is filled after the click
  const rows = await table.count();
  assert.equal(rows, cells.reduce((sum, cell) => sum + cell.values.length, 0));
  assert.deepEqual(page.troubles, []);
});

test("every link lands at the first click, and Back returns", async () => {
  for (const name of ["survey", "sweep", "paused"]) {
    const page = await lab.open(paths[name]);
    const count = await page.locator("a[href^='#']:not(.skip):visible").count();
    for (let place = 0; place < count; place += name === "survey" ? 9 : 13) {
      await page.goto(`${page.url().replace(/#.*/, "")}?${place}`);
      await page.waitForSelector("html[data-ready]");
      const link = page.locator("a[href^='#']:not(.skip):visible").nth(place);
      const to = await link.getAttribute("href");
      await link.click();
      await page.waitForTimeout(400); // charts would draw by now, on a fast machine
      const landed = ([hash]) => {
        const element = document.getElementById(hash.startsWith("#point-") ? "inside" : hash.slice(1));
        const room = document.documentElement.scrollHeight - innerHeight - scrollY; // the end of a page scrolls no further
        return room < 2 || Math.abs(element.getBoundingClientRect().top - 56) < 100;
      };
      await page.waitForFunction(landed, [to], { timeout: 10_000 }).catch(() => assert.fail(`${name} ${to} is not in view`));
      if (to.startsWith("#point-")) {
        const id = to.slice("#point-".length);
        if (name !== "paused") assert.ok((await page.locator("#inside select option:checked").textContent()).startsWith(`${id} `));
        await page.goBack();
        assert.equal(await page.evaluate(() => location.hash), "");
      }
    }
  }
});

test("the index of all sessions searches, leads to every page and shows the trend of what was repeated", async () => {
  const page = await lab.open(paths.history, { bypassCSP: false }, "main");
  const links = await page.locator("#sessions a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.equal(links.length, 9);
  for (const link of links) assert.ok(statSync(join(lab.folder, "site", link)).size > 10_000);
  await page.fill("#search", "survey neighbour");
  assert.equal(await page.locator("#sessions tbody tr:visible").count(), 1);
  assert.match(await page.textContent("#found"), /^1 of \d+ rows$/);
  await page.fill("#search", "");
  assert.equal(await page.locator("svg.trend circle").count() >= 2, true);
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.textContent("#sessions")).includes(EVIL));
  assert.deepEqual(page.troubles, []);
  await lab.picture(page, "history");
  const narrow = await lab.open(paths.history, { viewport: { width: 390, height: 800 } }, "main");
  assert.ok((await narrow.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
});

test("the text to copy is a table that no name can break out of", async () => {
  const copied = async (path) => {
    const page = await lab.open(path);
    await page.evaluate(() => { navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); }; });
    await page.click("#copy");
    return page.evaluate(() => globalThis.copied);
  };
  const survey = await copied(paths.survey);
  assert.match(survey, /^\| Workload \| IOPS \|/m);
  assert.match(survey, /^\| 4K random read \| [\d.]+k\\\* \|/m);
  const evil = await copied(paths.evil);
  assert.ok(evil.includes("\\<img") || evil.includes("&lt;img"), evil);
  assert.doesNotMatch(evil, /<img|<!--/);
});

test("pauses are named under the rate, not called steady", async () => {
  const page = await lab.open(paths.paused);
  await lab.drawAll(page);
  const note = (await page.textContent("#rate-over-time .note")).replaceAll(/\s/g, " ");
  assert.match(note, /The rate is interrupted: 4 pauses of up to 200 ms, every 3(\.\d+)? s, in which no I\/O completed\./);
  assert.doesNotMatch(note, /steady/);
});

test("the verdict on each cell of a comparison is one of the terminal's", async () => {
  const page = await lab.open(paths.compared);
  const shown = await page.locator("table.changes tbody tr td:last-child").allTextContents();
  assert.ok(shown.length > 0);
  for (const verdict of shown) assert.match(verdict, /^(faster|slower|inconclusive|no difference above [\d.]+%)/);
});

test("the labels of a comparison's forest plot are whole", async () => {
  const page = await lab.open(paths.compared);
  await lab.drawAll(page);
  const out = await page.evaluate(() => [...document.querySelectorAll("#changes-0 svg text")].filter((text) => text.getBoundingClientRect().left < text.closest("figure").getBoundingClientRect().left).length);
  assert.equal(out, 0);
});

const bare = (text) => text.replaceAll(/[\s\u202f]/g, "");

test("every figure of the table is the store's", async () => {
  const page = await lab.open(paths.sweep);
  const rows = lab.exported("1");
  for (const row of rows) {
    const shown = await page.locator(`[data-cell="${row.id}"] [data-field="latency_max"]`).textContent();
    assert.equal(bare(shown), bare(inWords(row.latency_max_ns)), row.id);
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#csv")]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n").map((line) => line.split(","));
  const [heads, ...cells] = lines;
  assert.equal(cells.length, rows.length);
  for (const [place, row] of rows.entries()) {
    for (const name of ["id", "block_bytes", "iops", "bytes_per_s", "latency_mean_ns", "latency_p50_ns", "latency_p99_ns", "ios", "errors"]) {
      const at = heads.indexOf(name);
      assert.equal(cells[place][at], row[name] === null ? "" : String(row[name]), `${row.id} ${name}`);
    }
  }
  assert.deepEqual(page.troubles, []);
});

/** As the terminal has it. */
function inWords(ns) {
  for (const [scale, unit, top] of [[1, "ns", 999.5], [1e3, "µs", 999.5], [1e6, "ms", 999.5], [1e9, "s", 9999.5]]) {
    const value = ns / scale;
    if (value >= top) continue;
    const places = Number.isInteger(value) || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    const even = new Intl.NumberFormat("en", { minimumFractionDigits: places, maximumFractionDigits: places, roundingMode: "halfEven", useGrouping: false });
    return even.format(value) + unit;
  }
}

test("rates on the page read as they do in the terminal", async () => {
  const page = await lab.open(paths.sweep);
  const table = lab.good("table", "1", "--columns", "id,iops,latency_p99").split("\n");
  for (const row of lab.exported("1")) {
    const line = table.find((text) => text.startsWith(`${row.id} `)).split(/ {2,}/);
    const shown = (field) => page.locator(`[data-cell="${row.id}"] [data-field="${field}"]`).textContent();
    assert.equal(bare(await shown("iops")).replace("IOPS", ""), bare(line[1]), row.id);
    assert.equal(bare(await shown("latency_p99")).replace("~", "").replace("–", "-"), bare(line[2]).replace("~", ""), row.id);
  }
});

test("the panel names the cells with the highest figures", async () => {
  const page = await lab.open(paths.sweep);
  const rows = lab.exported("1");
  const most = (field) => Math.max(...rows.map((row) => row[field]));
  for (const [id, field] of [["peak_rate", "iops"], ["peak_bytes", "bytes_per_s"]]) {
    const figure = Number(await page.getAttribute(`#panel-${id} .card-figure`, "data-value"));
    const cell = await page.getAttribute(`#panel-${id} .cell`, "data-id");
    assert.equal(rows.find((row) => row.id === cell)[field], figure);
    if ((await page.textContent(".verdict .badge")).includes("VALID")) assert.equal(figure, most(field));
  }
});

test("the table filters by fields with units, by words and by choices, and says what it cannot read", async () => {
  const page = await lab.open(paths.sweep);
  const count = () => page.locator("#cells-table tbody tr").count();
  assert.equal(await count(), 24);
  await page.fill("#filter", "write=0 block<=4K");
  assert.equal(await count(), 4);
  await page.fill("#filter", "block=64K latency_mean>1s");
  assert.equal(await count(), 0);
  await page.fill("#filter", "1.7");
  assert.equal(await count(), 1);
  await page.fill("#filter", "nonsense=4");
  assert.match(await page.textContent("#cells-status"), /no field “nonsense”/);
  await page.fill("#filter", "");
  await page.selectOption("#cells label:has-text('depth') select", { label: "8" });
  assert.equal(await page.inputValue("#filter"), "depth=8");
  assert.equal(await count(), 6);
});

test("the table sorts both ways and says so", async () => {
  const page = await lab.open(paths.sweep);
  const ids = () => page.locator("#cells-table tbody th").allTextContents();
  const by = new Map(lab.exported("1").map((row) => [row.id, row.iops]));
  await page.click("[data-sort=iops]");
  assert.equal(await page.getAttribute("th:has([data-sort=iops])", "aria-sort"), "descending");
  const falling = (await ids()).map((id) => by.get(id));
  assert.deepEqual(falling, [...falling].sort((a, b) => b - a));
  await page.click("[data-sort=iops]");
  assert.equal(await page.getAttribute("th:has([data-sort=iops])", "aria-sort"), "ascending");
  await page.click("[data-sort=id]");
  assert.equal((await ids())[9], "1.10", "12.9 comes before 12.10");
});

test("hovering shows the figures of a point, and a click shows its inside", async () => {
  const page = await lab.open(paths.sweep);
  await lab.drawAll(page);
  await page.locator("#latency-throughput").scrollIntoViewIfNeeded();
  const dot = page.locator("#latency-throughput g[data-mark=dot] path").nth(2);
  await dot.hover({ force: true });
  const tip = page.locator("#latency-throughput g[aria-label=tip]");
  await tip.locator("text").first().waitFor();
  assert.match(await tip.textContent(), /in flight/);
  await page.locator("#heatmap").scrollIntoViewIfNeeded();
  const box = page.locator("#heatmap g[data-mark=cell] rect").nth(1);
  await box.hover({ force: true });
  const said = await page.locator("#heatmap g[aria-label=tip]").textContent();
  const cell = said.match(/1\.\d+/g).at(-1); // the rate before it may have such digits, too
  await box.click({ force: true });
  assert.ok((await page.locator("#inside select option:checked").textContent()).startsWith(`${cell} `), `${cell} in ${said}`);
});

test("a drag over one chart zooms all charts of a result, and the pointer marks one moment on all", async () => {
  const page = await lab.open(paths.paused);
  await lab.drawAll(page);
  const [rate, latency] = ["#rate-over-time .canvas svg", "#latency-over-time .canvas svg"];
  await page.locator(rate).scrollIntoViewIfNeeded();
  const box = await page.locator(rate).boundingBox();
  const at = (share) => [box.x + box.width * share, box.y + box.height / 2];
  await page.mouse.move(...at(0.5));
  for (const chart of [rate, latency]) assert.equal(await page.locator(`${chart} .crosshair`).getAttribute("visibility"), "visible");
  const places = await Promise.all([rate, latency].map((chart) => page.locator(`${chart} .crosshair`).getAttribute("x1")));
  assert.equal(places[0], places[1]);
  const whole = Number(await page.inputValue("#time-to"));
  await page.mouse.down();
  await page.mouse.move(...at(0.75), { steps: 4 });
  await page.mouse.up();
  const [from, to] = [Number(await page.inputValue("#time-from")), Number(await page.inputValue("#time-to"))];
  assert.ok(from > whole * 0.3 && to < whole * 0.9 && to > from, `${from} to ${to} of ${whole}`);
  const ticks = (chart) => page.locator(`${chart} [data-mark="x-axis tick label"] text`).allTextContents();
  for (const chart of [rate, latency]) assert.ok(Number((await ticks(chart)).at(-1)) <= to, chart);
  await page.locator(rate).dblclick();
  assert.equal(Number(await page.inputValue("#time-to")), whole);
  await page.fill("#time-from", "2");
  await page.press("#time-from", "Enter");
  assert.equal(Number((await ticks(latency))[0]), 2);
  await page.click("#time-all");
  assert.equal(Number(await page.inputValue("#time-from")), 0);
  assert.deepEqual(page.troubles, []);
});

test("a line of a chart can be hidden and shown again", async () => {
  const page = await lab.open(paths.paused);
  await lab.drawAll(page);
  const lines = () => page.locator('#latency-over-time svg [data-mark="line"] path').count();
  const both = await lines();
  await page.click('#latency-over-time button.line >> text="largest"');
  assert.equal(await lines(), both - 1);
  assert.equal(await page.locator('#latency-over-time button.line >> text="largest"').getAttribute("aria-pressed"), "false");
  await page.click('#latency-over-time button.line >> text="largest"');
  assert.equal(await lines(), both);
});

test("every chart is saved as a picture that needs nothing else, as SVG and as PNG", async () => {
  const page = await lab.open(paths.paused, { colorScheme: "dark" });
  await lab.drawAll(page);
  for (const id of ["rate-over-time", "latency-map"]) {
    for (const form of ["SVG", "PNG"]) {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click(`#${id} .files button >> text="${form}"`)]);
      assert.equal(file.suggestedFilename(), `fathom-${id}.${form.toLowerCase()}`);
      const path = lab.keep(`saved-${id}.${form.toLowerCase()}`);
      await file.saveAs(path);
      const bytes = readFileSync(path);
      if (form === "PNG") {
        assert.deepEqual([...bytes.subarray(1, 4)], [..."PNG"].map((letter) => letter.charCodeAt(0)));
        continue;
      }
      const text = bytes.toString("utf8");
      assert.ok(!/var\(--|<script|href=/.test(text), "it needs the page");
      const parsed = await page.evaluate((svg) => new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("parsererror, path, rect").length, text);
      assert.ok(parsed > 5 && !text.includes("parsererror"));
    }
  }
  assert.deepEqual(page.troubles, []);
});

test("the heat map lays out any two axes", async () => {
  const page = await lab.open(paths.sweep);
  await lab.drawAll(page);
  const boxes = () => page.locator("#heatmap g[data-mark=cell] rect").count();
  assert.equal(await boxes(), 4 * 3);
  await page.selectOption("#heatmap label:has-text('Across') select", { label: "Size of an I/O" });
  assert.equal(await boxes(), 2 * 3);
  await page.selectOption("#heatmap label:has-text('Colour') select", { label: "latency, 99% within" });
  assert.equal(await boxes(), 2 * 3);
  assert.deepEqual(page.troubles, []);
});

test("cells without a result are hatched, and listed with their reason", async () => {
  const page = await lab.open(paths.gaps);
  await lab.drawAll(page);
  const gaps = lab.exported("2").filter((row) => row.origin === "missing").length;
  assert.ok(gaps > 0, "some cells were made to fail");
  assert.equal(await page.locator('#heatmap g[data-mark=cell][fill="url(#hatch)"] rect').count(), gaps);
  assert.equal(await page.locator("#cells-table tr.failed").count(), gaps);
  assert.match(await page.getAttribute("#cells-table tr.failed td", "title"), /Input\/output error/);
  await lab.shot(page, "failed-cells");
});

test("the theme follows the system until the person says otherwise, and charts follow the theme", async () => {
  const page = await lab.open(paths.sweep, { colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const ink = () => page.evaluate(() => document.querySelector("#latency-throughput g[data-mark=line] path").getAttribute("stroke"));
  await lab.drawAll(page);
  const dark = [await ground(), await ink()];
  await page.click("#theme");
  const light = [await ground(), await ink()];
  assert.equal(light[0], "rgb(255, 255, 255)");
  assert.notEqual(dark[0], light[0]);
  assert.notEqual(dark[1], light[1]);
});

test("everything can be reached and used by keyboard alone", async () => {
  const page = await lab.open(paths.sweep);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.focus("#theme");
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  await page.focus("[data-sort=block]");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.sort), "block", "focus stays where it was");
  const link = page.locator("#cells-table tbody .cell").nth(3);
  const id = await link.textContent();
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "inside-title"); // the address changes after the key
  assert.ok((await page.locator("#inside select option:checked").textContent()).startsWith(`${id} `));
  await page.focus("#rate-over-time summary");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#rate-over-time table tbody tr").length > 5); // no chart without its table
});

test("every chart has a table, a name and words for those who do not see it", async () => {
  const page = await lab.open(paths.sweep);
  await lab.drawAll(page);
  for (const figure of await page.$$("figure[id]:not([hidden])")) {
    const id = await figure.getAttribute("id");
    const said = await figure.$eval(".canvas [role=img]", (element) => element.getAttribute("aria-label"));
    assert.ok(said.length > 20, id);
    await figure.$eval("details", (details) => { details.open = true; });
    await page.waitForFunction((element) => element.querySelectorAll("details tbody tr").length > 0, figure);
  }
});

for (const [name, colorScheme] of [["sweep", "light"], ["sweep", "dark"], ["compared", "light"], ["evil", "dark"], ["failed", "light"], ["survey", "light"], ["survey", "dark"], ["files", "light"], ["history", "light"], ["history", "dark"]]) {
  test(`axe finds no fault: ${name}, ${colorScheme}`, async () => {
    const page = await lab.open(paths[name], { colorScheme, bypassCSP: true }, name === "history" ? "main" : undefined);
    await lab.drawAll(page);
    assert.deepEqual(await violations(page), []);
  });
}

/** What axe reports with every part opened. */
async function violations(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  await page.waitForTimeout(100);
  await page.evaluate(AXE);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map(({ id, impact, nodes }) => [id, impact, nodes.slice(0, 3).map((node) => node.html.slice(0, 160))]);
}

/** Pages of the other kinds of session, which only the pictures of all kinds need. */
function others() {
  const dat = join(lab.folder, "other.dat");
  const copy = join(lab.folder, "copy.dat");
  lab.run("dd", "if=/dev/zero", `of=${copy}`, "bs=1M", "count=64", "conv=fdatasync");
  lab.run("run", dat, "--create", "64M", "-w", "50", "--verify", "full", "-d", "1s");
  lab.run("quick", dat);
  lab.run("verify", dat);
  lab.run("import", process.env.FIO_EXAMPLE);
  lab.run("fio", "--name=mix", `--filename=${dat}`, "--size=64m", "--rw=randread", "--runtime=1", "--time_based", "--direct=1");
  lab.run("watch", "--count", "3", "--plain", "--record");
  const listed = JSON.parse(lab.good("list", "--json")).sessions;
  const more = {};
  for (const { session, kind } of listed) {
    if (session > 10) more[`${kind}-${session}`] = lab.report(`other-${session}`, String(session));
  }
  return more;
}

// `cargo xtask images` asks for them; elsewhere one size of each kind is enough.
test("every kind of page at every size, light, dark and printed", { skip: !PICTURES }, async () => {
  const faults = [];
  for (const [name, path] of Object.entries({ ...paths, ...others() })) {
    const ready = name === "history" ? "main" : undefined;
    for (const width of [1440, 1024, 390]) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await lab.open(path, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true }, ready);
        const label = `${name}-${width}-${colorScheme}`;
        await lab.shot(page, `sizes/${label}`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) faults.push(`${label}: ${over} pixels too wide`);
        for (const fault of await violations(page)) faults.push(`${label}: ${JSON.stringify(fault)}`);
        faults.push(...page.troubles.map((text) => `${label}: ${text}`));
        if (width === 1440 && colorScheme === "dark") {
          await page.emulateMedia({ media: "print" });
          writeFileSync(lab.keep(`sizes/${name}.pdf`), await page.pdf({ format: "A4", printBackground: true }));
        }
        await page.context().close();
      }
    }
  }
  assert.deepEqual(faults, []);
});

test("names with HTML in them stay text", async () => {
  const page = await lab.open(paths.evil);
  await lab.drawAll(page);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator(".verdict .target").first().textContent(), EVIL);
  assert.ok((await page.title()).includes(EVIL));
  assert.deepEqual(page.troubles, []);
});

test("the page asks for nothing but itself, and could not", async () => {
  const page = await lab.open(paths.sweep);
  await lab.drawAll(page);
  assert.equal(page.asked.length, 1);
  const got = await page.evaluate(() => fetch(["http:", "", "127.0.0.1:9", ""].join("/")).then(() => "answer", (error) => error.name));
  assert.equal(got, "TypeError");
  assert.ok(page.troubles.some((text) => text.includes("Content Security Policy")), page.troubles.join());
});

test("without a script the verdict still stands there in words", async () => {
  const page = await lab.browser.newContext({ javaScriptEnabled: false }).then((context) => context.newPage());
  await page.goto(`file://${paths.evil.split("/").map(encodeURIComponent).join("/")}`);
  const text = await page.textContent("body");
  assert.match(text, /VALID|CAUTION|INVALID/);
  assert.ok(text.includes(EVIL));
});

test("it prints as a document: light, whole tables, no controls", async () => {
  const page = await lab.open(paths.sweep, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  const pdf = await page.pdf({ format: "A4", printBackground: true });
  writeFileSync(lab.keep("print.pdf"), pdf);
  assert.ok(pdf.length > 50_000);
  assert.ok((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length >= 3);
  assert.equal(await page.locator(".bar").isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
});

test("a narrow screen has no sideways scrolling", async () => {
  for (const name of ["sweep", "compared", "evil", "survey", "files"]) {
    const page = await lab.open(paths[name], { viewport: { width: 390, height: 800 } });
    await lab.drawAll(page);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${name}: ${over} pixels too wide`);
    if (name === "sweep") await lab.shot(page, "narrow");
  }
});

test("a run that failed and results of two kinds side by side have a page too", async () => {
  for (const name of ["failed", "compared", "runs"]) {
    const page = await lab.open(paths[name]);
    await lab.shot(page, name);
    assert.deepEqual(page.troubles, [], name);
  }
  const failed = await lab.open(paths.failed);
  assert.match(await failed.textContent(".verdict"), /INVALID.*Input\/output error/s);
  const runs = await lab.open(paths.runs);
  assert.equal(await runs.locator(".side-by-side thead th").count(), 3);
});

test("pictures are kept for people to look at", { skip: !PICTURES }, async () => {
  for (const [name, path, options] of [
    ["light", paths.sweep, {}], ["dark", paths.sweep, { colorScheme: "dark" }], ["run", paths.evil, {}], ["survey", paths.survey, {}], ["files", paths.files, {}], ["paused", paths.paused, {}],
  ]) {
    const page = await lab.open(path, options);
    await lab.shot(page, name);
    assert.ok(statSync(lab.keep(`${name}.png`)).size > 20_000);
  }
  const page = await lab.open(paths.sweep);
  await page.emulateMedia({ media: "print" });
  await lab.shot(page, "print");
});
