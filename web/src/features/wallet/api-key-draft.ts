import { KEY_SCOPES, type KeyScope, type NewApiKey } from "@/shared/bitcoin/action-message";
import { amountSats } from "@/shared/format/btc-amount";
import { typedList } from "./typed-list";

const DAY_S = 24 * 3_600;
const NAME = /^[\x21-\x7e]{1,32}$/;
const COLLECTIONS_MAX = 50;
const ADDRESSES_MAX = 20;

/** What each scope permits, as the form and the list say it. */
export const SCOPE_TEXT: Readonly<Record<KeyScope, string>> = {
  read: "See your offers, loans and notices",
  quote: "Create and edit offers",
  cancel: "Cancel and pause offers",
  lend: "Counter-sign and claim loans",
  borrow: "Take and repay loans",
  vault: "See and use your vault",
};

/** The days for which a key can be valid. */
export const VALID_DAYS = ["30", "90", "365"] as const;

/** An API key as it is typed. */
export interface ApiKeyDraft {
  name: string;
  scopes: readonly KeyScope[];
  principalMax: string;
  outstandingMax: string;
  dailyMax: string;
  /** Slugs, separated by spaces, commas or lines; empty for all. */
  collections: string;
  /** Networks, separated in the same way; empty for any. */
  addresses: string;
  validDays: (typeof VALID_DAYS)[number];
}

export const EMPTY_DRAFT: ApiKeyDraft = {
  name: "",
  scopes: ["read"],
  principalMax: "",
  outstandingMax: "",
  dailyMax: "",
  collections: "",
  addresses: "",
  validDays: "90",
};

/** The reasons for which fields cannot be signed, by field. */
export type DraftErrors = Partial<Record<keyof ApiKeyDraft, string>>;

export function draftErrors(draft: ApiKeyDraft): DraftErrors {
  const errors: DraftErrors = {};
  if (!NAME.test(draft.name)) errors.name = "1 to 32 letters, digits or signs, without spaces";
  if (draft.scopes.length === 0) errors.scopes = "Choose what the key may do";
  for (const field of ["principalMax", "outstandingMax", "dailyMax"] as const) {
    if (amountSats(draft[field]) === 0n) errors[field] = "Enter an amount";
  }
  const slugs = typedList(draft.collections);
  if (slugs.length > COLLECTIONS_MAX) errors.collections = `At most ${COLLECTIONS_MAX} collections`;
  const networks = typedList(draft.addresses);
  if (networks.length > ADDRESSES_MAX) errors.addresses = `At most ${ADDRESSES_MAX} networks`;
  else if (!networks.every(isNetwork)) errors.addresses = "Enter addresses or networks like 203.0.113.0/24";
  return errors;
}

/** The key to sign at `nowMs`. An address without a prefix is a network of its own. */
export function newApiKey(draft: ApiKeyDraft, nowMs: number): NewApiKey {
  const [collections, addresses] = [typedList(draft.collections), typedList(draft.addresses).map(withPrefix)];
  return {
    name: draft.name,
    scopes: KEY_SCOPES.filter((scope) => draft.scopes.includes(scope)),
    principalMaxSats: amountSats(draft.principalMax),
    outstandingMaxSats: amountSats(draft.outstandingMax),
    dailyMaxSats: amountSats(draft.dailyMax),
    ...(collections.length === 0 ? {} : { collections }),
    ...(addresses.length === 0 ? {} : { addresses }),
    // A minute less than a year: the message is issued after this moment, or a little before it by another clock.
    validUntilS: Math.floor(nowMs / 1_000) + Number(draft.validDays) * DAY_S - 60,
  };
}

function withPrefix(network: string): string {
  if (network.includes("/")) return network;
  return `${network}/${network.includes(":") ? 128 : 32}`;
}

/** Whether it looks like an address or a network; the server checks the rest. */
function isNetwork(text: string): boolean {
  return /^(\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?|[0-9a-f:]*:[0-9a-f:.]*(\/\d{1,3})?)$/.test(text);
}
