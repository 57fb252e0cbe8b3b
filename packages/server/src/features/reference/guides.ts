// Reads the guides of the documentation, which are served for agents that have only the address of the server.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guides_folder } from '../../platform/package-folders.ts';

export type Guide = { name: string; title: string; text: string };

/** Empty where the documentation was not shipped. */
export function readGuides(): Guide[] {
  let names: string[];
  try {
    names = readdirSync(guides_folder).filter((name) => /^[a-z-]+\.md$/.test(name));
  } catch {
    return [];
  }
  return names.sort().map((name) => {
    const text = readFileSync(join(guides_folder, name), 'utf8');
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
}
