import { errors } from '../../errors.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { badRequest, isDomainError } from '../../../core/platform/errors.ts'

interface SentFile<Content> {
  readonly field: string
  readonly fileName: string
  readonly content: Content
}

interface MultipartForm<Content> {
  /** A field may be sent several times. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly files: readonly SentFile<Content>[]
}

const LIMITS = { fieldNameSize: 200, fieldSize: 1024 * 1024, fields: 500, files: 10, parts: 510, headerPairs: 50 }

interface MultipartOptions {
  /** Otherwise a part without a file name is a field. */
  readonly everyPartIsFile?: boolean
}

/**
 * Reads a multipart form; each file is passed to `receive` while it arrives. Throws BadRequest for an invalid form, and
 * what `receive` throws.
 */
export async function readMultipart<Content>(
  headers: IncomingHttpHeaders,
  body: Readable,
  receive: (bytes: AsyncIterable<Buffer>) => Promise<Content>,
  { everyPartIsFile = false }: MultipartOptions = {},
): Promise<MultipartForm<Content>> {
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw errors.formRequired()
  const fields = new Map<string, string[]>()
  const files: Promise<SentFile<Content>>[] = []
  const streams: Readable[] = []
  let failure: Error | undefined
  const parser = parserOf(type, everyPartIsFile)
  parser.on('field', (name: string, value: string, isNameCut: boolean, isCut: boolean) => {
    if (isNameCut || isCut) parser.destroy(badRequest(`the field ${name} is too long`))
    else fields.set(name, [...(fields.get(name) ?? []), value])
  })
  parser.on('file', (field: string, stream: Readable, fileName: string | undefined) => {
    // NOTE: `receive` may not read yet when the body ends too early, and an error without a listener ends the process.
    stream.on('error', () => {
      failure ??= incomplete()
      stream.destroy()
    })
    streams.push(stream)
    const received = receive(stream as AsyncIterable<Buffer>).then(
      (content) => ({ field, fileName: fileName ?? '', content }),
      (error: Error) => {
        failure ??= error
        parser.destroy(error)
        throw error
      },
    )
    // NOTE: the error reaches the caller by the parser.
    received.catch(() => undefined)
    files.push(received)
  })
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(event, () => parser.destroy(badRequest('the form has too many parts')))
  try {
    await pipeline(body, parser)
    return { fields, files: await Promise.all(files) }
  } catch (error) {
    for (const stream of streams) stream.destroy(incomplete())
    throw failure ?? (isDomainError(error) ? error : incomplete())
  }
}

const incomplete = () => badRequest('the form is not complete')

function parserOf(type: string, everyPartIsFile: boolean) {
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: LIMITS,
      preservePath: true,
      ...(everyPartIsFile && { isPartAFile: () => true }),
    })
  } catch {
    throw errors.formRequired()
  }
}
