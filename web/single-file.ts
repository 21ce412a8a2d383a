import { createHash } from "node:crypto";
import type { Plugin } from "vite";

const SCRIPT = /<script type="module"[^>]*><\/script>/;
const STYLE = /<link rel="stylesheet"[^>]*>/;

/**
 * Puts script and styles into the page, with a content policy that permits these two by their hashes and no
 * connection at all. The page then works from disk.
 */
export function singleFile(): Plugin {
  return {
    name: "single-file",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const chunks = files.filter((file) => file.type === "chunk");
      const styles = files.filter((file) => file.type === "asset" && file.fileName.endsWith(".css"));
      const page = files.find((file) => file.type === "asset" && file.fileName.endsWith(".html"));
      const [script, style] = [chunks[0], styles[0]];
      if (
        page?.type !== "asset" ||
        style?.type !== "asset" ||
        script?.type !== "chunk" ||
        files.length !== 3
      ) {
        this.error(`one script and one style sheet were expected, and there are ${Object.keys(bundle)}`);
      }
      // An end tag in a text would end the script.
      const code = `\n${script.code.replaceAll("</script", "<\\/script")}`;
      const sheet = String(style.source);
      const policy = [
        "default-src 'none'",
        `script-src ${hashOf(code)} 'wasm-unsafe-eval'`,
        `style-src ${hashOf(sheet)}`,
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const html = String(page.source);
      if (!SCRIPT.test(html) || !STYLE.test(html)) this.error("the page has no script or no style sheet");
      page.source = html
        .replace(SCRIPT, "")
        .replace(STYLE, () => `<style>${sheet}</style>`)
        .replace(
          '<meta charset="utf-8" />',
          (meta) => `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        )
        // At the end, as an inline script does not wait for the page unless it is a module.
        .replace("</body>", () => `  <script type="module">${code}</script>\n  </body>`);
      delete bundle[script.fileName];
      delete bundle[style.fileName];
    },
  };
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
