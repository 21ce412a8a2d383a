/** A part of a page. */
export type Child = Node | string | null;

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;

/** Creates an element: texts are never parsed as HTML, and functions are listeners. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(attribute, value);
    else if (typeof value === "boolean") made.toggleAttribute(attribute, value);
    else made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

let fields = 0;

/** A labelled field, with a hint that screen readers read with it. */
export function field<T extends HTMLElement>(label: string, control: T, hint?: string): HTMLDivElement {
  fields += 1;
  control.id = `field-${fields}`;
  if (hint) control.setAttribute("aria-describedby", `hint-${fields}`);
  return element(
    "div",
    { class: "field" },
    element("label", { for: control.id }, label),
    control,
    hint ? element("p", { class: "muted", id: `hint-${fields}` }, hint) : null,
  );
}

/** A checkbox with its label. */
export function checkbox(
  label: string,
  value: string,
  isMono = false,
): { row: HTMLElement; input: HTMLInputElement } {
  const input = element("input", { type: "checkbox", value });
  return {
    input,
    row: element("label", { class: "check" }, input, element("span", isMono ? { class: "mono" } : {}, label)),
  };
}

/** A step of the page: a region with a heading, which gets the focus when the step appears. */
export function step(title: string, ...children: readonly Child[]): HTMLElement {
  const heading = element("h2", { tabindex: "-1" }, title);
  const section = element("section", { class: "card" }, heading, ...children);
  section.setAttribute("aria-label", title);
  return section;
}

/** Moves the focus to a step's heading, and the step into view. */
export function reveal(section: HTMLElement): void {
  section.querySelector<HTMLElement>("h2, h3")?.focus({ preventScroll: true });
  section.scrollIntoView({ block: "start" });
}

/** The place of a message to the user: an error interrupts a screen reader. */
export function messagePlace(): { place: HTMLElement; show: (text: string | null) => void } {
  const place = element("p", { class: "error", role: "alert" });
  place.hidden = true;
  return {
    place,
    show(text) {
      place.textContent = text ?? "";
      place.hidden = text === null;
    },
  };
}
