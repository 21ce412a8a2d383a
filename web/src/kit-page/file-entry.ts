import { element } from "./elements";

interface FileEntry {
  label: string;
  /** The types of files that the picker offers. */
  accept: string;
  bytesMax: number;
  /** Gets the file's bytes; a file that is too large or unreadable is an error in words. */
  read: (bytes: Uint8Array, name: string) => void;
  fail: (text: string) => void;
}

/** A file picker that is also a target for files that are dropped. */
export function fileEntry({ label, accept, bytesMax, read, fail }: FileEntry): HTMLElement {
  const input = element("input", { type: "file", accept, class: "visually-hidden" });
  const target = element(
    "label",
    { class: "drop" },
    input,
    element("span", { class: "drop-title" }, label),
    element("span", { class: "muted" }, "or drop the file here"),
  );
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > bytesMax) {
      fail(`${file.name} has ${file.size.toLocaleString("en")} bytes: it is another file.`);
      return;
    }
    try {
      read(new Uint8Array(await file.arrayBuffer()), file.name);
    } catch {
      fail(`${file.name} could not be read.`);
    }
  };
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    // The same file can be chosen again after it was changed.
    input.value = "";
    void take(file);
  });
  target.addEventListener("dragover", (event) => {
    event.preventDefault();
    target.dataset.over = "true";
  });
  target.addEventListener("dragleave", () => delete target.dataset.over);
  target.addEventListener("drop", (event) => {
    event.preventDefault();
    delete target.dataset.over;
    void take(event.dataTransfer?.files[0]);
  });
  return target;
}
