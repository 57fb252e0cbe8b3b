// Documents of a verification: checked by content, scanned, encrypted with a key of their own, deleted when the carrier has them.
import { createSecretKey, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type {
  Requirement,
  VerificationDocument,
} from '@parley/contract/channels/numbers/verification-records';
import { DocumentFields } from '@parley/contract/channels/numbers/verifications';
import { limits } from '@parley/contract/limits';
import type { UploadedFile } from '@parley/contract/operation';
import { decrypt, encrypt } from '../../../../platform/crypto.ts';
import { ApiError, validationError } from '../../../../platform/http/api-error.ts';
import type { RegistrationDocument } from '../../../../providers/carrier/registration.ts';
import { exceeded } from '../../../rules/storage-quota/index.ts';
import { editable_states, findRow, isEditable } from '../changes/editable.ts';
import type { Deps } from '../deps.ts';
import type { Ref } from '../verification-row.ts';
import type { StoredDocument } from './document-store.ts';

const interrupted_hours = 1;
const draft_hours = 72;
/** The documents of an organization that no carrier has yet. */
const organization_bytes = 100 * 1024 * 1024;

/** What is sealed in the row: without it the object cannot be read. */
type DocumentSecret = { key: string; fields: Record<string, string> };

const sealContext = ({ organization_id, id }: Ref) => `verification_document:${organization_id}:${id}`;
const storageKey = (id: string) => `verifications/${id.slice(-2)}/${id}`;

/** The media type by content: a file name or a header can say anything. */
export function documentType(content: Buffer): string | null {
  if (content.subarray(0, 5).toString('latin1') === '%PDF-') return 'application/pdf';
  if (content.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg';
  if (content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'image/png';
  return null;
}

export async function uploadDocument(
  deps: Deps,
  ref: Ref,
  files: AsyncIterable<UploadedFile>,
): Promise<VerificationDocument> {
  const row = await findRow(deps, ref);
  if (!isEditable(row)) throw new ApiError('verification_not_editable');
  const { content, fields } = await readUpload(files);
  const asked = readFields(fields, row.requirement_set?.requirements ?? []);
  const content_type = documentType(content);
  if (content_type === null) {
    throw new ApiError('document_type_not_allowed', {
      detail: 'The content is not PDF, JPEG or PNG.',
      path: 'body.file',
    });
  }
  await scan(deps, content);
  await deps.quota.check(ref.organization_id, content.length);
  return storeDocument(deps, ref, { ...asked, content_type, content, attempt: row.attempt });
}

/** In memory: at most 5 MiB, and the scanner needs the whole content. Form fields may come after the file. */
async function readUpload(files: AsyncIterable<UploadedFile>) {
  let content: Buffer | null = null;
  let fields: Readonly<Record<string, string>> = {};
  for await (const file of files) {
    if (file.field !== 'file') throw new ApiError('file_missing', { path: 'body.file' });
    if (content) throw new ApiError('too_many_files', { detail: 'Send one document per request.' });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of file.content) {
      size += chunk.length;
      if (size > limits.verification_document_bytes) throw new ApiError('document_too_large');
      chunks.push(chunk);
    }
    content = Buffer.concat(chunks);
    fields = file.fields;
  }
  if (!content || content.length === 0) throw new ApiError('file_missing', { path: 'body.file' });
  return { content, fields };
}

type Asked = { requirement: string; document_type: string; fields: Record<string, string> };

function readFields(given: Readonly<Record<string, string>>, requirements: readonly Requirement[]): Asked {
  const parsed = DocumentFields.safeParse({ ...given });
  if (!parsed.success) {
    throw validationError(
      parsed.error.issues.map(({ path, message }) => ({
        path: `body.${path.join('.') || 'requirement'}`,
        message,
        code: 'invalid_value' as const,
      })),
    );
  }
  const { requirement, document_type } = parsed.data;
  const found = requirements.find(({ key, input }) => key === requirement && input === 'document');
  const invalid = (path: string, message: string) =>
    validationError([{ path: `body.${path}`, message, code: 'invalid_value' }]);
  if (!found) throw invalid('requirement', 'The carrier asks for no document of this key');
  const accepted = found.accepted_documents ?? [];
  if (accepted.length > 0 && !accepted.some(({ type }) => type === document_type)) {
    throw new ApiError('document_type_not_allowed', {
      detail: `Expected one of ${accepted.map(({ type }) => type).join(', ')}.`,
      path: 'body.document_type',
    });
  }
  const fields = textFields(parsed.data.fields ?? '{}');
  if (!fields) throw invalid('fields', 'Expected a JSON object with texts');
  return { requirement, document_type, fields };
}

function textFields(json: string): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    const fits = entries.length <= 30 && entries.every(([, text]) => typeof text === 'string');
    return fits ? (Object.fromEntries(entries) as Record<string, string>) : null;
  } catch {
    return null;
  }
}

