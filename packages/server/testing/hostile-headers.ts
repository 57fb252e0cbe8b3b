// Messages with headers that are slow to parse: for every parsed field, the slowest known input per kilobyte.

export type HostileHeader = {
  name: string;
  /** The field; null if the header has many fields. */
  field: string | null;
  header(bytes: number): string;
};

const crlf = '\r\n';
/** Repeats `unit` between `before` and `after`, up to `bytes` in total. */
const filled = (bytes: number, unit: string, before = '', after = '') =>
  before + unit.repeat(Math.max(1, Math.floor((bytes - before.length - after.length) / unit.length))) + after;
/** Folds the value so that no line exceeds the limit of mail servers. */
const folded = (text: string) => text.match(/.{1,900}/gs)!.join(`${crlf} `);
/** As many lines as fit, each built from its number. */
const numbered = (bytes: number, make: (n: number) => string) => {
  const lines: string[] = [];
  for (let n = 1, size = 0; size < bytes; n++) {
    lines.push(make(n));
    size += lines.at(-1)!.length;
  }
  return lines;
};

type Filling = [name: string, unit: string, before?: string, after?: string];
const fields = (names: string[], fillings: Filling[]): HostileHeader[] =>
  names.flatMap((field) =>
    fillings.map(([name, unit, before, after]) => ({
      name: `${field}: ${name}`,
      field,
      header: (bytes: number) => `${field}: ${folded(filled(bytes, unit, before, after))}${crlf}`,
    })),
  );
const lines = (name: string, line: string): HostileHeader => ({
  name,
  field: null,
  header: (bytes) => filled(bytes, `${line}${crlf}`),
});

const address_fillings: Filling[] = [
  ['addresses', 'a@b.c,'],
  ['named addresses', '"a b" <a@b.c>, '],
  ['groups', 'g:a@b.c;'],
  ['open groups', 'g:'],
  ['nested comments', '(a', '', ' x@y.test'],
  ['closed comments', ')'],
  ['unclosed quotes', '"a'],
  ['one unclosed quote', 'a', '"'],
  ['escapes', '\\', '"', '"'],
  ['commas', ','],
  ['colons', ':'],
  ['semicolons', ';'],
  ['open brackets', '<'],
  ['empty brackets', '<>'],
  ['at signs', '@'],
  ['blanks', ' ', 'a', 'b'],
  ['encoded words', '=?utf-8?Q?a?= ', '', '<a@b.c>'],
  ['empty encoded words', '=?utf-8?B??='],
  ['open encoded words', '=?utf-8?Q?'],
];

const text_fillings: Filling[] = [
  ['encoded words', '=?utf-8?Q?=41?= '],
  ['encoded words without blanks', '=?utf-8?B?YQ==?='],
  ['encoded words of unknown charsets', '=?x-unknown?Q?a?= '],
  ['encoded words of many charsets', '=?iso-2022-jp?B?GyRCJCIbKEI=?= =?utf-7?Q?+AGE-?= '],
  ['open encoded words', '=?utf-8?Q?'],
  ['question marks', '?', '=?utf-8?Q?', '?='],
  ['equals signs', '=', '=?utf-8?Q?', '?='],
  ['replies', 'Re: '],
  ['blanks', ' ', 'x', 'y'],
  ['8-bit bytes', '\xe4\xc3\xb6'],
  ['control characters', '\x01\x7f'],
];

const id_fillings: Filling[] = [
  ['ids', '<a@b> '],
  ['open brackets', '<'],
  ['open ids', '<a'],
  ['one open id', 'a', '<'],
  ['quoted ids', '<"a b"@c> '],
];

