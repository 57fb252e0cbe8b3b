// Scans a message with rspamd over HTTP (POST /checkv2).
import { Agent, request } from 'undici';
import type { SpamScanner, SpamVerdict } from '../spam-scanner.ts';

/** Verdicts by the action that rspamd recommends to a mail server. */
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
  // HTTP header fields allow printable ASCII only.
  const printable = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 500);

  return {
    async scan(raw, { mail_from, peer, recipients }) {
      const response = await request(url, {
        dispatcher: agent,
        method: 'POST',
        body: raw,
        headers: {
          from: printable(mail_from),
          rcpt: recipients.map(({ address }) => printable(address)).slice(0, 100),
          ...(peer ? { ip: peer.remote_address, helo: printable(peer.helo) } : {}),
        },
        headersTimeout: settings.timeout_ms,
        bodyTimeout: settings.timeout_ms,
      });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`The spam scanner responded ${response.statusCode}`);
      const { action } = JSON.parse(text) as { action?: string };
      return verdicts[action ?? ''] ?? 'PROCESSING_FAILED';
    },
  };
}
