// Writes a change file: npm run change -- fixed "Calls to a busy number end at once." ["What to do on an upgrade."]
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChangeError, changes_folder, type Kind, kinds, parseChange, renderChange } from './changes.ts';

const words_in_name = 6;

/** The first words of the text in kebab-case; a number is added where a file of that name exists. */
function fileName(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? ['change'];
  const name = words.slice(0, words_in_name).join('-');
  for (let number = 1; ; number++) {
    const candidate = `${name}${number === 1 ? '' : `-${number}`}.md`;
    if (!existsSync(join(changes_folder, candidate))) return candidate;
  }
}

const [kind, text, upgrade = 'none', ...rest] = process.argv.slice(2);
if (!kind || !text || rest.length > 0) {
  console.error(`Usage: npm run change -- <${kinds.join('|')}> "<text>" ["<what to do on an upgrade>"]`);
  process.exit(2);
}
try {
  const name = fileName(text);
  const content = renderChange({ kind: kind as Kind, text, upgrade });
  parseChange(name, content);
  writeFileSync(join(changes_folder, name), content);
  console.log(join(changes_folder, name));
} catch (error) {
  if (!(error instanceof ChangeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
