// A registry on loopback that serves packed packages of ours, as the public one does after a release.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { packedPackage } from '../../scripts/build/image-project.ts';

const hasShrinkwrap = (path: string): boolean =>
  execFileSync('tar', ['-tf', path], { encoding: 'utf8' })
    .split(/\r?\n/)
    .includes('package/npm-shrinkwrap.json');

/** Its URL is the registry of the scope @parley; `requested` names the files that were downloaded. */
export async function startRegistry(tarballs: readonly string[]) {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!);
    const tarball = tarballs.find((each) => path === `/-/${basename(each)}`);
    if (tarball) {
      requested.push(basename(tarball));
      return response.end(readFileSync(tarball));
    }
    const packed = tarballs.map((each) => ({ each, ...packedPackage(each) }));
    const wanted = packed.find(({ name }) => path === `/${name}`);
    if (!wanted) return response.writeHead(404).end('{}');
    const { each, name, manifest, integrity } = wanted;
    const dist = { tarball: `${url}/-/${basename(each)}`, integrity };
    const version = { ...manifest, dist, _hasShrinkwrap: hasShrinkwrap(each) };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: manifest.version },
        versions: { [manifest.version]: version },
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requested, close: () => void server.close() };
}
