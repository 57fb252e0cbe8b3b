// The login at the trunk: every form of digest challenge, answered over UDP by a peer that checks it with its own arithmetic.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerChallenge, readChallenges } from './digest.ts';
import { takeChallenges } from './login.ts';
import { startTrunk } from './testing/trunk.ts';
import { type Message, peerSdp, type UdpPeer, udpPeer } from './testing/udp-peer.ts';

const credentials = { user: 'line1', password: 'secret' };

/** The names and values of an Authorization header. */
const fields = (header: string): Record<string, string> =>
  Object.fromEntries([...header.matchAll(/(\w+)=(?:"([^"]*)"|([^,\s]+))/g)].map((m) => [m[1], m[2] ?? m[3]]));

function isRight(header: string, method = 'INVITE'): boolean {
  const { username, realm, nonce, uri, response, algorithm = 'MD5', qop, nc, cnonce } = fields(header);
  const name = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' }[
    algorithm.replace(/-sess$/, '')
  ];
  const hash = (text: string) => createHash(name!).update(text).digest('hex');
  const login = hash(`${credentials.user}:${realm}:${credentials.password}`);
  const key = algorithm.endsWith('-sess') ? hash(`${login}:${nonce}:${cnonce}`) : login;
  const middle = qop ? `${nonce}:${nc}:${cnonce}:${qop}` : nonce;
  return username === credentials.user && response === hash(`${key}:${middle}:${hash(`${method}:${uri}`)}`);
}

type Step = { status: string; headers: string[] };

/** Calls a peer that answers the INVITEs with these refusals, and the one after them with 200. */
async function callThrough(steps: Step[], login: typeof credentials | null = credentials) {
  let port = 0;
  const invites: Message[] = [];
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'BYE') return peer.reply(message, '200 OK', { to_port: port });
    if (message.method !== 'INVITE') return;
    const step = steps[invites.length];
    invites.push(message);
    if (step) peer.reply(message, step.status, { headers: step.headers, to_port: port });
    else peer.reply(message, '200 OK', { body: peerSdp(peer.port + 1), to_port: port });
  });
  const trunk = await startTrunk({ peer_port: peer.port, credentials: login });
  port = trunk.port;
  const call = await trunk.call();
  await call.reached('answered');
  const history = call.history();
  call.hangUp('api_hangup');
  await trunk.stop();
  return { invites, history, peer, last: call.events.at(-1)! };
}

const server = (rest: string): Step => ({
  status: '401 Unauthorized',
  headers: [`WWW-Authenticate: Digest realm="trunk", nonce="n1", qop="auth", ${rest}`],
});
const challenge = (algorithm: string, more = '') =>
  `Digest realm="trunk", nonce="n-${algorithm}", qop="auth", algorithm=${algorithm}${more}`;

for (const algorithm of ['MD5', 'SHA-256', 'SHA-512-256', 'MD5-sess', 'SHA-256-sess']) {
  test(`F5: a challenge with ${algorithm} is answered`, async () => {
    const { invites, history } = await callThrough([server(`algorithm=${algorithm}`)]);
    assert.equal(history, 'dialed > answered');
    const header = invites[1]!.header('Authorization');
    assert.ok(isRight(header), header);
    assert.deepEqual(
      [fields(header).algorithm, fields(header).nc, fields(header).qop],
      [algorithm, '00000001', 'auth'],
    );
  });
}

for (const [order, headers] of Object.entries({
  'MD5 first': [challenge('MD5'), challenge('SHA-256')],
  'SHA-256 first': [challenge('SHA-256'), challenge('MD5')],
  'an unknown one among them': [
    challenge('SHA-3'),
    challenge('SHA-256'),
    'Basic realm="trunk"',
    challenge('MD5'),
  ],
  'in one header': [`${challenge('MD5')}, ${challenge('SHA-256')}, NewScheme a=b`],
})) {
  test(`F5: of several challenges the strongest is answered: ${order}`, async () => {
    const { invites, history } = await callThrough([
      { status: '401 Unauthorized', headers: headers.map((value) => `WWW-Authenticate: ${value}`) },
    ]);
    assert.equal(history, 'dialed > answered');
    assert.equal(invites[1]!.headers('Authorization').length, 1);
    const header = invites[1]!.header('Authorization');
    assert.equal(fields(header).algorithm, 'SHA-256');
    assert.ok(isRight(header), header);
  });
}

