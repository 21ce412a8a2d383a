import * as v from "valibot";
import { count, text } from "./wire";

export const conditions = v.object({
  /** The payment address of the only borrower who can take it; null for everyone who may not see it. */
  borrowerAddress: v.nullable(text),
  /** The key in the link of an unlisted offer; null for all but its lender. */
  linkKey: v.nullable(text),
  /** The least number of repaid loans; 0 asks for none. */
  repaidMin: count,
  /** The days without a default; 0 asks for none. */
  defaultFreeDays: count,
  /** The number of inscriptions that were chosen by id. Any can be pledged if it is 0 and `numbers` is empty. */
  inscriptionCount: count,
  /** The ranges of inscription numbers that can be pledged as well. */
  numbers: v.array(v.object({ first: count, last: count })),
});
/** The conditions of an offer for borrowers. */
export type Conditions = v.InferOutput<typeof conditions>;

export type NumberRange = Conditions["numbers"][number];

const SHOWN_RANGES = 3;

/** The conditions as phrases, such as `2 repaid loans or more`; empty if anyone can take it. */
export function conditionTexts(asked: Conditions): string[] {
  const { borrowerAddress, linkKey, repaidMin, defaultFreeDays, inscriptionCount, numbers } = asked;
  const texts = [
    borrowerAddress !== null && `only for ${borrowerAddress}`,
    linkKey !== null && "only by its link",
    repaidMin > 0 && `${repaidMin} repaid ${repaidMin === 1 ? "loan" : "loans"} or more`,
    defaultFreeDays > 0 && `no default in ${defaultFreeDays} ${defaultFreeDays === 1 ? "day" : "days"}`,
    inscriptionCount > 0 &&
      `${inscriptionCount} chosen ${inscriptionCount === 1 ? "inscription" : "inscriptions"}`,
    numbers.length > 0 &&
      `inscriptions ${numbers.slice(0, SHOWN_RANGES).map(rangeText).join(", ")}${more(numbers)}`,
  ];
  return texts.filter((each) => each !== false);
}

/** Whether the only condition is to be the named borrower, as only that borrower and the lender see it. */
export function isForOneBorrower(asked: Conditions | null): boolean {
  if (asked === null || asked.borrowerAddress === null) return false;
  return asked.repaidMin === 0 && asked.defaultFreeDays === 0 && !choosesInscriptions(asked);
}

/** Whether not every inscription can be pledged. */
export function choosesInscriptions({ inscriptionCount, numbers }: Conditions): boolean {
  return inscriptionCount > 0 || numbers.length > 0;
}

/** A range of inscription numbers, `#7` or `#1–#500`. */
function rangeText({ first, last }: NumberRange): string {
  return first === last ? `#${first}` : `#${first}–#${last}`;
}

function more({ length }: readonly NumberRange[]): string {
  return length > SHOWN_RANGES ? ` and ${length - SHOWN_RANGES} more` : "";
}
