/**
 * Values from outside are 1 to 128 characters of visible ASCII, so none can forge a line or deceive the
 * signer.
 */
const VALUE = /^[\x21-\x7e]{1,128}$/;

const CANCELLED_OFFERS_MAX = 100;
const PLEDGED_INSCRIPTIONS_MAX = 20;
const KEY_COLLECTIONS_MAX = 50;
const KEY_ADDRESSES_MAX = 20;
const DELEGATED_VAULTS_MAX = 8;

/**
 * The context of a signed message: site, network, signer and time, so that it cannot be replayed elsewhere.
 */
export interface Envelope {
  domain: string;
  network: string;
  /** The address that signs. */
  address: string;
  nonce: string;
  /** Unix seconds. */
  issuedS: number;
  /** Unix seconds; the message is not accepted from this second on. */
  expiresS: number;
}

export interface ManualTerms {
  process: "manual";
  /** The number of such offers made at once. */
  quantity: number;
}

export interface InstantTerms {
  process: "instant";
  /** The least principal of an offer that follows the floor; absent if the principal is fixed. */
  principalMinSats?: bigint;
  /** Runes only: the most collateral the principal is lent against, in raw units. */
  fungibleAmount: bigint | null;
  /** The number of inscriptions that secure the loan together; absent for one, and for runes. */
  inscriptions?: number;
  /** Percent times 100. */
  ltvMax: number;
  acceptNextTerm: boolean;
  /** Payment address of the only borrower who is lent to; absent if anyone is. */
  borrower?: string;
  /** Unix seconds from which nothing is lent; absent if it is good until it is cancelled. */
  goodUntilS?: number;
  vault: string;
}

export type NewOffer = { collectionSlug: string; principalSats: bigint } & (ManualTerms | InstantTerms);

/** A loan that a borrower requests, against inscriptions or an amount of tokens. */
export interface NewRequest {
  collectionSlug: string;
  /** Pledged together; absent with tokens. */
  inscriptionIds?: readonly string[];
  fungibleAmount?: bigint;
  principalSats: bigint;
  /** The highest interest for the whole term, in percent times 100. */
  interestMax: number;
  termMinDays: number;
  termMaxDays: number;
  /** Unix seconds. */
  goodUntilS: number;
}