const proxy = (nonce = 'p1'): Step => ({
  status: '407 Proxy Authentication Required',
  headers: [`Proxy-Authenticate: Digest realm="proxy", nonce="${nonce}", qop="auth", algorithm=MD5`],
});

test('F5: the proxy asks, then the server: both get their credentials, each with its own count', async () => {
  const { invites, history, peer } = await callThrough([proxy(), server('algorithm=SHA-256')]);
  assert.equal(history, 'dialed > answered');
  const [first, second, third] = invites.map((invite) => ({
    server: invite.header('Authorization'),
    proxy: invite.header('Proxy-Authorization'),
  }));
  assert.deepEqual(first, { server: '', proxy: '' });
  assert.deepEqual([second!.server, isRight(second!.proxy)], ['', true]);
  assert.deepEqual([isRight(third!.server), isRight(third!.proxy)], [true, true]);
  assert.deepEqual([fields(second!.proxy).nc, fields(third!.proxy).nc], ['00000001', '00000002']);
  // The ACK of the answer passes the same proxy, with the credentials of its INVITE.
  const acknowledged = peer.received.filter(
    ({ method, text }) => method === 'ACK' && text.includes('CSeq: 3'),
  );
  assert.equal(acknowledged[0]?.header('Proxy-Authorization') ?? 'no ACK', third!.proxy);
});

test('F5: a proxy and a server of the same realm in one response both get credentials', async () => {
  const both = {
    status: '401 Unauthorized',
    headers: [`WWW-Authenticate: ${challenge('SHA-256')}`, `Proxy-Authenticate: ${challenge('MD5')}`],
  };
  const { invites, history } = await callThrough([both]);
  assert.equal(history, 'dialed > answered');
  assert.ok(
    isRight(invites[1]!.header('Authorization')) && isRight(invites[1]!.header('Proxy-Authorization')),
  );
});

test('F5: a stale nonce is replaced; the same challenge again without stale ends the call', async () => {
  const stale = {
    status: '401 Unauthorized',
    headers: ['WWW-Authenticate: Digest realm="trunk", nonce="n2", qop="auth", stale=TRUE'],
  };
  const renewed = await callThrough([server('algorithm=MD5'), stale]);
  assert.equal(renewed.history, 'dialed > answered');
  assert.equal(fields(renewed.invites[2]!.header('Authorization')).nonce, 'n2');
  assert.ok(isRight(renewed.invites[2]!.header('Authorization')));

  const refused = await callThrough([server('algorithm=MD5'), server('algorithm=SHA-256')]);
  assert.deepEqual([refused.invites.length, refused.history], [2, 'dialed > broke']);
});

test('F5: endless stale challenges end the call', async () => {
  const endless = Array.from({ length: 20 }, (_, turn) => ({
    status: '401 Unauthorized',
    headers: [`WWW-Authenticate: Digest realm="trunk", nonce="s${turn}", stale=true`],
  }));
  const { invites, history } = await callThrough(endless);
  assert.equal(history, 'dialed > broke');
  assert.ok(invites.length < 10, String(invites.length));
});

