import { capitalized } from "@/shared/format/capitalized";
import { element, messagePlace, reveal, step } from "./elements";
import { factsView } from "./facts-view";
import { fileEntry } from "./file-entry";
import type { KitAnswer, KitFacts } from "./kit-answer";
import { carryOut } from "./kit-module";
import { EntryError, type KitStep } from "./kit-task";
import { KIT_TEXTS } from "./kit-texts";
import { orderForm } from "./order-form";
import { finishedView, unsignedView } from "./results";
import { signedForm } from "./signed-form";

/** The maximum length of a kit, as in engine/escrow/src/kit.rs. */
const KIT_BYTES_MAX = 1 << 20;
const TIME_PAUSE_MS = 30_000;

const steps = document.querySelector("main") as HTMLElement;
const { place: fault, show: showFault } = messagePlace();
let timer: ReturnType<typeof setInterval> | undefined;
/** The number of files that were opened: the answer about an earlier one is dropped. */
let openedCount = 0;

// Instead of the text for a page whose script cannot run, as where a website shows it.
steps.replaceChildren(
  step(
    "1. Open your kit",
    fileEntry({
      label: "Choose a kit",
      accept: ".json,application/json",
      bytesMax: KIT_BYTES_MAX,
      read: (bytes, name) => void openKit(new TextDecoder().decode(bytes), name),
      fail: (text) => {
        openedCount += 1;
        closeKit();
        showFault(text);
      },
    }),
    fault,
    element(
      "p",
      { class: "muted" },
      "The kit is a file that you have downloaded, such as lienbook-kit-ln_1.json. It holds no private key, and this page asks for none.",
    ),
  ),
);

function closeKit(): void {
  clearInterval(timer);
  for (const section of [...steps.children].slice(1)) section.remove();
}

async function openKit(text: string, name: string): Promise<void> {
  closeKit();
  showFault(null);
  openedCount += 1;
  const opened = openedCount;
  const answer = await carryOut(text, { kind: "read" });
  if (opened !== openedCount) return;
  if (answer.kind !== "kit") {
    showFault(`${name}: ${faultOf(answer)}`);
    return;
  }
  const facts = element("div", {}, factsView(answer));
  const shown = step(`Kit: ${name}`, facts);
  steps.append(shown, ...transactionSteps(text, answer));
  reveal(shown);
  timer = setInterval(() => void showTime(text, facts), TIME_PAUSE_MS);
}

/** Shows the time that is left anew. */
async function showTime(kit: string, facts: HTMLElement): Promise<void> {
  const answer = await carryOut(kit, { kind: "read" });
  const time = facts.querySelector("[data-time]");
  if (time && answer.kind === "kit") time.textContent = answer.time ?? "";
}

/** The steps that make the kit's transaction and finish it. */
function transactionSteps(kit: string, facts: KitFacts): HTMLElement[] {
  const { transaction } = KIT_TEXTS[facts.role];
  const unsigned = element("div");
  const finished = element("div");
  const order = orderForm(facts, (entered) => {
    void run(kit, { kind: "build", order: entered }, order.showFault, unsigned, (answer) => {
      if (answer.kind !== "unsigned") return null;
      signed.setDestination(entered.destination);
      return unsignedView(facts.role, answer);
    });
  });
  const signed = signedForm(facts, (psbt, destination) => {
    void run(kit, { kind: "finish", psbt, destination }, signed.showFault, finished, (answer) =>
      answer.kind === "finished" ? finishedView(facts.role, answer) : null,
    );
  });
  return [
    step(`2. Make ${transaction}`, order.form, unsigned),
    step(
      "3. Check what you signed",
      element(
        "p",
        { class: "muted" },
        `${capitalized(transaction)} is built again from the kit and compared with what your wallet returned, to the last byte.`,
      ),
      signed.form,
      finished,
    ),
  ];
}

/** Carries out a step and shows its result, or why it is refused. */
async function run(
  kit: string,
  task: KitStep,
  show: (text: string | null, code?: string) => void,
  place: HTMLElement,
  viewOf: (answer: KitAnswer) => HTMLElement | null,
): Promise<void> {
  place.replaceChildren();
  show(null);
  try {
    const answer = await carryOut(kit, task);
    const view = viewOf(answer);
    if (view === null) {
      show(faultOf(answer), answer.kind === "refused" ? answer.code : undefined);
      return;
    }
    place.replaceChildren(view);
    reveal(view);
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    show(error.message);
  }
}

function faultOf(answer: KitAnswer): string {
  return answer.kind === "refused" ? `${capitalized(answer.text)}.` : "This browser could not run the check.";
}
