// The styles of the account pages: the colors, font and card of the console (packages/console/src/style.css), without a script.

/** The console serves its font under this name too. */
const font = '/assets/inter.woff2';

export const stylesheet = `@font-face { font-family: "Inter Variable"; font-style: normal; font-weight: 100 900; font-display: swap; src: url(${font}) format("woff2"); }
:root { color-scheme: light dark; --page: #f6f7fa; --surface: #fff; --line: #e4e6ee; --line-strong: #cfd3df; --ink: #171a26; --muted: #565d73; --accent: #3b44ac; --button: #3b44ac; --button-hover: #2f3798; --bad: #b3261e; --good: #16784a; --code: #f3f4f9; --shadow: 0 1px 2px rgb(23 26 38 / 5%), 0 4px 16px rgb(23 26 38 / 4%); }
@media (prefers-color-scheme: dark) { :root { --page: #11131a; --surface: #181b25; --line: #292e3e; --line-strong: #3a4157; --ink: #eceef6; --muted: #a3abc2; --accent: #a9b3ff; --bad: #ff8f85; --good: #55c98f; --code: #12151e; --shadow: none; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--page); color: var(--ink); font: 14px/1.5 "Inter Variable", system-ui, sans-serif; font-feature-settings: "cv11", "ss03"; }
main { width: min(100%, 27rem); padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; box-shadow: var(--shadow); overflow-wrap: anywhere; }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 650; font-size: 16px; letter-spacing: -.01em; margin: 0 0 1.25rem; }
h1 { font-size: 20px; line-height: 1.3; font-weight: 640; letter-spacing: -.015em; margin: 0 0 .75rem; }
h2 { font-size: 15px; font-weight: 620; margin: 1.5rem 0 .5rem; }
p { margin: .6rem 0; }
ul { margin: .6rem 0; padding-left: 1.2rem; }
a { color: var(--accent); }
form { margin: 1rem 0 .5rem; }
label { display: block; font-weight: 500; margin: .9rem 0 .25rem; }
input, select { width: 100%; font: inherit; color: inherit; background: var(--surface); padding: .5rem .7rem; border: 1px solid var(--line-strong); border-radius: 8px; }
label.check { display: flex; gap: .6rem; align-items: flex-start; }
label.check input { width: 1.1rem; height: 1.1rem; margin: .15rem 0 0; flex: none; accent-color: var(--button); }
label.check .hint { display: block; font-weight: 400; }
.code { font: 600 20px/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: .1em; }
p.code { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .5rem .9rem; text-align: center; }
button { width: 100%; font: inherit; font-weight: 600; margin: 1.1rem 0 0; padding: .55rem 1rem; border: 1px solid var(--button); border-radius: 8px; background: var(--button); color: #fff; cursor: pointer; }
button:hover { background: var(--button-hover); }
button + button { margin-top: .5rem; }
button.quiet { background: transparent; color: inherit; border-color: var(--line-strong); }
button.quiet:hover { background: var(--code); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[role=alert], [role=status] { border: 1px solid var(--bad); border-left-width: 4px; border-radius: 8px; padding: .6rem .9rem; }
[role=status] { border-color: var(--good); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; border-left: 3px solid var(--line-strong); margin: 1rem 0; padding: .25rem .75rem; }
code { font: 12.5px ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
dt { color: var(--muted); }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
.hint { color: var(--muted); font-size: 12.5px; margin: .25rem 0 0; }
`;
