// The addresses that webhooks may contact for each value of WEBHOOK_PRIVATE_TARGETS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetPolicy } from './target-policy.ts';

const loopback = '127.0.0.1';
const inside = '10.1.2.3';
const outside = '93.184.215.14';
const never = ['169.254.169.254', 'fe80::1', '0.0.0.0', '::', '224.0.0.1', 'ff02::1', '255.255.255.255'];

const verdicts = (setting: Parameters<typeof targetPolicy>[0], is_managed: boolean) => {
  const policy = targetPolicy(setting, { is_managed });
  const allowed = (protocol: string, address: string) => policy.refusal(protocol, [address]) === null;
  return {
    loopback_http: allowed('http:', loopback),
    inside_http: allowed('http:', inside),
    inside_https: allowed('https:', inside),
    outside_http: allowed('http:', outside),
    outside_https: allowed('https:', outside),
    never: never.some((address) => allowed('https:', address) || allowed('http:', address)),
  };
};

const everything = {
  loopback_http: true,
  inside_http: true,
  inside_https: true,
  outside_http: true,
  outside_https: true,
  never: false,
};
const public_https = {
  loopback_http: false,
  inside_http: false,
  inside_https: false,
  outside_http: false,
  outside_https: true,
  never: false,
};

test('with only a shared key, auto allows loopback, private addresses and http', () => {
  assert.deepEqual(verdicts('auto', false), everything);
});

test('when others have keys, auto allows public addresses over https only', () => {
  assert.deepEqual(verdicts('auto', true), public_https);
});

test('allow and deny have the same meaning in every mode', () => {
  for (const is_managed of [true, false]) {
    assert.deepEqual(verdicts('allow', is_managed), everything);
    assert.deepEqual(verdicts('deny', is_managed), public_https);
  }
});

test('a list of ranges allows those ranges', () => {
  assert.deepEqual(verdicts(['10.0.0.0/8'], false), { ...everything, loopback_http: false });
  assert.deepEqual(verdicts(['10.0.0.0/8'], true), { ...public_https, inside_https: true });
});

test('no setting allows link-local, multicast or unspecified addresses', () => {
  assert.equal(verdicts(['0.0.0.0/0', '::/0'], false).never, false);
});
