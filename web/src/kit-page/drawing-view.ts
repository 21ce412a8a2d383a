import { capitalized } from "@/shared/format/capitalized";
import { formatBtc } from "@/shared/format/sats";
import { element } from "./elements";
import type { Drawing } from "./kit-answer";

/** The inputs and outputs of a transaction, for review. */
export function drawingView({ inputs, outputs, feeSats, feeRate, version }: Drawing): HTMLElement {
  const total = inputs.reduce((sum, { sats }) => sum + sats, 0n);
  return element(
    "div",
    { class: "drawing" },
    side(
      "What goes in",
      inputs.map(({ label, sats, outpoint }) => row(label, sats, outpoint)),
    ),
    side("What comes out", [
      ...outputs.map(({ label, sats, address }) => row(label, sats, address)),
      row(`network fee, ${feeRate}`, feeSats, null),
    ]),
    element("p", { class: "muted" }, `${formatBtc(total, 8)} BTC in all, transaction version ${version}.`),
  );
}

function side(title: string, rows: readonly HTMLElement[]): HTMLElement {
  return element("div", { class: "side" }, element("h3", {}, title), element("ol", {}, ...rows));
}

function row(label: string, sats: bigint, place: string | null): HTMLElement {
  return element(
    "li",
    {},
    element(
      "div",
      { class: "amount" },
      element("span", {}, capitalized(label)),
      element("span", { class: "sats" }, `${formatBtc(sats, 8)} BTC`),
    ),
    place === null ? null : element("p", { class: "mono place" }, place),
  );
}
