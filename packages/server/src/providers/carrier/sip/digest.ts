// Digest access authentication (RFC 7616, RFC 8760): reads challenges, chooses the strongest of each realm, and answers them.
import { createHash, randomBytes } from 'node:crypto';

/** The header of a challenge and the header that answers it. */
export type ChallengeHeader = 'www-authenticate' | 'proxy-authenticate';

export type Challenge = {
  header: ChallengeHeader;
  /** `realm`, `nonce` and `opaque` are as they stand between the quotes, with their escapes. */
  realm: string;
  nonce: string;
  opaque: string | null;
  /** As the server wrote it; null where it named none, which means MD5. */
  algorithm: string | null;
  hash: Hash;
  uses_session_key: boolean;
  qop: 'auth' | 'auth-int' | null;
  /** The login is right, only its nonce is too old. */
  stale: boolean;
};

type Hash = 'md5' | 'sha256' | 'sha512-256';
const hashes: Readonly<Record<string, Hash>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
};
const strength: Readonly<Record<Hash, number>> = { md5: 1, sha256: 2, 'sha512-256': 3 };

/** What the headers of one response may cost us: they come from the network. */
const max_header_length = 4096;
const max_challenges = 16;
const max_parameters = 32;

const separators = /[\s,]*/y;
const token_text = /[A-Za-z0-9!#$%&'*+.^_`|~-]+/y;
const equals = /\s*=\s*/y;
const quoted_text = /"((?:[^"\\]|\\.)*)"/y;
const bare_text = /[^\s,"]+/y;

/** A reader of one header from left to right; every character is read once. */
function scanner(text: string) {
  let at = 0;
  return (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
}

type Parameters = Map<string, string>;

/** The parameters of each Digest challenge in a header. What follows a mistake is not read. */
function digestParameters(text: string): Parameters[] {
  const next = scanner(text);
  const digests: Parameters[] = [];
  let current: Parameters | null = null;
  for (let steps = 0; steps < max_challenges * max_parameters; steps++) {
    next(separators);
    const name = next(token_text)?.[0].toLowerCase();
    if (name === undefined) return digests;
    if (!next(equals)) {
      if (digests.length === max_challenges) return digests;
      current = new Map();
      if (name === 'digest') digests.push(current);
      continue;
    }
    const value = next(quoted_text)?.[1] ?? next(bare_text)?.[0];
    // A parameter without a scheme, without a value or given twice: the challenge cannot be understood.
    if (!current || value === undefined || current.has(name) || current.size === max_parameters) {
      return digests.filter((digest) => digest !== current);
    }
    current.set(name, value);
  }
  return digests;
}

/** Whether the text may be written into a header between quotes. */
const isPrintable = (text: string) =>
  [...text].every((character) => character >= ' ' && character !== '\x7f');

function readChallenge(header: ChallengeHeader, parameters: Parameters): Challenge | null {
  const [realm, nonce] = [parameters.get('realm'), parameters.get('nonce')];
  const algorithm = parameters.get('algorithm') ?? null;
  const opaque = parameters.get('opaque') ?? null;
  const name = (algorithm ?? 'MD5').toUpperCase();
  const hash = hashes[name.replace(/-SESS$/, '')];
  const offered = parameters
    .get('qop')
    ?.toLowerCase()
    .split(/[\s,]+/);
  const qop = offered?.includes('auth') ? 'auth' : offered?.includes('auth-int') ? 'auth-int' : null;
  if (realm === undefined || !nonce || hash === undefined || (offered && !qop)) return null;
  if (![realm, nonce, opaque ?? '', algorithm ?? ''].every(isPrintable)) return null;
  const stale = parameters.get('stale')?.toLowerCase() === 'true';
  return {
    header,
    realm,
    nonce,
    opaque,
    algorithm,
    hash,
    uses_session_key: name.endsWith('-SESS'),
    qop,
    stale,
  };
}

/** The challenges that we can answer: of every realm the strongest. Nothing in the text makes it throw. */
export function readChallenges(headers: readonly { name: ChallengeHeader; value: string }[]): Challenge[] {
  const best = new Map<string, Challenge>();
  for (const { name, value } of headers.slice(0, max_challenges)) {
    if (value.length > max_header_length) continue;
    for (const parameters of digestParameters(value)) {
      const challenge = readChallenge(name, parameters);
      if (!challenge) continue;
      const key = realmKey(challenge);
      const other = best.get(key);
      if (!other || strength[challenge.hash] > strength[other.hash]) best.set(key, challenge);
    }
  }
  return [...best.values()].slice(0, max_challenges);
}

/** A proxy and a server may have realms of the same name, so the header belongs to the key. */
export const realmKey = ({ header, realm }: Pick<Challenge, 'header' | 'realm'>) => `${header} ${realm}`;

export type DigestRequest = { method: string; uri: string; body: string };

/** The value of the Authorization or Proxy-Authorization header. `count`: how often this nonce was used, with this time. */
export function answerChallenge(
  challenge: Challenge,
  credentials: { user: string; password: string },
  request: DigestRequest,
  count: number,
  cnonce = randomBytes(16).toString('hex'),
): string {
  const { realm, nonce, qop, opaque, algorithm, uses_session_key } = challenge;
  const hash = (text: string) => createHash(challenge.hash).update(text, 'utf8').digest('hex');
  const login = hash(`${credentials.user}:${realm}:${credentials.password}`);
  const key = uses_session_key ? hash(`${login}:${nonce}:${cnonce}`) : login;
  const body_part = qop === 'auth-int' ? `:${hash(request.body)}` : '';
  const subject = hash(`${request.method}:${request.uri}${body_part}`);
  const nc = count.toString(16).padStart(8, '0');
  const response = hash(
    qop ? `${key}:${nonce}:${nc}:${cnonce}:${qop}:${subject}` : `${key}:${nonce}:${subject}`,
  );
  const escaped_user = credentials.user.replace(/["\\]/g, (character) => `\\${character}`);
  return `Digest ${[
    `username="${escaped_user}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${request.uri}"`,
    `response="${response}"`,
    ...(algorithm === null ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === null ? [] : [`opaque="${opaque}"`]),
    ...(qop ? [`qop=${qop}`, `nc=${nc}`] : []),
    ...(qop || uses_session_key ? [`cnonce="${cnonce}"`] : []),
  ].join(', ')}`;
}
