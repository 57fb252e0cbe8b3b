// Lets a new tab use the key of the tabs that are open: they hand it over, and sign out together. Nothing is stored, so the key is
// forgotten when the last tab is closed.
type Message = { kind: 'ask' } | { kind: 'key' | 'signed_out'; key: string };

/** Another tab answers at once; without one, the sign-in page must not wait long. */
const answer_ms = 300;

const channel = new BroadcastChannel('parley.session');
const send = (message: Message) => channel.postMessage(message);

/** `key` is the key of this tab, if it has one. */
export function shareKey(key: () => string | null, onSignedOut: () => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const shared = key();
    if (data.kind === 'ask' && shared) send({ kind: 'key', key: shared });
    // Another tab may be signed in with another key.
    if (data.kind === 'signed_out' && data.key === shared) onSignedOut();
  });
}

export const tellSignedOut = (key: string) => send({ kind: 'signed_out', key });

/** The key of another tab; null when no other tab is signed in. */
export function keyOfOtherTab(): Promise<string | null> {
  return new Promise((resolve) => {
    const end = (key: string | null) => {
      clearTimeout(timer);
      channel.removeEventListener('message', listen);
      resolve(key);
    };
    const listen = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'key') end(data.key);
    };
    const timer = setTimeout(() => end(null), answer_ms);
    channel.addEventListener('message', listen);
    send({ kind: 'ask' });
  });
}
