// Hands one message over on an open connection (RFC 5321 section 3.3), in one or two round trips where the relay allows it.
import { isAscii } from 'node:buffer';
import type { ComposedMail } from '../transport.ts';
import { type Dialogue, type Reply, SmtpFailure } from './dialogue.ts';
import { type Extensions, refused } from './opening.ts';

export type Envelope = { from: string; to: string[]; id: string };
export type Refusal = { recipient: string; response: string };
export type Sent = { accepted: string[]; refused: Refusal[]; response: string; by: 'DATA' | 'BDAT' };

/**
 * Where a message is. Once its content has begun to go out it is not tried over another connection; from its last byte on
 * the relay may have taken it.
 */
export type Handed = { is_begun: boolean; may_be_taken: boolean };

const end_of_content = Buffer.from('.\r\n');
const [lf, cr, dot] = [10, 13, 46];
/** A larger message is not sent before the relay has taken its recipients. */
const one_trip_bytes = 64 * 1024;

/** What is known of BDAT at this relay. Some relays offer CHUNKING and then do not know the command. */
export type Chunking = 'proven' | 'untried' | 'refused';

/**
 * With `is_awake` the relay is known to be there, and a message may go along with the commands before it. Without, it only
 * follows their answers, so that a connection that has gone meanwhile is seen before the relay can have taken anything.
 */
export async function transact(
  talk: Dialogue,
  extensions: Extensions,
  envelope: Envelope,
  message: ComposedMail,
  handed: Handed,
  how: { is_awake: boolean; chunking: Chunking },
): Promise<Sent> {
  const content = message.content();
  const commands = [
    mailCommand(extensions, envelope, message, content),
    ...envelope.to.map((recipient) => recipientCommand(extensions, recipient)),
  ];
  const is_quick = extensions.has('PIPELINING');
  const may_chunk = how.is_awake && is_quick && extensions.has('CHUNKING') && how.chunking !== 'refused';
  if (may_chunk && isSmall(content) && (how.chunking === 'proven' || !holdsCommands(content)))
    return inOneTrip(talk, commands, wholeLines(content), envelope, handed);
  const [mail, ...recipients] = await (is_quick
    ? askAtOnce(talk, [...commands, 'DATA'])
    : askInTurn(talk, commands));
  const go = recipients.length > envelope.to.length ? recipients.pop()! : null;
  if (!isPositive(mail) || !recipients.some(isPositive)) {
    // Told to begin all the same: an empty message, which nobody gets, is the only way back (RFC 2920 section 3.1).
    if (go?.code === 354) await talk.ask('.').catch(() => null);
    throw isPositive(mail) ? refused(recipients.at(-1)!, 'RCPT TO') : refused(mail!, 'MAIL FROM');
  }
  const begin = go ?? (await talk.ask('DATA'));
  if (begin.code !== 354) throw refused(begin, 'DATA');

  handed.is_begun = true;
  const last = talk.expect();
  if (Buffer.isBuffer(content)) {
    handed.may_be_taken = true;
    talk.say(Buffer.concat([stuffed(content), end_of_content]));
  } else {
    // Answered before the end, or not at all: seen below.
    last.catch(() => {});
    await pour(talk, content, handed);
  }
  const taken = await last;
  if (!isPositive(taken)) throw refused(taken, 'DATA');
  return { ...sent(envelope, recipients, taken), by: 'DATA' };
}

/** Everything in one packet (RFC 3030): what the relay does not want of it, it reads and forgets. */
async function inOneTrip(
  talk: Dialogue,
  commands: string[],
  content: Buffer,
  envelope: Envelope,
  handed: Handed,
): Promise<Sent> {
  const replies = [...commands, 'BDAT'].map(() => talk.expect().catch(() => null));
  if (!talk.ended) {
    handed.is_begun = true;
    handed.may_be_taken = true;
    const words = `${commands.join('\r\n')}\r\nBDAT ${content.length} LAST\r\n`;
    talk.say(Buffer.concat([Buffer.from(words), content]));
  }
  const [mail, ...rest] = await Promise.all(replies);
  const taken = rest.pop();
  const recipients = rest.filter((reply) => reply !== null);
  const is_refused = mail && !isPositive(mail);
  if (is_refused || (recipients.length === envelope.to.length && !recipients.some(isPositive))) {
    handed.is_begun = false;
    handed.may_be_taken = false;
    throw is_refused ? refused(mail, 'MAIL FROM') : refused(recipients.at(-1)!, 'RCPT TO');
  }
  // A relay that hangs up may have taken it all the same.
  if (!taken) throw talk.ended!;
  if (!isPositive(taken)) throw refused(taken, 'BDAT');
  return { ...sent(envelope, recipients, taken), by: 'BDAT' };
}

const isPositive = (reply: Reply | undefined) => reply !== undefined && reply.code < 300;

