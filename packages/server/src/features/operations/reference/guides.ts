// Reads the pages of the documentation, which are served for people and for agents that have only the address of the server.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guides_folder, reference_folder } from '../../../platform/package-folders.ts';

export type Guide = { name: string; title: string; text: string };

const folders = { guides: guides_folder, reference: reference_folder };

/** What a newcomer reads first; then the channels. Everything else follows by name. */
const reading_order = [
  'introduction',
  'quick-start',
  'authentication',
  'calls',
  'email',
  'inbound-email',
  'sms',
  'webhooks',
];

const position = (name: string) => {
  const index = reading_order.indexOf(name.replace(/\.md$/, ''));
  return index === -1 ? reading_order.length : index;
};

/** Empty where the documentation was not shipped. */
export function readGuides(folder: 'guides' | 'reference' = 'guides'): Guide[] {
  const path = folders[folder];
  let names: string[];
  try {
    names = readdirSync(path).filter((name) => /^[a-z-]+\.md$/.test(name));
  } catch {
    return [];
  }
  names.sort((a, b) => position(a) - position(b) || (a < b ? -1 : 1));
  return names.map((name) => {
    const text = readFileSync(join(path, name), 'utf8');
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
}
