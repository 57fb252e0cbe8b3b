// The functions that read what strangers and tenants write, each with the pieces of its grammar.

import { parseSearch } from '../../../packages/contract/src/inbox/search/search-query.ts';
import { wordsOf } from '../../../packages/contract/src/inbox/search/search-words.ts';
import { readMailbox } from '../../../packages/contract/src/schema/mailbox.ts';
import { validateValue } from '../../../packages/contract/src/schema/subset/schema-subset.ts';
import { missingNames, renderText } from '../../../packages/contract/src/schema/templates.ts';
import { isQuoted } from '../../../packages/server/src/features/agents/runtime/built-in/consent-quote.ts';
import { linkHosts } from '../../../packages/server/src/features/agents/runtime/built-in/link-hosts.ts';
import { hideSecrets } from '../../../packages/server/src/features/agents/runtime/records/tool-content.ts';
import { isBackChannel } from '../../../packages/server/src/features/channels/calls/conversation/listen/back-channel.ts';
import { clauseSplitter } from '../../../packages/server/src/features/channels/calls/conversation/speak/clauses.ts';
import { readMessage } from '../../../packages/server/src/features/channels/emails/delivery-reports/reading/read-report.ts';
import { extractedText } from '../../../packages/server/src/features/channels/emails/read/extracted-text.ts';
import { plainSubject } from '../../../packages/server/src/features/channels/emails/threads.ts';
import { readLinks } from '../../../packages/server/src/features/channels/emails/tracking/tracked-html.ts';
import { optOutKeyword } from '../../../packages/server/src/features/channels/sms/receiving/opt-out-keywords.ts';
import { verificationCode } from '../../../packages/server/src/features/inbox/message-waits/verification-code.ts';
import { snippetOf } from '../../../packages/server/src/features/inbox/search/snippet.ts';
import { resemblesRefusal } from '../../../packages/server/src/features/rules/consents/suspicions/resembles-refusal.ts';
import { htmlToText } from '../../../packages/server/src/protocols/html/text.ts';
import { classifyBounce } from '../../../packages/server/src/protocols/mail/bounce-class.ts';
import { verifySignatures } from '../../../packages/server/src/protocols/mail/dkim/signatures.ts';
import { parseMessage } from '../../../packages/server/src/protocols/mail/mime/parse-message.ts';
import { headerEnd, UnreadableMessage } from '../../../packages/server/src/protocols/mail/mime/structure.ts';
import { tnefFiles } from '../../../packages/server/src/protocols/mail/mime/tnef.ts';
import { goalsOf } from '../../../packages/server/src/providers/llm/offline/goals.ts';
import { numbersIn } from '../../../packages/server/src/providers/llm/offline/spoken-numbers.ts';
import { dateIn, timeIn } from '../../../packages/server/src/providers/llm/offline/spoken-times.ts';
import { withoutReasoning } from '../../../packages/server/src/providers/llm/reasoning-filter.ts';
import { eventData } from '../../../packages/server/src/providers/llm/server-sent-events.ts';
import { css, data, dkim, header, html, reply, report, words } from './pieces.ts';
import type { Reader } from './search.ts';

const message = (head: string, body: string) => Buffer.from(`${head}\r\n\r\n${body}`);
/** Refusing a message is an answer too. */
const parsed = (raw: Buffer) => {
  try {
    return parseMessage(raw);
  } catch (error) {
    if (error instanceof UnreadableMessage) return null;
    throw error;
  }
};
const verified = async (raw: Buffer) => {
  try {
    return await verifySignatures(raw, headerEnd(raw), 'a@b.test', async () => []);
  } catch (error) {
    if (error instanceof UnreadableMessage) return null;
    throw error;
  }
};
async function* chunksOf(text: string) {
  for (let at = 0; at < text.length; at += 256) yield Buffer.from(text.slice(at, at + 256));
}
async function readEvents(text: string): Promise<number> {
  let count = 0;
  try {
    for await (const _ of eventData(chunksOf(text), () => new UnreadableMessage('no stream'))) count++;
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
  }
  return count;
}
async function* textChunks(text: string) {
  for (let at = 0; at < text.length; at += 16) yield { text: text.slice(at, at + 16) };
}
async function readWithoutReasoning(text: string): Promise<number> {
  let count = 0;
  for await (const _ of withoutReasoning(textChunks(text))) count++;
  return count;
}
function speak(text: string): number {
  const splitter = clauseSplitter();
  let count = 0;
  for (let at = 0; at < text.length; at += 16) count += splitter.push(text.slice(at, at + 16)).length;
  return count + splitter.flush().length;
}
const person_schema = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'string', format: 'email' } } },
};
const lines = (text: string) => text.replaceAll(/[^\n]{900}/g, '$&\r\n');

