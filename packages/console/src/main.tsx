// Starts the page: finds out who is signed in, then shows the sign-in page or the console.
import '@fontsource-variable/inter/wght.css';
import 'uplot/dist/uPlot.min.css';
import './mantine-styles.ts';
import './style.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { PublicNotFoundPage } from './not-found-page.tsx';
import { Toasts } from './parts/toasts.tsx';
import { router } from './router.tsx';
import { credential, onCredentialChange, resume } from './session/credential.ts';
import { facts, style_nonce } from './session/facts.ts';
import { signInWithLink } from './session/one-time-link.ts';
import { SignInPage } from './sign-in-page.tsx';
import { forgetDrafts } from './state/drafts.ts';
import { readAhead } from './state/reads.ts';
import { theme } from './theme.ts';

const queries = new QueryClient({
  // The SDK does the retries, and the event stream says when data is stale.
  defaultOptions: { queries: { retry: false, staleTime: 2000, refetchOnWindowFocus: true } },
});

const unknown_path = facts.is_not_found ? location.pathname : null;

function Console() {
  const who = useSyncExternalStore(onCredentialChange, credential);
  if (!who) {
    // Clears the data of the previous user.
    queries.clear();
    forgetDrafts();
    return location.pathname === unknown_path ? <PublicNotFoundPage /> : <SignInPage />;
  }
  return <RouterProvider router={router} context={{ queries }} key={keyOf(who)} />;
}

const keyOf = (who: NonNullable<ReturnType<typeof credential>>) =>
  who.kind === 'key' ? 'key' : who.organization.id;

await signInWithLink();
if (!credential()) await resume();
if (credential()) readAhead(queries, location);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => style_nonce}>
      <QueryClientProvider client={queries}>
        <Console />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