/** Unlike a received email, a document is not stored without a verdict: its sender can send it again. */
async function scan({ virus, log }: Deps, content: Buffer): Promise<void> {
  if (!virus) return;
  const verdict = await virus.scan(content).catch((error) => {
    log.warn({ err: error }, 'virus scanner failed, document refused');
    return 'PROCESSING_FAILED' as const;
  });
  if (verdict === 'FAIL') throw new ApiError('document_infected', { path: 'body.file' });
  if (verdict !== 'PASS') throw new ApiError('document_scan_failed', { retry_after_seconds: 30 });
}

async function storeDocument(
  deps: Deps,
  ref: Ref,
  upload: Asked & { content_type: string; content: Buffer; attempt: number },
): Promise<VerificationDocument> {
  const { db, documents, storage, clock, ids, sealer } = deps;
  const { content, fields, ...asked } = upload;
  const id = ids.next();
  const key = randomBytes(32);
  const secret: DocumentSecret = { key: key.toString('base64'), fields };
  const document: StoredDocument = {
    id,
    organization_id: ref.organization_id,
    verification_id: ref.id,
    ...asked,
    size_bytes: content.length,
    storage_key: storageKey(id),
    sealed_key: sealer.seal(JSON.stringify(secret), sealContext({ ...ref, id })),
    created_at: clock.now().toISOString(),
  };
  await db.transaction(async (tx) => {
    const usage = await documents.usage(tx, ref);
    if (usage.documents >= limits.verification_documents)
      throw new ApiError('too_many_files', { detail: `At most ${limits.verification_documents} documents.` });
    if (usage.bytes + content.length > organization_bytes) throw exceeded();
    await documents.insert(tx, document);
  });
  const box = encrypt(createSecretKey(key), content, id);
  await storage.put(document.storage_key, box, {
    content_type: 'application/octet-stream',
    max_bytes: box.length,
  });
  await finishUpload(deps, ref, document);
  const uploaded_at = document.created_at;
  const { requirement, document_type, content_type, size_bytes } = document;
  return {
    id,
    requirement,
    document_type,
    content_type,
    size_bytes,
    uploaded_at,
    handed_over_at: null,
    deleted_at: null,
  };
}

/** The document counts from now on. It is deleted if the verification was submitted or canceled meanwhile. */
async function finishUpload(deps: Deps, ref: Ref, document: StoredDocument): Promise<void> {
  const { db, store, documents, timeline } = deps;
  const is_stored = await db.transaction(async (tx) => {
    const row = await store.lock(tx, ref);
    const at = new Date(document.created_at);
    const counts =
      row && isEditable(row) && (await documents.uploaded(tx, ref.organization_id, document.id, at));
    if (!counts) return false;
    await timeline.add(tx, row, 'changed', at);
    const problems = row.problems.filter(({ key }) => key !== document.requirement);
    await store.change(tx, ref, editable_states, { problems: JSON.stringify(problems), updated_at: at });
    return true;
  });
  if (is_stored) return;
  await db.transaction((tx) => documents.shredOne(tx, ref, document.id, deps.clock.now()));
  await removeShredded(deps);
  throw new ApiError('verification_not_editable');
}

export async function deleteDocument(deps: Deps, ref: Ref, document_id: string): Promise<undefined> {
  const { db, store, documents, clock, timeline } = deps;
  await db.transaction(async (tx) => {
    const row = await store.lock(tx, ref);
    if (!row) throw new ApiError('not_found');
    if (!isEditable(row)) throw new ApiError('verification_not_editable');
    if (!(await documents.shredOne(tx, ref, document_id, clock.now()))) throw new ApiError('not_found');
    await timeline.add(tx, row, 'changed', clock.now());
  });
  await removeShredded(deps);
}

/** Deletes objects whose key is gone. An object that a crash leaves is deleted by the next run. */
export async function removeShredded({ documents, storage, log }: Deps): Promise<void> {
  for (const { id, storage_key } of await documents.toRemove(100)) {
    try {
      await storage.remove(storage_key);
      await documents.removed(id);
    } catch (error) {
      log.warn({ document_id: id, err: error }, 'object of a document not removed, trying again later');
    }
  }
}

/** The job: interrupted uploads, documents of drafts that were not submitted in time, and objects without a key. */
export async function removeOldDocuments(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
  const before = { interrupted: hoursAgo(interrupted_hours), unsubmitted: hoursAgo(draft_hours) };
  await deps.documents.shredOld(before, now);
  await removeShredded(deps);
}

/** The documents that the carrier must get. */
export async function documentsToHandOver(deps: Deps, ref: Ref): Promise<RegistrationDocument[]> {
  const stored = await deps.documents.ofVerification(ref);
  return stored.map((document) => {
    const { id, requirement, document_type, content_type, size_bytes, storage_key } = document;
    const opened = deps.sealer.open(document.sealed_key, sealContext(document)).toString();
    const { key, fields } = JSON.parse(opened) as DocumentSecret;
    const read = async () => {
      const object = await deps.storage.open(storage_key);
      if (!object) throw new Error(`the object of document ${id} is missing`);
      return decrypt(createSecretKey(Buffer.from(key, 'base64')), await buffer(object), id);
    };
    return { id, requirement, document_type, content_type, size_bytes, fields, read };
  });
}
