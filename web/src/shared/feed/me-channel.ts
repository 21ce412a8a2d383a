import * as v from "valibot";
import { type MyOffer, myOffer, type Vault, vault } from "@/shared/api/my-offer";
import { lenientArray, reportUnreadable } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";

/** What concerns only the person signed in. */
export interface Me {
  offers: Map<string, MyOffer>;
  vault: Vault | null;
  /** Newest last; what a notice says is read where it is shown. */
  notices: unknown[];
}

const NOTICES_MAX = 200;

const snapshot = v.object({
  offers: lenientArray(myOffer),
  vault: v.nullable(vault),
  notices: v.array(v.unknown()),
});

const operation = v.variant("op", [
  v.object({ op: v.literal("my_offer"), offer: myOffer }),
  v.object({ op: v.literal("my_offer_gone"), offerId: v.string() }),
  v.object({ op: v.literal("vault"), vault: v.nullable(vault) }),
  v.object({ op: v.literal("notice"), notice: v.unknown() }),
]);

export const meChannel: ChannelKind<Me> = {
  readSnapshot: (data) => {
    const parsed = v.safeParse(snapshot, data);
    if (!parsed.success) return null;
    const { offers, notices } = parsed.output;
    return {
      offers: offersById(offers),
      vault: parsed.output.vault,
      notices: notices.slice(-NOTICES_MAX),
    };
  },
  copy: (me) => ({ offers: new Map(me.offers), vault: me.vault, notices: me.notices }),
  applyOp: (draft, op) => {
    // Kinds of news this version does not know, such as loans, are no reason to lose the rest.
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

const KNOWN = ["my_offer", "my_offer_gone", "vault", "notice"];
const unknownOperation = v.object({
  op: v.pipe(
    v.string(),
    v.check((op) => !KNOWN.includes(op)),
  ),
});

export function offersById(offers: readonly MyOffer[]): Map<string, MyOffer> {
  return new Map(offers.map((offer) => [offer.offerId, offer]));
}

function apply(draft: Me, op: v.InferOutput<typeof operation>): void {
  switch (op.op) {
    case "my_offer":
      draft.offers.set(op.offer.offerId, op.offer);
      break;
    case "my_offer_gone":
      draft.offers.delete(op.offerId);
      break;
    case "vault":
      draft.vault = op.vault;
      break;
    case "notice":
      draft.notices = [...draft.notices, op.notice].slice(-NOTICES_MAX);
      break;
  }
}
