// Finds names in blocks that are not run: commands, options, settings, paths and scripts that do not exist.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Block } from './blocks.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const settings = new Set(
  [...read('docs/reference/env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!),
);
const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
const server_commands = read('packages/server/src/command.ts');
const paths = Object.keys(JSON.parse(read('packages/contract/openapi.json')).paths).map(
  (path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
);

/** Names of the block that do not exist, and JSON that cannot be read. */
export function unknownNames({ language, text }: Block): string[] {
  if (language === 'json') return isJson(text) ? [] : ['not JSON'];
  if (language === 'http') return [];
  const set = [...text.matchAll(/(?<![\w$])([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*)=/g)].map(([, name]) => name!);
  return [
    ...set.filter((name) => !settings.has(name)),
    ...requested(text).filter((path) => !paths.some((known) => known.test(path))),
    ...[...text.matchAll(/parley-server ([a-z-]+)/g)]
      .map(([, name]) => name!)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(server_commands)),
    ...[...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)]
      .map(([, name]) => name!)
      .filter((name) => !scripts.includes(name)),
    ...[...text.replaceAll('\\\n', ' ').matchAll(/(?<![\w@/=.-])parley ([a-z][^\n|;&#]*)/g)].flatMap(
      ([, rest]) => unknownCommand(rest!),
    ),
  ];
}

const requested = (text: string) =>
  [...text.matchAll(/curl[^\n]*?(\/v1\/[^\s"'?]+)/g)].map(([, path]) => path!.replaceAll(/\$\w+/g, 'id'));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The words before the first option or argument are the command; its help names the options. */
function unknownCommand(rest: string): string[] {
  const words = rest.trim().split(/\s+/);
  const first_other = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const command = first_other < 0 ? words : words.slice(0, first_other);
  if (command.length === 0) return [];
  const help = spawnSync(process.execPath, ['packages/cli/bin/parley.js', ...command, '--help'], {
    encoding: 'utf8',
  });
  const options = words.filter((word) => /^--[a-z-]+$/.test(word));
  if (!help.stdout.includes(`Usage: parley ${command[0]}`)) return [`parley ${command.join(' ')}`];
  return options
    .filter((option) => !help.stdout.includes(`${option} `))
    .map((option) => `parley ${command.join(' ')} ${option}`);
}
