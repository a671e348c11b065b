// Elements from words, always as text: nothing here takes HTML.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

/** A choice with its label before it. */
export function choice<T extends string | number>(
  label: string, options: readonly (readonly [value: T, text: string])[], chosen: T, change: (value: T) => void,
): HTMLElement {
  const select = h("select", {
    onchange: () => {
      const option = options[select.selectedIndex];
      if (option) change(option[0]);
    },
  }, ...options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

let numbered = 0;
export function freshId(word: string): string {
  numbered += 1;
  return `${word}-${numbered}`;
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  const heading = h("h2", { id: `${id}-title` }, title);
  return h("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children);
}
