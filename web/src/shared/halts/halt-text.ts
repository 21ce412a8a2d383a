import type { Halt } from "@/shared/api/halt";

/** The title of a halt, and what works meanwhile. */
export interface HaltText {
  title: string;
  works: string;
}

/** The text of a halt; one of a part that this version does not know has a general one. */
export function haltText({ scope }: Halt): HaltText {
  if (scope === "new_loans") {
    return {
      title: "New loans are halted",
      works:
        "Repayments, claims, extensions, cancellations and withdrawals work as always, and due dates still apply. Offers can be made, changed and cancelled; they can be taken once loans begin again.",
    };
  }
  return {
    title: "A part of the market is halted",
    works: "Repayments, claims, cancellations and withdrawals work as always, and due dates still apply.",
  };
}
