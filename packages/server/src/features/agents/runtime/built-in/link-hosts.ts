// Finds links in what an agent writes, so that the words of a stranger cannot make it send a link of theirs.
import { isIPv4, isIPv6 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';

/** Found also when text follows without a space, such as "evil.com.Thanks". */
const common_endings = new Set(
  'com net org info biz io co ai app dev ly gl gg cc tv xyz top shop site online link click live store club icu vip page web cloud tech de uk fr es nl eu ru cn pl ch jp'.split(
    ' ',
  ),
);
/** Endings of companies that register nobody else, and that are words or names: "end.Next sentence", "Dr.Weber". */
const company_endings = new Set('next weber schmidt schwarz ford lilly ferrero bosch target'.split(' '));
/** Ordinary words that look like a host. */
const words = new Set(['co.kg', 'asp.net']);

const host_max_chars = 300;
const scheme_max_chars = 20;
/** Programs open these with a single slash too; the second spelling asks a person to correct it. */
const web_schemes = /^(?:https?|hxxps?|ftps?|wss?)$/;

/** The hosts of links in a text, each once. A link that cannot be read counts as its own host. */
export function linkHosts(text: string): string[] {
  const readable = asRead(text);
  const hosts = new Set<string>();
  for (const each of new Set([readable, withoutBreaks(readable)])) collectHosts(each.toLowerCase(), hosts);
  return [...hosts];
}

/** As a mail program, a phone or a person reads it: without invisible characters, with one kind of dot. */
const asRead = (text: string): string =>
  text
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .normalize('NFKC')
    .replaceAll('。', '.')
    .replaceAll(/[[({] ?(?:\.|dot) ?[\])}]/gi, '.')
    .replaceAll(/[[({] ?(:|\/\/|:\/\/) ?[\])}]/g, '$1');

/** With hosts that go over a line break or a blank. After a full stop only where a sentence would not go on like this. */
const withoutBreaks = (text: string): string =>
  text
    .replaceAll(/(?<=[\p{L}\p{N}]) ?\r?\n ?\.(?=\p{L})/gu, '.')
    .replaceAll(/\. ?\r?\n ?(?=\p{Ll})/gu, '.')
    .replaceAll(/(?: dot |\. )(?=(?:com|net|org|info|biz)\b)/gi, '.');

/** Every step looks at each character a bounded number of times: the model repeats what strangers write. */
function collectHosts(text: string, hosts: Set<string>): void {
  const rest = withoutUrls(text, hosts);
  for (const { 0: word, index } of rest.matchAll(/[\p{L}\p{M}\p{N}._-]+/gu)) {
    const parts = word.split(/\.{2,}/);
    for (const [at, part] of parts.entries()) {
      const before = at === 0 ? rest.slice(Math.max(0, index - host_max_chars), index) : '';
      const end = index + word.length;
      const after = at === parts.length - 1 ? rest.slice(end, end + 2) : '';
      const host = hostInWord(withoutEdges(part), before, after);
      if (host !== null) hosts.add(host);
    }
  }
  for (const [, address] of rest.matchAll(/\[([0-9a-f:.]{2,45})(?:%[0-9a-z]{1,20})?\]/g))
    if (isIPv6(address!)) hosts.add(`[${address}]`);
  for (const [, number] of rest.matchAll(/(?<![:\w/])\/\/(\d{7,10}|0x[0-9a-f]{6,8})(?![\w.])/g))
    hosts.add(hostOf(`http://${number}`));
}

/** Without dots and dashes around it. A loop: the expression `[._-]+$` would search to the end of each run of them. */
function withoutEdges(word: string): string {
  let end = word.length;
  while (end > 0 && '._-'.includes(word[end - 1]!)) end--;
  return word.slice(0, end).replace(/^[._-]+/, '');
}

const slashes = /:[/\\]+/g;
/** What programs take as a part of the link. */
const url_rest = /(?:\[[0-9a-f:.%]{2,60}\])?[^\s<>"'`()\]}|,;、，！？]*/y;

/** Adds the hosts of links with a scheme, and returns the text without these links. */
function withoutUrls(text: string, hosts: Set<string>): string {
  let rest = '';
  let from = 0;
  for (const { 0: match, index } of text.matchAll(slashes)) {
    if (index < from) continue;
    const scheme = /[a-z][a-z0-9+.-]*$/.exec(
      text.slice(Math.max(from, index - scheme_max_chars), index),
    )?.[0];
    if (!scheme || (match.length < 3 && !web_schemes.test(scheme))) continue;
    url_rest.lastIndex = index + match.length;
    const url = url_rest.exec(text)![0];
    if (url === '') continue;
    const start = url.slice(0, host_max_chars);
    hosts.add(hostOf(`http://${start}`));
    // Programs disagree about what a backslash before the path means.
    if (/^[^/?#]*\\/.test(start)) hosts.add(start);
    rest += `${text.slice(from, index - scheme.length)} `;
    from = index + match.length + url.length;
  }
  return rest + text.slice(from);
}

const host_char = /[\p{L}\p{N}]/u;

/** `before` and `after` are the text around the word. Null for a word that is no link, such as a part of an email address. */
function hostInWord(word: string, before: string, after: string): string | null {
  const labels = word.split('.');
  if (labels.length < 2) return null;
  if (after[0] === '@' && host_char.test(after[1] ?? '')) return null;
  const has_path = after[0] === '/' || after[0] === '\\';
  const is_of_address = /[\p{L}\p{N}_.+%'-]@$/u.test(before) && !/\/\/\S*$/.test(before);
  if (is_of_address && !has_path) return null;
  const host = hostOf(`http://${word}`);
  if (isIPv4(host)) return labels.length === 4 ? host : null;
  const last = labels.at(-1)!;
  const has_port = after[0] === ':' && /\d/.test(after[1] ?? '');
  const is_addressed = (has_path || has_port) && /^\p{L}[\p{L}\p{M}\p{N}-]+$/u.test(last);
  if (is_addressed || labels[0] === 'www') return host;
  if (isPublicSuffix(last) && !company_endings.has(last) && !words.has(word)) return host;
  const end = labels.findIndex((label, at) => at > 0 && common_endings.has(label));
  return end === -1 || words.has(word) ? null : hostOf(`http://${labels.slice(0, end + 1).join('.')}`);
}

/** Also for the ASCII form of an international ending. */
const isPublicSuffix = (label: string): boolean =>
  label.length > 1 && label.length < 64 && parse(`a.${domainToUnicode(label) || label}`).isIcann === true;

const hostOf = (link: string): string => {
  try {
    return new URL(link).hostname.replace(/\.$/, '').toLowerCase();
  } catch {
    return link.slice(0, 100);
  }
};

/** The hosts of links that are not in the list. */
export const foreignHosts = (text: string, allowed: readonly string[]): string[] =>
  linkHosts(text).filter((host) => !allowed.includes(host));

/** For the model: what is wrong with its text; null when nothing is. It names no foreign host: that would be words from outside. */
export function linkProblem(text: string, allowed: readonly string[]): string | null {
  if (foreignHosts(text, allowed).length === 0) return null;
  const may = allowed.length === 0 ? 'no link' : `only links to ${allowed.join(', ')}`;
  return `What you wrote is not sent, because of a link in it. It may contain ${may}. Write it again without other links.`;
}
