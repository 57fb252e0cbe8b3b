// Asks rspamd over HTTP what it makes of a message (POST /checkv2).
import { Agent, request } from 'undici';
import type { SpamScanner, SpamVerdict } from '../spam-scanner.ts';

/** What rspamd would have a mail server do, as a verdict; it never says less than it means. */
const verdicts: Record<string, SpamVerdict> = {
  'no action': 'PASS',
  greylist: 'GRAY',
  'soft reject': 'GRAY',
  'add header': 'FAIL',
  'rewrite subject': 'FAIL',
  reject: 'FAIL',
};

export function rspamdScanner(settings: { url: string; timeout_ms: number }): SpamScanner {
  const agent = new Agent({ connections: 20 });
  const url = new URL('/checkv2', settings.url);
  // A header field of HTTP carries plain letters only.
  const plain = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 500);

  return {
    async scan(raw, { mail_from, peer, receivers }) {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        body: raw,
        headers: {
          from: plain(mail_from),
          rcpt: receivers.map(({ address }) => plain(address)).slice(0, 100),
          ...(peer ? { ip: peer.remote_address, helo: plain(peer.helo) } : {}),
        },
        headersTimeout: settings.timeout_ms,
        bodyTimeout: settings.timeout_ms,
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`The spam scanner answered ${answer.statusCode}`);
      const { action } = JSON.parse(text) as { action?: string };
      return verdicts[action ?? ''] ?? 'PROCESSING_FAILED';
    },
  };
}
