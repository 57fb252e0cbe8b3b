// Reads and changes the parts of a SIP message that the transport needs (RFC 3261 section 18, RFC 3581).

export type MessageHead = {
  /** Null for a response. */
  method: string | null;
  /** Null for a request. */
  status: number | null;
  cseq_method: string;
  branch: string;
  top_via: string;
  /** The next hop of a request: its first Route, or its Request-URI. Null for a response. */
  next_uri: string | null;
};

/** Header names have short forms (RFC 3261 section 7.3.3). */
const header = (name: string, short: string | null) =>
  new RegExp(`^(?:${short ? `${name}|${short}` : name})[ \\t]*:[ \\t]*(.*)$`, 'im');
const via_header = header('via', 'v');
const route_header = header('route', null);
const cseq_header = header('cseq', null);
export const content_length_header = header('content-length', 'l');

/** Null for text that is not a SIP message. */
export function readHead(text: string): MessageHead | null {
  const end = text.indexOf('\r\n\r\n');
  const head = end === -1 ? text : text.slice(0, end);
  const first_line = head.slice(0, Math.max(0, head.indexOf('\r\n')));
  const status = /^SIP\/2\.0 (\d{3}) /i.exec(first_line)?.[1];
  const [, method, uri] = /^([A-Za-z0-9.!%*_+`'~-]{1,64}) (\S+) SIP\/2\.0$/.exec(first_line) ?? [];
  if (!status && !method) return null;
  // One line may contain several Via values; the first is the top one.
  const top_via = via_header.exec(head)?.[1]?.trim().split(',')[0]?.trim();
  const cseq_method = cseq_header.exec(head)?.[1]?.trim().split(/\s+/)[1];
  const branch = top_via && /;\s*branch=([^;,\s]+)/i.exec(top_via)?.[1];
  if (!top_via || !cseq_method || !branch) return null;
  const route = route_header.exec(head)?.[1];
  return {
    method: method ?? null,
    status: status ? Number(status) : null,
    cseq_method,
    branch,
    top_via,
    next_uri: method ? ((route && /<([^>]+)>/.exec(route)?.[1]) ?? uri!) : null,
  };
}

export type Address = { host: string; port: number | null };

const host_port = /^(\[[0-9a-f:.]+\]|[^:;\s]+)(?::(\d{1,5}))?/i;

function readHostPort(text: string): Address | null {
  const [, host, port] = host_port.exec(text) ?? [];
  return host ? { host: host.replace(/^\[|\]$/g, ''), port: port ? Number(port) : null } : null;
}

/** Host and port of a sip: or sips: URI. */
export function readUriAddress(uri: string): Address | null {
  const [, rest] = /^sips?:(?:[^@]*@)?(.+)$/i.exec(uri) ?? [];
  return rest ? readHostPort(rest) : null;
}

/** The address for the response to a request with this Via. */
export function responseAddress(via: string): Address | null {
  const sent_by = readHostPort(/^SIP\/2\.0\/\S+\s+(.+)$/i.exec(via)?.[1] ?? '');
  if (!sent_by) return null;
  const received = /;\s*received=([^;\s]+)/i.exec(via)?.[1]?.replace(/^\[|\]$/g, '');
  const rport = /;\s*rport=(\d{1,5})/i.exec(via)?.[1];
  return { host: received ?? sent_by.host, port: rport ? Number(rport) : sent_by.port };
}

/**
 * Adds the real source address of a request to its top Via, so that the response passes a NAT. On a connection the port is
 * always added, because the response must use the same connection.
 */
export function stampVia(
  text: string,
  via: string,
  from: { address: string; port: number },
  connected: boolean,
): string {
  const plain = via.replace(/;\s*received=[^;,\s]*/gi, '');
  const requests_port = /;\s*rport(?![=\w-])/i.test(plain);
  const without_port = plain.replace(/;\s*rport(=[^;,\s]*)?(?![\w-])/gi, '');
  const port = requests_port || connected ? `;rport=${from.port}` : '';
  return text.replace(via, () => `${without_port};received=${from.address}${port}`);
}