export const readers: Reader[] = [
  { name: 'html', pieces: html, read: (text) => htmlToText(text, { max_chars: text.length, links: true }) },
  {
    name: 'style sheet',
    pieces: css,
    frame: (text) => `<style>${text}</style>${'<p class="a b" id=b style="color:red">x'.repeat(20)}`,
    read: (text) => htmlToText(text, { max_chars: text.length }),
  },
  {
    name: 'style attribute',
    pieces: css,
    frame: (text) => `<p style="${text}">x`,
    read: (text) => htmlToText(text, { max_chars: text.length }),
  },
  { name: 'links of html', pieces: html, read: readLinks },
  {
    name: 'reply as html',
    pieces: html,
    read: (text) => extractedText({ body_text: null, body_html: text }),
  },
  {
    name: 'reply as text',
    pieces: reply,
    read: (text) => extractedText({ body_text: text, body_html: null }),
  },
  {
    name: 'reply as text and html',
    pieces: [...reply, ...html],
    read: (text) => extractedText({ body_text: text, body_html: `<div class=gmail_quote>${text}` }),
  },
  { name: 'header of a message', pieces: header, read: (text) => parsed(message(text, 'x')) },
  { name: 'address list', pieces: header, read: (text) => parsed(message(`To: ${lines(text)}`, 'x')) },
  { name: 'encoded words', pieces: header, read: (text) => parsed(message(`Subject: ${text}`, 'x')) },
  { name: 'message ids', pieces: header, read: (text) => parsed(message(`References: ${text}`, 'x')) },
  {
    name: 'content type',
    pieces: header,
    read: (text) => parsed(message(`Content-Type: ${text}`, '--b\r\n\r\nx\r\n--b--')),
  },
  {
    name: 'parts of a message',
    pieces: [...header, '\r\n--b\r\n', '\r\n--b--\r\n', '\r\n\r\n'],
    read: (text) => parsed(message('Content-Type: multipart/mixed; boundary=b', `--b\r\n${text}\r\n--b--`)),
  },
  {
    name: 'text that flows',
    pieces: [...header, ' \r\n', '-- \r\n', '>'],
    read: (text) => parsed(message('Content-Type: text/plain; format=flowed; delsp=yes', text)),
  },
  {
    name: 'quoted-printable',
    pieces: header,
    read: (text) =>
      parsed(message('Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable', text)),
  },
  {
    name: 'tnef',
    pieces: ['\0', '\x01', 'x\x9f>"', '\x90\x06'],
    read: (text) => tnefFiles(Buffer.from(text, 'latin1')),
  },
  {
    name: 'signatures of a message',
    pieces: dkim,
    read: (text) => verified(message(`From: a@b.test\r\n${text}`, 'x')),
  },
  {
    name: 'signed body',
    pieces: [' ', '\r\n', '\t', ' \r\n', 'x'],
    read: (text) => verified(message(`From: a@b.test\r\n${dkim[0]!.trim()}`, text)),
  },
  {
    name: 'delivery report',
    pieces: report,
    read: (text) => readMessage(Buffer.from(`From: mailer-daemon@a.test\nSubject: Undelivered\n\n${text}`)),
  },
  {
    name: 'fields of a delivery report',
    pieces: report,
    read: (text) =>
      readMessage(
        Buffer.from(
          `From: mailer-daemon@a.test\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nx\n--b\nContent-Type: message/delivery-status\n\n${text}\n--b--\n`,
        ),
      ),
  },
  { name: 'reply of a mail server', pieces: report, read: (text) => classifyBounce(null, text) },
  { name: 'subject', pieces: [...words, 'Re: ', 'Fwd: ', 'AW: ', '[a] '], read: plainSubject },
  { name: 'code in a text', pieces: words, read: verificationCode },
  { name: 'opt-out keyword', pieces: words, read: optOutKeyword },
  { name: 'refusal', pieces: words, read: resemblesRefusal },
  { name: 'links of an agent', pieces: words, read: linkHosts },
  { name: 'quotation of consent', pieces: words, read: (text) => isQuoted(text.slice(0, 200), [text]) },
  {
    name: 'result of a tool',
    pieces: data,
    read: (text) => hideSecrets({ outcome: 'done', content: text }, { authorization: 'Bearer "a":"a":' }),
  },
  { name: 'words that agree', pieces: words, read: isBackChannel },
  { name: 'words of a model', pieces: words, read: speak },
  { name: 'events of a model', pieces: data, read: readEvents },
  { name: 'reasoning of a model', pieces: data, read: readWithoutReasoning },
  { name: 'spoken numbers', pieces: words, read: numbersIn },
  { name: 'spoken dates', pieces: words, read: (text) => [dateIn(text, '2026-11-19'), timeIn(text)] },
  { name: 'goals of a prompt', pieces: [...words, 'Ask for ', '- ', '. '], read: goalsOf },
  {
    name: 'template',
    pieces: words,
    read: (text) => [renderText(text, { a: 'b' }), missingNames(text, () => false)],
  },
  { name: 'search query', pieces: data, read: parseSearch },
  { name: 'words for search', pieces: words, read: wordsOf },
  { name: 'snippet', pieces: words, read: (text) => snippetOf(text, (word) => word === 'nothing') },
  { name: 'address', pieces: header, read: readMailbox },
  {
    name: 'value of a schema',
    pieces: words,
    read: (text) => validateValue(person_schema, { items: text.split(' ') }),
  },
];
