import * as v from "valibot";
import { type GroupOffer, groupOffer } from "@/shared/api/group-offer";
import { type Loan, wireLoan } from "@/shared/api/loan";
import { type MyOffer, myOffer, type Vault, vault } from "@/shared/api/my-offer";
import { type Negotiation, negotiation } from "@/shared/api/negotiation";
import { type Notice, notice } from "@/shared/api/notice";
import { lenientArray, reportUnreadable } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";

/** The private data of the signed-in user. */
export interface Me {
  offers: Map<string, MyOffer>;
  /** Offers that name the user as their borrower. */
  offersForMe: ReadonlyMap<string, GroupOffer>;
  /** Also those that are over, for a while. */
  negotiations: ReadonlyMap<string, Negotiation>;
  vault: Vault | null;
  /**
   * The latest loans, including those that ended since the page was opened. It is a new map whenever one of
   * them has changed: lists of loans, which may be longer, are then refetched.
   */
  loans: ReadonlyMap<string, Loan>;
  /** Newest last, without duplicates. */
  notices: readonly Notice[];
}

const NOTICES_MAX = 200;

export const EMPTY_ME: Me = {
  offers: new Map(),
  offersForMe: new Map(),
  negotiations: new Map(),
  vault: null,
  loans: new Map(),
  notices: [],
};

const snapshot = v.object({
  offers: lenientArray(myOffer),
  offersForMe: lenientArray(groupOffer),
  negotiations: lenientArray(negotiation),
  vault: v.nullable(vault),
  loans: lenientArray(wireLoan),
  notices: lenientArray(notice),
});

const operation = v.variant("op", [
  v.object({ op: v.literal("my_offer"), offer: myOffer }),
  v.object({ op: v.literal("my_offer_gone"), offerId: v.string() }),
  v.object({ op: v.literal("offer_for_me"), ...groupOffer.entries }),
  v.object({ op: v.literal("offer_for_me_gone"), offerId: v.string() }),
  v.object({ op: v.literal("negotiation"), negotiation }),
  v.object({ op: v.literal("negotiation_gone"), negotiationId: v.string() }),
  v.object({ op: v.literal("vault"), vault: v.nullable(vault) }),
  v.object({ op: v.literal("my_loan"), loan: wireLoan }),
  v.object({ op: v.literal("notice"), notice }),
]);

export const meChannel: ChannelKind<Me> = {
  readSnapshot: (data) => {
    const parsed = v.safeParse(snapshot, data);
    if (!parsed.success) return null;
    const { offers, offersForMe, negotiations, loans, notices } = parsed.output;
    return {
      offers: offersById(offers),
      offersForMe: groupOffersById(offersForMe),
      negotiations: negotiationsById(negotiations),
      vault: parsed.output.vault,
      loans: new Map(loans.map((each) => [each.loanId, each])),
      notices: notices.slice(-NOTICES_MAX),
    };
  },
  copy: (me) => ({ ...me, offers: new Map(me.offers) }),
  applyOp: (draft, op) => {
    // Unknown operations of a newer server do not invalidate the rest.
    if (v.is(unknownOperation, op)) return true;
    const parsed = v.safeParse(operation, op);
    if (!parsed.success) {
      reportUnreadable(parsed.issues);
      return false;
    }
    apply(draft, parsed.output);
    return true;
  },
};

const KNOWN = [
  "my_offer",
  "my_offer_gone",
  "offer_for_me",
  "offer_for_me_gone",
  "negotiation",
  "negotiation_gone",
  "vault",
  "my_loan",
  "notice",
];
const unknownOperation = v.object({
  op: v.pipe(
    v.string(),
    v.check((op) => !KNOWN.includes(op)),
  ),
});

export function offersById(offers: readonly MyOffer[]): Map<string, MyOffer> {
  return new Map(offers.map((offer) => [offer.offerId, offer]));
}

export function groupOffersById(offers: readonly GroupOffer[]): Map<string, GroupOffer> {
  return new Map(offers.map((each) => [each.offer.offerId, each]));
}

export function negotiationsById(negotiations: readonly Negotiation[]): Map<string, Negotiation> {
  return new Map(negotiations.map((each) => [each.negotiationId, each]));
}

function apply(draft: Me, op: v.InferOutput<typeof operation>): void {
  switch (op.op) {
    case "my_offer":
      draft.offers.set(op.offer.offerId, op.offer);
      break;
    case "my_offer_gone":
      draft.offers.delete(op.offerId);
      break;
    case "offer_for_me":
      draft.offersForMe = new Map(draft.offersForMe).set(op.offer.offerId, {
        groupId: op.groupId,
        requestId: op.requestId,
        offer: op.offer,
      });
      break;
    case "offer_for_me_gone":
      draft.offersForMe = new Map([...draft.offersForMe].filter(([id]) => id !== op.offerId));
      break;
    case "negotiation":
      draft.negotiations = new Map(draft.negotiations).set(op.negotiation.negotiationId, op.negotiation);
      break;
    case "negotiation_gone":
      draft.negotiations = new Map([...draft.negotiations].filter(([id]) => id !== op.negotiationId));
      break;
    case "vault":
      draft.vault = op.vault;
      break;
    case "my_loan":
      draft.loans = new Map(draft.loans).set(op.loan.loanId, op.loan);
      break;
    case "notice":
      draft.notices = [...draft.notices.filter(({ id }) => id !== op.notice.id), op.notice].slice(
        -NOTICES_MAX,
      );
      break;
  }
}
