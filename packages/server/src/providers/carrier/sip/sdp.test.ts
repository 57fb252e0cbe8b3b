// Session descriptions of real peers, and malformed ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSdp, writeSdp } from './sdp.ts';

const description = (...lines: string[]) =>
  ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', ...lines, ''].join('\r\n');

test('our own offer can be read', () => {
  const offer = writeSdp({ address: '127.0.0.1', port: 4000, session_id: 1, version: 1 });
  assert.deepEqual(readSdp(offer), {
    address: '127.0.0.1',
    port: 4000,
    codec: 'PCMU',
    payload_type: 0,
    digits_payload_type: 101,
    direction: 'sendrecv',
    held: false,
    crypto: null,
  });
});

test('the first supported codec of the offer is used, by name as well as by number', () => {
  const read = readSdp(
    description(
      'c=IN IP4 127.0.0.2',
      't=0 0',
      'm=audio 5000 RTP/AVP 9 96 0 97',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:96 PCMA/8000/1',
      'a=rtpmap:97 telephone-event/8000',
    ),
  );
  assert.deepEqual([read?.codec, read?.payload_type, read?.digits_payload_type], ['PCMA', 96, 97]);
});

test('the address of the stream overrides that of the session, and other streams are ignored', () => {
  const read = readSdp(
    description(
      'c=IN IP4 127.0.0.2',
      'm=video 6000 RTP/AVP 99',
      'c=IN IP4 127.0.0.9',
      'm=audio 5000 RTP/AVP 0',
      'c=IN IP4 127.0.0.3',
      'a=sendonly',
    ),
  );
  assert.deepEqual(
    [read?.address, read?.port, read?.direction, read?.held, read?.digits_payload_type],
    ['127.0.0.3', 5000, 'sendonly', true, null],
  );
});

test('an answer contains only what was offered, with the opposite direction', () => {
  const offer = readSdp(
    description(
      'c=IN IP4 127.0.0.2',
      'm=audio 5000 RTP/AVP 8 100',
      'a=rtpmap:100 telephone-event/8000',
      'a=sendonly',
    ),
  )!;
  const answer = writeSdp({ address: '127.0.0.1', port: 4000, session_id: 1, version: 2, answer_to: offer });
  assert.match(answer, /^m=audio 4000 RTP\/AVP 8 100\r$/m);
  assert.match(answer, /^a=recvonly\r$/m);
  assert.doesNotMatch(answer, /PCMU/);
});

test('an address of zeros means hold', () => {
  assert.equal(readSdp(description('c=IN IP4 0.0.0.0', 'm=audio 5000 RTP/AVP 0'))?.held, true);
});

test('an offer without a supported codec is refused', () => {
  for (const lines of [
    ['c=IN IP4 127.0.0.2', 'm=audio 0 RTP/AVP 0'],
    ['c=IN IP4 127.0.0.2', 'm=audio 5000 RTP/SAVP 0'],
    ['c=IN IP4 127.0.0.2', 'm=audio 5000 RTP/AVP 18'],
    ['c=IN IP4 127.0.0.2', 'm=video 5000 RTP/AVP 0'],
    ['c=IN IP4 host.example', 'm=audio 5000 RTP/AVP 0'],
    ['c=IN IP4 127.0.0.2', 'm=audio 99999 RTP/AVP 0'],
    ['m=audio 5000 RTP/AVP 0'],
    [],
  ]) {
    assert.equal(readSdp(description(...lines)), null, lines.join(' '));
  }
});

test('the reader throws for no input', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('m=audio 5000 RTP/AVP 0', 'c=IN IP4 127.0.0.1', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:'),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      readSdp(lines.join('\n'));
    }),
  );
});

test('F5: reports go to the port that the description names, and to no other host', () => {
  const read = (line: string) =>
    readSdp(description('c=IN IP4 127.0.0.2', 't=0 0', 'm=audio 5000 RTP/AVP 0', line))?.reports_port;
  assert.deepEqual(
    ['a=ptime:20', 'a=rtcp:5007', 'a=rtcp:5007 IN IP4 127.0.0.9', 'a=rtcp:x', 'a=rtcp-mux'].map(read),
    [undefined, 5007, 0, 0, undefined],
  );
});
