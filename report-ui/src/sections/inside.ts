// The inside of one cell: everything over time on one axis, then its distribution. Which cell is selected in the whole page.

import { choice, h, section } from "../dom";
import { Figure, Legend, type Drawn } from "../figure";
import * as format from "../format";
import type { Page } from "../page";
import type { Detail } from "../document";
import { TimeAxis } from "../time";
import { counterChart, latencyChart, latencyMap, rateChart, secondsOf } from "../charts/series";
import { distributionChart } from "../charts/distribution";
import { badge } from "./head";

const NO_DETAIL: Drawn = { svg: null, summary: "The inside of this cell is not in this page.", table: { heads: [], rows: [] } };

export function inside(page: Page): HTMLElement | null {
  const having = page.document.cells.flatMap((cell, place) => (cell.detail === null ? [] : [place]));
  if (having.length === 0) return null;
  const head = h("div", { class: "inside-head" });
  const of = (draw: (detail: Detail, width: number) => Drawn) => (width: number) => {
    const detail = page.cell(page.selected).detail;
    return detail === null ? NO_DETAIL : draw(detail, width);
  };
  let tracked: Figure[] = [];
  const time = new TimeAxis(() => { for (const figure of [...fixed, map, ...tracked]) if (figure.element.isConnected) figure.redraw(); });
  const legend = new Legend(() => fixed[1]?.redraw());
  const fixed = [
    new Figure("rate-over-time", "Rate over time", of((detail, width) => rateChart(detail, time, width))),
    new Figure("latency-over-time", "Latency over time", of((detail, width) => latencyChart(detail, time, legend, width))),
  ];
  const map = new Figure("latency-map", "Where latencies lay over time", of((detail, width) =>
    detail.heat ? latencyMap(detail.heat, time, width) : { ...NO_DETAIL, summary: "Latencies over time were not kept for this cell." }));
  const tracks = h("div", { class: "tracks" });
  const distribution = new Figure("distribution", "Percentiles of latency", of(distributionChart));
  const show = () => {
    head.replaceChildren(...about(page, having));
    const detail = page.cell(page.selected).detail;
    map.element.hidden = !detail?.heat;
    time.reset(detail ? secondsOf(detail) : 1);
    const counters = detail?.counters ?? null;
    tracked = (counters?.tracks ?? []).map((track) => {
      const lines = new Legend(() => figure.redraw());
      const figure = new Figure(`track-${track.id}`, track.label, (width) => counterChart(counters as NonNullable<typeof counters>, track, { time, lines }, width));
      return figure;
    });
    tracks.replaceChildren(...tracked.map((figure) => figure.element));
    for (const figure of [...fixed, map, distribution]) if (figure.element.isConnected) figure.redraw();
  };
  page.onSelect(show);
  const element = section("inside", "One result over time", head, time.controls, ...fixed.map((figure) => figure.element), map.element, tracks, distribution.element);
  element.querySelector("h2")?.setAttribute("tabindex", "-1");
  show();
  return element;
}

function about(page: Page, having: number[]): HTMLElement[] {
  const cell = page.cell(page.selected);
  const several = having.length > 1
    ? choice<number>("Result", having.map((place) => [place, `${page.cell(place).id}  ${page.name(place)}`] as const), page.selected, (place) => page.select(place))
    : h("span", {}, `${page.name(page.selected)} (${cell.id})`);
  const figures = [["iops", "Rate"], ["bytes_per_s", "Throughput"], ["latency_p50", "Median"], ["latency_p99", "99% within"], ["latency_max", "Largest"]]
    .map(([name, label]) => h("span", { class: "small-figure" }, h("span", {}, label ?? ""), " ",
      h("strong", {}, format.shown(page.value(page.selected, name ?? ""), page.columns.get(name ?? "")?.column.unit ?? "text"))));
  return [
    h("div", { class: "controls" }, several, badge(cell.validity)),
    h("p", { class: "figures" }, ...figures),
    ...(cell.reasons.length > 0 ? [h("p", { class: "note" }, cell.reasons.join("; "))] : []),
    ...(cell.command ? [h("p", { class: "command" }, h("span", {}, "This result alone: "), h("code", { tabindex: 0 }, cell.command))] : []),
  ];
}
