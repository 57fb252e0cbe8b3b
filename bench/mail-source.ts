// Creates signed messages and sends them with Postfix's load generator: the same client for every server.
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';
import type { MailZone } from './limits/mail-zone.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const program = '/usr/sbin/smtp-source';
export const sender_domain = 'good.test';

/** The number of recipients of each file; the program numbers them. */
export const recipients_per_file = 100;

export function mailSource(stage: Stage) {
  if (!existsSync(program)) throw new Error('smtp-source is missing: run scripts/install-debian-programs');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const folder = stage.makeFolder();
  const records: MailZone['records'] = {
    [sender_domain]: 'v=spf1 ip4:127.0.0.1 -all',
    [`bench._domainkey.${sender_domain}`]: `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
    [`_dmarc.${sender_domain}`]: 'v=DMARC1; p=reject',
  };

  return {
    records,

    /** Writes a new signed message to a file. The program itself adds CR LF. */
    async makeFile(raw: string): Promise<string> {
      const signed = await dkimSign(raw, {
        signatureData: [
          {
            signingDomain: sender_domain,
            selector: 'bench',
            privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
          },
        ],
      } as never);
      const file = join(folder, randomUUID());
      await writeFile(file, (signed.signatures + raw).replaceAll('\r\n', '\n'));
      return file;
    },

    /** Sends the file to `recipients_per_file` recipients, over ten connections. */
    async send(port: number, file: string, options: { to: string; messages?: number; connections?: number }) {
      const { to, messages = recipients_per_file, connections = 10 } = options;
      const flags = [
        '-4',
        '-d',
        '-N',
        '-s',
        String(connections),
        '-m',
        String(messages),
        '-M',
        `mail.${sender_domain}`,
      ];
      await run(program, [...flags, '-f', `a@${sender_domain}`, '-t', to, '-F', file, `127.0.0.1:${port}`]);
    },
  };
}
export type MailSource = ReturnType<typeof mailSource>;

/** A message of about ten kilobytes in text and HTML, like those of programs. */
export function ordinaryMail(): string {
  const sentence = 'The order left our house this morning and will be with you soon. ';
  const text = `${sentence}\r\n`.repeat(60);
  const html = `<html><body>${`<p style="margin:0">${sentence}</p>\r\n`.repeat(60)}</body></html>`;
  return [
    `From: Ana <a@${sender_domain}>`,
    'To: Bob <bob@mail.localhost>',
    'Subject: Your order',
    `Message-ID: <${randomUUID()}@${sender_domain}>`,
    'Date: Sun, 15 Nov 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="parts"',
    '',
    '--parts',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    '--parts',
    'Content-Type: text/html; charset=utf-8',
    '',
    html,
    '--parts--',
    '',
  ].join('\r\n');
}

/** A message with one attachment of random bytes. */
export function mailWithFile(size_bytes: number): string {
  const content = Buffer.alloc(size_bytes);
  for (let at = 0; at < size_bytes; at += 4)
    content.writeUInt32LE((at * 2654435761) >>> 0, Math.min(at, size_bytes - 4));
  return ordinaryMail().replace(
    '--parts--',
    `--parts\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64').replaceAll(/.{76}/g, '$&\r\n')}\r\n--parts--`,
  );
}
