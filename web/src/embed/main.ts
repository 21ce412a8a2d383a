import { type EmbedAddress, readAddress } from "./embed-address";
import { newState, withOutcome } from "./embed-state";
import { type EmbedView, type Slot, viewOf } from "./embed-view";
import { fetchQuote } from "./quote";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

const card = element<HTMLElement>("main");
const act = element<HTMLAnchorElement>("[data-slot=act]");
const retry = element<HTMLButtonElement>("[data-slot=retry]");
const principal = element<HTMLElement>(".principal");

const address = readAddress(location.search);
if (address.theme) document.documentElement.dataset.theme = address.theme;
let state = newState(address);
let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

show(viewOf(state, formatTime));
reportHeight(address);
retry.addEventListener("click", () => void ask());
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && state.address.collection !== null) void ask();
});
if (address.collection !== null) void ask();

/** Asks for the quote, and again after a pause while the page is visible. */
async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  clearTimeout(timer);
  state = withOutcome(state, await fetchQuote(address), Date.now());
  isAsking = false;
  show(viewOf(state, formatTime));
  timer = setTimeout(() => {
    if (!document.hidden) void ask();
  }, state.pauseMs);
}

/** Writes the view into the page; what has not changed is left, so that nothing loses the focus. */
function show(view: EmbedView): void {
  card.dataset.state = view.state;
  card.dataset.freshness = view.freshness;
  card.setAttribute("aria-busy", String(view.state === "loading"));
  for (const slot of card.querySelectorAll<HTMLElement>("[data-slot]")) {
    const name = slot.dataset.slot as Slot | "act" | "retry";
    if (name === "act" || name === "retry") continue;
    const text = view.texts[name] ?? "";
    if (slot.textContent !== text) slot.textContent = text;
  }
  act.hidden = view.act === null;
  retry.hidden = view.act !== null || view.state === "loading";
  if (view.act) {
    if (act.textContent !== view.act.label) act.textContent = view.act.label;
    act.setAttribute("href", view.act.href);
  }
  if (view.change) flash(view.change);
}

function flash(change: "up" | "down"): void {
  principal.dataset.change = change;
  principal.addEventListener("animationend", () => delete principal.dataset.change, { once: true });
}

/** Tells the page around this one its height, and no other page: a message names its receiver. */
function reportHeight({ host }: EmbedAddress): void {
  if (host === null || window.parent === window) return;
  new ResizeObserver(() => {
    const height = Math.ceil(card.getBoundingClientRect().height);
    window.parent.postMessage({ lienbook: "height", height }, host);
  }).observe(card);
}

function formatTime(time: number): string {
  return clock.format(time);
}

function element<Kind extends Element>(selector: string): Kind {
  const found = document.querySelector<Kind>(selector);
  if (!found) throw new Error(`embed.html has no ${selector}`);
  return found;
}
