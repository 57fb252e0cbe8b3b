// Reads deploy/compose.yaml and deploy/Dockerfile as Docker does, so that tests can check and start their services.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';

const folder = new URL('../../deploy/', import.meta.url);
export const readDeployFile = (path: string) => readFileSync(new URL(path, folder), 'utf8');

export type ComposeService = {
  image?: string;
  environment?: Record<string, string>;
  command?: string[];
  entrypoint?: string[];
  ports?: string[];
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  networks?: string[] | Record<string, unknown>;
  read_only?: boolean;
  stop_grace_period?: string;
};
export type Compose = {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
};

/** The example with the secrets that an operator fills in. */
export const example_environment = {
  ...parseEnv(readDeployFile('compose.env.example')),
  POSTGRES_PASSWORD: 'secret',
  S3_PASSWORD: 'secret',
  PARLEY_SHARED_KEY: 'secret',
  PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
};

/** Replaces ${NAME:?text}, ${NAME:-text} and ${NAME} in every text, as Compose does after it has read the file. */
export function readCompose(environment: NodeJS.Dict<string>): Compose {
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name, kind, other) => {
      const value = environment[name];
      if (value) return value;
      assert.notEqual(kind, '?', `${name}: ${other}`);
      return kind === '-' ? other : '';
    });
  const file = parse(readDeployFile('compose.yaml'), { merge: true });
  return JSON.parse(JSON.stringify(file), (_, value) => (typeof value === 'string' ? fill(value) : value));
}

/** The services that run the image of this repository. */
export const ownServices = ({ services }: Compose): [string, ComposeService][] =>
  Object.entries(services).filter(([, { image }]) => image === 'parley:latest');

const dockerfile = readDeployFile('Dockerfile');
const [, variables] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)!;

export const image = {
  dockerfile,
  environment: Object.fromEntries(
    [...variables!.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  ),
  exposed_ports: /^EXPOSE (.+)$/m.exec(dockerfile)![1]!.split(' ').map(Number),
  /** The program that the health check gives to `node -e`. */
  health_check: /^ {2}CMD \["node", "-e", "(.*)"\]$/m.exec(dockerfile)![1]!,
};
