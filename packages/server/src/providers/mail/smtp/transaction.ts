// Sends one message over an open connection (RFC 5321 section 3.3), in one or two round trips if the relay supports it.
import { isAscii } from 'node:buffer';
import type { ComposedMail } from '../transport.ts';
import { type Dialogue, type Reply, SmtpFailure } from './dialogue.ts';
import { type Extensions, refused } from './opening.ts';

export type Envelope = { from: string; to: string[]; id: string };
export type Refusal = { recipient: string; response: string };
export type Sent = { accepted: string[]; refused: Refusal[]; response: string; by: 'DATA' | 'BDAT' };

/**
 * How far the hand-over is. After the first byte of the content it is not tried over another connection; after the last byte
 * the relay may have accepted the message.
 */
export type HandOver = { is_begun: boolean; may_be_taken: boolean };

const end_of_content = Buffer.from('.\r\n');
const [lf, cr, dot] = [10, 13, 46];
/** A larger message is not sent before the relay has accepted its recipients. */
const one_packet_bytes = 64 * 1024;

/** What is known about BDAT at this relay. Some relays offer CHUNKING but do not implement the command. */
export type Chunking = 'proven' | 'untried' | 'refused';

/**
 * With `is_alive` the message may be sent in one packet with its commands. Otherwise it waits for their replies, so that a
 * connection that was closed meanwhile is noticed before the relay can have accepted anything.
 */
export async function transact(
  dialogue: Dialogue,
  extensions: Extensions,
  envelope: Envelope,
  message: ComposedMail,
  hand_over: HandOver,
  options: { is_alive: boolean; chunking: Chunking },
): Promise<Sent> {
  const content = message.content();
  const commands = [
    mailCommand(extensions, envelope, message, content),
    ...envelope.to.map((recipient) => recipientCommand(extensions, recipient)),
  ];
  const can_pipeline = extensions.has('PIPELINING');
  const may_chunk =
    options.is_alive && can_pipeline && extensions.has('CHUNKING') && options.chunking !== 'refused';
  if (may_chunk && isSmall(content) && (options.chunking === 'proven' || !hasCommandLines(content)))
    return sendInOnePacket(dialogue, commands, withCrLf(content), envelope, hand_over);
  const [mail, ...recipients] = await (can_pipeline
    ? pipelined(dialogue, [...commands, 'DATA'])
    : oneByOne(dialogue, commands));
  const go = recipients.length > envelope.to.length ? recipients.pop()! : null;
  if (!isPositive(mail) || !recipients.some(isPositive)) {
    // The relay accepted DATA without a recipient: an empty message ends the transaction (RFC 2920 section 3.1).
    if (go?.code === 354) await dialogue.command('.').catch(() => null);
    throw isPositive(mail) ? refused(recipients.at(-1)!, 'RCPT TO') : refused(mail!, 'MAIL FROM');
  }
  const data = go ?? (await dialogue.command('DATA'));
  if (data.code !== 354) throw refused(data, 'DATA');

  hand_over.is_begun = true;
  const last = dialogue.expect();
  if (Buffer.isBuffer(content)) {
    hand_over.may_be_taken = true;
    dialogue.write(Buffer.concat([dotStuffed(content), end_of_content]));
  } else {
    // An early failure is handled below.
    last.catch(() => {});
    await streamContent(dialogue, content, hand_over);
  }
  const reply_to_content = await last;
  if (!isPositive(reply_to_content)) throw refused(reply_to_content, 'DATA');
  return { ...sent(envelope, recipients, reply_to_content), by: 'DATA' };
}

/** Commands and message in one packet (RFC 3030). The relay discards the message if it refuses the envelope. */
async function sendInOnePacket(
  dialogue: Dialogue,
  commands: string[],
  content: Buffer,
  envelope: Envelope,
  hand_over: HandOver,
): Promise<Sent> {
  const replies = [...commands, 'BDAT'].map(() => dialogue.expect().catch(() => null));
  if (!dialogue.ended) {
    hand_over.is_begun = true;
    hand_over.may_be_taken = true;
    const lines = `${commands.join('\r\n')}\r\nBDAT ${content.length} LAST\r\n`;
    dialogue.write(Buffer.concat([Buffer.from(lines), content]));
  }
  const [mail, ...rest] = await Promise.all(replies);
  const reply_to_content = rest.pop();
  const recipients = rest.filter((reply) => reply !== null);
  const is_refused = mail && !isPositive(mail);
  if (is_refused || (recipients.length === envelope.to.length && !recipients.some(isPositive))) {
    hand_over.is_begun = false;
    hand_over.may_be_taken = false;
    throw is_refused ? refused(mail, 'MAIL FROM') : refused(recipients.at(-1)!, 'RCPT TO');
  }
  // A relay that closes the connection may still have accepted the message.
  if (!reply_to_content) throw dialogue.ended!;
  if (!isPositive(reply_to_content)) throw refused(reply_to_content, 'BDAT');
  return { ...sent(envelope, recipients, reply_to_content), by: 'BDAT' };
}

const isPositive = (reply: Reply | undefined) => reply !== undefined && reply.code < 300;

const isSmall = (content: ReturnType<ComposedMail['content']>): content is Buffer =>
  Buffer.isBuffer(content) && content.length <= one_packet_bytes;

