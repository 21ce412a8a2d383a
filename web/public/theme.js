// Runs before the first paint, so that a remembered theme never flashes the other one. It is a file of its own
// because the content policy allows no inline scripts.
(() => {
  try {
    const theme = localStorage.getItem("lienbook.theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage can be blocked; the system's theme is used then.
  }
})();
