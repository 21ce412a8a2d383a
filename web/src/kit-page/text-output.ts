import { saveFile } from "@/shared/ui/save-file";
import { element } from "./elements";

interface TextOutput {
  label: string;
  text: string;
  /** The name, type and content of the file to save. */
  file: { name: string; type: string; content: BlobPart };
}

/** A long text to copy, or to save as a file. */
export function textOutput({ label, text, file }: TextOutput): HTMLElement {
  const area = element("textarea", { class: "mono", readonly: true, rows: "4", spellcheck: "false" });
  area.setAttribute("aria-label", label);
  area.value = text;
  const status = element("span", { class: "muted", role: "status" });
  const copy = async () => {
    area.select();
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "Copied.";
    } catch {
      status.textContent = "The text is selected: copy it with the keyboard.";
    }
  };
  return element(
    "div",
    { class: "output" },
    element("h3", {}, label),
    area,
    element(
      "div",
      { class: "actions" },
      element("button", { type: "button", click: () => void copy() }, "Copy"),
      element(
        "button",
        { type: "button", click: () => saveFile(file.name, file.type, file.content) },
        `Save ${file.name}`,
      ),
      status,
    ),
  );
}
