// The command `open` gets the address of the console from the server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { commandLine, has_tmux, terminal } from '../testing/command-line.ts';

const { url, client } = await startTestApp();
const { parley, environmentWith } = commandLine(url);
const own_key = { PARLEY_API_KEY: client.key };

test('U8: parley open prints a new sign-in link each time, without a restart', async () => {
  const links = [];
  for (let index = 0; index < 2; index++) {
    const { code, stdout, stderr } = await parley(['open', '--json'], own_key);
    assert.equal(code, 0, stderr);
    const link = JSON.parse(stdout) as { url: string; expires_at: string };
    assert.ok(Date.parse(link.expires_at) > Date.now());
    links.push(link.url);
  }
  assert.notEqual(links[0], links[1]);
  const { origin, hash } = new URL(links[1]!);
  const body = hash.slice('#sign-in='.length);
  const exchanged = await fetch(`${origin}/exchange`, { method: 'POST', headers: { origin }, body });
  assert.match(await exchanged.text(), /#sign-in=./);
});

const skip = has_tmux ? false : 'tmux is not installed';
test('U8: parley open --print prints the link for people', { skip }, async () => {
  const screen = terminal(environmentWith(own_key));
  screen.run('open --print');
  await screen.shows(/http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]{43}\s/);
  await screen.shows(/It signs in once[^$]*exit=0/);
});
