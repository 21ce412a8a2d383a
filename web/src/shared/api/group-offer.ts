import * as v from "valibot";
import { bookOffer } from "./book";
import { lenientArray, text } from "./wire";

export const groupOffer = v.object({
  groupId: text,
  /** The borrow request of the user that it fills; null if it fills none. */
  requestId: v.nullable(text),
  offer: bookOffer,
});
/** An offer and the group in whose book it is. */
export type GroupOffer = v.InferOutput<typeof groupOffer>;

export const groupOfferList = v.object({ data: lenientArray(groupOffer) });
