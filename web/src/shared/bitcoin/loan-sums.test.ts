import { describe, expect, it } from "vitest";
import type { FlowCoin, TransactionFlow } from "./flow-balance";
import { addSums, type BorrowerSums, movedLoanSums, newLoanSums } from "./loan-sums";

const own = { payment: { address: "pay" }, ordinals: { address: "keep" } };

function flow(inputs: Array<[string, bigint]>, outputs: Array<[string, bigint]>): TransactionFlow {
  const coin = ([address, sats]: [string, bigint]): FlowCoin => ({ address, sats, script: "" });
  const total = (coins: Array<[string, bigint]>) => coins.reduce((sum, [, sats]) => sum + sats, 0n);
  return {
    txid: "tx",
    inputs: inputs.map((each, index) => ({ ...coin(each), outpoint: `tx:${index}`, sighash: 0 })),
    outputs: outputs.map(coin),
    feeSats: total(inputs) - total(outputs),
  };
}

/** The amount that the other lines add up to. */
function incomingOf(sums: BorrowerSums): bigint {
  const { outgoingSats, principalSats, feeSats, escrowSats, restSats, paidSats, excessSats } = sums;
  return outgoingSats + principalSats - feeSats - escrowSats - restSats - paidSats + excessSats;
}

// The figures are those of loans in the demo.
const inscription = newLoanSums(
  [
    flow(
      [
        ["keep", 10_000n],
        ["vault", 1_000_000n],
      ],
      [
        ["escrow", 10_000n],
        ["pay", 763_763n],
        ["pay", 600n],
        ["pay", 600n],
        ["vault", 100_000n],
        ["vault", 134_979n],
      ],
    ),
  ],
  own,
  765_000n,
);
const rune = newLoanSums(
  [
    flow(
      [
        ["keep", 546n],
        ["vault", 508_064n],
      ],
      [
        ["escrow", 546n],
        ["pay", 506_274n],
        ["pay", 600n],
        ["pay", 600n],
        ["keep", 546n],
        ["data", 0n],
      ],
    ),
  ],
  own,
  508_064n,
);
const brc20 = newLoanSums(
  [
    flow(
      [
        ["keep", 10_000n],
        ["lender", 625_000n],
      ],
      [
        ["escrow", 330n],
        ["pay", 632_873n],
        ["commit", 1_768n],
      ],
    ),
    flow(
      [["commit", 1_768n]],
      [
        ["escrow", 546n],
        ["pay", 600n],
        ["pay", 600n],
      ],
    ),
  ],
  own,
  625_000n,
);
const refinance = (principal: bigint, change: bigint) =>
  movedLoanSums(
    flow(
      [
        ["pay", 600n],
        ["pay", 600n],
        ["escrow", 10_000n],
        ["lender", principal],
        ["pay", 50_000n],
      ],
      [
        ["pay", 1_200n],
        ["new escrow", 10_000n],
        ["old lender", 522_880n],
        ["pay", 600n],
        ["pay", change],
      ],
    ),
    own,
    principal,
    1,
  );
const short = refinance(500_000n, 26_464n);
/** A vault pays the principal and the platform's fee, and gets its change behind the fee. */
const refinanceByVault = (asset: string, inscriptionCount: number) =>
  movedLoanSums(
    flow(
      [
        ["pay", 600n],
        ["pay", 600n],
        [asset, 10_000n],
        ["vault", 300_000n],
        ["vault", 400_000n],
        ["pay", 50_000n],
      ],
      [
        ["pay", 1_200n],
        ["new escrow", 10_000n],
        ["old lender", 522_880n],
        ["pay", 600n],
        ["platform", 4_000n],
        ["vault", 196_000n],
        ...(inscriptionCount === 0 ? ([["data", 0n]] as Array<[string, bigint]>) : []),
        ["pay", 26_464n],
      ],
    ),
    own,
    500_000n,
    inscriptionCount,
  );
const extension = movedLoanSums(
  flow(
    [
      ["pay", 600n],
      ["pay", 600n],
      ["escrow", 546n],
      ["pay", 30_000n],
    ],
    [
      ["pay", 1_200n],
      ["new escrow", 546n],
      ["lender", 20_000n],
      ["pay", 600n],
      ["pay", 9_350n],
    ],
  ),
  own,
  0n,
  0,
);
/** Behind six pads, of which the first two become one. */
const extensionOfFive = movedLoanSums(
  flow(
    [
      ...Array.from({ length: 6 }, (): [string, bigint] => ["pay", 600n]),
      ["escrow", 50_000n],
      ["pay", 30_000n],
    ],
    [
      ["pay", 1_200n],
      ...Array.from({ length: 4 }, (): [string, bigint] => ["pay", 600n]),
      ["new escrow", 50_000n],
      ["lender", 20_000n],
      ["pay", 600n],
      ["pay", 9_350n],
    ],
  ),
  own,
  0n,
  5,
);
const fiveInscriptions = newLoanSums(
  [
    flow(
      [...Array.from({ length: 5 }, (): [string, bigint] => ["keep", 10_000n]), ["lender", 1_000_000n]],
      [
        ["escrow", 50_000n],
        ["pay", 996_312n],
        ...Array.from({ length: 6 }, (): [string, bigint] => ["pay", 600n]),
      ],
    ),
  ],
  own,
  1_000_000n,
);

