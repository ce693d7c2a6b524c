import { errors } from '../../../errors.ts'
import { promisify } from 'node:util'
import { constants, createGunzip, gunzip, gzip } from 'node:zlib'
import { pipeline, type Readable } from 'node:stream'
import {
  type DescMessage,
  fromBinary,
  fromJsonString,
  type MessageShape,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { receiveBody } from '../../../../core/http/body/large-bodies.ts'
import { badRequest, engineErrors } from '../../../../core/platform/errors.ts'

const gunzipped = promisify(gunzip)
const gzipped = promisify(gzip)

/** Shorter answers are not compressed. */
const GZIP_FROM = 16 * 1024

/** The encoding of a request and of its answer. */
export type Encoding = 'application/proto' | 'application/json'

/** Undefined for a content type that the protocol does not define. */
export function encodingOf({ headers }: FastifyRequest): Encoding | undefined {
  const type = headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase()
  return type === 'application/proto' || type === 'application/json' ? type : undefined
}

const isGzip = ({ headers }: FastifyRequest): boolean => {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'gzip' && encoding !== 'identity') throw badRequest(`unknown compression "${encoding}": use gzip`)
  return encoding === 'gzip'
}

/** The body as it was before compression. */
export const openBody = (request: FastifyRequest): Readable =>
  isGzip(request) ? pipeline(request.raw, createGunzip(), () => {}) : request.raw

/** Throws invalid-argument for bytes that are no message, and when they are more than `limit`. */
export async function readMessage<Desc extends DescMessage>(
  request: FastifyRequest,
  { input, encoding, limit }: { readonly input: Desc; readonly encoding: Encoding; readonly limit: number },
): Promise<MessageShape<Desc>> {
  const received = await receiveBody(request.raw, Number(request.headers['content-length'] ?? 0), limit)
  const bytes = isGzip(request) ? await unpack(received, limit) : received
  try {
    if (encoding === 'application/proto') return fromBinary(input, bytes)
    return fromJsonString(input, bytes.length === 0 ? '{}' : bytes.toString('utf8'), { ignoreUnknownFields: true })
  } catch (error) {
    throw badRequest(`the body is not a ${input.typeName}: ${(error as Error).message}`)
  }
}

async function unpack(bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    return bytes.length === 0 ? bytes : await gunzipped(bytes, { maxOutputLength: limit })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw engineErrors.bodyTooLarge(limit)
    throw errors.bodyNotGzip()
  }
}

/** Sends a message in the encoding of the request, compressed if it is long and the client accepts that. */
export async function sendMessage<Desc extends DescMessage>(
  reply: FastifyReply,
  { output, encoding, message }: { output: Desc; encoding: Encoding; message: MessageShape<Desc> },
): Promise<FastifyReply> {
  const bytes =
    encoding === 'application/proto' ? toBinary(output, message) : Buffer.from(toJsonString(output, message))
  reply.header('content-type', encoding)
  const accepts = String(reply.request.headers['accept-encoding'] ?? '')
  if (bytes.length < GZIP_FROM || !/\bgzip\b/.test(accepts)) return reply.send(bytes)
  return reply.header('content-encoding', 'gzip').send(await gzipped(bytes, { level: constants.Z_BEST_SPEED }))
}

/** NOTE: as bytes, because Fastify adds a charset to the type of texts. */
export const sendFailure = (reply: FastifyReply, status: number, body: { code: string; message: string }) =>
  reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))