const isSmall = (content: ReturnType<ComposedMail['content']>): content is Buffer =>
  Buffer.isBuffer(content) && content.length <= one_trip_bytes;

/**
 * A relay that does not know BDAT reads the content as commands. Until it has shown that it does, content with lines that
 * are commands goes by DATA, or its author could send mail as anybody.
 */
const holdsCommands = (content: Buffer): boolean =>
  /^[ \t]*(?:HELO|EHLO|MAIL|RCPT|DATA|BDAT|RSET|AUTH|XCLIENT)\b/im.test(content.toString('latin1'));

const unknown_command_codes = [500, 502, 503, 504];

/** Whether the relay refused the command itself rather than the message. */
export const isUnknownBdat = ({ command, reply }: SmtpFailure): boolean =>
  command === 'BDAT' && reply !== null && unknown_command_codes.includes(reply.code);

const sent = (envelope: Envelope, recipients: Reply[], taken: Reply) => ({
  accepted: envelope.to.filter((_, at) => isPositive(recipients[at])),
  refused: envelope.to.flatMap((recipient, at) =>
    isPositive(recipients[at]) ? [] : [{ recipient, response: recipients[at]!.text }],
  ),
  response: taken.text,
});

function askAtOnce(talk: Dialogue, commands: string[]): Promise<Reply[]> {
  const replies = Promise.all(commands.map(() => talk.expect()));
  if (!talk.ended) talk.say(`${commands.join('\r\n')}\r\n`);
  return replies;
}

async function askInTurn(talk: Dialogue, commands: string[]): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const command of commands) {
    replies.push(await talk.ask(command));
    // Without a sender no recipient is taken.
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
  const most = Number(extensions.get('SIZE') || 0);
  if (most > 0 && size_bytes > most) {
    const reply = {
      code: 552,
      text: `552 5.3.4 The message has ${size_bytes} bytes, the relay takes ${most}`,
    };
    throw refused(reply, 'MAIL FROM');
  }
  const is_international =
    message.is_international || ![from, ...to].every((address) => isAscii(Buffer.from(address)));
  if (is_international && !extensions.has('SMTPUTF8')) {
    const reply = { code: 553, text: '553 5.6.7 The relay does not know international addresses' };
    throw refused(reply, 'MAIL FROM');
  }
  const is_eight_bit = is_international || (Buffer.isBuffer(content) && !isAscii(content));
  return [
    `MAIL FROM:<${mustBePlain(from)}>`,
    ...(extensions.has('SIZE') ? [`SIZE=${size_bytes}`] : []),
    ...(is_eight_bit && extensions.has('8BITMIME') ? ['BODY=8BITMIME'] : []),
    ...(is_international ? ['SMTPUTF8'] : []),
    // The envelope id and the return path both name the email; only its headers need to come back.
    ...(extensions.has('DSN') ? [`RET=HDRS ENVID=${id}`] : []),
  ].join(' ');
}

const recipientCommand = (extensions: Extensions, address: string) =>
  `RCPT TO:<${mustBePlain(address)}>${extensions.has('DSN') ? ' NOTIFY=FAILURE,DELAY' : ''}`;

/** Addresses were checked long before; a line end in one would be a command of its own. */
function mustBePlain(address: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
  if (/[\x00-\x20<>\x7f]/.test(address)) throw new Error('An address that is none');
  return address;
}

/** Every line, the last one too, ends as mail's lines do. */
function wholeLines(content: Buffer): Buffer {
  let are_whole = content.at(-1) === lf;
  for (let at = content.indexOf(lf); are_whole && at !== -1; at = content.indexOf(lf, at + 1))
    are_whole = content[at - 1] === cr;
  if (are_whole) return content;
  const text = content.toString('latin1').replaceAll(/(?<!\r)\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

/** Dots at the start of a line are doubled (RFC 5321 section 4.5.2): one alone would be the end. */
function stuffed(content: Buffer): Buffer {
  const lines = wholeLines(content);
  if (lines[0] !== dot && !lines.includes('\n.')) return lines;
  return Buffer.from(lines.toString('latin1').replaceAll(/(^|\n)\./g, '$1..'), 'latin1');
}

/** By whole lines, so that a line end or a dot is never seen apart from what is around it. */
async function pour(talk: Dialogue, content: AsyncIterable<Buffer>, handed: Handed): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of content) {
      const whole = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = whole.lastIndexOf(lf) + 1;
      rest = whole.subarray(end);
      if (end > 0 && !(await talk.pour(stuffed(whole.subarray(0, end))))) return;
    }
    const last = rest.length === 0 ? rest : stuffed(rest);
    if (talk.ended) return;
    handed.may_be_taken = true;
    talk.say(Buffer.concat([last, end_of_content]));
  } catch (error) {
    // Half a message must not look like a whole one: without its end the relay forgets it.
    talk.end(new SmtpFailure('lost', `The message could not be read: ${(error as Error).message}`));
  }
}
