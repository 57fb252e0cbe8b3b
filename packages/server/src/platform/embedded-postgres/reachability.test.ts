// The promises of the reachability rule, on a file system that exists only here.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canReach } from './reachability.ts';

const nobody = { uid: 65534, gid: 65534 };

function reach(folders: Record<string, { mode: number; uid?: number; gid?: number }>, path: string): boolean {
  return canReach(path, nobody, (asked) => ({ uid: 0, gid: 0, ...folders[asked]! }));
}

test('a folder is in reach when others may pass through everything above it', () => {
  const folders = { '/': { mode: 0o755 }, '/srv': { mode: 0o711 }, '/srv/data': { mode: 0o701 } };
  assert.equal(reach(folders, '/srv/data'), true);
});

test('one closed folder anywhere on the path puts everything below it out of reach', () => {
  const open = { '/': { mode: 0o755 }, '/home': { mode: 0o755 }, '/home/data': { mode: 0o755 } };
  for (const closed of Object.keys(open)) {
    assert.equal(reach({ ...open, [closed]: { mode: 0o700 } }, '/home/data'), false, closed);
  }
});

test('the right to list a folder is not the right to pass through it', () => {
  assert.equal(reach({ '/': { mode: 0o744 } }, '/'), false);
});

test('the owner and the group of a folder are judged by their own bits alone', () => {
  const root = { '/': { mode: 0o755 } };
  assert.equal(reach({ ...root, '/data': { mode: 0o700, uid: nobody.uid } }, '/data'), true);
  assert.equal(reach({ ...root, '/data': { mode: 0o677, uid: nobody.uid } }, '/data'), false);
  assert.equal(reach({ ...root, '/data': { mode: 0o710, gid: nobody.gid } }, '/data'), true);
  assert.equal(reach({ ...root, '/data': { mode: 0o701, gid: nobody.gid } }, '/data'), false);
});
