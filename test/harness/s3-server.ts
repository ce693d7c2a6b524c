import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type S3Keys, signatureFault } from './s3-signature.ts'

type S3Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CreateMultipartUpload'
  | 'DeleteObject'
  | 'GetObject'
  | 'HeadBucket'
  | 'HeadObject'
  | 'ListMultipartUploads'
  | 'ListObjectsV2'
  | 'PutObject'
  | 'UploadPart'

/**
 * What goes wrong with a request: an error; a connection that is closed before the request has an effect or after it;
 * no answer at all; the beginning of a body only; other bytes than the stored ones; all bytes in place of a range; an
 * invented ETag.
 */
type S3Fault =
  | { readonly status: number; readonly code: string }
  | 'closed-before'
  | 'closed-after'
  | 'silent'
  | { readonly cutAfter: number; readonly end: 'closed' | 'silent' }
  | 'damaged'
  | 'no-range'
  | 'wrong-etag'

export interface S3Request {
  readonly operation: S3Operation
  readonly key: string
  readonly headers: IncomingMessage['headers']
  /** Bytes of its body. */
  readonly size: number
}

export interface S3TestServer {
  readonly url: string
  readonly bucket: string
  readonly keys: S3Keys
  readonly objects: Map<string, { body: Buffer; modifiedAt: number }>
  /** Not completed, by id. */
  readonly uploads: Map<string, { key: string; parts: Map<number, Buffer>; begunAt: number }>
  readonly requests: S3Request[]
  /** Asked for each request that is signed; nothing goes wrong at first. */
  fault: (request: S3Request) => S3Fault | undefined
  /** Closes the listening socket and every connection; `open` listens again on the same port. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

const PAGE = 3

/** An S3 server in memory, with one bucket, that refuses requests whose signature is not exactly right. */
export async function startS3(): Promise<S3TestServer> {
  const keys = { id: 'test-key', secret: randomBytes(20).toString('hex') }
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => request.socket.destroy()),
  )
  const listen = (port: number): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections()))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const state: S3TestServer = {
    url: `http://127.0.0.1:${port}`,
    bucket: 'files',
    keys,
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    fault: () => undefined,
    goAway: close,
    comeBack: () => listen(port),
    close,
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, state.url)
    const body = await buffer(request)
    const refuse = (status: number, code: string): void =>
      void response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(request.method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    const refusal = signatureFault(request, url, body, keys)
    if (refusal !== undefined) return refuse(403, refusal)
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    if (bucket !== state.bucket) return refuse(404, 'NoSuchBucket')
    const key = rest.join('/')
    const operation = operationOf(request.method!, key, url.searchParams)
    const seen = { operation, key, headers: request.headers, size: body.length }
    state.requests.push(seen)
    const fault = state.fault(seen)
    if (fault === 'closed-before') return void request.socket.destroy()
    if (fault === 'silent') return
    if (typeof fault === 'object' && 'status' in fault) return refuse(fault.status, fault.code)
    const result = HANDLERS[operation](state, { key, body, query: url.searchParams, headers: request.headers })
    if (fault === 'closed-after') return void request.socket.destroy()
    if ('code' in result) return refuse(result.status, result.code)
    send(response, operation, result, fault)
  }
  return state
}

function send(
  response: ServerResponse,
  operation: S3Operation,
  { status = 200, headers = {}, body = '', whole }: Result,
  fault: Exclude<S3Fault, { status: number }> | undefined,
): void {
  let bytes: Buffer = Buffer.from(body as string)
  if (fault === 'no-range' && whole !== undefined) bytes = whole
  if (fault === 'damaged') bytes = Buffer.from(bytes.map((byte) => byte ^ 1))
  response.writeHead(fault === 'no-range' ? 200 : status, {
    'content-length': String(bytes.length),
    ...headers,
    ...(fault === 'wrong-etag' && { etag: `"${randomBytes(16).toString('hex')}"` }),
  })
  if (operation.startsWith('Head')) return void response.end()
  if (typeof fault !== 'object') return void response.end(bytes)
  response.write(bytes.subarray(0, fault.cutAfter), () => fault.end === 'closed' && response.socket?.destroy())
}

