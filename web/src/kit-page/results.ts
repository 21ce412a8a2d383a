import { capitalized } from "@/shared/format/capitalized";
import { drawingView } from "./drawing-view";
import { element } from "./elements";
import type { Finished, Role, Unsigned } from "./kit-answer";
import { fromBase64 } from "./kit-task";
import { broadcastCommand, KIT_TEXTS, SIGNING_STEPS } from "./kit-texts";
import { textOutput } from "./text-output";

/** A transaction that waits for its signatures. */
export function unsignedView(role: Role, { psbt, drawing, warnings }: Unsigned): HTMLElement {
  const { transaction, file } = KIT_TEXTS[role];
  return element(
    "div",
    { class: "result", role: "region", "aria-label": `${capitalized(transaction)}, unsigned` },
    element("h3", { tabindex: "-1" }, `${capitalized(transaction)}, for your wallet to sign`),
    ...warnings.map((warning) => element("p", { class: "warning" }, warning)),
    drawingView(drawing),
    textOutput({
      label: "PSBT, in base64",
      text: psbt,
      file: { name: `${file}.psbt`, type: "application/octet-stream", content: fromBase64(psbt) },
    }),
    element("h3", {}, "Sign it"),
    element("ol", { class: "steps" }, ...SIGNING_STEPS.map((text) => element("li", {}, text))),
  );
}

/** A transaction that is ready to be broadcast. */
export function finishedView(role: Role, { hex, txid, drawing }: Finished): HTMLElement {
  const { transaction, file, afterwards } = KIT_TEXTS[role];
  return element(
    "div",
    { class: "result", role: "region", "aria-label": `${capitalized(transaction)}, ready` },
    element("h3", { tabindex: "-1" }, `${capitalized(transaction)} is complete`),
    element(
      "p",
      {},
      "It is the transaction that the kit builds, and all of its signatures are valid. This page sends nothing.",
    ),
    drawingView(drawing),
    element("h3", {}, "Transaction id"),
    element("p", { class: "mono place" }, txid),
    textOutput({
      label: "Transaction, in hexadecimal",
      text: hex,
      file: { name: `${file}.hex`, type: "text/plain", content: `${hex}\n` },
    }),
    element("h3", {}, "Broadcast it"),
    element("p", {}, "With a Bitcoin node, or with any service that broadcasts a transaction:"),
    element("p", { class: "mono place" }, broadcastCommand(file)),
    element("p", {}, afterwards),
  );
}
