// A chart as a file of its own: an SVG that needs no style sheet, or the same as a PNG.
// Omitted: the chart's table, which the page saves as CSV.

import { h } from "./dom";

const SVG = "http://www.w3.org/2000/svg";
const PADDING = 12;
const TITLE_HEIGHT = 28;
/** Pixels of a PNG for each of the page. */
const PNG_SCALE = 2;

/** The properties that a picture takes from the page. */
const TAKEN = ["fill", "stroke", "color", "font-family", "font-size", "font-weight", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray", "text-anchor", "visibility"] as const;

/** Everything that is drawn on a canvas, with its words, under the title. */
export function picture(canvas: HTMLElement, title: string): { text: string; width: number; height: number } {
  const box = canvas.getBoundingClientRect();
  const width = Math.ceil(box.width) + 2 * PADDING;
  const height = Math.ceil(box.height) + 2 * PADDING + TITLE_HEIGHT;
  const style = getComputedStyle(canvas);
  const whole = document.createElementNS(SVG, "svg");
  set(whole, { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": style.fontFamily });
  whole.append(shape("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  const heading = shape("text", { x: PADDING, y: PADDING + 14, fill: style.color, "font-size": 15, "font-weight": 600 });
  heading.textContent = title;
  whole.append(heading);
  const [left, top] = [PADDING - box.left, PADDING + TITLE_HEIGHT - box.top];
  for (const svg of canvas.querySelectorAll("svg")) {
    const place = svg.getBoundingClientRect();
    const copy = svg.cloneNode(true) as SVGSVGElement;
    styled(svg, copy);
    copy.querySelectorAll("style, title, [visibility='hidden']").forEach((element) => element.remove());
    set(copy, { x: place.left + left, y: place.top + top, width: place.width, height: place.height, overflow: "visible" });
    whole.append(copy);
  }
  for (const swatch of canvas.querySelectorAll<HTMLElement>(".swatch, .ramp")) {
    const place = swatch.getBoundingClientRect();
    const ground = getComputedStyle(swatch);
    const ramp = [...ground.backgroundImage.matchAll(/rgb\([^)]*\)/g)].map(([colour]) => colour);
    const colours = ramp.length > 0 ? ramp : [ground.backgroundColor];
    const each = place.width / colours.length;
    for (const [number, fill] of colours.entries()) {
      whole.append(shape("rect", { x: place.left + left + number * each, y: place.top + top, width: each, height: place.height, fill }));
    }
  }
  for (const [word, place, from] of words(canvas)) {
    const text = shape("text", { x: place.left + left, y: place.bottom + top - 4, fill: from.color, "font-size": from.fontSize });
    text.textContent = word;
    whole.append(text);
  }
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

/** The words of a canvas that are not in a picture, each with its place. */
function words(canvas: HTMLElement): [string, DOMRect, CSSStyleDeclaration][] {
  const found: [string, DOMRect, CSSStyleDeclaration][] = [];
  const walk = document.createTreeWalker(canvas, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const within = node.parentElement;
    if (!within || within.closest("svg") || !node.textContent?.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    found.push([node.textContent.trim(), range.getBoundingClientRect(), getComputedStyle(within)]);
  }
  return found;
}

/** Gives a copy the style that the page gives the original: colours are variables there. */
function styled(from: Element, to: Element, above?: CSSStyleDeclaration): void {
  const style = getComputedStyle(from);
  const changed = (name: string, value: string) => value !== "" && !value.startsWith("url(") && value !== above?.getPropertyValue(name);
  for (const { name, value } of [...to.attributes]) if (name === "style" || value.includes("var(")) to.removeAttribute(name);
  for (const name of TAKEN) {
    const value = style.getPropertyValue(name);
    if (changed(name, value)) (to as SVGElement).style.setProperty(name, value);
  }
  if (style.opacity !== "1") (to as SVGElement).style.opacity = style.opacity;
  for (const [place, child] of [...from.children].entries()) {
    const copy = to.children[place];
    if (copy) styled(child, copy, style);
  }
}

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  set(element, attributes);
  return element;
}

function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

export function saveSvg(name: string, canvas: HTMLElement, title: string): void {
  save(`${name}.svg`, new Blob([picture(canvas, title).text], { type: "image/svg+xml" }));
}

export async function savePng(name: string, canvas: HTMLElement, title: string): Promise<void> {
  const { text, width, height } = picture(canvas, title);
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const paper = h("canvas", { width: width * PNG_SCALE, height: height * PNG_SCALE });
  const context = paper.getContext("2d");
  if (!context) return;
  context.scale(PNG_SCALE, PNG_SCALE);
  context.drawImage(image, 0, 0, width, height);
  paper.toBlob((blob) => blob && save(`${name}.png`, blob), "image/png");
}

/** Offers a file to the reader. */
export function save(name: string, file: Blob): void {
  const link = h("a", { href: URL.createObjectURL(file), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
