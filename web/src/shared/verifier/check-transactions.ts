import type { Question } from "./question";
import type { DescribedVault, VaultAgreement } from "./vault-address";
import { Disagreement, refusalOf, uncheckedVerdict, type Verdict } from "./verdict";
import type { Verifier } from "./verifier";

let loading: Promise<Verifier> | null = null;

/** Loads the verifier once, when something is to be signed. A load that failed is tried again. */
function verifier(): Promise<Verifier> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function load(): Promise<Verifier> {
  const [{ Verifier }, { default: url }] = await Promise.all([
    import("./verifier"),
    import("./verifier.wasm?url"),
  ]);
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`The verifier could not be loaded (${response.status})`);
  return new Verifier(await WebAssembly.compile(await response.arrayBuffer()));
}

/** Checks transactions against the terms that the user agreed to. Never rejects: a failure is a refusal. */
export async function checkTransactions(question: Question): Promise<Verdict> {
  try {
    return await (await verifier()).check(question, Date.now());
  } catch {
    return uncheckedVerdict("the code that checks it could not be loaded");
  }
}

/** Rejects with a `Disagreement` unless the transactions are what the terms demand. */
export async function requireAgreement(question: Question): Promise<void> {
  const refusal = refusalOf(await checkTransactions(question));
  if (refusal !== null) throw new Disagreement(refusal);
}

/**
 * The signers of a vault whose address follows from the keys that are shown for it. Rejects with a `Disagreement` for another
 * address.
 */
export async function checkVaultAddress(vault: DescribedVault): Promise<VaultAgreement> {
  const { result, ...answer } = await (await verifier()).checkVault(vault);
  if ("reason" in answer) throw new Disagreement(answer.reason);
  return answer;
}
