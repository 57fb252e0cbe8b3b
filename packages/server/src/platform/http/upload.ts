// Reads multipart uploads as streams: a file is never held in memory as a whole.
import multipart from '@fastify/multipart';
import type { UploadedFile } from '@parley/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { ApiError } from './api-error.ts';

const files_per_request = 10;

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

export async function* uploadedFiles(request: FastifyRequest): AsyncGenerator<UploadedFile> {
  if (!isMultipart(request)) {
    throw new ApiError('unsupported_media_type', {
      fix: 'Send the file as multipart/form-data, as `curl -F file=@invoice.pdf` does.',
    });
  }
  try {
    for await (const part of request.files()) {
      yield {
        field: part.fieldname,
        filename: part.filename || null,
        content_type: part.mimetype,
        content: readable(part.file),
      };
    }
  } catch (error) {
    throw translate(error);
  }
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
