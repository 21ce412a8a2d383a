/** One thing that moves, in words: `0.01250000 BTC`, and to or from where. */
export interface Movement {
  what: string;
  /** The address it comes from or goes to. */
  address?: string;
  /** A few words beside it. */
  note?: string;
}

/** Where a person's money is. */
export type Place = "wallet" | "vault";

/** What a person is told before a signature. Every sentence is one that can be held against us. */
export interface SigningFacts {
  /** Out of the wallet, or out of the vault. */
  leavesFrom?: Place;
  leaves: Movement[];
  /** Into the wallet, or into the vault. */
  arrivesIn?: Place;
  arrives: Movement[];
  /** Change that goes back to the vault it came from. */
  returns?: Movement[];
  fees: Movement[];
  /** How what leaves or arrives comes about, line by line, the result last. */
  calculation?: Movement[];
  /** What the second of two transactions does that are signed for one loan. */
  secondTransaction?: string;
  /** What is known of the one on the other side, where that is a question. */
  otherSide?: { who: string; record: string };
  /** Until when something has to happen, and what. */
  deadline: string;
  /** What happens when the loan is not repaid; null when no loan comes of it. */
  atDefault: string | null;
  /** How to get out when the other side and this site have vanished. */
  wayOut: string;
}
