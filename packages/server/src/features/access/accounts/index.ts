// Accounts: people, how they sign in, and what they allow programs to do in their name.
export type { PasswordHashing } from './engine-options.ts';
export { managedMode } from './managed-mode.ts';
export { document, Html, html } from './pages/html.ts';
export { redirectTo, requireOwnOrigin, sendPage } from './pages/web.ts';
export { issuerOf } from './trusted-issuers.ts';
