// Renders a page of the documentation as HTML, with links to all other pages.
import type { Guide } from './guides.ts';

export type GuideFolder = 'guides' | 'reference';
export type Library = Record<GuideFolder, readonly Guide[]>;

/** The text is our own documentation, so its HTML needs no cleaning. */
export async function guidePage(library: Library, folder: GuideFolder, guide: Guide): Promise<string> {
  const { Marked } = await import('marked');
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(library, folder, href);
        return target === null ? text : `<a href="${escaped(target)}">${text}</a>`;
      },
      image: ({ text }) => escaped(text),
    },
  });
  const body = marked.parse(guide.text, { async: false });
  return pageOf(guide.title, navigation(library, guide), body);
}

/** As on GitHub, so that links between pages work in both places. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
    .replaceAll(' ', '-');

/** Links between pages lead to their addresses here. A file that is not served becomes plain text. */
function targetOf(library: Library, folder: GuideFolder, href: string): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const match = /^(?:\.\.\/)?(?:(guides|reference)\/)?([a-z-]+\.md)(#.*)?$/.exec(href);
  if (!match) return null;
  const [, named, name, anchor = ''] = match;
  const in_folder = (named as GuideFolder | undefined) ?? folder;
  const is_in_library = library[in_folder].some((guide) => guide.name === name);
  return is_in_library ? `${addressOf(in_folder, name!)}${anchor}` : null;
}

export const addressOf = (folder: GuideFolder, name: string) =>
  `/docs/${folder}/${name.replace(/\.md$/, '')}`;

function navigation(library: Library, current: Guide): string {
  const entries = (folder: GuideFolder) =>
    library[folder]
      .map((guide) => {
        const mark = guide === current ? ' aria-current="page"' : '';
        return `<li><a href="${addressOf(folder, guide.name)}"${mark}>${escaped(guide.title)}</a></li>`;
      })
      .join('\n');
  return `<p><a href="/docs">API reference</a></p>
<h2>Guides</h2>
<ul>${entries('guides')}</ul>
${library.reference.length > 0 ? `<h2>Tables</h2>\n<ul>${entries('reference')}</ul>` : ''}`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const pageOf = (title: string, links: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} – Parley</title>
<style>
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: light-dark(#1b1f24, #e6e8eb); background: light-dark(#fff, #14171a); }
.layout { display: grid; grid-template-columns: 15rem minmax(0, 46rem); gap: 3rem; padding: 1.5rem; }
nav { font-size: .9rem; } nav h2 { font-size: .8rem; margin: 1.2rem 0 .2rem; } nav ul { list-style: none; margin: 0; padding: 0; }
a { color: light-dark(#0a58ca, #7db4ff); } a[aria-current] { font-weight: 600; color: inherit; text-decoration: none; }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: light-dark(#f3f4f6, #1f2429); border-radius: 4px; }
code { padding: .1em .3em; } pre { padding: .8rem 1rem; overflow-x: auto; } pre code { padding: 0; font-size: 1em; }
table { border-collapse: collapse; display: block; overflow-x: auto; } th, td { border: 1px solid light-dark(#d5d9de, #3a4047); padding: .3rem .6rem; text-align: left; vertical-align: top; }
h1, h2, h3 { line-height: 1.25; }
@media (max-width: 50rem) { .layout { grid-template-columns: minmax(0, 1fr); gap: 1rem; } nav { order: 2; } }
</style>
</head>
<body>
<div class="layout">
<nav aria-label="Documentation">${links}</nav>
<main>${body}</main>
</div>
</body>
</html>
`;
