// A phone that answers every call of LiveKit's SIP service and speaks all the time, in a process of its own.
import { startPhone } from '../../packages/server/src/providers/carrier/livekit/testing/phone.ts';

const phone = await startPhone(Number(process.argv[2]));
const tone = (seconds: number) =>
  Int16Array.from({ length: 8000 * seconds }, (_, index) => Math.round(8000 * Math.sin(index / 3)));
const answer = async () => {
  for (;;) (await phone.nextLine()).write(tone(240));
};
answer().catch(() => process.exit(1));
process.on('disconnect', () => process.exit());
process.send!({ port: phone.port });
