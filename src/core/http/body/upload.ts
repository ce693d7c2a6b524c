import type { Multipart, MultipartFile } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, engineErrors, isDomainError } from '../../platform/errors.ts'
import { endsConnection } from '../../platform/http/unread-body.ts'
import { requireSignedBody, signedSource } from './signed-body.ts'

/** A file that a client sends: its bytes, or the address of a file elsewhere. */
export type Sent =
  | {
      readonly kind: 'file'
      readonly name: string
      readonly source: AsyncIterable<Uint8Array>
      /** The text fields of the form before the file. */
      readonly fields: ReadonlyMap<string, string>
    }
  | { readonly kind: 'link'; readonly name: string; readonly url: string }

export interface UploadForm {
  /** The form field with the file. */
  readonly field: string
  readonly maxBytes: number
  readonly query: { readonly name?: string | undefined; readonly external_url?: string | undefined }
  /** Whether a body that is not a form is the file itself. */
  readonly raw: boolean
}

/** Reads the file of a request by `receiveUpload`. */
export type UploadReader = <T>(form: UploadForm, take: (sent: Sent) => Promise<T>) => Promise<T>

/** Maximum bytes of a form without its file. */
const MAX_FORM_OVERHEAD = 1024 * 1024
const MAX_FIELD_BYTES = 64 * 1024

/**
 * Passes the file of a request to `take` while it arrives: multipart, or the raw body
 * (behaviour/repositories#releases). Throws BadRequest if there is no file or more than one kind, TooLarge if the
 * client announces too many bytes.
 */
export async function receiveUpload<T>(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  form: UploadForm,
  take: (sent: Sent) => Promise<T>,
): Promise<T> {
  try {
    requireSize(request, form)
    if (request.isMultipart()) return await fromForm(request, form, take)
    if (form.query.external_url)
      return await take({ kind: 'link', name: form.query.name ?? '', url: form.query.external_url })
    if (!form.raw) throw badRequest('the body is not a multipart form')
    return await take({
      kind: 'file',
      name: form.query.name ?? '',
      source: signedSource(request, request.raw),
      fields: new Map(),
    })
  } catch (error) {
    if (endsConnection(request.raw)) void reply.header('connection', 'close')
    throw error
  }
}

function requireSize(request: FastifyRequest, { maxBytes }: UploadForm): void {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBytes + MAX_FORM_OVERHEAD) throw engineErrors.uploadTooLarge(maxBytes)
}

async function fromForm<T>(
  request: FastifyRequest,
  { field, query }: UploadForm,
  take: (sent: Sent) => Promise<T>,
): Promise<T> {
  let url = query.external_url ?? ''
  let name = query.name
  const fields = new Map<string, string>()
  const form = parts(request)
  for (let next = await form.next(); next.done !== true; next = await form.next()) {
    const part = next.value
    if (part.type === 'file') {
      if (part.fieldname !== field) part.file.resume()
      else if (url !== '') throw onlyOne(field)
      else
        return take({
          kind: 'file',
          name: name || part.filename || '',
          source: signedSource(request, toTheEnd(part, form, field)),
          fields,
        })
    } else {
      fields.set(part.fieldname, String(part.value))
      if (part.fieldname === 'external_url') url = String(part.value)
      if (part.fieldname === 'name' && !name) name = String(part.value)
    }
  }
  if (url === '') throw badRequest(`the form has no file in its field ${field}`)
  await requireSignedBody(request)
  return take({ kind: 'link', name: name ?? '', url })
}

/**
 * Yields the bytes of a file and reads the rest of its form before it ends: later fields may contradict
 * it.
 */
async function* toTheEnd(
  { file }: MultipartFile,
  form: AsyncIterator<Multipart, unknown>,
  field: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* file as AsyncIterable<Uint8Array>
  } catch (error) {
    throw unparsed(error)
  }
  for (let next = await form.next(); next.done !== true; next = await form.next()) {
    if (next.value.type === 'file') next.value.file.resume()
    else if (next.value.fieldname === 'external_url' && next.value.value !== '') throw onlyOne(field)
  }
}

const onlyOne = (field: string): Error => badRequest(`'${field}' and 'external_url' are mutually exclusive`)

async function* parts(request: FastifyRequest): AsyncGenerator<Multipart, void, undefined> {
  try {
    yield* request.parts({
      limits: { fileSize: Number.MAX_SAFE_INTEGER, files: 4, fields: 20, fieldSize: MAX_FIELD_BYTES, headerPairs: 100 },
    })
  } catch (error) {
    throw unparsed(error)
  }
}

/** The parser's errors have no code, unlike those of connections, files and limits. */
function unparsed(error: unknown): unknown {
  if (isDomainError(error) || !(error instanceof Error) || 'code' in error) return error
  return badRequest(`the multipart form is malformed: ${error.message}`)
}
