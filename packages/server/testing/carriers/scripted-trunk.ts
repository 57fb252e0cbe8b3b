// A SIP trunk of a test: it replies to every INVITE with one status, is silent, or answers and hangs up at once.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after } from 'node:test';

/** `answers`: the person answers and hangs up. Null: no reply at all. */
type Reply = string | 'answers' | null;
export type ScriptedTrunk = { port: number; reply: Reply };

type Message = { start: string; lines: string[] };
const header = ({ lines }: Message, name: RegExp) => lines.find((line) => name.test(line)) ?? '';
const fieldOf = (line: string) => line.slice(line.indexOf(':') + 1).trim();
const names = {
  to: /^(to|t)\s*:/i,
  from: /^(from|f)\s*:/i,
  id: /^(call-id|i)\s*:/i,
  contact: /^(contact|m)\s*:/i,
};

function responseTo(message: Message, status: string, more: string[] = [], body = ''): string {
  const copied = message.lines.filter((line) => /^(via|from|call-id|cseq|v|f|i)\s*:/i.test(line));
  const to = header(message, names.to);
  const tagged = /;tag=/.test(to) ? to : `${to};tag=trunk`;
  return [`SIP/2.0 ${status}`, ...copied, tagged, ...more, `Content-Length: ${body.length}`, '', body].join(
    '\r\n',
  );
}

const sdp = (port: number) =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    '',
  ].join('\r\n');

/** The called person hangs up: a request in the dialog of the INVITE (RFC 3261 section 15.1.1). */
function byeFor(invite: Message, port: number): string {
  const target = /<([^>]+)>/.exec(header(invite, names.contact))![1];
  return [
    `BYE ${target} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${Math.random().toString(36).slice(2)};rport`,
    `From: ${fieldOf(header(invite, names.to))};tag=trunk`,
    `To: ${fieldOf(header(invite, names.from))}`,
    `Call-ID: ${fieldOf(header(invite, names.id))}`,
    'CSeq: 1 BYE',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

/** Closed at the end of the test file. */
export async function startScriptedTrunk(): Promise<ScriptedTrunk> {
  const [socket, rtp] = [createSocket('udp4'), createSocket('udp4')];
  const trunk: ScriptedTrunk = { port: 0, reply: null };
  const invites = new Map<string, Message>();
  socket.on('message', (packet, from) => {
    const [start = '', ...lines] = packet.toString().split('\r\n');
    const message = { start, lines };
    const send = (text: string) => socket.send(text, from.port, from.address);
    const id = fieldOf(header(message, names.id));
    if (start.startsWith('ACK') && invites.has(id)) {
      send(byeFor(invites.get(id)!, trunk.port));
      invites.delete(id);
    }
    if (start.startsWith('BYE') || start.startsWith('CANCEL')) send(responseTo(message, '200 OK'));
    if (!start.startsWith('INVITE') || trunk.reply === null) return;
    if (trunk.reply !== 'answers') return send(responseTo(message, trunk.reply));
    invites.set(id, message);
    const contact = [`Contact: <sip:trunk@127.0.0.1:${trunk.port}>`, 'Content-Type: application/sdp'];
    send(responseTo(message, '200 OK', contact, sdp(rtp.address().port)));
  });
  for (const each of [socket, rtp]) {
    each.bind(0, '127.0.0.1');
    await once(each, 'listening');
    after(() => each.close());
  }
  trunk.port = socket.address().port;
  return trunk;
}
