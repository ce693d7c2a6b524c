import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { engineErrors } from '../../platform/errors.ts'
import { formOf } from '../caller.ts'
import type { CompiledOperation } from '../compile-operation.ts'
import { type Fields, parseMultipart } from './form.ts'
import { BODY_BYTES } from './limits.ts'

/** Decodes the body by its content type (behaviour/auth-and-access#request-decoding). Throws Invalid. */
export async function readBody(operation: CompiledOperation, request: FastifyRequest): Promise<unknown> {
  const { body, bodyKind, bodyDecoder, method } = operation
  if (body === undefined || bodyKind === 'stream') return undefined
  const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (bodyDecoder === undefined) return { text: raw.toString('utf8') }
  const header = request.headers['content-type'] ?? ''
  const type = header.toLowerCase()
  if (type.includes('json')) {
    const text = await textOf(raw)
    request.body = undefined // NOTE: frees its memory while the operation runs.
    return bodyDecoder.json(text)
  }
  if (type.includes('form-urlencoded')) return bodyDecoder.fields(formOf(request))
  if (type.includes('multipart/form-data')) return bodyDecoder.fields(await parseMultipart(raw, header))
  if (type !== '') throw engineErrors.contentTypeUnsupported()
  if (method === 'POST' || method === 'PUT') throw engineErrors.contentTypeMissing()
  return bodyDecoder.fields(request.query as Fields)
}

/** Large bodies are decoded and parsed in two turns of the event loop, so that other requests run in between. */
async function textOf(raw: Buffer): Promise<string> {
  const text = raw.toString('utf8')
  if (raw.length > BODY_BYTES) await nextTurn()
  return text
}
