// Reads the guides of the documentation, which are served for agents that have only the address of the server.
import { readdirSync, readFileSync } from 'node:fs';

export type Guide = { name: string; title: string; text: string };

const folder = new URL('../../../../../docs/guides/', import.meta.url);

/** Empty where the documentation was not shipped. */
export function readGuides(): Guide[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /^[a-z-]+\.md$/.test(name));
  } catch {
    return [];
  }
  return names.sort().map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
}
