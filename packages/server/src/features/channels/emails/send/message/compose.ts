// Composes and signs a message: simple ones directly, those with attachments by nodemailer, large ones through a file.
import { isAscii } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MailComposerOptions } from 'nodemailer/lib/mail-composer';
import { openUnnamedFile } from '../../../../../platform/unnamed-file.ts';
import type { Composition } from '../../../../../protocols/mail/compose/composition.ts';
import { directMessage, withLineEnds } from '../../../../../protocols/mail/compose/direct-message.ts';
import { bodyHash } from '../../../../../protocols/mail/dkim/body-hash.ts';
import { messageHasher } from '../../../../../protocols/mail/dkim/message-hash.ts';
import { type Sign, type SigningKey, signatureField } from '../../../../../protocols/mail/dkim/sign.ts';
import type { ComposedMail } from '../../../../../providers/mail/transport.ts';

/** A message with more bytes of attachments is written to a file instead of memory. */
const in_memory_bytes = 1024 * 1024;

export async function composeMail(
  composition: Composition,
  signing: SigningKey | null,
  signature: { unsigned: readonly string[]; sign: Sign },
): Promise<ComposedMail> {
  const options = { signed_at: composition.date, ...signature };
  const direct = directMessage(composition);
  if (direct) {
    const { header, body } = direct;
    const field = signing ? await signatureField(header, bodyHash(body), signing, options) : '';
    return inMemory(Buffer.from(`${field}${header}\r\n\r\n${body}`, 'latin1'));
  }
  const size = composition.attachments.reduce((sum, attachment) => sum + attachment.size_bytes, 0);
  // Loaded with the first message that needs it.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const compiled = new MailComposer(await composerOptions(composition)).compile();
  const signatureFor = async (header: string, body_hash: string) =>
    signing ? signatureField(header, body_hash, signing, options) : '';
  const composed = await (size <= in_memory_bytes
    ? composeInMemory(await compiled.build(), signatureFor)
    : composeToFile(compiled.createReadStream(), signatureFor));
  return { ...composed, is_international: isInternational(composition) };
}

type SignatureFor = (header: string, body_hash: string) => Promise<string>;

async function composeInMemory(message: Buffer, signatureFor: SignatureFor): Promise<ComposedMail> {
  const hasher = messageHasher();
  hasher.update(message);
  const { header, body_hash } = hasher.digest();
  return inMemory(Buffer.concat([Buffer.from(await signatureFor(header, body_hash), 'latin1'), message]));
}

const inMemory = (message: Buffer): ComposedMail => ({
  size_bytes: message.length,
  content: () => message,
  dispose: async () => {},
});

/** The signature comes first in the message but covers its last byte, so the message is hashed while it is written to a file. */
async function composeToFile(message: Readable, signatureFor: SignatureFor): Promise<ComposedMail> {
  const file = await openUnnamedFile();
  try {
    const hasher = messageHasher();
    let size_bytes = 0;
    async function* hashed(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hasher.update(chunk);
        size_bytes += chunk.length;
        yield chunk;
      }
    }
    await pipeline(message, hashed, file.writer());
    const { header, body_hash } = hasher.digest();
    const field = Buffer.from(await signatureFor(header, body_hash), 'latin1');
    async function* content() {
      yield field;
      yield* file.reader();
    }
    return {
      size_bytes: field.length + size_bytes,
      content: () => Readable.from(content(), { objectMode: false }),
      dispose: file.close,
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Names and texts are encoded, but an address beyond ASCII is in its header unencoded (RFC 6532). */
const isInternational = ({ from, to, cc, reply_to }: Composition) =>
  [from, ...to, ...cc, ...(reply_to ? [reply_to] : [])].some(({ address }) => !isAscii(Buffer.from(address)));

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
    // Derived from the id, so that composing the same email again gives the same message.
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
    // The other files will not be read.
    for (const each of opened) if (each.status === 'fulfilled') each.value.destroy();
    throw failed.reason;
  }
  return attachments.map(({ filename, content_type: contentType, content_id }, at) => ({
    filename,
    contentType,
    ...(content_id ? { cid: content_id, contentDisposition: 'inline' as const } : {}),
    // Such a part may not be encoded (RFC 2046 section 5.2.1). Only messages of 7 bits are attached this way.
    ...(contentType === 'message/rfc822'
      ? { contentTransferEncoding: '7bit' as const, contentDisposition: 'attachment' as const }
      : {}),
    content: (opened[at] as PromiseFulfilledResult<Readable>).value,
  }));
}
