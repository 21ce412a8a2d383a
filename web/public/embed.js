// Turns <a data-lienbook-collection="..." data-lienbook-inscription="..." data-lienbook-theme="dark|light"> into a frame
// with the best quote. The link stays where the frame does not answer.
(() => {
  const server = new URL(document.currentScript.src).origin;
  for (const link of document.querySelectorAll("a[data-lienbook-collection]")) {
    const { lienbookCollection, lienbookInscription, lienbookTheme } = link.dataset;
    const query = new URLSearchParams({ host: location.origin, collection: lienbookCollection });
    if (lienbookInscription) query.set("inscription", lienbookInscription);
    if (lienbookTheme) query.set("theme", lienbookTheme);
    const frame = document.createElement("iframe");
    frame.src = `${server}/embed/borrow?${query}`;
    frame.title = link.textContent;
    frame.referrerPolicy = "no-referrer";
    frame.sandbox = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox";
    frame.style.cssText = `border:0;width:100%;height:0;color-scheme:${lienbookTheme || "light dark"}`;
    addEventListener("message", ({ origin, source, data }) => {
      if (origin !== server || source !== frame.contentWindow || data?.lienbook !== "height") return;
      frame.style.height = `${Math.min(Number(data.height) || 0, 2000)}px`;
      link.hidden = true;
    });
    link.after(frame);
  }
})();
