import type { NewDelegation } from "@/shared/bitcoin/action-message";
import { amountSats } from "@/shared/format/btc-amount";
import { typedBps } from "@/shared/format/percent";
import { typedList } from "./typed-list";

const DAY_S = 24 * 3_600;
const KEY = /^[0-9a-f]{64}$/;
const ID = /^[0-9a-f]{32}$/;
const COLLECTIONS_MAX = 50;
const TERM_DAYS_MAX = 3_650;
const INTEREST_MAX = 10_000;

/** The days for which a delegation can be valid. */
export const DELEGATED_DAYS = ["7", "30", "90"] as const;

/** A delegation as it is typed. */
export interface DelegationDraft {
  /** The program's id for it, and its public key, both in hexadecimal. */
  delegationId: string;
  programKey: string;
  principalMax: string;
  dailyMax: string;
  /** Percent for the whole term. */
  interestMin: string;
  termMaxDays: string;
  /** Slugs, separated by spaces, commas or lines; empty for all. */
  collections: string;
  validDays: (typeof DELEGATED_DAYS)[number];
}

export const EMPTY_DELEGATION: DelegationDraft = {
  delegationId: "",
  programKey: "",
  principalMax: "",
  dailyMax: "",
  interestMin: "",
  termMaxDays: "30",
  collections: "",
  validDays: "30",
};

/** The reasons for which fields cannot be signed, by field. */
export type DelegationErrors = Partial<Record<keyof DelegationDraft, string>>;

export function delegationErrors(draft: DelegationDraft): DelegationErrors {
  const errors: DelegationErrors = {};
  if (!ID.test(draft.delegationId)) errors.delegationId = "32 digits 0-9 and a-f, as the program shows them";
  if (!KEY.test(draft.programKey)) errors.programKey = "64 digits 0-9 and a-f, as the program shows them";
  for (const field of ["principalMax", "dailyMax"] as const) {
    if (amountSats(draft[field]) === 0n) errors[field] = "Enter an amount";
  }
  const interest = typedBps(draft.interestMin);
  if (interest === null || interest > INTEREST_MAX) errors.interestMin = "A percentage from 0 to 100";
  const days = Number(draft.termMaxDays);
  if (!/^\d{1,4}$/.test(draft.termMaxDays) || days < 1 || days > TERM_DAYS_MAX) {
    errors.termMaxDays = `1 to ${TERM_DAYS_MAX} days`;
  }
  if (typedList(draft.collections).length > COLLECTIONS_MAX) {
    errors.collections = `At most ${COLLECTIONS_MAX} names`;
  }
  return errors;
}

/** The delegation to sign at `nowMs`, for the vault of this policy. */
export function newDelegation(draft: DelegationDraft, vault: string, nowMs: number): NewDelegation {
  const collections = typedList(draft.collections);
  return {
    delegationId: draft.delegationId,
    programKey: draft.programKey,
    vaults: [vault],
    ...(collections.length === 0 ? {} : { collections }),
    principalMaxSats: amountSats(draft.principalMax),
    dailyMaxSats: amountSats(draft.dailyMax),
    interestMin: typedBps(draft.interestMin) ?? 0,
    termMaxDays: Number(draft.termMaxDays),
    // A minute less than the maximum: the message is issued after this moment, or a little before it by another clock.
    validUntilS: Math.floor(nowMs / 1_000) + Number(draft.validDays) * DAY_S - 60,
  };
}
