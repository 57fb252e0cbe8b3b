// The address policy: addresses that are always allowed, allowed by a setting, or never allowed.

import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addressKind, addressPolicy, type PrivateTargets, parsePrivateTargets } from './address-policy.ts';

const PUBLIC = [
  '93.184.216.34',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:93.184.216.34',
];
const LOOPBACK = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'];
const PRIVATE = [
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.127.255.255'],
  ...['fc00::1', 'fd00::1', '::ffff:10.0.0.1', '::ffff:a00:1'],
];
const FORBIDDEN = [
  ...['169.254.169.254', '169.254.0.1', '::ffff:169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  ...['224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255', '240.0.0.1'],
  ...['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '2001:db8::1',
    '3fff::1',
  ],
  ...['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001:0:7f00:1::', '::ffff:0:127.0.0.1'],
  ...[
    '::7f00:1',
    '::127.0.0.1',
    '::93.184.216.34',
    'fe80::1%eth-0',
    '::a9fe:a9fe',
    'fec0::1',
    '100::1',
    '5f00::1',
    '4000::1',
  ],
  ...[
    '',
    'example.com',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1 ',
    '[::1]',
    '1.2.3.4.5',
  ],
];

const policy = (private_targets: PrivateTargets, require_https = false) =>
  addressPolicy({ private_targets, require_https });

const allowed = (targets: PrivateTargets, address: string) =>
  policy(targets).refusal('http:', [address]) === null;

describe('classification', () => {
  test('any text is classified without an error, and a mapped IPv4 address like the address itself', () => {
    const text = fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6(), fc.constant('fe80::1%eth-0.1'));
    fc.assert(fc.property(text, (address) => isIP(address) !== 0 || addressKind(address) === 'forbidden'));
    fc.assert(fc.property(fc.ipV4(), (address) => addressKind(address) === addressKind(`::ffff:${address}`)));
  });

  test('every address is public, loopback, private or forbidden, and a mapped one has the class of its IPv4 address', () => {
    for (const address of PUBLIC) assert.equal(addressKind(address), 'public', address);
    for (const address of LOOPBACK) assert.equal(addressKind(address), 'loopback', address);
    for (const address of PRIVATE) assert.equal(addressKind(address), 'private', address);
    for (const address of FORBIDDEN) assert.equal(addressKind(address), 'forbidden', address);
  });
});

describe('the policy', () => {
  test('a public address is allowed under every setting', () => {
    for (const address of PUBLIC) {
      for (const targets of ['allow', 'deny', [], ['10.0.0.0/8']] as const) {
        assert.equal(allowed(targets, address), true, address);
      }
    }
  });

  test('a loopback or private address is allowed only when private targets are', () => {
    for (const address of [...LOOPBACK, ...PRIVATE]) {
      assert.equal(allowed('allow', address), true, address);
      assert.equal(allowed('deny', address), false, address);
      assert.equal(allowed([], address), false, address);
    }
  });

  test('a list allows the addresses in its ranges and no others', () => {
    const targets = ['10.1.0.0/16', 'fd12::/16', '127.0.0.1/32'];
    for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd12::1', '127.0.0.1']) {
      assert.equal(allowed(targets, address), true, address);
    }
    for (const address of ['10.0.255.255', '10.2.0.0', 'fd13::1', '127.0.0.2', '::1', '192.168.0.1']) {
      assert.equal(allowed(targets, address), false, address);
    }
  });

  test('a forbidden address stays forbidden, even for a list of everything', () => {
    for (const address of FORBIDDEN) {
      assert.equal(allowed(['0.0.0.0/0', '::/0'], address), false, address);
      assert.equal(allowed(['169.254.0.0/16', 'fe80::/10'], address), false, address);
      assert.equal(allowed('allow', address), false, address);
    }
  });

  test('one forbidden address, or no address, makes the whole DNS response refused', () => {
    assert.equal(policy('deny').refusal('https:', ['93.184.216.34', '2606:4700::1111']), null);
    assert.equal(policy('deny').refusal('https:', ['93.184.216.34', '10.0.0.1']), 'address_not_allowed');
    assert.equal(policy('allow').refusal('https:', ['169.254.169.254', '10.0.0.1']), 'address_not_allowed');
    assert.equal(policy('allow').refusal('https:', []), 'address_not_allowed');
  });

  test('where https is required, plain http reaches only a loopback address that is allowed', () => {
    assert.equal(policy('allow', true).refusal('https:', ['93.184.216.34']), null);
    assert.equal(policy('allow', true).refusal('http:', ['93.184.216.34']), 'https_required');
    assert.equal(policy('allow', true).refusal('http:', ['10.0.0.1']), 'https_required');
    assert.equal(policy('allow', true).refusal('http:', ['127.0.0.1', '::1']), null);
    assert.equal(policy('allow', true).refusal('http:', ['127.0.0.1', '10.0.0.1']), 'https_required');
    assert.equal(policy('deny', true).refusal('http:', ['127.0.0.1']), 'address_not_allowed');
  });
});

describe('the setting', () => {
  test('is allow, deny, or a list of ranges', () => {
    assert.deepEqual(parsePrivateTargets('allow'), { ok: true, private_targets: 'allow' });
    assert.deepEqual(parsePrivateTargets(' deny '), { ok: true, private_targets: 'deny' });
    assert.deepEqual(parsePrivateTargets('10.0.0.0/8, fd00::/8,127.0.0.1/32'), {
      ok: true,
      private_targets: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'],
    });
  });

  test('every invalid range is named, not only the first', () => {
    const bad = [
      '10.0.0.0',
      '10.0.0.0/33',
      'fd00::/129',
      'x/8',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '0x0a.1/8',
      '010.0.0.0/8',
    ];
    bad.push('::ffff:10.0.0.0/104', 'fe80::1%eth-0/10', 'allow', '10.0.0.0/-1', '10.0.0.0/8x');
    const parsed = parsePrivateTargets(['192.168.0.0/16', ...bad].join(','));
    assert.equal(parsed.ok, false);
    assert.equal(parsed.problems.length, bad.length);
    for (const [index, cidr] of bad.entries())
      assert.ok(parsed.problems[index]?.startsWith(`"${cidr}" `), cidr);
  });

  test('an empty value, an extra comma, and a value of another setting are problems too', () => {
    for (const text of ['', '10.0.0.0/8,', 'auto']) assert.equal(parsePrivateTargets(text).ok, false, text);
  });
});
