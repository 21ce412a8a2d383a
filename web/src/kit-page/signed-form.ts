import { element, field, messagePlace } from "./elements";
import { fileEntry } from "./file-entry";
import type { KitFacts } from "./kit-answer";
import { signedText, withoutSpace } from "./kit-task";

/** The most that a wallet returns, as in engine/escrow/src/contract/signing/returned_psbt.rs. */
const BYTES_MAX = 1_000_000;

interface SignedForm {
  form: HTMLFormElement;
  showFault: (text: string | null) => void;
  /** Enters the address to which a vault is left. */
  setDestination: (address: string) => void;
}

/** The form for the transaction that a wallet has signed. */
export function signedForm(kit: KitFacts, submit: (psbt: string, destination: string) => void): SignedForm {
  const { place, show } = messagePlace();
  const text = element("textarea", { class: "mono", rows: "4", spellcheck: "false", autocomplete: "off" });
  const destination = element("input", {
    class: "mono",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "100",
  });
  const picker = fileEntry({
    label: "Choose the signed PSBT",
    accept: ".psbt,.txt",
    bytesMax: BYTES_MAX,
    read(bytes) {
      text.value = signedText(bytes);
      show(null);
    },
    fail: show,
  });
  const form = element(
    "form",
    { class: "order", novalidate: true },
    picker,
    field("Or paste it", text, "Base64 or hexadecimal."),
    kit.role === "vault"
      ? field("Address that the exit sends to", destination, "Empty for your ordinals address.")
      : null,
    place,
    element("button", { type: "submit", class: "primary" }, "Check and finish it"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const psbt = withoutSpace(text.value);
    if (psbt === "") show("Choose or paste what your wallet returned.");
    else submit(psbt, destination.value);
  });
  return {
    form,
    showFault: show,
    setDestination(address) {
      destination.value = address;
    },
  };
}