for (const value of [
  'Digest',
  'Digest realm="trunk"',
  'Digest realm="trunk", nonce="n1", algorithm=SHA-1',
  'Digest realm="trunk", nonce="n1", qop="unknown"',
  'Digest realm="unclosed, nonce=n1',
  'Digest realm=trunk, realm=other, nonce=n1',
  `Digest realm="trunk", nonce="${'n'.repeat(5000)}"`,
  '\u0001\u0002, = = ,,, "',
]) {
  test(`F5: a challenge that cannot be answered fails the call at once: ${JSON.stringify(value.slice(0, 40))}`, async () => {
    const { history, invites, last } = await callThrough([
      { status: '401 Unauthorized', headers: [`WWW-Authenticate: ${value}`] },
    ]);
    assert.deepEqual([history, invites.length], ['dialed > broke', 1]);
    assert.equal('sip_status' in last && last.sip_status, 401);
  });
}

test('F5: a call that was canceled is not dialed again when a challenge crosses the CANCEL', async () => {
  let port = 0;
  const peer: UdpPeer = await udpPeer((message) => {
    if (message.method === 'INVITE') peer.reply(message, '180 Ringing', { to_port: port });
    if (message.method !== 'CANCEL') return;
    peer.reply(message, '200 OK', { to_port: port });
    const invite = peer.received.find(({ method }) => method === 'INVITE')!;
    peer.reply(invite, '401 Unauthorized', {
      headers: ['WWW-Authenticate: Digest realm="trunk", nonce="n1"'],
      to_port: port,
    });
  });
  const trunk = await startTrunk({ peer_port: peer.port, credentials });
  port = trunk.port;
  const call = await trunk.call();
  await call.reached('rang');
  call.hangUp('canceled');
  await call.ended();
  await peer.message('the ACK of the refusal', ({ method }) => method === 'ACK');
  await trunk.stop();
  assert.equal(call.history(), 'dialed > rang > canceled');
  assert.equal(peer.received.filter(({ method }) => method === 'INVITE').length, 1);
});

test('F5: a challenge of the BYE is answered as well', async () => {
  let port = 0;
  const peer: UdpPeer = await udpPeer((message) => {
    const is_known = message.header('Proxy-Authorization') !== '';
    if (message.method === 'INVITE') {
      peer.reply(message, '200 OK', { body: peerSdp(peer.port + 1), to_port: port });
    } else if (message.method === 'BYE') {
      const { status, headers } = is_known ? { status: '200 OK', headers: [] } : proxy();
      peer.reply(message, status, { headers, to_port: port });
    }
  });
  const trunk = await startTrunk({ peer_port: peer.port, credentials });
  port = trunk.port;
  const call = await trunk.call();
  await call.reached('answered');
  call.hangUp('api_hangup');
  const bye = await peer.message(
    'a BYE with credentials',
    ({ method, header }) => method === 'BYE' && header('Proxy-Authorization') !== '',
  );
  assert.ok(isRight(bye.header('Proxy-Authorization'), 'BYE'));
  await trunk.stop();
});

test('F5: the example of RFC 7616 for SHA-256 and MD5', () => {
  const request = { method: 'GET', uri: '/dir/index.html', body: '' };
  const rest =
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  for (const [algorithm, response] of [
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ]) {
    const [asked] = readChallenges([
      {
        name: 'www-authenticate',
        value: `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ${rest}`,
      },
    ]);
    const header = answerChallenge(
      asked!,
      { user: 'Mufasa', password: 'Circle of Life' },
      request,
      1,
      'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
    );
    assert.equal(fields(header).response, response);
  }
});

test('F5: no text of a challenge makes the reader throw or write a line break', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      'Digest ',
      'realm=',
      'nonce=',
      '"a"',
      ', ',
      'qop="auth"',
      'algorithm=MD5',
      '"',
      '\\',
      '\r\n ',
    ),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = `SIP/2.0 401 No\r\nWWW-Authenticate: ${parts.join('')}\r\nCall-ID: 1\r\n\r\n`;
      for (const asked of takeChallenges(text).challenges) {
        const header = answerChallenge(asked, credentials, { method: 'INVITE', uri: 'sip:a@b', body: '' }, 1);
        assert.doesNotMatch(header, /[\r\n]/);
      }
    }),
  );
});
