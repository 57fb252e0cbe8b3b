// Recognizes messages that a program sent: automatic replies, notices, newsletters and mailing lists.

type Header = (name: string) => string;

/** RFC 3834 section 5, and the fields of older programs. */
export const isAutoReply = (header: Header): boolean =>
  /^\s*auto-replied/i.test(header('auto-submitted')) ||
  header('x-autoreply') !== '' ||
  header('x-autorespond') !== '' ||
  /^\s*auto_reply/i.test(header('precedence'));

/** RFC 2369 and RFC 2919. */
const list_fields = [
  'list-id',
  'list-post',
  'list-help',
  'list-owner',
  'list-archive',
  'list-subscribe',
  'list-unsubscribe',
];

/** Any of these addresses belongs to a program, also with a tag (no-reply+123) or a number. */
const program_address =
  /^(mailer-daemon|postmaster|bounces?|(no|do[-_.]?not|never)[-_.]?(reply|respond|answer))([-_.+=]|\d|@|$)/i;

/** What the header says, with the fields that RFC 3834 section 2 tells responders to look at. */
export function isAutomaticMessage(header: Header, from_address: string | null): boolean {
  const auto_submitted = header('auto-submitted').trim();
  return (
    isAutoReply(header) ||
    // Parameters may follow the keyword: "no; owner-email=...".
    (auto_submitted !== '' && !/^no\s*(;|\(|$)/i.test(auto_submitted)) ||
    /^\s*(bulk|list|junk|auto_reply)\b/i.test(header('precedence')) ||
    list_fields.some((name) => header(name) !== '') ||
    // Microsoft's field: the sender asks responders not to answer. DR, NDR, RN and NRN are about reports only.
    /\b(all|autoreply|oof)\b/i.test(header('x-auto-response-suppress')) ||
    // Delivery reports and read receipts (RFC 6522).
    /^\s*multipart\/report\b/i.test(header('content-type')) ||
    /^\s*<\s*>/.test(header('return-path')) ||
    header('x-parley-agent') !== '' ||
    isProgramAddress(from_address)
  );
}

export const isProgramAddress = (address: string | null): boolean =>
  address !== null && program_address.test(address);
