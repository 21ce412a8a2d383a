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
  /** The number of inscriptions that can be pledged; 0 if any can. */
  inscriptionCount: count,
});
/** The conditions of an offer for borrowers. */
export type Conditions = v.InferOutput<typeof conditions>;

/** The conditions as phrases, such as `2 repaid loans or more`; empty if anyone can take it. */
export function conditionTexts(asked: Conditions): string[] {
  const { borrowerAddress, linkKey, repaidMin, defaultFreeDays, inscriptionCount } = asked;
  const texts = [
    borrowerAddress !== null && `only for ${borrowerAddress}`,
    linkKey !== null && "only by its link",
    repaidMin > 0 && `${repaidMin} repaid ${repaidMin === 1 ? "loan" : "loans"} or more`,
    defaultFreeDays > 0 && `no default in ${defaultFreeDays} ${defaultFreeDays === 1 ? "day" : "days"}`,
    inscriptionCount > 0 &&
      `${inscriptionCount} chosen ${inscriptionCount === 1 ? "inscription" : "inscriptions"}`,
  ];
  return texts.filter((each) => each !== false);
}

/** Whether the only condition is to be the named borrower, as only that borrower and the lender see it. */
export function isForOneBorrower(asked: Conditions | null): boolean {
  if (asked === null || asked.borrowerAddress === null) return false;
  return asked.repaidMin === 0 && asked.defaultFreeDays === 0 && asked.inscriptionCount === 0;
}
