import { coinRows } from "./coin-rows";
import { checkbox, element, field, messagePlace } from "./elements";
import type { KitFacts } from "./kit-answer";
import type { EnteredOrder } from "./kit-task";
import { KIT_TEXTS } from "./kit-texts";

interface OrderForm {
  form: HTMLFormElement;
  showFault: (text: string | null, code?: string) => void;
}

/** The form for the choices of the user about a transaction. */
export function orderForm(kit: KitFacts, submit: (order: EnteredOrder) => void): OrderForm {
  const texts = KIT_TEXTS[kit.role];
  const { list, coins } = coinRows(kit.role === "vault" ? "output" : "coin");
  const feeRate = element("input", {
    name: "fee-rate",
    inputmode: "decimal",
    autocomplete: "off",
    required: true,
  });
  const version = element(
    "select",
    {},
    element("option", { value: "3" }, "3: the lender cannot delay it"),
    element("option", { value: "2" }, "2: for nodes before Bitcoin Core 28"),
  );
  const destination = element("input", {
    class: "mono",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "100",
  });
  const pads = (kit.loan?.pads ?? []).map((pad) => checkbox(pad, pad, true));
  const late = checkbox("Try although the lender may already claim", "late");
  late.row.hidden = true;
  const { place, show } = messagePlace();

  const form = element(
    "form",
    { class: "order", novalidate: true },
    element(
      "fieldset",
      {},
      element("legend", {}, kit.role === "vault" ? "Outputs of the vault" : "Your coins"),
      element("p", { class: "muted" }, texts.coins),
      kit.paymentAddress === null
        ? null
        : element("p", { class: "mono place" }, `Payment address: ${kit.paymentAddress}`),
      list,
    ),
    field(
      "Fee rate, in sats per virtual byte",
      feeRate,
      "A rate for the next blocks, from 0.1 to 2000, as a block explorer shows it.",
    ),
    kit.role === "borrower" ? field("Transaction version", version) : null,
    kit.role === "vault"
      ? field(
          "Address to send to",
          destination,
          `One of yours. If you leave it empty, it is your ordinals address ${kit.ordinalsAddress}.`,
        )
      : null,
    pads.length === 0
      ? null
      : element(
          "details",
          {},
          element("summary", {}, "A pad of this loan was spent"),
          element(
            "p",
            { class: "muted" },
            "Pads are small outputs of your payment address that stand before the escrow. Mark those that you have spent elsewhere: the last coins above take their places.",
          ),
          ...pads.map(({ row }) => row),
        ),
    late.row,
    place,
    element("button", { type: "submit", class: "primary" }, `Make ${texts.transaction}`),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit({
      coins: coins(),
      feeRate: feeRate.value,
      version: version.value === "2" ? 2 : 3,
      spentPads: pads.filter(({ input }) => input.checked).map(({ input }) => input.value),
      isLateWanted: late.input.checked,
      destination: destination.value,
    });
  });
  return {
    form,
    showFault(text, code) {
      show(text);
      if (code === "late") late.row.hidden = false;
    },
  };
}
