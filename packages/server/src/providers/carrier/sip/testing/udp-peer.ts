// A SIP peer over UDP that writes its messages itself, for what SIPp cannot say or should not understand.
import { createSocket, type RemoteInfo } from 'node:dgram';
import { after } from 'node:test';
import { waitFor } from '../../../../../testing/wait-for.ts';

export type Message = {
  /** The request's method, or null. */
  method: string | null;
  status: number | null;
  text: string;
  /** The first header of this name, without its name; an empty text where there is none. */
  header(name: string): string;
  headers(name: string): string[];
  body: string;
};

function readMessage(text: string): Message {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = (name: string) =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      .map((line) => line.slice(name.length + 1).trim());
  const status = /^SIP\/2\.0 (\d{3})/.exec(first)?.[1];
  return {
    method: status ? null : (first.split(' ')[0] ?? ''),
    status: status ? Number(status) : null,
    text,
    headers,
    header: (name) => headers(name)[0] ?? '',
    body,
  };
}

export const peerSdp = (port: number, lines: readonly string[] = []) =>
  ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', `m=audio ${port} RTP/AVP 0`]
    .concat(lines, '')
    .join('\r\n');

type Parts = { headers?: string[]; body?: string; to_port: number };

/** The lines of a response of the peer, without its length and body. */
function responseLines(request: Message, status: string, contact: string, headers: string[]): string[] {
  const to = request.header('To');
  return [
    `SIP/2.0 ${status}`,
    `Via: ${request.header('Via')}`,
    `From: ${request.header('From')}`,
    `To: ${to}${/;tag=/.test(to) ? '' : ';tag=peer'}`,
    `Call-ID: ${request.header('Call-ID')}`,
    `CSeq: ${request.header('CSeq')}`,
    `Contact: ${contact}`,
    ...headers,
  ];
}

type Request = Parts & {
  call_id: string;
  cseq: number;
  /** The tag of the other side, once it is there. */
  to_tag?: string;
  /** The user that the request goes to; the number stays in To. */
  to_user?: string;
  /** The INVITE that we got, for a request of the side that was called. */
  invite?: Message;
};

function requestLines(method: string, options: Request, via: string, contact: string): string[] {
  const { to_port, call_id, cseq, to_tag, to_user = '+15005550100', invite, headers = [] } = options;
  const from = invite ? `${invite.header('To')};tag=peer` : '<sip:+15005550001@127.0.0.1>;tag=caller';
  const to = invite?.header('From') ?? `<sip:+15005550100@127.0.0.1>${to_tag ? `;tag=${to_tag}` : ''}`;
  return [
    `${method} sip:${to_user}@127.0.0.1:${to_port} SIP/2.0`,
    `Via: ${via}`,
    `From: ${from}`,
    `To: ${to}`,
    `Call-ID: ${call_id}`,
    `CSeq: ${cseq} ${method}`,
    `Contact: ${contact}`,
    'Max-Forwards: 70',
    ...headers,
  ];
}

export type UdpPeer = Awaited<ReturnType<typeof udpPeer>>;

/** `onMessage` gets every message that is not a copy of an earlier one. Closed at the end of the test file. */
export async function udpPeer(onMessage: (message: Message, from: RemoteInfo) => void = () => {}) {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  after(() => void socket.close());
  const { port } = socket.address();
  const received: Message[] = [];
  const seen = new Set<string>();
  socket.on('message', (bytes, from) => {
    const text = String(bytes);
    if (seen.has(text)) return;
    seen.add(text);
    const message = readMessage(text);
    received.push(message);
    onMessage(message, from);
  });
  const send = (lines: string[], { body = '', to_port }: Parts) => {
    const type = body ? ['Content-Type: application/sdp'] : [];
    const text = [...lines, ...type, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
    socket.send(text, to_port, '127.0.0.1');
  };
  let branch = 0;

  return {
    port,
    received,
    /** The first message, received already or later, that fits. */
    async message(what: string, fits: (message: Message) => boolean): Promise<Message> {
      await waitFor(what, () => received.some(fits));
      return received.find(fits)!;
    },
    reply(request: Message, status: string, parts: Parts): void {
      send(responseLines(request, status, `<sip:peer@127.0.0.1:${port}>`, parts.headers ?? []), parts);
    },
    request(method: string, options: Request): void {
      const via = `SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKpeer${++branch};rport`;
      send(requestLines(method, options, via, `<sip:caller@127.0.0.1:${port}>`), options);
    },
  };
}

export const tagOf = (header: string): string => /;tag=([^;>]+)/.exec(header)?.[1] ?? '';
