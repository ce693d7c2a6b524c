import { errors } from '../../../errors.ts'
import { promisify } from 'node:util'
import { constants, createGunzip, gunzip, gzip } from 'node:zlib'
import { pipeline, type Readable } from 'node:stream'
import {
  type DescField,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type MessageShape,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { receiveBody } from '../../../../core/http/body/large-bodies.ts'
import { badRequest, engineErrors } from '../../../../core/platform/errors.ts'

const gunzipped = promisify(gunzip)
const gzipped = promisify(gzip)

/** Bytes of a message in JSON. Decoding short values takes 0.5 µs a byte. */
const JSON_BYTES = 256 * 1024

/** Fields of a message. Decoding takes more than 1 µs a field; the fullest report of a runner has 14,000. */
const MAX_FIELDS = 20_000

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

/** Throws invalid-argument for bytes that are no message, and when there are more of them than `limit`. */
export async function readMessage<Desc extends DescMessage>(
  request: FastifyRequest,
  { input, encoding, limit: max }: { readonly input: Desc; readonly encoding: Encoding; readonly limit: number },
): Promise<MessageShape<Desc>> {
  const limit = encoding === 'application/json' ? Math.min(max, JSON_BYTES) : max
  const received = await receiveBody(request.raw, Number(request.headers['content-length'] ?? 0), limit)
  const bytes = isGzip(request) ? await unpack(received, limit) : received
  try {
    if (encoding === 'application/proto') {
      countFields(bytes, input.fields)
      return fromBinary(input, bytes)
    }
    return fromJsonString(input, bytes.length === 0 ? '{}' : bytes.toString('utf8'), { ignoreUnknownFields: true })
  } catch (error) {
    throw badRequest(`the body is not a ${input.typeName}: ${(error as Error).message}`)
  }
}

/** Returns how many more fields there may be. Throws if there are too many, and for groups, which no runner sends. */
function countFields(bytes: Uint8Array, known: readonly DescField[], remaining = MAX_FIELDS): number {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (--remaining < 0) throw new Error(`it has more than ${MAX_FIELDS} fields`)
    if (type === WireType.StartGroup) throw new Error('it has a group')
    const field = known.find((one) => one.number === number)
    if (type !== WireType.LengthDelimited || !(field?.message ?? field?.fieldKind === 'map')) reader.skip(type)
    else remaining = countFields(reader.bytes(), field.message?.fields ?? [], remaining)
  }
  return remaining
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
