import * as v from "valibot";
import { type Question, questionText } from "./question";
import { uncheckedVerdict, type Verdict, verdict } from "./verdict";

/** The functions that the module exports, see engine/verifier/src/exports.rs. */
interface Exports {
  memory: WebAssembly.Memory;
  question: (length: number) => number;
  check: () => number;
  answer: () => number;
}

/** The escrow code of the repository as WebAssembly. It has no imports, so it can do nothing but compute. */
export class Verifier {
  readonly #module: WebAssembly.Module;
  #exports: Exports | null = null;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Checks transactions. Whatever fails is a refusal: a module that has trapped is not used again. */
  async check(question: Question, nowMs: number): Promise<Verdict> {
    try {
      this.#exports ??= (await WebAssembly.instantiate(this.#module, {})).exports as unknown as Exports;
      return v.parse(verdict, JSON.parse(ask(this.#exports, questionText(question, nowMs))));
    } catch {
      this.#exports = null;
      return uncheckedVerdict("the transaction could not be checked in this browser");
    }
  }
}

function ask(module: Exports, text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The memory may be another one after each call, since it grows.
  const at = module.question(bytes.length);
  new Uint8Array(module.memory.buffer, at, bytes.length).set(bytes);
  const length = module.check();
  return new TextDecoder().decode(new Uint8Array(module.memory.buffer, module.answer(), length));
}
