// HTML templates that escape every value, and the layout that all account pages share.

/** Text that is already HTML and is not escaped again. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (char) => escapes[char]!);

type Value = string | number | Html | null | false | readonly Html[];

const render = (value: Value): string => {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map((each: Html) => each.text).join('') : escapeHtml(String(value));
};

export const html = (strings: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(strings.reduce((text, part, index) => text + render(values[index - 1]!) + part));

export const document = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Parley</title>
<link rel="stylesheet" href="/auth/style.css">
</head>
<body>
<main>
<p class="brand">Parley</p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;

export const stylesheet = `:root { color-scheme: light dark; --line: #8a8f98; --accent: #1d4ed8; --on-accent: #fff; --alert: #b42318; }
@media (prefers-color-scheme: dark) { :root { --accent: #93b4ff; --on-accent: #0b1020; --alert: #ff9b8f; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 10vh auto; padding: 0 1.25rem; }
.brand { font-weight: 700; letter-spacing: .02em; margin: 0 0 2rem; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; }
form { margin: 1.25rem 0; }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
input, select { width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: .4rem; }
.code { font: 600 1.4rem/1.4 ui-monospace, monospace; letter-spacing: .1em; }
button { font: inherit; font-weight: 600; margin: 1.25rem .5rem 0 0; padding: .6rem 1rem; border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.quiet { background: transparent; color: inherit; border-color: var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role=alert] { border-left: 4px solid var(--alert); padding: .25rem .75rem; }
[role=status] { border-left: 4px solid var(--accent); padding: .25rem .75rem; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; border-left: 3px solid var(--line); margin: 1rem 0; padding: .25rem .75rem; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
.hint { color: GrayText; margin: .25rem 0 0; }
`;
