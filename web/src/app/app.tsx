import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { BrowserRouter } from "react-router";
import { createQueryClient } from "@/shared/api/query-client";
import { AppDialogsContext } from "@/shared/dialogs/app-dialogs";
import { FeedConnection } from "@/shared/feed/feed-connection";
import { LazyToaster } from "@/shared/ui/lazy-toaster";
import { APP_DIALOGS } from "./app-dialogs";
import { Pages } from "./pages";

/** The providers around every page. */
export function App() {
  const [client] = useState(createQueryClient);
  return (
    // The content policy allows no style elements: their rules are in our own style sheet.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <FeedConnection />
        <AppDialogsContext value={APP_DIALOGS}>
          {/* Without the router of data, which is half of the library: the queries load the data. */}
          <BrowserRouter>
            <Pages />
          </BrowserRouter>
        </AppDialogsContext>
        <LazyToaster />
      </QueryClientProvider>
    </CSPProvider>
  );
}
