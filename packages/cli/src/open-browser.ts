// Opens an address in the browser of this user.

/** Only if a browser would open on the screen of this user. The caller also prints the address. */
export async function openBrowser(url: string): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, PARLEY_NO_BROWSER } = process.env;
  const has_screen = process.platform === 'linux' ? Boolean(DISPLAY || WAYLAND_DISPLAY) : !SSH_CONNECTION;
  // A server chose the address: other schemes start other programs.
  const is_page = ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '');
  if (!has_screen || PARLEY_NO_BROWSER || !is_page) return;
  const { default: open } = await import('open');
  try {
    await open(url);
  } catch {
    // The user opens the printed address.
  }
}
