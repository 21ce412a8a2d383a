import { crc32c } from "./crc32c.ts";

/** The number of offers of each ranking that the checksum covers. */
const CHECKED_DEPTH = 10;
const SCALE = 100_000_000n;
const QUOTE_MAX = 2n ** 64n - 1n;

/** What a ranking needs of an offer. */
export interface Ranked {
  offerId: string;
  subCollectionId: string;
  process: "manual" | "instant";
  state: string;
}

/** Offers that compete with each other, the best one for the borrower first. */
export interface Ranking<Offer extends Ranked> {
  subCollectionId: string;
  process: Offer["process"];
  offers: Offer[];
}

/** The amounts of an offer that the server ranks and checks by. */
export interface Amounts {
  principalSats: bigint;
  availableSats: bigint;
  /** The collateral in raw units; 1 for an inscription. */
  raw: bigint;
}

/** The rankings of the offers that anyone can take: by sub-collection, manual before instant. */
export function rankingsBy<Offer extends Ranked>(
  offers: Iterable<Offer>,
  compare: (a: Offer, b: Offer) => number,
): Ranking<Offer>[] {
  const found = new Map<string, Ranking<Offer>>();
  for (const offer of offers) {
    if (offer.state !== "live") continue;
    const { subCollectionId, process } = offer;
    const key = `${subCollectionId}/${process}`;
    const known = found.get(key);
    if (known) known.offers.push(offer);
    else found.set(key, { subCollectionId, process, offers: [offer] });
  }
  for (const ranking of found.values()) ranking.offers.sort(compare);
  return [...found.values()].sort(
    (a, b) =>
      Number(a.subCollectionId) - Number(b.subCollectionId) ||
      Number(a.process === "instant") - Number(b.process === "instant"),
  );
}

/** The rankings in the order of the server: by sats per whole unit, rounded up as it does, then by age. */
export function serverRankings<Offer extends Ranked>(
  offers: Iterable<Offer>,
  amountsOf: (offer: Offer) => Amounts,
  decimals: number,
): Ranking<Offer>[] {
  const quotes = new Map<Offer, bigint>();
  const quote = (offer: Offer) => {
    const known = quotes.get(offer);
    if (known !== undefined) return known;
    const found = quoteOf(amountsOf(offer), decimals);
    quotes.set(offer, found);
    return found;
  };
  return rankingsBy(offers, (a, b) => {
    const [left, right] = [quote(a), quote(b)];
    return left === right ? compareIds(a.offerId, b.offerId) : left > right ? -1 : 1;
  });
}

/** CRC-32C over the best offers of every ranking, as the server computes it. */
export function checksumOf<Offer extends Ranked>(
  offers: Iterable<Offer>,
  amountsOf: (offer: Offer) => Amounts,
  decimals: number,
): number {
  const covered = serverRankings(offers, amountsOf, decimals).flatMap((ranking) =>
    ranking.offers.slice(0, CHECKED_DEPTH),
  );
  const lines = covered.map((offer) => {
    const { principalSats, availableSats } = amountsOf(offer);
    return `${offer.offerId}:${principalSats}:${availableSats}\n`;
  });
  return crc32c(lines.join(""));
}

/** Ids carry a hexadecimal number without leading zeros: a longer one is a larger one. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Sats per whole unit of collateral times 10^8, rounded up. */
function quoteOf({ principalSats, raw }: Amounts, decimals: number): bigint {
  const total = principalSats * SCALE * 10n ** BigInt(decimals);
  const quote = raw > 0n ? (total + raw - 1n) / raw : QUOTE_MAX;
  return quote > QUOTE_MAX ? QUOTE_MAX : quote;
}
