import { element } from "./elements";
import type { EnteredCoin } from "./kit-task";

/** A list of coins to enter: outpoint and amount of each. */
export function coinRows(what: string): { list: HTMLElement; coins: () => EnteredCoin[] } {
  const rows = element("ol", { class: "coins" });
  const add = element("button", { type: "button", click: () => addRow().focus() }, `Add another ${what}`);
  const number = () => {
    for (const [index, row] of [...rows.children].entries()) {
      const place = index + 1;
      const [outpoint, sats, remove] = row.querySelectorAll("input, button");
      outpoint?.setAttribute("aria-label", `Output of ${what} ${place}, as TXID:VOUT`);
      sats?.setAttribute("aria-label", `Sats of ${what} ${place}`);
      remove?.setAttribute("aria-label", `Remove ${what} ${place}`);
    }
  };

  function addRow(): HTMLInputElement {
    const outpoint = element("input", {
      class: "mono",
      name: "outpoint",
      placeholder: "TXID:VOUT",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: "80",
    });
    const sats = element("input", {
      name: "sats",
      placeholder: "sats",
      inputmode: "numeric",
      autocomplete: "off",
      maxlength: "24",
    });
    const remove = element("button", { type: "button", class: "quiet" }, "Remove");
    const row = element("li", {}, outpoint, sats, remove);
    remove.addEventListener("click", () => {
      row.remove();
      if (rows.children.length === 0) addRow();
      number();
      add.focus();
    });
    rows.append(row);
    number();
    return outpoint;
  }

  addRow();
  return {
    list: element("div", { class: "coin-list" }, rows, add),
    coins: () =>
      [...rows.children].map((row) => {
        const [outpoint, sats] = row.querySelectorAll("input");
        return { outpoint: outpoint?.value ?? "", sats: sats?.value ?? "" };
      }),
  };
}
