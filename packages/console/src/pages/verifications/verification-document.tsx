// Uploads and removes the documents of one requirement. A document cannot be looked at again.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { Requirement, Verification } from '@parley/sdk';
import { useState } from 'react';
import { Problem } from '../../parts/problem.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { parley } from '../../session/client.ts';
import { useAction } from '../../state/use-action.tsx';

type Props = { verification: Verification; requirement: Requirement };

export function DocumentUpload({ verification, requirement }: Props) {
  const accepted = requirement.accepted_documents ?? [];
  const [type, setType] = useState(accepted[0]?.type ?? requirement.key);
  const [fields, setFields] = useState<Record<string, string>>({});
  const [file, setFile] = useState<File | null>(null);
  const document_fields = accepted.find((each) => each.type === type)?.fields ?? [];
  const upload = useAction(
    (chosen: File) => {
      const form = new FormData();
      form.append('requirement', requirement.key);
      form.append('document_type', type);
      form.append('fields', JSON.stringify(fields));
      form.append('file', chosen, 'document');
      return parley.verifications.uploadDocument(verification.id, form);
    },
    { changes: ['verifications'], message: 'The document was uploaded.', done: () => setFile(null) },
  );
  return (
    <div className="stack tight">
      {accepted.length > 1 && (
        <NativeSelect
          label="Document"
          value={type}
          onChange={(event) => setType(event.currentTarget.value)}
          data={accepted.map((each) => ({ value: each.type, label: each.label }))}
        />
      )}
      {document_fields.map(({ value, label }) => (
        <TextInput
          key={value}
          label={label}
          value={fields[value] ?? ''}
          onChange={({ currentTarget }) =>
            setFields((before) => ({ ...before, [value]: currentTarget.value }))
          }
        />
      ))}
      <div className="row">
        <input
          type="file"
          accept="application/pdf,image/jpeg,image/png"
          aria-label={`File for ${requirement.label}`}
          onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        />
        <Button size="xs" disabled={!file} loading={upload.busy} onClick={() => file && upload.run(file)}>
          Upload
        </Button>
      </div>
      <span className="small muted">
        PDF, JPEG or PNG, at most 5 MiB. Deleted as soon as the carrier has it.
      </span>
      {upload.error && <Problem error={upload.error} />}
    </div>
  );
}

export function DocumentList({ verification, requirement }: Props) {
  const waiting = verification.documents.filter(
    (each) => each.requirement === requirement.key && each.deleted_at === null,
  );
  const remove = useAction((id: string) => parley.verifications.deleteDocument(verification.id, id), {
    changes: ['verifications'],
    message: 'The document was deleted.',
    toast_error: true,
  });
  return waiting.map(({ id, document_type, size_bytes }) => (
    <div key={id} className="row spread small">
      <span>
        {document_type.replaceAll('_', ' ')}, {Math.ceil(size_bytes / 1024)} KiB
      </span>
      <RowButton onClick={() => remove.run(id)} aria-label={`Delete ${document_type}`}>
        Delete
      </RowButton>
    </div>
  ));
}
