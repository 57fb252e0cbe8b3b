// The files of an email that is written: they are uploaded when they are chosen, and sent with the email.
import { Button } from '@mantine/core';
import type { EmailAttachment } from '@parley/sdk';
import { useRef, useState } from 'react';
import { parley } from '../session/client.ts';
import { useAction } from '../state/use-action.tsx';
import { fileSize } from './time.tsx';

/** While `busy`, a file is being uploaded: an email that is sent now would leave without it. */
export function useAttachments(onChange: () => void) {
  const [files, setFiles] = useState<EmailAttachment[]>([]);
  const change = (next: (before: EmailAttachment[]) => EmailAttachment[]) => {
    onChange();
    setFiles(next);
  };
  const upload = useAction(
    (chosen: FileList) => {
      const form = new FormData();
      for (const file of chosen) form.append('file', file);
      return parley.emailAttachments.upload(form);
    },
    { done: ({ attachments }) => change((before) => [...before, ...attachments]), toast_error: true },
  );
  return {
    files,
    ids: files.map(({ id }) => id),
    busy: upload.busy,
    upload: upload.run,
    remove: (ids: readonly string[]) => change((before) => before.filter(({ id }) => !ids.includes(id))),
  };
}

export function Attachments({
  attachments: { files, busy, upload, remove },
}: {
  attachments: ReturnType<typeof useAttachments>;
}) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="stack tight">
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          if (event.currentTarget.files?.length) upload(event.currentTarget.files);
        }}
      />
      {files.map(({ id, filename, size_bytes }) => (
        <div className="row" key={id}>
          <span className="break">{filename}</span>
          <span className="muted small">{fileSize(size_bytes)}</span>
          <Button size="compact-xs" variant="subtle" onClick={() => remove([id])}>
            Remove
          </Button>
        </div>
      ))}
      <Button
        variant="default"
        size="xs"
        loading={busy}
        onClick={() => picker.current?.click()}
        style={{ alignSelf: 'flex-start' }}
      >
        Attach files
      </Button>
      {busy && (
        <span className="muted small" role="status">
          Uploading … You can send when it is done.
        </span>
      )}
    </div>
  );
}