/**
 * A relay without BDAT reads the content as commands. Until it has proven support, content with lines that look like
 * commands is sent by DATA. Otherwise the author of a message could send mail in any name.
 */
const hasCommandLines = (content: Buffer): boolean =>
  /^[ \t]*(?:HELO|EHLO|MAIL|RCPT|DATA|BDAT|RSET|AUTH|XCLIENT)\b/im.test(content.toString('latin1'));

const unknown_command_codes = [500, 502, 503, 504];

/** Whether the relay refused the command itself, not the message. */
export const isUnknownBdat = ({ command, reply }: SmtpFailure): boolean =>
  command === 'BDAT' && reply !== null && unknown_command_codes.includes(reply.code);

const sent = (envelope: Envelope, recipients: Reply[], reply_to_content: Reply) => ({
  accepted: envelope.to.filter((_, at) => isPositive(recipients[at])),
  refused: envelope.to.flatMap((recipient, at) =>
    isPositive(recipients[at]) ? [] : [{ recipient, response: recipients[at]!.text }],
  ),
  response: reply_to_content.text,
});

function pipelined(dialogue: Dialogue, commands: string[]): Promise<Reply[]> {
  const replies = Promise.all(commands.map(() => dialogue.expect()));
  if (!dialogue.ended) dialogue.write(`${commands.join('\r\n')}\r\n`);
  return replies;
}

async function oneByOne(dialogue: Dialogue, commands: string[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const command of commands) {
    replies.push(await dialogue.command(command));
    // After a refused sender, recipients would be refused too.
    if (!isPositive(replies[0])) break;
  }
  return replies;
}

function mailCommand(
  extensions: Extensions,
  { from, to, id }: Envelope,
  message: ComposedMail,
  content: Buffer | unknown,
): string {
  const { size_bytes } = message;
  const max_bytes = Number(extensions.get('SIZE') || 0);
  if (max_bytes > 0 && size_bytes > max_bytes) {
    const reply = {
      code: 552,
      text: `552 5.3.4 The message has ${size_bytes} bytes, the relay accepts ${max_bytes}`,
    };
    throw refused(reply, 'MAIL FROM');
  }
  const is_international =
    message.is_international || ![from, ...to].every((address) => isAscii(Buffer.from(address)));
  if (is_international && !extensions.has('SMTPUTF8')) {
    const reply = { code: 553, text: '553 5.6.7 The relay does not support international addresses' };
    throw refused(reply, 'MAIL FROM');
  }
  const is_eight_bit = is_international || (Buffer.isBuffer(content) && !isAscii(content));
  return [
    `MAIL FROM:<${requirePlain(from)}>`,
    ...(extensions.has('SIZE') ? [`SIZE=${size_bytes}`] : []),
    ...(is_eight_bit && extensions.has('8BITMIME') ? ['BODY=8BITMIME'] : []),
    ...(is_international ? ['SMTPUTF8'] : []),
    // The envelope id and the return path both identify the email, so a report needs to return only the headers.
    ...(extensions.has('DSN') ? [`RET=HDRS ENVID=${id}`] : []),
  ].join(' ');
}

const recipientCommand = (extensions: Extensions, address: string) =>
  `RCPT TO:<${requirePlain(address)}>${extensions.has('DSN') ? ' NOTIFY=FAILURE,DELAY' : ''}`;

/** Addresses were checked before. A line end in one would be a separate command. */
function requirePlain(address: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not occur.
  if (/[\x00-\x20<>\x7f]/.test(address)) throw new Error('Not a plain address');
  return address;
}

/** Every line ends with CR LF, including the last one. */
function withCrLf(content: Buffer): Buffer {
  let is_complete = content.at(-1) === lf;
  for (let at = content.indexOf(lf); is_complete && at !== -1; at = content.indexOf(lf, at + 1))
    is_complete = content[at - 1] === cr;
  if (is_complete) return content;
  const text = content.toString('latin1').replaceAll(/(?<!\r)\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

/** Doubles dots at the start of a line (RFC 5321 section 4.5.2): a single dot would end the message. */
function dotStuffed(content: Buffer): Buffer {
  const lines = withCrLf(content);
  if (lines[0] !== dot && !lines.includes('\n.')) return lines;
  return Buffer.from(lines.toString('latin1').replaceAll(/(^|\n)\./g, '$1..'), 'latin1');
}

/** In complete lines, so that CR LF and leading dots are never split between two chunks. */
async function streamContent(
  dialogue: Dialogue,
  content: AsyncIterable<Buffer>,
  hand_over: HandOver,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of content) {
      const whole = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = whole.lastIndexOf(lf) + 1;
      rest = whole.subarray(end);
      if (end > 0 && !(await dialogue.stream(dotStuffed(whole.subarray(0, end))))) return;
    }
    const last = rest.length === 0 ? rest : dotStuffed(rest);
    if (dialogue.ended) return;
    hand_over.may_be_taken = true;
    dialogue.write(Buffer.concat([last, end_of_content]));
  } catch (error) {
    // Close the connection without the end of the message, so that the relay discards it.
    dialogue.end(new SmtpFailure('lost', `The message could not be read: ${(error as Error).message}`));
  }
}
