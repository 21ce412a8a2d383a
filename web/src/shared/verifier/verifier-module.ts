/** The functions that the module exports, see engine/verifier/src/exports.rs. */
interface Exports {
  memory: WebAssembly.Memory;
  question: (length: number) => number;
  check: () => number;
  answer: () => number;
}

/** The escrow code of the repository as WebAssembly. It has no imports, so it can do nothing but compute. */
export class VerifierModule {
  readonly #module: WebAssembly.Module;
  #exports: Exports | null = null;

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Answers a text in JSON by another. Rejects when the module traps; an instance that has trapped is not used again. */
  async ask(text: string): Promise<string> {
    try {
      this.#exports ??= (await WebAssembly.instantiate(this.#module, {})).exports as unknown as Exports;
      return call(this.#exports, text);
    } catch (error) {
      this.#exports = null;
      throw error;
    }
  }
}

function call(module: Exports, text: string): string {
  const bytes = new TextEncoder().encode(text);
  // The memory may be another one after each call, since it grows.
  const at = module.question(bytes.length);
  new Uint8Array(module.memory.buffer, at, bytes.length).set(bytes);
  const length = module.check();
  return new TextDecoder().decode(new Uint8Array(module.memory.buffer, module.answer(), length));
}
