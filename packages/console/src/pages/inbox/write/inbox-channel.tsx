// The icon of a channel, with its name for screen readers.
import { IconMail, IconMessage, IconPhone } from '@tabler/icons-react';

const icons = { email: IconMail, sms: IconMessage, call: IconPhone };
const names = { email: 'Email', sms: 'Text', call: 'Call' };

export function ChannelIcon({ of }: { of: keyof typeof icons }) {
  const Icon = icons[of];
  return (
    <>
      <Icon size={15} stroke={1.7} aria-hidden className="channel" />
      <span className="visually-hidden">{names[of]}: </span>
    </>
  );
}
