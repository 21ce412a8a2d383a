import { describe, expect, it } from "vitest";
import { readAddress } from "./embed-address";
import { type EmbedState, newState, withOutcome } from "./embed-state";
import { viewOf } from "./embed-view";
import { type Outcome, readOutcome } from "./quote";

const ID = `${"ab".repeat(32)}i0`;
const BEST = {
  offerId: "of_1",
  process: "manual",
  principalSats: 500_000,
  interest: 1.2,
  interestSats: 6_000,
  repaymentSats: 506_000,
  termDays: 30,
  ltv: 50,
};
const BODY = {
  groupSlug: "paper-frogs",
  collectionName: "Paper Frogs",
  inscriptionId: ID,
  isLendingAllowed: true,
  floor: 1_000_000,
  best: BEST as object | null,
};

const answer = (change: Partial<typeof BODY> = {}) => readOutcome(200, { ...BODY, ...change }, null);
const refusal = (code: string) => readOutcome(404, { code }, null);
const FAILED: Outcome = { kind: "failed", retryAfterMs: 0 };

function stateAfter(
  outcomes: readonly Outcome[],
  search = `?collection=paper-frogs&inscription=${ID}`,
): EmbedState {
  return outcomes.reduce(
    (state, outcome, index) => withOutcome(state, outcome, index),
    newState(readAddress(search)),
  );
}

const view = (...outcomes: Outcome[]) => viewOf(stateAfter(outcomes), (time) => `minute ${time}`);

describe("the address of the frame", () => {
  it("names a collection, an inscription, a theme and the page around it", () => {
    const search = `?collection=paper-frogs&inscription=${ID}&theme=dark&host=https%3A%2F%2Fmarket.example%3A81`;
    expect(readAddress(search)).toEqual({
      collection: "paper-frogs",
      inscriptionId: ID,
      theme: "dark",
      host: "https://market.example:81",
    });
  });

  it.each([
    "",
    "?collection=",
    "?collection=../me",
    `?collection=${"a".repeat(65)}`,
    "?collection=paper-frogs&inscription=<b>",
    `?collection=paper-frogs&inscription=${ID}0`,
    `?collection=paper-frogs&inscription=${"AB".repeat(32)}i0`,
  ])("names nothing in %s", (search) => {
    expect(readAddress(search)).toMatchObject({ collection: null, inscriptionId: null });
  });

  it.each([
    "*",
    "null",
    "https://market.example/",
    "https://Market.example",
    "javascript:1",
    "market.example",
  ])("tells nothing to the origin %s", (host) => {
    expect(readAddress(`?host=${encodeURIComponent(host)}`).host).toBeNull();
  });
});

describe("the frame", () => {
  it("shows that it waits before the first answer", () => {
    const { state, freshness, texts, act } = view();
    expect([state, freshness, texts.freshness]).toEqual(["loading", "waiting", "Fetching the best offer"]);
    expect(act?.href).toBe(`/borrow/ordinals?collection=paper-frogs&inscription=${ID}`);
  });

  it("shows the best offer and leads to it", () => {
    const { state, texts, act, freshness } = view(answer());
    expect([state, freshness]).toEqual(["quote", "live"]);
    expect(texts).toMatchObject({
      title: "Borrow against this inscription",
      collection: "Paper Frogs",
      principal: "0.005",
      interest: "1.2%",
      term: "30 days",
      ltv: "50%",
      repayment: "0.00506 BTC",
    });
    expect(texts.promise).toMatch(/^No price liquidates the loan. Repay within 30 days/);
    const href = `/borrow/ordinals?collection=paper-frogs&inscription=${ID}`;
    expect(act).toEqual({ label: "Borrow 0.005 BTC", href });
  });

  it("leads to an instant offer among the instant ones, and without an inscription to the collection", () => {
    const state = stateAfter(
      [answer({ best: { ...BEST, process: "instant", ltv: null } })],
      "?collection=paper-frogs",
    );
    const { texts, act } = viewOf(state, String);
    expect(act?.href).toBe("/borrow/ordinals?collection=paper-frogs&process=instant");
    expect(texts).toMatchObject({ title: "Borrow against an inscription", ltv: "unknown" });
  });

  it("invites to request a loan while there is no offer", () => {
    const { state, texts, act } = view(answer({ best: null }));
    expect([state, texts.noticeTitle]).toEqual(["notice", "No offers now"]);
    expect(act?.href).toBe("/borrow/ordinals?collection=paper-frogs&view=book");
  });

  it("says that lending is paused, unless an offer is still there", () => {
    expect(view(answer({ best: null, isLendingAllowed: false })).texts.noticeTitle).toBe("Lending is paused");
    expect(view(answer({ isLendingAllowed: false })).state).toBe("quote");
  });

  it("says which name the market does not know", () => {
    const titles = ["unknown_inscription", "unknown_collection"].map(
      (code) => view(refusal(code)).texts.noticeTitle,
    );
    expect(titles).toEqual(["This inscription cannot be pledged", "This collection is not listed"]);
    expect(viewOf(newState(readAddress("")), String).texts.noticeTitle).toBe("No collection to show");
  });

  it("offers to try again when there was never an answer, and dims the last quote when there was", () => {
    expect(view(FAILED)).toMatchObject({ state: "notice", freshness: "stale", act: null });
    const stale = view(answer(), FAILED, FAILED);
    expect(stale).toMatchObject({ state: "quote", freshness: "stale" });
    expect(stale.texts.freshness).toBe("Not reached since minute 0");
    expect(view(answer(), FAILED, answer()).freshness).toBe("live");
  });

  it("marks the direction of a change, once", () => {
    const higher = answer({ best: { ...BEST, principalSats: 600_000 } });
    expect(view(answer()).change).toBeNull();
    expect(view(answer(), higher).change).toBe("up");
    expect(view(higher, answer()).change).toBe("down");
    expect(view(answer(), higher, higher).change).toBeNull();
  });
});

describe("requests", () => {
  it("come less often after failures in a row, and when the server asks for a pause", () => {
    const pauses = [1, 2, 3, 4, 5, 50].map((count) => stateAfter(Array<Outcome>(count).fill(FAILED)).pauseMs);
    expect(pauses).toEqual([15_000, 30_000, 60_000, 120_000, 120_000, 120_000]);
    expect(stateAfter([readOutcome(429, {}, "40")]).pauseMs).toBe(40_000);
    expect(stateAfter([FAILED, FAILED, answer()]).pauseMs).toBe(15_000);
  });

  it.each([
    null,
    [],
    "text",
    {},
    { ...BODY, best: undefined },
    { ...BODY, collectionName: 7 },
    { ...BODY, best: { ...BEST, principalSats: -1 } },
    { ...BODY, best: { ...BEST, principalSats: "500000" } },
    { ...BODY, best: { ...BEST, process: "other" } },
    { ...BODY, best: { ...BEST, ltv: undefined } },
  ])("with an unreadable answer have failed: %j", (body) => {
    expect(readOutcome(200, body, null).kind).toBe("failed");
  });

  it("with another 404 have failed", () => expect(refusal("not_found").kind).toBe("failed"));
});
