import type { LinkedState } from "./linked-offer-state";

const WORDS: Record<LinkedState, { title: string; next: string }> = {
  live: { title: "The offer of your link is marked below.", next: "It can be taken now." },
  reserved: {
    title: "The offer of your link is marked below.",
    next: "Another borrower is about to sign. It is free again if they do not.",
  },
  own: { title: "The offer of your link is your own.", next: "It is marked below." },
  gone: {
    title: "The offer of your link is not in the book any more.",
    next: "It was taken, changed, paused or taken back. These are the others.",
  },
};

/** Says what has become of the offer that a link leads to, as long as the book is open. */
export function LinkedOffer({ state }: { state: LinkedState }) {
  const { title, next } = WORDS[state];
  return (
    <p
      role="status"
      data-linked={state}
      className="shrink-0 border-b border-line px-5 py-2 text-sm text-pretty text-soft"
    >
      <span className={state === "gone" ? "text-warn" : "text-text"}>{title}</span> {next}
    </p>
  );
}
