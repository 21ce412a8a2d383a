import { signBip322Simple } from "@/shared/bitcoin/bip322";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import type { SeedAddress } from "@/shared/bitcoin/seed-keys";
import type { DevAccount } from "./dev-accounts";
import { type DevSigning, readSigning } from "./dev-transaction";

/** The wallet's prompts. Each resolves to null, or false, when the user cancels. */
export interface DevPrompts {
  chooseAccount: (accounts: DevAccount[]) => Promise<DevAccount | null>;
  approveMessage: (accountName: string, address: string, message: string) => Promise<boolean>;
  approveTransaction: (signing: DevSigning) => Promise<boolean>;
}

/** A JSON-RPC error in the form of sats-connect style wallets. */
class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const rejected = () => new RpcError(-32_000, "User rejected the request");

function described(key: SeedAddress, purpose: "payment" | "ordinals") {
  return {
    address: key.address,
    publicKey: key.pubKey,
    purpose,
    addressType: key.tapInternalKey ? "p2tr" : "p2wpkh",
    walletType: "software",
  };
}

async function connect(accounts: DevAccount[], prompts: DevPrompts): Promise<unknown> {
  const chosen = await prompts.chooseAccount(accounts);
  if (!chosen) throw rejected();
  const { payment, ordinals } = chosen.keys;
  return {
    id: chosen.name,
    name: chosen.name,
    walletType: "software",
    addresses: [described(payment, "payment"), described(ordinals, "ordinals")],
  };
}

async function signMessage(accounts: DevAccount[], prompts: DevPrompts, params: unknown): Promise<unknown> {
  const { address, message, protocol } = (params ?? {}) as Record<string, unknown>;
  if (typeof address !== "string" || typeof message !== "string" || protocol !== "BIP322") {
    throw new RpcError(-32_602, "An address, a message and the protocol BIP322 are needed");
  }
  for (const { name, keys } of accounts) {
    const key = [keys.payment, keys.ordinals].find((candidate) => candidate.address === address);
    if (!key) continue;
    if (!(await prompts.approveMessage(name, address, message))) throw rejected();
    return { address, signature: signBip322Simple(key, message), protocol };
  }
  throw new RpcError(-32_002, "No account of this wallet has that address");
}

async function signPsbt(
  accounts: DevAccount[],
  prompts: DevPrompts,
  network: BitcoinNetwork,
  params: unknown,
): Promise<unknown> {
  const { psbt, signInputs, broadcast } = (params ?? {}) as Record<string, unknown>;
  if (typeof psbt !== "string") throw new RpcError(-32_602, "A PSBT in base64 is needed");
  if (broadcast === true) throw new RpcError(-32_602, "This wallet signs and never sends");
  let signing: DevSigning;
  try {
    signing = readSigning(accounts, network, psbt, signInputs);
  } catch (error) {
    throw new RpcError(-32_602, error instanceof Error ? error.message : "This PSBT cannot be read");
  }
  if (!(await prompts.approveTransaction(signing))) throw rejected();
  return { psbt: signing.sign() };
}

/** The wallet's `request`: it responds like any other wallet's, by JSON-RPC, and never rejects. */
export function devRequests(accounts: DevAccount[], network: BitcoinNetwork, prompts: DevPrompts) {
  let lastId = 0;
  return async (method: string, params?: unknown): Promise<unknown> => {
    lastId += 1;
    const envelope = { jsonrpc: "2.0", id: String(lastId) };
    try {
      switch (method) {
        case "wallet_connect":
          return { ...envelope, result: await connect(accounts, prompts) };
        case "signMessage":
          return { ...envelope, result: await signMessage(accounts, prompts, params) };
        case "signPsbt":
          return { ...envelope, result: await signPsbt(accounts, prompts, network, params) };
        case "wallet_disconnect":
          return { ...envelope, result: null };
        default:
          throw new RpcError(-32_601, `The method ${method} is not known`);
      }
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32_603;
      return { ...envelope, error: { code, message: error instanceof Error ? error.message : "Unknown" } };
    }
  };
}
