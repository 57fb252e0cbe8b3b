// Reads multipart uploads as streams: a file is never held in memory as a whole.
import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart';
import type { UploadedFile } from '@parley/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { ApiError } from './api-error.ts';

const files_per_request = 10;
const fields_per_request = 10;
const field_bytes = 16_384;

const isMultipart = (request: FastifyRequest) =>
  /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');

/** Limits the counts only. The code that stores a file limits its size. */
export async function acceptUploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      files: files_per_request,
      fields: 0,
      parts: files_per_request,
      headerPairs: 20,
      fileSize: Number.MAX_SAFE_INTEGER,
    },
  });
}

/** Operations with a JSON body refuse forms. */
export function refuseUpload(
  request: FastifyRequest,
  _: FastifyReply,
  payload: RequestPayload,
  done: (error: Error | null, payload?: RequestPayload) => void,
): void {
  done(isMultipart(request) ? new ApiError('unsupported_media_type') : null, payload);
}

/** `with_fields`: the form may have text parts beside the files. */
export async function* uploadedFiles(
  request: FastifyRequest,
  with_fields: boolean,
): AsyncGenerator<UploadedFile> {
  if (!isMultipart(request)) {
    throw new ApiError('unsupported_media_type', {
      fix: 'Send the file as multipart/form-data, as `curl -F file=@invoice.pdf` does.',
    });
  }
  const fields: Record<string, string> = {};
  const limits = with_fields
    ? {
        fields: fields_per_request,
        parts: files_per_request + fields_per_request,
        fieldSize: field_bytes,
        fieldNameSize: 100,
      }
    : {};
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') fields[part.fieldname] = fieldText(part);
      else yield uploadedFile(part, fields);
    }
  } catch (error) {
    throw translate(error);
  }
}

const uploadedFile = (part: MultipartFile, fields: Record<string, string>): UploadedFile => ({
  field: part.fieldname,
  filename: part.filename || null,
  content_type: part.mimetype,
  content: readable(part.file),
  fields,
});

function fieldText({ fieldname, value, valueTruncated }: MultipartValue): string {
  // The multipart reader parses parts that say they are JSON.
  if (!valueTruncated) return typeof value === 'string' ? value : JSON.stringify(value);
  throw new ApiError('malformed_upload', { detail: `The part "${fieldname}" is too long.` });
}

/** A truncated form fails in the middle of a file. */
async function* readable(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* file;
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT') {
    return new ApiError('too_many_files', {
      detail: `At most ${files_per_request} files in one request.`,
      path: 'body.file',
    });
  }
  if (code === 'FST_FIELDS_LIMIT') {
    return new ApiError('file_missing', { detail: 'A part of the upload is not a file.', path: 'body.file' });
  }
  const broken =
    code?.startsWith('FST_') ||
    /multipart|boundary|unexpected end|malformed|premature|aborted/i.test(message ?? '');
  return broken ? new ApiError('malformed_upload', { internal: error }) : error;
}
