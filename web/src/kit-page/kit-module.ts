// A data: URL, as the page can load nothing.
import url from "@/shared/verifier/verifier.wasm?url";
import { VerifierModule } from "@/shared/verifier/verifier-module";
import { type KitAnswer, readAnswer } from "./kit-answer";
import { fromBase64, type KitStep, taskText } from "./kit-task";

let loading: Promise<VerifierModule> | null = null;

function load(): Promise<VerifierModule> {
  loading ??= WebAssembly.compile(fromBase64(url.slice(url.indexOf(",") + 1))).then(
    (module) => new VerifierModule(module),
  );
  return loading;
}

/** Carries out a step with a kit. Fails with an `EntryError` for an entry that cannot be understood. */
export async function carryOut(kit: string, step: KitStep): Promise<KitAnswer> {
  const task = taskText(kit, step, Date.now());
  try {
    return readAnswer(await (await load()).ask(task));
  } catch {
    return { kind: "refused", code: "failed", text: "This browser could not run the check." };
  }
}
