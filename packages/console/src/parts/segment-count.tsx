// How many segments a text is sent and billed as.
import { segmentsOf } from '@parley/contract/channels/sms/sms-segments';

export function SegmentCount({ text }: { text: string }) {
  const { encoding, ...counted } = segmentsOf(text);
  const segments = text === '' ? 0 : counted.segments;
  return (
    <span className="small muted" role="status">
      {text.length} characters · {segments} {segments === 1 ? 'segment' : 'segments'} ·{' '}
      {encoding === 'gsm7' ? 'GSM-7' : 'UCS-2'}
    </span>
  );
}