interface Call {
  readonly key: string
  readonly body: Buffer
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

interface Result {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  /** All bytes of the object that `body` is a range of. */
  readonly whole?: Buffer
}

function operationOf(method: string, key: string, query: URLSearchParams): S3Operation {
  if (key === '')
    return method === 'HEAD' ? 'HeadBucket' : query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2'
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
  if (method === 'PUT') return query.has('uploadId') ? 'UploadPart' : 'PutObject'
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
  return method === 'HEAD' ? 'HeadObject' : 'GetObject'
}

const etagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`
const NO_KEY = { status: 404, code: 'NoSuchKey' }
const NO_UPLOAD = { status: 404, code: 'NoSuchUpload' }

type Handler = (state: S3TestServer, call: Call) => Result | { readonly status: number; readonly code: string }

const HANDLERS: Readonly<Record<S3Operation, Handler>> = {
  HeadBucket: () => ({}),
  PutObject(state, { key, body, headers }) {
    const found = state.objects.get(key)
    const { 'if-match': tag, 'if-none-match': none } = headers
    if (tag !== undefined && found === undefined) return NO_KEY
    if (found !== undefined && (none === '*' || (tag ?? etagOf(found.body)) !== etagOf(found.body)))
      return { status: 412, code: 'PreconditionFailed' }
    state.objects.set(key, { body, modifiedAt: Date.now() })
    return { headers: { etag: etagOf(body) } }
  },
  HeadObject(state, { key }) {
    const found = state.objects.get(key)
    return found ? { headers: { 'content-length': String(found.body.length), etag: etagOf(found.body) } } : NO_KEY
  },
  GetObject(state, { key, query, headers: { range } }) {
    const found = state.objects.get(key)
    if (found === undefined) return NO_KEY
    const whole = found.body
    const headers = {
      etag: etagOf(whole),
      'content-type': query.get('response-content-type') ?? 'binary/octet-stream',
      ...(query.has('response-content-disposition') && {
        'content-disposition': query.get('response-content-disposition')!,
      }),
    }
    const match = /^bytes=(\d+)-(\d*)$/.exec(range ?? '')
    if (!match) return { headers, body: whole }
    const start = Number(match[1])
    const end = match[2] === '' ? whole.length - 1 : Math.min(Number(match[2]), whole.length - 1)
    if (start > end) return { status: 416, code: 'InvalidRange' }
    return {
      status: 206,
      headers: { ...headers, 'content-range': `bytes ${start}-${end}/${whole.length}` },
      body: whole.subarray(start, end + 1),
      whole,
    }
  },
  DeleteObject(state, { key }) {
    state.objects.delete(key)
    return { status: 204 }
  },
  ListObjectsV2(state, { query }) {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const found = [...state.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = found.slice(0, PAGE)
    const contents = page.map((key) => {
      const { body, modifiedAt } = state.objects.get(key)!
      const time = new Date(modifiedAt).toISOString()
      return `<Contents><Key>${key}</Key><Size>${body.length}</Size><LastModified>${time}</LastModified></Contents>`
    })
    const next = found.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return {
      body: `<ListBucketResult><IsTruncated>${found.length > PAGE}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    }
  },
  CreateMultipartUpload(state, { key }) {
    const id = randomBytes(8).toString('hex')
    state.uploads.set(id, { key, parts: new Map(), begunAt: Date.now() })
    return { body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>` }
  },
  UploadPart(state, { body, query }) {
    const upload = state.uploads.get(query.get('uploadId')!)
    if (upload === undefined) return NO_UPLOAD
    upload.parts.set(Number(query.get('partNumber')), body)
    return { headers: { etag: etagOf(body) } }
  },
  CompleteMultipartUpload(state, { key, body, query }) {
    const id = query.get('uploadId')!
    const upload = state.uploads.get(id)
    if (upload === undefined) return NO_UPLOAD
    const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part]) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part!)?.[1]),
      etag: /<ETag>(.*?)</.exec(part!)?.[1]?.replaceAll('&quot;', '"'),
    }))
    const parts = named.map(({ number }) => upload.parts.get(number))
    if (named.some(({ etag }, index) => parts[index] === undefined || etag !== etagOf(parts[index])))
      return { status: 400, code: 'InvalidPart' }
    state.uploads.delete(id)
    state.objects.set(key, { body: Buffer.concat(parts as Buffer[]), modifiedAt: Date.now() })
    return { body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' }
  },
  AbortMultipartUpload: (state, { query }) =>
    state.uploads.delete(query.get('uploadId')!) ? { status: 204 } : NO_UPLOAD,
  ListMultipartUploads(state, { query }) {
    const found = [...state.uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
    const uploads = found.map(
      ([id, { key, begunAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begunAt).toISOString()}</Initiated></Upload>`,
    )
    return { body: `<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>` }
  },
}