/** A group of requests that an API key permits, in the order of a message. */
export const KEY_SCOPES = ["read", "quote", "cancel", "lend", "borrow", "vault"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** An API key to be created. */
export interface NewApiKey {
  name: string;
  scopes: readonly KeyScope[];
  /** Of one offer. */
  principalMaxSats: bigint;
  /** Of all open offers and running loans of the user at once. */
  outstandingMaxSats: bigint;
  /** Quoted in a UTC day. */
  dailyMaxSats: bigint;
  /** Slugs; absent for all. */
  collections?: readonly string[];
  /** Networks in CIDR notation; absent for any. */
  addresses?: readonly string[];
  /** Unix seconds. */
  validUntilS: number;
}

/** The limits within which a program signs instant offers in place of the wallet. */
export interface NewDelegation {
  /** 32 hexadecimal digits, drawn by the program. */
  delegationId: string;
  /** The program's x-only public key in hexadecimal. */
  programKey: string;
  /** Hashes of the policies of vaults; absent for all of the user's. */
  vaults?: readonly string[];
  /** Slugs as offers name them; absent for all. */
  collections?: readonly string[];
  /** Of one loan. */
  principalMaxSats: bigint;
  /** Of all loans within 24 hours. */
  dailyMaxSats: bigint;
  /** For the whole term, percent times 100. */
  interestMin: number;
  termMaxDays: number;
  /** Unix seconds. */
  validUntilS: number;
}

/** An action that a wallet is asked to sign. */
export type Action =
  | {
      type: "signIn";
      ordinalsAddress: string;
      ordinalsPublicKey: string;
      paymentAddress: string;
      paymentPublicKey: string;
    }
  | { type: "createOffer"; newOffer: NewOffer }
  | { type: "editOffer"; deleteOfferId: string; newOffer: NewOffer }
  | { type: "cancelOffers"; ordinalOfferIds: string[]; runeOfferIds: string[]; vault: string | null }
  | { type: "cancelAllOffers"; vault: string }
  | ({ type: "requestLoan" } & NewRequest)
  | ({ type: "createApiKey" } & NewApiKey)
  | ({ type: "delegateQuotes" } & NewDelegation)
  | { type: "acceptTerm"; offerId: string; termId: string }
  | { type: "pauseOffer"; offerId: string }
  | { type: "resumeOffer"; offerId: string }
  /** Signed by the ordinals address, whose key is in the vault's script. */
  | { type: "openVault"; paymentAddress: string; vault: string }
  | { type: "withdraw"; withdrawSats: bigint; to: string; feeMaxSats?: bigint; vault: string }
  /** Signed by the ordinals address, whose key is in the scripts of both vaults. */
  | {
      type: "moveVault";
      fromVault: string;
      to: string;
      feeMaxSats: bigint;
      paymentAddress: string;
      vault: string;
    };

type Line = [name: string, value: string];

function text(name: string, value: string): Line {
  if (!VALUE.test(value)) throw new RangeError(`${name} cannot stand in a message: ${JSON.stringify(value)}`);
  return [name, value];
}

function number(name: string, value: bigint | number): Line {
  const whole = typeof value === "bigint" ? value >= 0n : Number.isSafeInteger(value) && value >= 0;
  if (!whole) throw new RangeError(`${name} is not a whole number: ${value}`);
  return [name, value.toString()];
}

function newOfferLines(offer: NewOffer): Line[] {
  const lines = [text("Collection", offer.collectionSlug)];
  lines.push(["Process", offer.process], number("Principal sats", offer.principalSats));
  if (offer.process === "manual") return [...lines, number("Quantity", offer.quantity)];
  if (offer.principalMinSats !== undefined) lines.push(number("Min principal sats", offer.principalMinSats));
  if (offer.fungibleAmount !== null) lines.push(number("Rune amount", offer.fungibleAmount));
  if (offer.inscriptions !== undefined) lines.push(number("Inscriptions", offer.inscriptions));
  lines.push(number("Max LTV x100", offer.ltvMax), ["Accept next term", offer.acceptNextTerm ? "yes" : "no"]);
  if (offer.borrower !== undefined) lines.push(text("Borrower", offer.borrower));
  if (offer.goodUntilS !== undefined) lines.push(number("Good until", offer.goodUntilS));
  return [...lines, text("Vault", offer.vault)];
}

/** One line for each inscription, in the order in which they are sent, or the amount of tokens. */
function pledgeLines({ inscriptionIds, fungibleAmount }: NewRequest): Line[] {
  if (inscriptionIds === undefined) return [number("Amount", fungibleAmount ?? 0n)];
  const { length } = inscriptionIds;
  if (length === 0 || length > PLEDGED_INSCRIPTIONS_MAX || new Set(inscriptionIds).size !== length) {
    throw new RangeError(`a request names 1 to ${PLEDGED_INSCRIPTIONS_MAX} different inscriptions`);
  }
  return inscriptionIds.map((id) => text("Inscription", id));
}

function requestLines(request: NewRequest): Line[] {
  return [
    text("Collection", request.collectionSlug),
    ...pledgeLines(request),
    number("Principal sats", request.principalSats),
    number("Max interest x100", request.interestMax),
    number("Min term days", request.termMinDays),
    number("Max term days", request.termMaxDays),
    number("Good until", request.goodUntilS),
  ];
}

/** One line for each value, none twice. */
function listLines(name: string, values: readonly string[], max: number): Line[] {
  if (values.length === 0 || values.length > max || new Set(values).size !== values.length) {
    throw new RangeError(`${name}: 1 to ${max} different values`);
  }
  return values.map((value) => text(name, value));
}

function apiKeyLines(key: NewApiKey): Line[] {
  const scopes = KEY_SCOPES.filter((scope) => key.scopes.includes(scope));
  return [
    text("Name", key.name),
    ...listLines("Scope", scopes, KEY_SCOPES.length),
    number("Max principal sats", key.principalMaxSats),
    number("Max outstanding sats", key.outstandingMaxSats),
    number("Max daily sats", key.dailyMaxSats),
    ...(key.collections === undefined
      ? [["Collections", "all"] satisfies Line]
      : listLines("Collection", key.collections, KEY_COLLECTIONS_MAX)),
    ...(key.addresses === undefined
      ? [["Addresses", "any"] satisfies Line]
      : listLines("IP range", key.addresses, KEY_ADDRESSES_MAX)),
    number("Valid until", key.validUntilS),
  ];
}

function delegationLines(delegation: NewDelegation): Line[] {
  return [
    text("Delegation", delegation.delegationId),
    text("Program key", delegation.programKey),
    ...(delegation.vaults === undefined
      ? [["Vaults", "all"] satisfies Line]
      : listLines("Vault", delegation.vaults, DELEGATED_VAULTS_MAX)),
    ...(delegation.collections === undefined
      ? [["Collections", "all"] satisfies Line]
      : listLines("Collection", delegation.collections, KEY_COLLECTIONS_MAX)),
    number("Max principal sats", delegation.principalMaxSats),
    number("Max daily sats", delegation.dailyMaxSats),
    number("Min interest x100", delegation.interestMin),
    number("Max term days", delegation.termMaxDays),
    number("Valid until", delegation.validUntilS),
  ];
}

function cancelLines(ordinals: string[], runes: string[], vault: string | null): Line[] {
  const ids = [...ordinals, ...runes];
  if (ids.length === 0 || ids.length > CANCELLED_OFFERS_MAX || new Set(ids).size !== ids.length) {
    throw new RangeError(`a message cancels 1 to ${CANCELLED_OFFERS_MAX} different offers`);
  }
  return [
    ...ordinals.map((id) => text("Ordinal offer", id)),
    ...runes.map((id) => text("Rune offer", id)),
    ...(vault === null ? [] : [text("Vault", vault)]),
  ];
}

function actionLines(action: Action): Line[] {
  switch (action.type) {
    case "signIn":
      return [
        ["Lienbook", "sign in"],
        text("Ordinals address", action.ordinalsAddress),
        text("Ordinals public key", action.ordinalsPublicKey),
        text("Payment address", action.paymentAddress),
        text("Payment public key", action.paymentPublicKey),
      ];
    case "createOffer":
      return [["Lienbook", "create offer"], ...newOfferLines(action.newOffer)];
    case "editOffer":
      return [
        ["Lienbook", "edit offer"],
        text("Delete offer", action.deleteOfferId),
        ...newOfferLines(action.newOffer),
      ];
    case "cancelOffers":
      return [
        ["Lienbook", "cancel offers"],
        ...cancelLines(action.ordinalOfferIds, action.runeOfferIds, action.vault),
      ];
    case "cancelAllOffers":
      return [["Lienbook", "cancel all offers"], text("Vault", action.vault)];
    case "requestLoan":
      return [["Lienbook", "borrow request"], ...requestLines(action)];
    case "createApiKey":
      return [["Lienbook", "create api key"], ...apiKeyLines(action)];
    case "delegateQuotes":
      return [["Lienbook", "delegate quotes"], ...delegationLines(action)];
    case "acceptTerm":
      return [["Lienbook", "accept term"], text("Offer", action.offerId), text("Term", action.termId)];
    case "pauseOffer":
      return [["Lienbook", "pause offer"], text("Offer", action.offerId)];
    case "resumeOffer":
      return [["Lienbook", "resume offer"], text("Offer", action.offerId)];
    case "openVault":
      return [
        ["Lienbook", "open vault"],
        text("Payment address", action.paymentAddress),
        text("Vault", action.vault),
      ];
    case "withdraw":
      return [
        ["Lienbook", "withdraw"],
        number("Withdraw sats", action.withdrawSats),
        text("To", action.to),
        // Optional, because older messages have no such line.
        ...(action.feeMaxSats === undefined ? [] : [number("Max fee sats", action.feeMaxSats)]),
        text("Vault", action.vault),
      ];
    case "moveVault":
      return [
        ["Lienbook", "move vault"],
        text("From vault", action.fromVault),
        text("To", action.to),
        number("Max fee sats", action.feeMaxSats),
        text("Payment address", action.paymentAddress),
        text("Vault", action.vault),
      ];
  }
}

/**
 * The exact text that a wallet shows and signs: a title, one `Name: value` line for each relevant field, and
 * the envelope; lines are separated by one line feed. The server builds the same text from the request and
 * compares.
 */
export function actionMessage(action: Action, envelope: Envelope): string {
  const lines: Line[] = [
    ...actionLines(action),
    text("Domain", envelope.domain),
    text("Network", envelope.network),
    text("Address", envelope.address),
    text("Nonce", envelope.nonce),
    number("Issued", envelope.issuedS),
    number("Expires", envelope.expiresS),
  ];
  return lines.map(([name, value]) => `${name}: ${value}`).join("\n");
}
