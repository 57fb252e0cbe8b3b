// Verifies receipts without the server: their signatures, that none is missing, and whom they are about.

export type ReceiptToVerify = {
  jws: string;
  /** The salts and the addresses or numbers behind the hashes; null after an erasure. */
  disclosures?: readonly { salt: string; party: string }[] | null;
};

export type ReceiptKeySet = { keys: readonly { kid: string; kty: string; crv?: string; x?: string }[] };

export type VerifiedReceipt = {
  /** Null if the receipt cannot be read. */
  seq: number | null;
  claims: Record<string, unknown> | null;
  /** Empty: the receipt is genuine. */
  problems: string[];
  /** Whether it is about the given address or number; null if none was given. */
  is_about_party: boolean | null;
};

export type ReceiptsVerification = { valid: boolean; receipts: VerifiedReceipt[]; missing: number[] };

const encoder = new TextEncoder();

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

type Claims = { seq?: number; prev?: string | null; org?: string; to_hash?: string[] };

/** The receipts may be in any order; those of several organizations are separate chains. */
export async function verifyReceipts(
  receipts: readonly ReceiptToVerify[],
  key_set: ReceiptKeySet,
  options: { party?: string } = {},
): Promise<ReceiptsVerification> {
  const checked: (VerifiedReceipt & { jws: string })[] = [];
  for (const receipt of receipts)
    checked.push({ ...(await verifyOne(receipt, key_set, options)), jws: receipt.jws });
  const missing: number[] = [];
  const chains = new Map<string, typeof checked>();
  for (const receipt of checked.filter(({ seq }) => seq !== null)) {
    const chain = chains.get(orgOf(receipt));
    if (chain) chain.push(receipt);
    else chains.set(orgOf(receipt), [receipt]);
  }
  for (const chain of chains.values()) missing.push(...(await checkChain(chain)));
  return {
    valid: missing.length === 0 && checked.every(({ problems }) => problems.length === 0),
    receipts: checked.map(({ jws: _, ...receipt }) => receipt),
    missing,
  };
}

const orgOf = ({ claims }: VerifiedReceipt) => String((claims as Claims | null)?.org);

async function verifyOne(
  { jws, disclosures }: ReceiptToVerify,
  { keys }: ReceiptKeySet,
  { party }: { party?: string },
): Promise<VerifiedReceipt> {
  const problems: string[] = [];
  const [header_text = '', claims_text = '', signature = ''] = jws.split('.');
  let header: { alg?: string; kid?: string };
  let claims: Claims;
  try {
    header = JSON.parse(new TextDecoder().decode(bytesOf(header_text)));
    claims = JSON.parse(new TextDecoder().decode(bytesOf(claims_text)));
  } catch {
    return { seq: null, claims: null, problems: ['The receipt is not a JWS.'], is_about_party: null };
  }
  const key = keys.find(({ kid }) => kid === header.kid);
  if (header.alg !== 'EdDSA') problems.push('The algorithm is not EdDSA.');
  else if (!key) problems.push(`The key ${header.kid} is not in the key set.`);
  else if (!(await isSigned(key, `${header_text}.${claims_text}`, signature)))
    problems.push('The signature is wrong: the receipt was changed, or another key signed it.');
  const hashes = claims.to_hash ?? [];
  for (const [index, { salt, party: disclosed }] of (disclosures ?? []).entries())
    if ((await sha256(`${salt}|${disclosed}`)) !== hashes[index])
      problems.push(`The disclosure ${index + 1} does not match its hash.`);
  const is_about_party =
    party === undefined ? null : (disclosures ?? []).some((disclosure) => disclosure.party === party);
  return { seq: claims.seq ?? null, claims: claims as Record<string, unknown>, problems, is_about_party };
}

async function isSigned(
  { kty, crv, x }: ReceiptKeySet['keys'][number],
  message: string,
  signature: string,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x } as never, { name: 'Ed25519' }, false, [
      'verify',
    ]);
    return await crypto.subtle.verify('Ed25519', key, bytesOf(signature), encoder.encode(message));
  } catch {
    return false;
  }
}

/** Each receipt names the hash of the one before it. Returns the numbers that are missing between the first and the last. */
async function checkChain(chain: (VerifiedReceipt & { jws: string })[]): Promise<number[]> {
  const sorted = chain.sort((a, b) => a.seq! - b.seq!);
  const missing: number[] = [];
  for (const [index, receipt] of sorted.entries()) {
    const before = sorted[index - 1];
    if (!before) continue;
    for (let seq = before.seq! + 1; seq < receipt.seq!; seq++) missing.push(seq);
    const follows = receipt.seq === before.seq! + 1;
    if (follows && (receipt.claims as Claims).prev !== (await sha256(before.jws)))
      receipt.problems.push('It does not name the receipt before it.');
    if (receipt.seq === before.seq) receipt.problems.push('There are two receipts with this number.');
  }
  return missing;
}
