import { base64, hex } from "@scure/base";
import { SigHash, type Transaction } from "@scure/btc-signer";
import type { TransactionFlow } from "@/shared/bitcoin/flow-balance";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { SeedAddress } from "@/shared/bitcoin/seed-keys";
import { parsePsbt, readFlow } from "@/shared/bitcoin/transaction-flow";
import type { DevAccount } from "./dev-accounts";

/**
 * The sighash types that this wallet signs: everything, or one input and output regardless of what is added.
 */
const ALLOWED_SIGHASHES = [SigHash.DEFAULT, SigHash.ALL, SigHash.SINGLE_ANYONECANPAY];
const INPUTS_MAX = 500;

/** A parsed request for signatures that this account can sign. */
export interface DevSigning {
  account: DevAccount;
  flow: TransactionFlow;
  /** Whether a signature stays valid while others change the rest of the transaction. */
  isOpenEnded: boolean;
  /** Signs, and returns the PSBT in base64. */
  sign: () => string;
}

interface RequestedInput {
  index: number;
  key: SeedAddress;
}

/** Parses `{address: [index]}` of a request; throws on anything else. */
function requestedInputs(
  accounts: readonly DevAccount[],
  signInputs: unknown,
): { account: DevAccount; requested: RequestedInput[] } {
  if (typeof signInputs !== "object" || signInputs === null) throw new Error("No inputs to sign were named");
  const requested: RequestedInput[] = [];
  let account: DevAccount | undefined;
  for (const [address, indexes] of Object.entries(signInputs)) {
    const owner = accounts.find(({ keys }) =>
      [keys.payment.address, keys.ordinals.address].includes(address),
    );
    if (!owner) throw new Error(`No account of this wallet has the address ${address}`);
    if (account && account !== owner) throw new Error("The inputs belong to several accounts");
    account = owner;
    if (!Array.isArray(indexes)) throw new Error("No inputs to sign were named");
    const key = owner.keys.payment.address === address ? owner.keys.payment : owner.keys.ordinals;
    for (const index of indexes) {
      if (!Number.isSafeInteger(index) || index < 0) throw new Error("An input's index is not a number");
      requested.push({ index, key });
    }
  }
  if (!account || requested.length === 0) throw new Error("No inputs to sign were named");
  return { account, requested };
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return hex.encode(one) === hex.encode(other);
}

/** Whether the key's address holds the coin, or the key is in a leaf script of the input. */
function canSign(transaction: Transaction, { index, key }: RequestedInput): boolean {
  const { witnessUtxo, tapLeafScript } = transaction.getInput(index);
  if (witnessUtxo && same(witnessUtxo.script, key.script)) return true;
  const inScript = (script: Uint8Array) => hex.encode(script).includes(`20${key.pubKey}`);
  return key.tapInternalKey !== undefined && (tapLeafScript ?? []).some(([, script]) => inScript(script));
}

function checkInput(transaction: Transaction, requested: RequestedInput): void {
  const { index } = requested;
  if (index >= transaction.inputsLength) throw new Error(`There is no input ${index}`);
  const { sighashType, finalScriptWitness } = transaction.getInput(index);
  if (finalScriptWitness) throw new Error(`Input ${index} is signed already`);
  if (!ALLOWED_SIGHASHES.includes(sighashType ?? SigHash.DEFAULT)) {
    throw new Error(`Input ${index} asks for a kind of signature that this wallet does not give`);
  }
  if (!canSign(transaction, requested)) throw new Error(`Input ${index} is not of this account`);
}

/** Parses a request to sign a PSBT. Throws with the reason when this wallet would not sign it. */
export function readSigning(
  accounts: readonly DevAccount[],
  network: BitcoinNetwork,
  psbt: string,
  signInputs: unknown,
): DevSigning {
  const { account, requested } = requestedInputs(accounts, signInputs);
  let transaction: Transaction;
  try {
    transaction = parsePsbt(psbt);
  } catch {
    throw new Error("This is not a PSBT in base64");
  }
  if (transaction.inputsLength > INPUTS_MAX) throw new Error("The transaction is too large");
  for (const input of requested) checkInput(transaction, input);
  return {
    account,
    flow: readFlow(transaction, network),
    isOpenEnded: requested.some(
      ({ index }) => transaction.getInput(index).sighashType === SigHash.SINGLE_ANYONECANPAY,
    ),
    sign: () => {
      for (const { index, key } of requested) {
        const { tapInternalKey, tapLeafScript } = transaction.getInput(index);
        // A key path spend: the key is tweaked without a script tree (BIP-86). A script's key signs
        // untweaked.
        if (key.tapInternalKey && !tapInternalKey && !tapLeafScript) {
          transaction.updateInput(index, { tapInternalKey: key.tapInternalKey });
        }
        transaction.signIdx(key.privateKey, index, ALLOWED_SIGHASHES);
      }
      return base64.encode(transaction.toPSBT());
    },
  };
}