describe("the sums that a borrower signs, in sats", () => {
  it.each([
    ["an inscription", inscription],
    ["runes", rune],
    ["a BRC-20 note", brc20],
    ["an inscription and runes together", addSums([inscription, rune])],
    ["a refinance with a shortfall", short],
    ["a refinance with a rest", refinance(600_000n, 126_464n)],
    ["a refinance by a vault", refinanceByVault("escrow", 1)],
    ["a refinance of runes by a vault", refinanceByVault("rune escrow", 0)],
    ["an extension", extension],
    ["five inscriptions together", fiveInscriptions],
    ["an extension of a loan against five inscriptions", extensionOfFive],
  ])("adds up against %s", (_, sums) => expect(incomingOf(sums)).toBe(sums.incomingSats));

  it("has the borrower's share of a fee that the vault pays in part", () => {
    expect(inscription).toMatchObject({ feeSats: 37n, outgoingSats: 10_000n, incomingSats: 764_963n });
  });

  it("has the sats that stay in escrow with runes", () => {
    expect(rune).toMatchObject({ feeSats: 44n, escrowSats: 546n, outgoingSats: 546n, restSats: 546n });
    expect(rune.incomingSats).toBe(507_474n);
  });

  it("has the fees and escrows of both transactions of BRC-20, and its padding", () => {
    expect(brc20).toMatchObject({ feeSats: 51n, escrowSats: 876n, incomingSats: 634_073n });
  });

  it("has the amount that leaves for a refinance, fee included", () => {
    expect(short).toMatchObject({ feeSats: 56n, paidSats: 522_880n });
    expect(short.outgoingSats - short.incomingSats).toBe(22_936n);
  });

  it("has neither the platform's fee nor the change of a vault that refinances, as with a lender's coins", () => {
    for (const sums of [refinanceByVault("escrow", 1), refinanceByVault("rune escrow", 0)]) {
      expect(sums).toEqual(short);
    }
  });

  it("has the rest of a vault that is too small for its change", () => {
    const sums = movedLoanSums(
      flow(
        [
          ["pay", 600n],
          ["pay", 600n],
          ["escrow", 10_000n],
          ["vault", 504_100n],
          ["pay", 50_000n],
        ],
        [
          ["pay", 1_200n],
          ["new escrow", 10_000n],
          ["old lender", 522_880n],
          ["pay", 600n],
          ["platform", 4_000n],
          ["pay", 26_564n],
        ],
      ),
      own,
      500_000n,
      1,
    );
    // The network fee is 56 sats; the vault's last 100 sats pay it, and the borrower keeps what is left.
    expect(sums).toMatchObject({ feeSats: 0n, excessSats: 44n, paidSats: 522_880n });
    expect(incomingOf(sums)).toBe(sums.incomingSats);
  });

  it("has the amount that leaves for an extension, fee included", () => {
    expect(extension).toMatchObject({ paidSats: 20_000n, feeSats: 50n });
    expect(extension.outgoingSats - extension.incomingSats).toBe(20_050n);
  });

  it("has the payment to the lender behind the escrow of several inscriptions", () => {
    expect(extensionOfFive).toMatchObject({ paidSats: 20_000n, feeSats: 50n });
    expect(extensionOfFive.outgoingSats - extensionOfFive.incomingSats).toBe(20_050n);
    expect(fiveInscriptions).toMatchObject({ outgoingSats: 50_000n, escrowSats: 50_000n, feeSats: 88n });
  });

  it("has the excess of the lender's coins", () => {
    const sums = newLoanSums(
      [
        flow(
          [
            ["keep", 546n],
            ["lender", 1_300n],
          ],
          [
            ["escrow", 546n],
            ["pay", 1_250n],
          ],
        ),
      ],
      own,
      1_000n,
    );
    expect(sums).toMatchObject({ feeSats: 0n, excessSats: 250n });
    expect(incomingOf(sums)).toBe(1_250n);
  });

  it("is refused when the borrower would pay for more than the network fee", () => {
    const wrong = flow(
      [
        ["keep", 546n],
        ["lender", 100_000n],
      ],
      [
        ["escrow", 546n],
        ["pay", 90_000n],
        ["elsewhere", 9_950n],
      ],
    );
    expect(() => newLoanSums([wrong], own, 100_000n)).toThrow("does not add up");
  });
});
