// The options of the trunk are read from the settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../../config/config.ts';
import { sipTrunkOptions } from './options.ts';

const options = (environment: Record<string, string>) => sipTrunkOptions(readConfig(environment, '/tmp'));

test('without a host there is no trunk', () => {
  assert.equal(options({}), null);
});

test('a host is enough; without a port, DNS decides', () => {
  const found = options({ PARLEY_SIP_TRUNK_HOST: 'sip.provider.example' })!;
  assert.deepEqual(found.trunk, { host: 'sip.provider.example', port: null });
  assert.deepEqual([found.transport, found.credentials, found.listen_port], ['udp', null, 5060]);
  assert.deepEqual(found.rtp_ports, { first: 20_000, last: 29_999 });
  assert.deepEqual(found.trusted_sources, []);
});

test('every setting is passed on', () => {
  const found = options({
    PARLEY_SIP_TRUNK_HOST: '127.0.0.1',
    PARLEY_SIP_TRUNK_PORT: '5070',
    PARLEY_SIP_TRANSPORT: 'tcp',
    PARLEY_SIP_USER: 'line1',
    PARLEY_SIP_PASSWORD: 'secret',
    PARLEY_SIP_FROM_DOMAIN: 'voice.example',
    PARLEY_SIP_PUBLIC_ADDRESS: '203.0.113.9',
    PARLEY_SIP_RTP_PORTS: '30000-30100',
    PARLEY_SIP_TRUSTED_SOURCES: '198.51.100.0/24',
    PARLEY_SIP_RTP_TIMEOUT_SECONDS: '10',
  })!;
  assert.deepEqual(found.credentials, { user: 'line1', password: 'secret' });
  assert.deepEqual(
    [found.trunk.port, found.transport, found.from_domain, found.public_address, found.rtp_timeout_ms],
    [5070, 'tcp', 'voice.example', '203.0.113.9', 10_000],
  );
  assert.deepEqual(found.rtp_ports, { first: 30_000, last: 30_100 });
  assert.deepEqual(found.trusted_sources, [{ address: '198.51.100.0', prefix: 24 }]);
});

test('F5: a registrar is asked for a registration of the user of the login', () => {
  const environment = {
    PARLEY_SIP_TRUNK_HOST: 'sip.provider.example',
    PARLEY_SIP_REGISTRAR_HOST: 'registrar.provider.example',
    PARLEY_SIP_REGISTER_SECONDS: '120',
  };
  const login = { PARLEY_SIP_USER: 'line1', PARLEY_SIP_PASSWORD: 'secret' };
  assert.equal(options({ PARLEY_SIP_TRUNK_HOST: '127.0.0.1', ...login })?.registration, null);
  assert.deepEqual(options({ ...environment, ...login })?.registration, {
    registrar: { host: 'registrar.provider.example', port: null },
    ...{ user: 'line1', expires_s: 120, first_retry_ms: 5000 },
  });
  assert.throws(() => options(environment), /PARLEY_SIP_USER: needed because PARLEY_SIP_REGISTRAR_HOST/);
});

test('a user without a password, or a certificate without a key, is refused at start', () => {
  assert.throws(
    () =>
      options({
        PARLEY_SIP_TRUNK_HOST: 'sip.provider.example',
        PARLEY_SIP_USER: 'line1',
        PARLEY_SIP_TLS_KEY_FILE: 'key.pem',
      }),
    /PARLEY_SIP_PASSWORD: needed[\s\S]*PARLEY_SIP_TLS_CERT_FILE: needed/,
  );
});
