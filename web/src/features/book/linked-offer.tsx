import type { LinkedState } from "./linked-offer-state";

const TEXTS: Record<LinkedState, { title: string; next: string | null }> = {
  live: { title: "The linked offer is marked below.", next: "It can be taken now." },
  reserved: { title: "The linked offer is marked below.", next: null },
  conditional: {
    title: "The linked offer is marked below.",
    next: "Borrowers who meet its conditions can take it.",
  },
  "for you": { title: "The linked offer is marked below.", next: "Only you can take it." },
  opening: { title: "Opening the linked offer...", next: "" },
  "sign in": {
    title: "Connect your wallet to see the linked offer.",
    next: "It is not in the public order book.",
  },
  own: { title: "The linked offer is your own.", next: "It is marked below." },
  gone: {
    title: "The linked offer is no longer in the order book.",
    next: "It was taken, changed, paused or cancelled. These are the other offers.",
  },
};

/** The state of the linked offer, as long as the book is open; `reserved` is the reason of a reservation. */
export function LinkedOffer({ state, reserved }: { state: LinkedState; reserved: string }) {
  const { title, next } = TEXTS[state];
  return (
    <p
      role="status"
      data-linked={state}
      className="shrink-0 border-b border-line px-5 py-2 text-sm text-pretty text-soft"
    >
      <span className={state === "gone" ? "text-warn" : "text-text"}>{title}</span> {next ?? reserved}
    </p>
  );
}
