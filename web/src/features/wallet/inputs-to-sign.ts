import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";

/** Inputs by address and sighash, in the form that Phantom expects. */
export interface InputToSign {
  address: string;
  signingIndexes: number[];
  sigHash: number;
}

/** One entry for each address and sighash: an entry has a single sighash for all of its inputs. */
export function inputsToSign(sides: TransactionToSign["sides"]): InputToSign[] {
  const entries: InputToSign[] = [];
  for (const { address, index, sighash } of sides) {
    const known = entries.find((entry) => entry.address === address && entry.sigHash === sighash);
    if (known) known.signingIndexes.push(index);
    else entries.push({ address, signingIndexes: [index], sigHash: sighash });
  }
  return entries;
}
