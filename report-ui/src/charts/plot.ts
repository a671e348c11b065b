// What all charts have in common: their look and their axes.
// Axes begin at zero or are labelled as logarithmic.



export const LOOK = { background: "transparent", fontSize: "12px", fontFamily: "inherit", overflow: "visible" } as const;

/** Powers of a base between two bounds, thinned to at most so many. */
export function powers(low: number, high: number, base: number, most = 12): number[] {
  const from = Math.floor(Math.log(low) / Math.log(base) + 1e-9);
  const to = Math.ceil(Math.log(high) / Math.log(base) - 1e-9);
  const step = Math.max(1, Math.ceil((to - from + 1) / most));
  const values: number[] = [];
  for (let power = from; power <= to; power += step) values.push(base ** power);
  return values;
}

/** A logarithmic domain with room around what is in it; powers of ten, cut close. */
export function logDomain(values: readonly number[], room = 1.15): [number, number] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [1, 10];
  return [Math.min(...positive) / room, Math.max(...positive) * room];
}

/** 1, 2 and 5 of each power of ten within the domain; fewer where there are many. */
export function logTicks([low, high]: [number, number]): number[] {
  const decades = Math.log10(high / low);
  const steps = decades > 4 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 3, 5, 7];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const step of steps) {
      const tick = step * 10 ** power;
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/** Powers of two within the domain, so few that their names fit: sizes are counted in 1024s. */
export function sizeTicks([low, high]: [number, number], most = 8): number[] {
  const doublings = Math.log2(high / low);
  const step = [1, 2, 5, 10].find((size) => doublings / size <= most) ?? 10;
  const ticks: number[] = [];
  for (let power = Math.ceil(Math.log2(low) / step) * step; 2 ** power <= high; power += step) ticks.push(2 ** power);
  return ticks;
}

/** From zero in steps of a power of two, for sizes on a linear axis. */
export function linearSizeTicks(most: number, count: number): number[] {
  const step = 2 ** Math.ceil(Math.log2(most / count));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, place) => place * step);
}
