// Light and dark: as the system is set, until the user selects another; and the colours that charts take from it.

import { h } from "./dom";

type Theme = "light" | "dark";
const listeners: (() => void)[] = [];
const dark = matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  const selected = document.documentElement.dataset["theme"];
  if (selected === "light" || selected === "dark") return selected;
  return dark.matches ? "dark" : "light";
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function themeSwitch(): HTMLElement {
  const button = h("button", {
    type: "button", class: "quiet", id: "theme", onclick: () => set(theme() === "dark" ? "light" : "dark"),
  });
  const label = () => {
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${theme() === "dark" ? "light" : "dark"} colours`);
  };
  onTheme(label);
  dark.addEventListener("change", changed);
  label();
  return button;
}

function set(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  changed();
}

function changed(): void {
  for (const listener of listeners) listener();
}

/** Paper is white with any theme. */
let printing = false;
export function onPrint(draw: () => void): void {
  addEventListener("beforeprint", () => { printing = true; draw(); });
  addEventListener("afterprint", () => { printing = false; draw(); });
}

export function inkIsDark(): boolean {
  return printing || theme() === "light";
}

/** Okabe and Ito's colours, which people with any colour vision can distinguish; lighter ones on a dark ground. */
const ON_LIGHT = ["#0072b2", "#c04f00", "#007a5a", "#a8467e", "#7a5c00", "#2b5f8c", "#444444"] as const;
const ON_DARK = ["#56b4e9", "#f0903c", "#2fc39a", "#e59ac4", "#e6c229", "#8fb8de", "#cccccc"] as const;

export function palette(): readonly string[] {
  return inkIsDark() ? ON_LIGHT : ON_DARK;
}

export function colour(place: number): string {
  const colours = palette();
  return colours[place % colours.length] ?? "currentColor";
}
