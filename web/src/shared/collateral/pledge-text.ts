import { type Collection, decimalsOf, unitOf } from "@/shared/api/collection";
import { inscriptionsText, isSeveral, type Pledge } from "@/shared/api/pledge";
import { shortenAddress } from "@/shared/format/name";
import { formatTokenAmount } from "@/shared/format/unit-price";

/** The collateral in words: an inscription by its id, several by their number, tokens by their amount. */
export function pledgeText(pledge: Pledge, row: Collection): string {
  const { inscriptionIds, fungibleAmount } = pledge;
  if (isSeveral(pledge)) return inscriptionsText(inscriptionIds.length);
  const [only] = inscriptionIds;
  if (only !== undefined) return `inscription ${shortenAddress(only, 4)}`;
  return `${formatTokenAmount(fungibleAmount ?? 0n, decimalsOf(row), 4)} ${unitOf(row)}`;
}

/** The full ids of the inscriptions, one a line, for a tooltip; undefined with tokens. */
export function pledgeTitle({ inscriptionIds }: Pick<Pledge, "inscriptionIds">): string | undefined {
  return inscriptionIds.length === 0 ? undefined : inscriptionIds.join("\n");
}

/** What several inscriptions in one loan mean for the user on one side of it. */
export function togetherText(count: number, role: "borrower" | "lender" = "borrower"): string {
  return role === "borrower"
    ? `You pledge ${inscriptionsText(count)} together. They are repaid and claimed together, and each returns in an output of its own.`
    : `${inscriptionsText(count)} secure this loan together: you are repaid for all of them at once, or claim all of them.`;
}
