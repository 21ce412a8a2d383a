/** One movement, in words: `0.01250000 BTC`, and its source or destination. */
export interface Movement {
  what: string;
  /** Its source or destination address. */
  address?: string;
  /** A short remark next to it. */
  note?: string;
}

/** The place of a user's funds. */
export type FundsLocation = "wallet" | "vault";

/** The total of the loans that a signature begins, and its yearly rate. */
export interface YearlyFacts {
  totalName: "Total cost" | "Gain";
  total: string;
  totalNote: string;
  rateName: "APR" | "Yearly return";
  rate: string;
  rateNote: string;
  /** The loans whose terms can be saved. */
  loanIds: readonly string[];
}

/** The facts shown before a signature. Every sentence must be exactly true. */
export interface SigningFacts {
  /** The wallet or the vault that pays. */
  outgoingFrom?: FundsLocation;
  outgoing: Movement[];
  /** The wallet or the vault that receives. */
  incomingTo?: FundsLocation;
  incoming: Movement[];
  /** Change that returns to the vault it came from. */
  returns?: Movement[];
  fees: Movement[];
  /** The total cost or gain; absent where no loan begins. */
  yearly?: YearlyFacts;
  /** The calculation of the amount that leaves or arrives, line by line, the result last. */
  calculation?: Movement[];
  /** The effect of the second of two transactions that are signed for one loan. */
  secondTransaction?: string;
  /** What it means that several inscriptions secure the loan together, and which they are. */
  collateral?: { text: string; ids: readonly string[] };
  /** The known record of the counterparty, where relevant. */
  counterparty?: { name: string; record: string };
  /** The deadline of the next step, and the step. */
  deadline: string;
  /** The consequence of a default; null when no loan starts. */
  atDefault: string | null;
  /** The exit when the counterparty and this site are gone. */
  exit: string;
}
