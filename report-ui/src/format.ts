// Numbers as text: three significant digits, the unit that fits, thin spaces that do not break.
// The same rules as the module of sentences in analysis, so that page and terminal agree; a test compares them.

import type { Estimate, Unit, Value } from "./document";

/** Narrow no-break space. */
const THIN = "\u202f";
const DASH = "–";

/** Of two neighbours equally near the even one, as the terminal rounds; `toFixed` takes the larger one. */
function fixed(value: number, places: number): string {
  const text = value.toFixed(places);
  const tie = (value * 2 ** (places + 1)) % 2 === 1; // exact: times a power of two
  return tie && Number(text.at(-1)) % 2 === 1 ? (value * (1 - 1e-12)).toFixed(places) : text;
}

export function digits(value: number): string {
  if (!Number.isFinite(value)) return DASH;
  if (value < 0) return `−${digits(-value)}`;
  if (value >= 99.95) return fixed(value, 0);
  if (value >= 9.995) return fixed(value, 1);
  if (value >= 0.005) return fixed(value, 2);
  return value > 0 ? "<0.01" : "0";
}

type Step = readonly [scale: number, unit: string];
const LETTERS: readonly Step[] = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
const TIMES: readonly (readonly [number, string, number])[] = [
  [1, "ns", 999.5], [1e3, "µs", 999.5], [1e6, "ms", 999.5], [1e9, "s", 9999.5], [3.6e12, "h", 9999.5],
];
const SIZES: readonly Step[] = [
  [2 ** 60, "EiB"], [2 ** 50, "PiB"], [2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"],
];

/** In full below 10000, then in k, M, G. */
export function rate(value: number): string {
  if (value < 9999.5) return digits(value);
  const step = LETTERS.find(([scale]) => value >= scale * 0.9995);
  return step ? `${digits(value / step[0])}${step[1]}` : digits(value);
}

export function time(ns: number): string {
  const [scale, unit] = TIMES.find(([size, , top]) => ns / size < top) ?? [3.15576e16, "years"];
  const value = ns / scale;
  return `${Number.isInteger(value) ? value.toFixed(0) : digits(value)}${THIN}${unit}`;
}

export function size(bytes: number): string {
  const step = SIZES.find(([scale]) => bytes >= scale);
  if (!step) return `${digits(bytes)}${THIN}B`;
  const value = bytes / step[0];
  return `${Number.isInteger(value) ? value.toFixed(0) : digits(value)}${THIN}${step[1]}`;
}

/** Throughput has one unit, as in the terminal. */
export function flow(bytesPerSecond: number): string {
  const value = bytesPerSecond / 2 ** 20;
  return `${value < 99999.5 ? digits(value) : rate(value)}${THIN}MiB/s`;
}

export function moment(ns: number): string {
  const text = new Date(ns / 1e6).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${THIN}UTC`;
}

/** A value with its unit. */
export function shown(value: Value | undefined, unit: Unit): string {
  if (value === null || value === undefined || value === "") return DASH;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  switch (unit) {
    case "rate": return `${rate(value)}${THIN}IOPS`;
    case "size": return size(value);
    case "size_per_second": return flow(value);
    case "time": return time(value);
    case "percent": return `${digits(value).replace(/\.0+$/, "")}%`;
    case "moment": return moment(value);
    default: return Number.isInteger(value) ? String(value) : digits(value);
  }
}

/** The 95% interval, in words that stand below a value; empty where there is none. */
export function interval(estimate: Estimate, unit: Unit): string {
  const { low, high } = estimate;
  if (low === null || high === null) return "";
  return `${shown(low, unit)} to ${shown(high, unit)}`;
}

/** Half of an interval in percent, with two digits as in the terminal. */
export function share(percent: number): string {
  return `${percent >= 9.95 ? fixed(percent, 0) : percent >= 0.995 ? fixed(percent, 1) : digits(percent)}%`;
}

/** `±1.3%`; empty where there is no interval. */
export function halfWidth({ value, low, high }: Estimate): string {
  return low === null || high === null || value === 0 ? "" : `±${share(Math.abs((high - low) / 2 / value) * 100)}`;
}

export function counted(count: number, word: string): string {
  return `${String(count)}${THIN}${word}${count === 1 ? "" : "s"}`;
}

/** One in so many as a percentile: 10 is 90%. */
export function percentile(oneIn: number): string {
  const share = 100 * (1 - 1 / oneIn);
  const nines = Math.max(0, Math.ceil(Math.log10(oneIn) - 2 - 1e-9));
  return `${share.toFixed(Math.min(nines, 9))}%`;
}

/** For axes: without zeros behind the point. */
export function tick(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
}
