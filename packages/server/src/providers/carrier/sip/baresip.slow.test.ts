// Two-way audio, digits and hang-up with baresip, an independent softphone, over UDP and TCP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../../../../testing/wait-for.ts';
import { baresip_is_missing, startBaresip } from './testing/baresip.ts';
import { startTrunk } from './testing/trunk.ts';

const tone = (hz: number, seconds: number) =>
  Int16Array.from(
    { length: 8000 * seconds },
    (_, index) => 8000 * Math.sin((index * hz * 2 * Math.PI) / 8000),
  );

/** The share of the audio's energy at this frequency, from 0 to 1 (Goertzel). */
function share(pcm: Int16Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / 8000);
  let [before, last, energy] = [0, 0, 0];
  for (const sample of pcm) {
    [before, last] = [last, sample + coefficient * last - before];
    energy += sample * sample;
  }
  const power = last * last + before * before - coefficient * last * before;
  return energy === 0 ? 0 : power / ((energy * pcm.length) / 2);
}

/** Finds one unbroken second of this frequency; on a busy machine the audio may have gaps elsewhere. */
function hasSecond(pcm: Int16Array, hz: number): boolean {
  for (let at = 0; at + 8000 <= pcm.length; at += 2000) {
    const second = pcm.subarray(at, at + 8000);
    if (share(second, hz) > 0.95 && second.some((sample) => sample > 7000)) return true;
  }
  return false;
}

for (const [transport, srtp, name] of [
  ['udp', 'off', 'udp'],
  ['tcp', 'off', 'tcp'],
  ['udp', 'required', 'F5: udp, encrypted'],
] as const) {
  test(`${name}: audio and digits arrive in both directions, and the other side’s hang-up ends the call`, {
    skip: baresip_is_missing,
    timeout: 60_000,
  }, async () => {
    const phone = await startBaresip({ transport, says: tone(440, 60), encrypted: srtp !== 'off' });
    const trunk = await startTrunk({ peer_port: phone.port, transport, srtp });
    try {
      const call = await trunk.call({ to: '1000' });
      const media = await call.media();
      assert.ok(media, `${JSON.stringify(call.events)} ${phone.output()}`);

      const received: number[] = [];
      let keys = '';
      media.onFrame((pcm) => received.push(...pcm));
      media.onDigit((digit) => {
        keys += digit;
      });
      await waitFor('a second of their tone', () => hasSecond(Int16Array.from(received), 440));

      media.write(tone(1000, 3));
      assert.equal(await media.mark(), 'played');
      await waitFor('a second of our tone', async () => hasSecond(await phone.received(), 1000));

      await media.sendDigits('42#');
      await waitFor('our keys', () => phone.digits() === '42#');
      phone.command('sndcode', '7');
      await waitFor('their key', () => keys === '7');

      const stats = trunk.rtpStats(call.id)!;
      assert.deepEqual([stats.packets_lost, stats.untrusted_dropped, stats.malformed_dropped], [0, 0, 0]);
      assert.equal(stats.unauthentic_dropped, 0);
      phone.command('hangup');
      const end = await call.ended();
      assert.deepEqual([end.trigger, end.end_reason], ['hung_up', 'callee_hangup']);
    } finally {
      await trunk.stop();
      await phone.stop();
    }
  });
}
