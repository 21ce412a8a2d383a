import { type Collection, decimalsOf, type SubCollection, unitOf } from "@/shared/api/collection";
import { type Limits, smallestOffer } from "@/shared/api/config";
import { interestOf } from "@/shared/api/loan-figures";
import { LTV_END_BPS, loanToValueBps } from "@/shared/api/loan-to-value";
import { INSCRIPTIONS_MAX, inscriptionsText } from "@/shared/api/pledge";
import type { NewRequest } from "@/shared/bitcoin/action-message";
import { amountSats } from "@/shared/format/btc-amount";
import { typedBps } from "@/shared/format/percent";
import { rawTokens } from "@/shared/format/raw-tokens";
import { formatTokenAmount } from "@/shared/format/unit-price";
import { fittingTerms } from "@/shared/requests/request-ladder";

/** What a borrower asks for, as entered. */
export interface RequestDraft {
  row: Collection;
  /** The inscriptions to pledge together, in the order of the choice; empty with tokens. */
  inscriptionIds: readonly string[];
  /** Whole tokens as text; empty with an inscription. */
  tokenText: string;
  /** Bitcoin as text. */
  principalText: string;
  /** Percent as text. */
  interestText: string;
  termMinDays: number;
  termMaxDays: number;
  goodForDays: number;
}

/** The terms that a collection has, in days, ascending. */
export function termsOf(row: Pick<Collection, "subCollections">): number[] {
  const terms = row.subCollections.filter(({ manual, instant }) => manual || instant).map(({ term }) => term);
  return [...new Set(terms)].sort((one, other) => one - other);
}

/** A draft of a request at the highest interest of the collection, for any of its terms. */
export function newRequestDraft(row: Collection): RequestDraft {
  const terms = termsOf(row);
  const interests = row.subCollections.map(({ interest }) => interest);
  return {
    row,
    inscriptionIds: [],
    tokenText: "",
    principalText: "",
    interestText: interests.length === 0 ? "" : String(Math.max(...interests)),
    termMinDays: terms[0] ?? 1,
    termMaxDays: terms.at(-1) ?? 1,
    goodForDays: 7,
  };
}

/** The choice with an inscription added or removed; one beyond the limit is not added. */
export function toggled(inscriptionIds: readonly string[], inscriptionId: string): readonly string[] {
  if (inscriptionIds.includes(inscriptionId)) return inscriptionIds.filter((id) => id !== inscriptionId);
  return inscriptionIds.length < INSCRIPTIONS_MAX ? [...inscriptionIds, inscriptionId] : inscriptionIds;
}

/** The collateral in raw units; null while it is not entered. */
export function enteredRaw({ row, inscriptionIds, tokenText }: RequestDraft): bigint | null {
  if (row.collateralType === "inscription") {
    return inscriptionIds.length === 0 ? null : BigInt(inscriptionIds.length);
  }
  const raw = rawTokens(tokenText, decimalsOf(row));
  return raw === 0n ? null : raw;
}

/** The collateral in words; null while it is not entered. */
export function enteredText(draft: RequestDraft): string | null {
  const { row } = draft;
  const raw = enteredRaw(draft);
  if (raw === null) return null;
  if (row.collateralType === "inscription") return inscriptionsText(draft.inscriptionIds.length);
  return `${formatTokenAmount(raw, decimalsOf(row))} ${unitOf(row)}`;
}

/** The highest interest in basis points; null when the text is no percentage with at most two decimals. */
export function interestBps({ interestText }: Pick<RequestDraft, "interestText">): number | null {
  return typedBps(interestText);
}

/** The terms that lenders can fill the request with. */
export function fillableTerms(draft: RequestDraft): SubCollection[] {
  const interestMax = interestBps(draft);
  const raw = enteredRaw(draft);
  if (interestMax === null) return [];
  const isInscription = draft.row.collateralType === "inscription";
  return fittingTerms(
    {
      interestMaxPercent: interestMax / 100,
      termMinDays: draft.termMinDays,
      termMaxDays: draft.termMaxDays,
      inscriptionIds: draft.inscriptionIds,
      // Before an amount is entered every bundle may fit.
      fungibleAmount: isInscription ? null : raw,
    },
    isInscription || raw !== null
      ? draft.row
      : { subCollections: draft.row.subCollections.map((sub) => ({ ...sub, bundleSize: null })) },
  );
}

export interface RequestFigures {
  principalSats: bigint;
  /** The most that is repaid; null while the interest is unknown. */
  payoutMaxSats: bigint | null;
  /** Basis points; null while the collateral or the price is unknown. */
  ltvBps: number | null;
}

export function requestFigures(draft: RequestDraft): RequestFigures {
  const principalSats = amountSats(draft.principalText);
  const [bps, raw] = [interestBps(draft), enteredRaw(draft)];
  const { unitPrice } = draft.row;
  return {
    principalSats,
    payoutMaxSats: bps === null ? null : principalSats + interestOf(principalSats, bps),
    ltvBps:
      raw === null || unitPrice === null || principalSats === 0n
        ? null
        : loanToValueBps(principalSats, raw, decimalsOf(draft.row), unitPrice),
  };
}

/** The smallest principal of an offer that can fill the request; null if no term fits. */
export function minSatsOf(draft: RequestDraft, limits: Pick<Limits, "minOfferSats">): bigint | null {
  const minima = fillableTerms(draft).flatMap((term) =>
    (["manual", "instant"] as const)
      .filter((process) => term[process])
      .map((process) => smallestOffer(limits, draft.row.collateralType, process)),
  );
  return minima.reduce<bigint | null>((least, sats) => (least === null || sats < least ? sats : least), null);
}

/** The reason why the request cannot be signed yet, the first one; null when it can. */
export function requestError(draft: RequestDraft, limits: Pick<Limits, "minOfferSats">): string | null {
  const { principalSats, ltvBps } = requestFigures(draft);
  const minSats = minSatsOf(draft, limits);
  if (enteredRaw(draft) === null) {
    return draft.row.collateralType === "inscription" ? "Choose an inscription" : "Enter an amount of tokens";
  }
  if (draft.row.unitPrice === null) return "The price of this collection is not known yet";
  if (principalSats === 0n) return "Enter the principal";
  if (minSats !== null && principalSats < minSats)
    return "The principal is below the smallest offer of this collection";
  if (ltvBps !== null && ltvBps >= LTV_END_BPS)
    return "The principal must stay below 99% of the collateral's value";
  if (interestBps(draft) === null) return "Enter the highest interest, with at most two decimals";
  if (fillableTerms(draft).length === 0)
    return "No term of this collection is within this interest and these days";
  return null;
}

/** The request to sign, good until a time in unix seconds; null while something is missing. */
export function requestOf(draft: RequestDraft, goodUntilS: number): NewRequest | null {
  const [raw, interestMax] = [enteredRaw(draft), interestBps(draft)];
  if (raw === null || interestMax === null) return null;
  const { row, inscriptionIds } = draft;
  return {
    collectionSlug: row.groupSlug,
    ...(row.collateralType === "inscription" ? { inscriptionIds } : { fungibleAmount: raw }),
    principalSats: amountSats(draft.principalText),
    interestMax,
    termMinDays: draft.termMinDays,
    termMaxDays: draft.termMaxDays,
    goodUntilS,
  };
}
