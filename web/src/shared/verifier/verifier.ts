import * as v from "valibot";
import { type Question, questionText } from "./question";
import { type DescribedVault, type VaultAnswer, vaultAnswer, vaultText } from "./vault-address";
import { uncheckedVerdict, type Verdict, verdict } from "./verdict";
import { VerifierModule } from "./verifier-module";

/** The check of transactions before a wallet is asked. */
export class Verifier {
  readonly #module: VerifierModule;

  constructor(module: WebAssembly.Module) {
    this.#module = new VerifierModule(module);
  }

  /** Checks transactions. Whatever fails is a refusal. */
  async check(question: Question, nowMs: number): Promise<Verdict> {
    try {
      return v.parse(verdict, JSON.parse(await this.#module.ask(questionText(question, nowMs))));
    } catch {
      return uncheckedVerdict("the transaction could not be checked in this browser");
    }
  }

  /** Derives the address of a vault again. Whatever fails is a refusal. */
  async checkVault(vault: DescribedVault): Promise<VaultAnswer> {
    return vaultAnswer(await this.#module.ask(vaultText(vault)).catch(() => ""));
  }
}
