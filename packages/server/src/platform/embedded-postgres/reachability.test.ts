// Which folders an account can reach, on a simulated file system.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canReach } from './reachability.ts';

const nobody = { uid: 65534, gid: 65534 };

function reach(folders: Record<string, { mode: number; uid?: number; gid?: number }>, path: string): boolean {
  return canReach(path, nobody, (asked) => ({ uid: 0, gid: 0, ...folders[asked]! }));
}

test('a folder is reachable when others may pass through all folders above it', () => {
  const folders = { '/': { mode: 0o755 }, '/srv': { mode: 0o711 }, '/srv/data': { mode: 0o701 } };
  assert.equal(reach(folders, '/srv/data'), true);
});

test('one closed folder on the path makes everything below it unreachable', () => {
  const open = { '/': { mode: 0o755 }, '/home': { mode: 0o755 }, '/home/data': { mode: 0o755 } };
  for (const closed of Object.keys(open)) {
    assert.equal(reach({ ...open, [closed]: { mode: 0o700 } }, '/home/data'), false, closed);
  }
});

test('permission to list a folder does not include permission to pass through it', () => {
  assert.equal(reach({ '/': { mode: 0o744 } }, '/'), false);
});

test('for the owner and the group of a folder only their own permission bits count', () => {
  const root = { '/': { mode: 0o755 } };
  assert.equal(reach({ ...root, '/data': { mode: 0o700, uid: nobody.uid } }, '/data'), true);
  assert.equal(reach({ ...root, '/data': { mode: 0o677, uid: nobody.uid } }, '/data'), false);
  assert.equal(reach({ ...root, '/data': { mode: 0o710, gid: nobody.gid } }, '/data'), true);
  assert.equal(reach({ ...root, '/data': { mode: 0o701, gid: nobody.gid } }, '/data'), false);
});
