import { notify } from "./notify";

/**
 * Copies a text and notifies the user; returns whether it succeeded. Where copying is forbidden the text
 * itself is shown, to be copied by hand.
 */
export async function copyToClipboard(text: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    notify.success("Copied to clipboard");
    return true;
  } catch {
    notify.error(`The ${what} could not be copied`, text);
    return false;
  }
}
