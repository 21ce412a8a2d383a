const EPOCH = "bench";
const FLOOR_SATS = 2_500_000;

/** A small seeded generator, so that every run shows the same market. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A market of ordinals whose prices and offers change all the time: a snapshot, then deltas of one row each.
 */
export class Market {
  constructor(rows, seed) {
    this.random = randomFrom(seed);
    this.rows = Array.from({ length: rows }, (_, index) => rowOf(index, this.random));
    this.seq = 1;
  }

  snapshot() {
    return frame("snapshot", { seq: this.seq, data: { rows: this.rows } });
  }

  /** A new floor, best offer, LTV and number of offers in one row. */
  delta() {
    const row = this.rows[Math.floor(this.random() * this.rows.length)];
    row.floor = Math.max(100_000, Math.round(row.floor * (0.995 + this.random() * 0.01)));
    row.unitPrice = `${row.floor}.00000000`;
    row.manual.bestOffer = Math.round(row.floor * (0.4 + this.random() * 0.3));
    row.manual.ltv = Math.round((row.manual.bestOffer / row.floor) * 10_000) / 100;
    row.manual.offerCount = 1 + Math.floor(this.random() * 40);
    row.internalVolumeStats.volume24h += Math.floor(this.random() * 1_000_000);
    const prev = this.seq;
    this.seq += 1;
    return frame("delta", { prev, seq: this.seq, ops: [{ op: "row", row }] });
  }
}

function frame(type, rest) {
  return JSON.stringify({ type, channel: "market", epoch: EPOCH, ...rest });
}

function rowOf(index, random) {
  const floor = Math.round(FLOOR_SATS * (0.2 + random() * 4));
  return {
    id: `g_${index}`,
    groupSlug: `group-${index}`,
    instantOrdinalSlug: `group-${index}-7d`,
    collectionName: `Collection Number ${index}`,
    collectionSymbol: `C${index}`,
    collectionImgURL: "/favicon.svg",
    collateralType: "inscription",
    runeId: null,
    runeName: null,
    runeDecimals: null,
    ticker: null,
    floor,
    unitPrice: `${floor}.00000000`,
    pointsMultiplier: index % 3 === 0 ? 25 : 0,
    isLendingAllowed: true,
    totalLoans: index,
    runningLoans: 0,
    externalCollectionLink: null,
    marketVolumeStats: null,
    internalVolumeStats: { totalVolume: floor * 900, volume24h: floor * 10, volume7d: floor * 60, volume30d: floor * 200 },
    priceChangeStats: { change24h: 1.25, change7d: -3.5, change30d: 12 },
    subCollections: [7, 14, 30, 60].map((term, id) => ({
      id: String(id),
      slug: `group-${index}-${term}d`,
      term,
      interest: term / 10,
      apy: 36.5,
      bundleSize: null,
      manual: true,
      instant: true,
      collectionTypes: ["MANUAL_FIXED", "INSTANT_PARTIAL"],
      newTermChangeRequest: null,
    })),
    maxInstantLTV: 60,
    manual: quotesOf(floor),
    instant: quotesOf(floor),
  };
}

function quotesOf(floor) {
  return {
    offerCount: 12,
    lenderCount: 6,
    underOfferCount: 0,
    bestOffer: Math.round(floor * 0.6),
    bestOfferId: "of_10000000001",
    nextBestOffers: ["of_10000000002", "of_10000000003"],
    bestSubCollectionId: "2",
    term: 30,
    interest: 3,
    apy: 36.5,
    ltv: 60,
    maxLtv: 60,
    minLtv: 20,
    maxAPY: 48.2,
    minInterest: 0.7,
    liquiditySats: floor * 4,
    instantBestOfferRange: null,
  };
}
