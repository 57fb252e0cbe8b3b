// Valid and invalid values of the settings for ports and networks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networks, portRange } from './network-settings.ts';

test('a port range is two ports in their order', () => {
  const { read } = portRange({ default: null, meaning: '' });
  assert.deepEqual(read('20000-29999'), { first: 20_000, last: 29_999 });
  for (const wrong of ['20000', '29999-20000', '80-90', '20000-70000', 'a-b', '20000-20000']) {
    assert.throws(() => read(wrong), /expected two ports/, wrong);
  }
});

test('networks are addresses of either family, with or without a prefix', () => {
  const { read } = networks({ default: null, meaning: '' });
  assert.deepEqual(read('192.0.2.7, 198.51.100.0/24,2001:db8::/32'), [
    { address: '192.0.2.7', prefix: 32 },
    { address: '198.51.100.0', prefix: 24 },
    { address: '2001:db8::', prefix: 32 },
  ]);
  for (const wrong of ['example.com', '192.0.2.7/33', '300.1.1.1', '192.0.2.7,']) {
    assert.throws(() => read(wrong), /expected addresses/, wrong);
  }
});
