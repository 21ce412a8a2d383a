import type { Role } from "./kit-answer";

/** The texts of the page for the owner of a kit. */
export interface KitTexts {
  /** The owner and the contract. */
  title: string;
  /** The transaction, with its article. */
  transaction: string;
  /** The name of the files that hold it. */
  file: string;
  /** The coins to enter. */
  coins: string;
  /** The condition under which the transaction has its effect. */
  afterwards: string;
}

export const KIT_TEXTS: Record<Role, KitTexts> = {
  borrower: {
    title: "A borrower's loan kit",
    transaction: "the repayment",
    file: "lienbook-repayment",
    coins:
      "Enter confirmed coins of your payment address that hold the amount to repay and the network fee. All of them are spent, and the rest returns to that address. Enter no coin that carries an inscription or runes: this page cannot see them.",
    afterwards:
      "Wait until it is in a block: then the loan is repaid and the collateral is yours again. If that takes longer than an hour, make it again with a higher fee rate and sign that. It replaces this one: you cannot pay twice.",
  },
  lender: {
    title: "A lender's loan kit",
    transaction: "the claim",
    file: "lienbook-claim",
    coins:
      "The collateral's own sats pay the fee where they suffice. Otherwise enter one confirmed coin of your payment address that carries no inscription and no runes: this page cannot see them.",
    afterwards:
      "Wait until it is in a block: then the collateral is yours. Until then a repayment of the borrower may come first, and then you are paid.",
  },
  vault: {
    title: "A vault's kit",
    transaction: "the exit",
    file: "lienbook-exit",
    coins:
      "Enter the outputs at the vault's address that have at least 144 confirmations, as a block explorer or a node shows them. What you leave out stays in the vault.",
    afterwards: "Wait until it is in a block: then the money has left the vault.",
  },
};

/** The steps by which the transaction gets its signatures. */
export const SIGNING_STEPS: readonly string[] = [
  "Nothing is sent yet. Open the PSBT in the wallet that you used for the loan or the vault, or in another that has its keys and signs taproot scripts.",
  "Compare inputs, outputs and fee with the list above, and sign. The wallet must neither change nor broadcast it.",
  "Bring back what the wallet returns: step 3 compares it with the kit.",
];

/** The command that broadcasts a transaction which is saved under this name. */
export function broadcastCommand(file: string): string {
  return `bitcoin-cli sendrawtransaction "$(cat ${file}.hex)"`;
}
