// Finds links in what an agent writes, so that the words of a stranger cannot make it send a link of theirs.

/** With a scheme: everything up to a space. */
const with_scheme = /\b[a-z][a-z0-9+.-]*:\/\/[^\s<>"]+/giu;
/** Without one, as phones and mail programs turn it into a link; not the part of an address after @. */
const without_scheme =
  /(?<![\p{L}\p{N}@._/:+-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+([\p{L}][\p{L}\p{N}-]+)(?::\d+)?(\/\S*)?(?![\p{L}\p{N}@])/giu;
/** Endings that no sentence without a space after its full stop resembles by chance. Others count with a path. */
const common_endings = new Set(
  'com net org info biz io co ai app dev me ly gl gg cc tv xyz top shop site online link click live store club icu vip page web cloud tech de uk fr es nl eu us ca br ru cn in it pl ch se jp au'.split(
    ' ',
  ),
);

const hostOf = (link: string): string => {
  try {
    return new URL(link).hostname.replace(/\.$/, '').toLowerCase();
  } catch {
    return link.slice(0, 100);
  }
};

/** The hosts of links in a text, each once. A link that cannot be read counts as its own host. */
export function linkHosts(text: string): string[] {
  // Invisible characters would hide a host from the check but not from a mail program.
  const visible = text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '');
  const hosts = new Set<string>();
  const rest = visible.replaceAll(with_scheme, (link) => {
    hosts.add(hostOf(link));
    return ' ';
  });
  for (const [link, ending, path] of rest.matchAll(without_scheme)) {
    if (
      path === undefined &&
      !link.toLowerCase().startsWith('www.') &&
      !common_endings.has(ending!.toLowerCase())
    )
      continue;
    hosts.add(hostOf(`http://${link}`));
  }
  return [...hosts];
}

/** The hosts of links that are not in the list. */
export const foreignHosts = (text: string, allowed: readonly string[]): string[] =>
  linkHosts(text).filter((host) => !allowed.includes(host));

/** For the model: what is wrong with its text; null when nothing is. It names no foreign host: that would be words from outside. */
export function linkProblem(text: string, allowed: readonly string[]): string | null {
  if (foreignHosts(text, allowed).length === 0) return null;
  const may = allowed.length === 0 ? 'no link' : `only links to ${allowed.join(', ')}`;
  return `What you wrote is not sent, because of a link in it. It may contain ${may}. Write it again without other links.`;
}
