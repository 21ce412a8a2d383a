/** The download of the page that uses a kit without this site. */
export function OfflinePageLink() {
  return (
    <a
      href="/lienbook-kit.html"
      download
      className="w-fit rounded-control text-xs text-soft underline underline-offset-4 hover:text-text"
    >
      Offline page for this kit
    </a>
  );
}
