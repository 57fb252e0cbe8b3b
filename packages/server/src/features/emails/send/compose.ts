// Composes the message that is sent, and signs it: with attachments by nodemailer, the rest directly; large ones go through a file.
import { isAscii } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import MailComposer, { type MailComposerOptions } from 'nodemailer/lib/mail-composer';
import type { Composition } from '../../../protocols/mail/compose/composition.ts';
import { directMessage, withLineEnds } from '../../../protocols/mail/compose/direct-message.ts';
import { bodyHash, bodyHasher } from '../../../protocols/mail/dkim/body-hash.ts';
import type { Sign } from '../../../protocols/mail/dkim/sign.ts';
import { signatureField } from '../../../protocols/mail/dkim/sign.ts';
import type { ComposedMail } from '../../../providers/mail/transport.ts';
import type { SigningKey } from '../../email-domains/index.ts';

/** Above this a message is not held in memory. */
const in_memory_bytes = 1024 * 1024;
const head_end = Buffer.from('\r\n\r\n');

export async function composeMail(
  composition: Composition,
  signing: SigningKey | null,
  how: { unsigned: readonly string[]; sign: Sign },
): Promise<ComposedMail> {
  const options = { signed_at: composition.date, ...how };
  const direct = directMessage(composition);
  if (direct) {
    const { header, body } = direct;
    const field = signing ? await signatureField(header, bodyHash(body), signing, options) : '';
    return inMemory(Buffer.from(`${field}${header}\r\n\r\n${body}`, 'latin1'));
  }
  const size = composition.attachments.reduce((sum, attachment) => sum + attachment.size_bytes, 0);
  const compiled = new MailComposer(await composerOptions(composition)).compile();
  const signatureFor = async (header: string, body_hash: string) =>
    signing ? signatureField(header, body_hash, signing, options) : '';
  const composed = await (size <= in_memory_bytes
    ? whole(await compiled.build(), signatureFor)
    : throughFile(compiled.createReadStream(), signatureFor));
  return { ...composed, is_international: isInternational(composition) };
}

type SignatureFor = (header: string, body_hash: string) => Promise<string>;

async function whole(message: Buffer, signatureFor: SignatureFor): Promise<ComposedMail> {
  const end = message.indexOf(head_end);
  const hasher = bodyHasher();
  hasher.update(message.subarray(end + head_end.length));
  const field = await signatureFor(message.toString('latin1', 0, end), hasher.digest());
  return inMemory(Buffer.concat([Buffer.from(field, 'latin1'), message]));
}

/** Names and texts are encoded; an address beyond ASCII stands in its header as it is (RFC 6532). */
const isInternational = ({ from, to, cc, reply_to }: Composition) =>
  [from, ...to, ...cc, ...(reply_to ? [reply_to] : [])].some(({ address }) => !isAscii(Buffer.from(address)));

const inMemory = (message: Buffer): ComposedMail => ({
  size_bytes: message.length,
  content: () => message,
  dispose: async () => {},
});

/** The signature stands first but covers the last byte: the message is written once, hashed as it passes. */
async function throughFile(message: Readable, signatureFor: SignatureFor): Promise<ComposedMail> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mail-'));
  const file = join(folder, 'message');
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const hasher = bodyHasher();
    let head = Buffer.alloc(0);
    let header: string | null = null;
    async function* watched(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        if (header === null) {
          head = Buffer.concat([head, chunk]);
          const end = head.indexOf(head_end);
          if (end !== -1) {
            header = head.toString('latin1', 0, end);
            hasher.update(head.subarray(end + head_end.length));
          }
        } else hasher.update(chunk);
        yield chunk;
      }
    }
    await pipeline(message, watched, createWriteStream(file, { mode: 0o600 }));
    const field = Buffer.from(await signatureFor(header ?? '', hasher.digest()), 'latin1');
    return {
      size_bytes: field.length + (await stat(file)).size,
      content: () =>
        Readable.from(
          (async function* () {
            yield field;
            yield* createReadStream(file);
          })(),
          { objectMode: false },
        ),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function composerOptions(composition: Composition): Promise<MailComposerOptions> {
  const { reply_to, in_reply_to, references } = composition;
  return {
    from: composition.from,
    to: composition.to,
    ...(composition.cc.length > 0 ? { cc: composition.cc } : {}),
    ...(reply_to ? { replyTo: reply_to } : {}),
    subject: composition.subject,
    text: withLineEnds(composition.text ?? ''),
    ...(composition.html === null ? {} : { html: withLineEnds(composition.html) }),
    messageId: composition.message_id,
    date: composition.date,
    ...(in_reply_to ? { inReplyTo: in_reply_to } : {}),
    ...(references.length > 0 ? { references } : {}),
    headers: composition.headers,
    attachments: await openAll(composition.attachments),
    // The same email composed again is the same message: boundaries follow from its id.
    baseBoundary: composition.email_id.replaceAll('-', ''),
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'win',
  };
}

async function openAll(attachments: Composition['attachments']) {
  const opened = await Promise.allSettled(attachments.map((attachment) => attachment.open()));
  const failed = opened.find((each) => each.status === 'rejected');
  if (failed) {
    // Nobody will read the others either.
    for (const each of opened) if (each.status === 'fulfilled') each.value.destroy();
    throw failed.reason;
  }
  return attachments.map(({ filename, content_type: contentType }, at) => ({
    filename,
    contentType,
    content: (opened[at] as PromiseFulfilledResult<Readable>).value,
  }));
}
