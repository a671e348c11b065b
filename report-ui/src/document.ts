// The document that stands in the page, as crates/analysis/src/page describes it (docs/schema/page.schema.json).
// Deliberately absent: anything that changes it.

export type Unit =
  | "text" | "name" | "tags" | "count" | "percent" | "rate" | "size" | "size_per_second" | "time" | "moment" | "truth";
export type Value = null | number | boolean | string;
export type Validity = "VALID" | "NOT CHECKED" | "CAUTION" | "INVALID";

export interface Estimate { value: number; low: number | null; high: number | null; samples: number }

export interface PanelItem {
  id: string; label: string; unit: Unit; estimate: Estimate | null; text: string | null; cell: number | null; note: string;
}

export interface Device {
  name: string; kind: string; size_bytes: number; model: string | null; rotational: boolean | null;
  scheduler: string | null; queue_size: number | null; write_cache: string | null;
}
export interface Target {
  path: string; size_bytes: number; file_system: string | null; mount_options: string | null; chain: Device[];
}
export interface Host {
  hostname: string; kernel: string; distribution: string | null; cpu_model: string | null; cores: number;
  governor: string | null; ram_bytes: number; virtualization: string | null;
}
export interface Engine {
  requested: string; backend: string; features: string[]; notes: string[]; clock_source: string; clock_cost_ns: number;
  clock_drift_ns: number; seed: number;
}
export interface Goal { goal: string; met: boolean; sentence: string }
export interface TableHead { label: string; unit: Unit }
export interface TableFigure { value: Value; mark?: "*" | "!" | "~" }
export interface TableRow { name: string; cell: number | null; figures: TableFigure[]; trend: number[]; gap: string | null }
export interface AnswerTable { rows_are: string; heads: TableHead[]; rows: TableRow[]; note: string; trend: string }
export interface Counts {
  planned: number | null; done: number; failed: number; interrupted: number; valid: number; caution: number;
  invalid: number; repeated: number;
}
export interface Part {
  name: string; kind: string; target: string;
  verdict: { validity: Validity | null; headline: string; cause: string; advice: string | null; simulated: boolean; sentences: string[] };
  panel: PanelItem[]; goals: Goal[]; table: AnswerTable | null; started_utc_ns: number | null; outcome: string; command: string[]; tool_version: string;
  tags: string[]; notes: string[]; models: string[]; counts: Counts; host: Host | null; targets: Target[]; engine: Engine | null;
  device_checks: string[];
}
/** A field: its name, and the same without its unit, over values that have theirs. */
export interface Column { name: string; short: string; unit: Unit; about: string; alike?: Value }

export interface Steady {
  steady: boolean | null; reason: string | null; from_ns: number | null; to_ns: number | null; iops: number | null;
}
export interface Times {
  step_ns: number; last_ns: number; merged: number; warmup_ns: number; ios: number[]; bytes: number[];
  mean_ns: (number | null)[]; max_ns: (number | null)[]; steady: Steady;
  cut_ns: number | null; marks: { at_ns: number; text: string }[]; pauses: { from_ns: number; length_ns: number }[];
}
/** Counts of latencies over time: rows of time, each with columns (places in `bounds_ns`) and counts in turn. */
export interface Heat { step_ns: number; bounds_ns: number[]; rows: number[][] }
/** Counters of the machine that have one unit, on the axis of time: `at_ns` is where each stretch ended. */
export interface Track { id: string; label: string; unit: Unit; lines: { name: string; values: (number | null)[] }[] }
export interface Counters { at_ns: number[]; length_ns: number[]; tracks: Track[] }
export interface Distribution {
  operation: string; ios: number; one_in: number[]; latency_ns: number[]; max_ns: number | null; resolved_to_one_in: number;
  low_ns: (number | null)[]; high_ns: (number | null)[];
}
export interface Detail { times: Times | null; distributions: Distribution[]; heat: Heat | null; counters: Counters | null }

export interface Cell {
  part: number; id: string; label: string; validity: Validity | null; reasons: string[]; failed: boolean; values: Value[];
  iops_estimate: Estimate | null; command: string | null; detail: Detail | null;
}
/** A load that a survey ran more than once: its runs, the first of which represents it in charts, and figures of all. */
export interface Load {
  cells: number[]; iops: number; bytes_per_s: number;
  latency: { mean_ns: number | null; percentiles: { quantile: number; latency_ns: number | null }[] };
}
export interface Finding {
  id: string; group: string; severity: "note" | "warning" | "error"; confidence: "high" | "medium" | "low"; sentence: string;
  evidence: { name: string; value: number }[]; advice: string; because: string | null; cells: number[];
}
export interface Mark { outstanding: number | null; iops: number | null; how: string }
export interface Curve {
  part: number; workload: string; threads: number; points: { outstanding: number; cell: number; runs: number }[];
  knee: Mark | null; cap: Mark | null;
}
export interface Roof {
  part: number; name: string; iops: number; iops_cell: number; bytes_per_s: number; bytes_cell: number; cells: number[];
}
export type Outcome = "faster" | "slower" | "no_difference" | "inconclusive";
export interface Change {
  metric: string; short: string; a: number; b: number; ratio: Estimate | null; differs: boolean | null; outcome: Outcome; at_most_share?: number | null;
  minimum_detectable_share: number | null; cannot: string | null;
}
export interface CellChange { name: string; a: string[]; b: string[]; rates: [number, number] | null; doubt: string | null; ratio: Estimate | null; differs: boolean | null; outcome: Outcome | null; at_most_share: number | null }
export interface Comparison {
  a: string; b: string; answer: string; overall: Change[]; cells: CellChange[];
  differences: { what: string; a: string; b: string; of_work: boolean }[]; notes: string[];
}
export interface PageDocument {
  schema_version: number; title: string; made_utc_ns: number; tool_version: string; parts: Part[]; columns: Column[];
  axes: string[]; cells: Cell[]; loads: Load[]; findings: Finding[]; curves: Curve[]; roofs: Roof[]; comparisons: Comparison[]; left_out: string[];
}