const parameter_fillings: Filling[] = [
  ['parameters', ' a=b;', 'multipart/mixed;'],
  ['parameters without values', ';', 'text/plain'],
  ['continuations', ' name*0*=a;', 'text/plain;'],
  ['percent signs', '%41', "text/plain; name*=utf-8''"],
  ['apostrophes', "'", 'text/plain; name*='],
  ['blanks', ' ', 'text/plain;', 'a=b'],
  ['equals signs', '=', 'text/plain;'],
  ['escaped quotes', '\\"', 'text/plain; a="'],
  ['an unclosed quote', 'a', 'text/plain; a="'],
  ['quotes', ' a=";', 'text/plain;'],
  ['comments', '(', 'text/plain '],
  ['report types', ' report-type=', 'multipart/report;'],
  ['a long boundary', 'a', 'multipart/mixed; boundary='],
  ['boundaries without semicolons', ' boundary=a', 'multipart/mixed'],
];

const word_fillings: Filling[] = [
  ['blanks', ' ', 'x', 'y'],
  ['comments', '(', 'x'],
  ['quotes', '"'],
  ['brackets', '<'],
  ['semicolons', '; a=b'],
];

const signature = (domain: string, tags: { h?: string; more?: string } = {}) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=s; h=${tags.h ?? 'from'};${tags.more ?? ''}${crlf} bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=aaaa${crlf}`;
const seals = (i: number) =>
  [
    `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? 'none' : 'pass'}; d=a${i}.test; s=s; t=1; b=aa`,
    `ARC-Message-Signature: i=${i}; a=rsa-sha256; c=relaxed/relaxed; d=a${i}.test; s=s; h=from; bh=aa; b=aa`,
    `ARC-Authentication-Results: i=${i}; a.test; spf=pass`,
    '',
  ].join(crlf);

const signatures: HostileHeader[] = [
  lines('DKIM-Signature: many, broken', 'DKIM-Signature: a=rsa-sha256;d=x.test;s=s'),
  {
    name: 'DKIM-Signature: many domains',
    field: null,
    header: (n) => numbered(n, (i) => signature(`d${i}.test`)).join(''),
  },
  {
    name: 'DKIM-Signature: many lengths',
    field: null,
    header: (n) => numbered(n, (i) => signature('d.test', { more: ` l=${i};` })).join(''),
  },
  {
    name: 'DKIM-Signature: a long list of fields',
    field: null,
    header: (n) => signature('d.test', { h: folded(filled(n, 'z:', 'from:', 'to')) }),
  },
  {
    name: 'DKIM-Signature: long lists over many fields',
    field: null,
    header: (n) =>
      numbered(n / 2, (i) => signature(`d${i}.test`, { h: `from:${'z:'.repeat(200)}to` })).join('') +
      filled(n / 2, `z:b${crlf}`),
  },
  ...fields(
    ['DKIM-Signature'],
    [
      ['blanks', ' ', 'v=1; a=rsa-sha256; d=x.test; s=s; b=', 'x'],
      ['semicolons', ';', 'v=1; a=rsa-sha256; d=x.test; s=s'],
      ['tags', 'z=a;', 'v=1; a=rsa-sha256; d=x.test; s=s; b=a;'],
      ['a long domain', 'a-', 'v=1; a=rsa-sha256; c=relaxed/relaxed; s=s; h=from; bh=aa; b=aa; d=', 'a'],
      [
        'a long selector',
        'a.',
        'v=1; a=rsa-sha256; c=relaxed/relaxed; d=x.test; h=from; bh=aa; b=aa; s=',
        'a',
      ],
      ['a long identity', '=41', 'v=1; a=rsa-sha256; d=x.test; s=s; h=from; bh=aa; b=aa; i=', '@x.test'],
    ],
  ),
  { name: 'ARC: a long chain', field: null, header: (n) => numbered(n, seals).reverse().join('') },
  { name: 'ARC: the same set again', field: null, header: (n) => filled(n, seals(1)) },
  {
    name: 'ARC: fifty sets over many fields',
    field: null,
    header: (n) => Array.from({ length: 50 }, (_, i) => seals(50 - i)).join('') + filled(n, `a:b${crlf}`),
  },
  {
    name: 'ARC: results full of comments',
    field: null,
    header: (n) => `ARC-Authentication-Results: i=1; ${folded(filled(n, '('))}${crlf}${seals(1)}`,
  },
];

export const hostile_headers: HostileHeader[] = [
  {
    name: 'one field of short folded lines',
    field: null,
    header: (n) => filled(n, `${crlf} x`, 'X-A: a', crlf),
  },
  {
    name: 'one field of empty folded lines',
    field: null,
    header: (n) => filled(n, `${crlf} `, 'X-A: a', crlf),
  },
  lines('many short fields', 'a:b'),
  lines('lines without a colon', 'abc'),
  lines('lines with nothing but a colon', ':'),
  lines('lines that begin with a no-break space', '\xa0a: b'),
  { name: 'a long field name', field: null, header: (n) => `${folded(filled(n, 'a'))}: x${crlf}` },
  {
    name: 'blanks before the colon',
    field: null,
    header: (n) => `${folded(filled(n, ' ', 'X', 'x'))}: x${crlf}`,
  },
  lines('many From fields', 'From: a@b.c'),
  lines('many To fields', 'To: a@b.c'),
  lines('many Received fields', 'Received: from a by b; x'),
  ...fields(['From', 'To', 'Cc', 'Reply-To'], address_fillings),
  ...fields(['Subject'], text_fillings),
  ...fields(['Message-ID', 'In-Reply-To', 'References'], id_fillings),
  {
    name: 'References: different ids',
    field: null,
    header: (n) => `References: ${folded(numbered(n, (i) => `<${i.toString(36)}@b> `).join(''))}${crlf}`,
  },
  ...fields(['Content-Type', 'Content-Disposition'], parameter_fillings),
  {
    name: 'Content-Type: different continuations',
    field: null,
    header: (n) => `Content-Type: text/plain${folded(numbered(n, (i) => `; name*${i}*=a`).join(''))}${crlf}`,
  },
  ...fields(
    [
      'Received',
      'Return-Path',
      'Date',
      'Authentication-Results',
      'Auto-Submitted',
      'Precedence',
      'List-Unsubscribe',
      'Content-Transfer-Encoding',
      'X-Parley-Forwarded',
    ],
    word_fillings,
  ),
  ...signatures,
];

/** Headers that one message can have together, because each is another field. They share the size of the message. */
export function combineHeaders(headers: readonly HostileHeader[]): HostileHeader[][] {
  const groups: HostileHeader[][] = [];
  for (const each of headers) {
    const group =
      each.field !== null &&
      groups.find((other) => other.every(({ field }) => field !== null && field !== each.field));
    if (group) group.push(each);
    else groups.push([each]);
  }
  return groups;
}

export const combined = (headers: readonly HostileHeader[]): HostileHeader => ({
  name: headers.map(({ name }) => name).join(', '),
  field: null,
  header: (bytes) => headers.map(({ header }) => header(Math.floor(bytes / headers.length))).join(''),
});

/**
 * A small message with the hostile header; usual fields of the same name are left out. `from` selects the DKIM verifier: a
 * plain address is handled by the quick one, an address with a comment needs the library.
 */
export function hostileMessage(
  { header }: HostileHeader,
  bytes: number,
  to: string,
  from = '(A) a@sender.test',
): Buffer {
  const text = header(bytes);
  const present = new Set([...text.matchAll(/^[^\s:]+(?=:)/gm)].map(([name]) => name.toLowerCase()));
  const usual = [
    `From: ${from}`,
    `To: ${to}`,
    'Subject: Hello',
    `Message-ID: <${crypto.randomUUID()}@sender.test>`,
  ].filter((line) => !present.has(line.slice(0, line.indexOf(':')).toLowerCase()));
  return Buffer.from([...text.split(crlf).slice(0, -1), ...usual, '', 'Hello', ''].join(crlf), 'latin1');
}

/** The same header in a part of a message. */
export function hostilePart({ header }: HostileHeader, bytes: number, to: string): Buffer {
  const top = [
    'From: a@sender.test',
    `To: ${to}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
  ];
  return Buffer.from(`${top.join(crlf)}${header(bytes)}${crlf}Hello${crlf}--b--${crlf}`, 'latin1');
}
