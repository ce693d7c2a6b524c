import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type S3Request, startS3, type S3TestServer } from '../../../../test/harness/s3-server.ts'
import { findVersitygw, startVersitygw } from '../../../../test/harness/versitygw.ts'
import { sha256Hex } from '../../platform/crypto/crypto.ts'
import type { BlobStore } from '../blob-store.ts'
import { createBlobStores } from '../file-backend.ts'
import type { S3Settings } from './client.ts'

const MIB = 1024 * 1024
/** Other servers than the one in memory take no smaller parts. */
const LEAST_PART = 5 * MIB
const PART = 64 * 1024
const servers = [{ name: 'an S3 server in memory', start: startS3 }]
const versitygw = findVersitygw()
if (versitygw !== undefined)
  servers.push({
    name: 'versitygw',
    start: () => startVersitygw(versitygw) as Promise<unknown> as Promise<S3TestServer>,
  })

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ingot-blobs-'))
})
afterEach(() => rm(directory, { recursive: true }))

type Server = Pick<S3TestServer, 'bucket' | 'keys' | 'url'>

const settingsOf = ({ url, bucket, keys }: Server, more: Partial<S3Settings> = {}): S3Settings => ({
  bucket,
  keys,
  endpoint: url,
  prefix: 'in gót/'.replaceAll(/[^a-z/]/g, '-'),
  region: 'us-east-1',
  publicEndpoint: '',
  pathStyle: true,
  ca: '',
  encryption: 'none',
  kmsKey: '',
  timeoutMs: 20_000,
  partBytes: PART,
  maxPartBytes: 4 * PART,
  maxParts: 10_000,
  attempts: 3,
  linkLifetime: 60,
  ...more,
})

async function withStore(
  server: Server,
  work: (store: BlobStore) => Promise<void>,
  more: Partial<S3Settings> = {},
): Promise<void> {
  const s3 = settingsOf(server, more)
  const stores = createBlobStores({
    kind: 's3',
    s3,
    links: true,
    directory,
    emptyUploads: 'all',
    log: { warn: () => undefined },
  })
  try {
    await work(await stores.open('lfs'))
  } finally {
    stores.close()
  }
}

const files = async (): Promise<string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

async function* inChunks(data: Buffer, size = Math.ceil(data.length / 30)): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size)
}

const read = async (body: Readable | undefined): Promise<Buffer> => buffer(body!)

describe.each(servers)('blobs in $name', ({ start }) => {
  const part = start === startS3 ? PART : LEAST_PART
  let server: S3TestServer
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.close())

  it('returns what was put, whole and in ranges, small and in parts, announced and not', () =>
    withStore(
      server,
      async (blobs) => {
        const big = randomBytes(2 * part + 12_345)
        const small = Buffer.from('hello world')
        const empty = Buffer.alloc(0)
        for (const data of [small, empty, big]) {
          const hash = sha256Hex(data)
          for (const limits of [{}, { expected: { hash, size: data.length } }]) {
            expect(await blobs.put(inChunks(data), limits)).toEqual({ hash, size: data.length })
            expect(await blobs.size(hash)).toBe(data.length)
            expect((await read(await blobs.open(hash))).equals(data)).toBe(true)
            expect(await files()).toEqual([])
            if (data !== big) continue
            const range = { start: part - 5, end: part + 5 }
            expect((await read(await blobs.open(hash, range))).equals(data.subarray(range.start, range.end + 1))).toBe(
              true,
            )
            const rest = { start: data.length - 9 }
            expect((await read(await blobs.open(hash, rest))).equals(data.subarray(-9))).toBe(true)
            await blobs.delete(hash)
            expect(await blobs.size(hash)).toBeUndefined()
          }
        }
        const more = await Promise.all(['a', 'b', 'c'].map((text) => blobs.put([Buffer.from(text)])))
        const listed = await Array.fromAsync(blobs.list())
        expect(listed.map(({ hash }) => hash)).toEqual(
          [sha256Hex(small), sha256Hex(empty), ...more.map(({ hash }) => hash)].toSorted(),
        )
        expect(listed.every(({ putAt }) => Math.abs(putAt - Date.now()) < 60_000)).toBe(true)
        const link = (await blobs.link(sha256Hex(small), { contentType: 'text/x', contentDisposition: 'inline' }))!
        const linked = await fetch(link, { headers: { range: 'bytes=6-' } })
        expect([linked.status, await linked.text(), linked.headers.get('content-type')]).toEqual([
          206,
          'world',
          'text/x',
        ])
        expect(linked.headers.get('content-disposition')).toBe('inline')
        expect((await fetch(link.replace(/Signature=./, 'Signature=_'))).status).toBeGreaterThanOrEqual(400)
        expect(await blobs.link(sha256Hex('none'), {})).toBeUndefined()
        for (const { hash } of listed) await blobs.delete(hash)
        expect(await blobs.open(sha256Hex(small))).toBeUndefined()
        expect(await blobs.open('../x')).toBeUndefined()
      },
      { partBytes: part },
    ))

  it('leaves nothing of an upload that is too large, not as announced, broken off or without a row', () =>
    withStore(
      server,
      async (blobs) => {
        const big = randomBytes(2 * part + 5)
        const hash = sha256Hex('another')
        await expect(blobs.put(inChunks(big), { maxBytes: big.length - 1 })).rejects.toMatchObject({
          kind: 'too-large',
        })
        await expect(blobs.put(inChunks(big), { expected: { hash } })).rejects.toMatchObject({ kind: 'invalid' })
        await expect(blobs.put([Buffer.from('x')], { expected: { size: 2 } })).rejects.toMatchObject({
          kind: 'invalid',
        })
        async function* broken() {
          yield* inChunks(big)
          throw new Error('gone')
        }
        await expect(blobs.put(broken(), { expected: { hash: sha256Hex(big) } })).rejects.toThrow('gone')
        await expect(blobs.put(broken())).rejects.toThrow('gone')
        for (const data of [big, Buffer.from('x')])
          await expect(blobs.put(inChunks(data), {}, () => Promise.reject(new Error('no row')))).rejects.toThrow(
            'no row',
          )
        expect(await Array.fromAsync(blobs.list())).toEqual([])
        expect(await files()).toEqual([])
        if ('uploads' in server) expect(server.uploads.size).toBe(0)
      },
      { partBytes: part },
    ))
})

describe('blobs in an S3 server that fails', () => {
  let s3: S3TestServer
  beforeAll(async () => {
    s3 = await startS3()
  })
  afterAll(() => s3.close())
  beforeEach(() => {
    s3.objects.clear()
    s3.uploads.clear()
    s3.requests.length = 0
    s3.fault = () => undefined
  })

  const big = randomBytes(2 * PART + 777)
  const hash = sha256Hex(big)
  const expected = { hash, size: big.length }
  const away = expect.objectContaining({ kind: 'unavailable' })
  /** Requests are small here, and the machine may be busy. */
  const quick = { timeoutMs: 1_000 }

  /** The first `times` requests of the operation go wrong. */
  const first =
    (times: number, operation: string, fault: NonNullable<ReturnType<S3TestServer['fault']>>) =>
    (request: S3Request) => (request.operation === operation && times-- > 0 ? fault : undefined)

  it.each([
    ['PutObject', { status: 503, code: 'SlowDown' }],
    ['PutObject', 'closed-before'],
    ['PutObject', 'closed-after'],
    ['PutObject', 'silent'],
    ['PutObject', 'wrong-etag'],
    ['UploadPart', { status: 500, code: 'InternalError' }],
    ['UploadPart', 'closed-before'],
    ['CompleteMultipartUpload', { status: 500, code: 'InternalError' }],
    ['CompleteMultipartUpload', 'closed-after'],
    ['CompleteMultipartUpload', 'wrong-etag'],
    ['CreateMultipartUpload', { status: 500, code: 'InternalError' }],
    ['GetObject', { status: 500, code: 'InternalError' }],
    ['GetObject', { cutAfter: PART, end: 'closed' }],
    ['GetObject', { cutAfter: PART, end: 'silent' }],
    ['GetObject', { cutAfter: 3, end: 'closed' }],
    ['HeadObject', 'wrong-etag'],
  ] as const)('puts and reads although %s fails once: %j', async (operation, fault) => {
    await withStore(
      s3,
      async (blobs) => {
        s3.fault = first(1, operation, fault)
        await blobs.put(inChunks(big), { expected })
        await blobs.put([Buffer.from('small')])
        expect((await read(await blobs.open(hash))).equals(big)).toBe(true)
        expect(String(await read(await blobs.open(sha256Hex('small'))))).toBe('small')
        expect(s3.uploads.size).toBe(0)
        expect(s3.objects.size).toBe(2)
      },
      quick,
    )
  })

  it('throws Unavailable when it keeps failing, and leaves nothing', () =>
    withStore(
      s3,
      async (blobs) => {
        for (const operation of ['UploadPart', 'CompleteMultipartUpload', 'PutObject', 'CreateMultipartUpload']) {
          s3.fault = first(Infinity, operation, { status: 500, code: 'InternalError' })
          const data = operation === 'PutObject' ? Buffer.from('small') : big
          await expect(blobs.put(inChunks(data), { expected: { hash: sha256Hex(data) } }), operation).rejects.toEqual(
            away,
          )
        }
        s3.fault = first(Infinity, 'UploadPart', 'wrong-etag')
        await expect(blobs.put(inChunks(big), { expected })).rejects.toEqual(away)
        s3.fault = first(Infinity, 'PutObject', 'closed-before')
        await expect(blobs.put([Buffer.from('x')])).rejects.toEqual(away)
        expect([s3.objects.size, s3.uploads.size]).toEqual([0, 0])
      },
      { ...quick, attempts: 2 },
    ))

  it('never passes damaged or shortened bytes off as the whole', () =>
    withStore(
      s3,
      async (blobs) => {
        await blobs.put(inChunks(big), { expected })
        const key = [...s3.objects.keys()][0]!
        const seen: number[] = []
        const failing = async (range?: { start: number; end: number }): Promise<unknown> => {
          let size = 0
          try {
            for await (const chunk of (await blobs.open(hash, range))!) size += (chunk as Buffer).length
          } catch (error) {
            seen.push(size)
            return error
          }
          return undefined
        }
        s3.fault = first(Infinity, 'GetObject', 'damaged')
        expect(await failing()).toEqual(away)
        s3.fault = first(Infinity, 'GetObject', { cutAfter: 10, end: 'closed' })
        expect(await failing()).toEqual(away)
        s3.fault = first(Infinity, 'GetObject', 'no-range')
        expect(await failing({ start: 5, end: 9 })).toEqual(away)
        s3.fault = () => undefined
        s3.objects.get(key)!.body = big.subarray(0, -1)
        expect(await failing()).toEqual(away)
        expect(seen.every((size) => size < big.length)).toBe(true)
      },
      { ...quick, attempts: 2 },
    ))

  it('sends encryption and checked bodies, and holds few parts in memory', () =>
    withStore(
      s3,
      async (blobs) => {
        let given = 0
        const size = 40 * PART
        const sum = createHash('sha256')
        const chunk = Buffer.alloc(PART / 4, 'x')
        for (let at = 0; at < size; at += chunk.length) sum.update(chunk)
        let ahead = 0
        async function* counted() {
          for (; given < size; given += chunk.length) {
            const sent = s3.requests.reduce((bytes, request) => bytes + request.size, 0)
            ahead = Math.max(ahead, given - sent)
            yield chunk
          }
        }
        await blobs.put(counted(), { expected: { hash: sum.digest('hex') } })
        expect(ahead).toBeLessThanOrEqual(5 * PART)
        await blobs.put([Buffer.from('small')])
        for (const { headers } of s3.requests.filter(({ operation }) => /^(?:Put|Create)/.test(operation)))
          expect(headers).toMatchObject({
            'x-amz-server-side-encryption': 'aws:kms',
            'x-amz-server-side-encryption-aws-kms-key-id': 'key-7',
          })
      },
      { encryption: 'aws:kms', kmsKey: 'key-7' },
    ))

  it('makes parts larger when an object would have too many, and refuses an object for which that is not enough', () =>
    withStore(
      s3,
      async (blobs) => {
        const parts = (): number[] =>
          s3.requests.filter(({ operation }) => operation === 'UploadPart').map((part) => part.size)
        await blobs.put(inChunks(big), { expected: { hash, size: big.length } })
        expect(parts()).toHaveLength(2)
        expect(Math.max(...parts())).toBe(Math.ceil(big.length / 2))
        expect((await read(await blobs.open(hash))).equals(big)).toBe(true)
        s3.requests.length = 0
        s3.objects.clear()
        await blobs.put(inChunks(big))
        expect(parts()).toHaveLength(2)
        s3.requests.length = 0
        const larger = { hash, size: 2 * 3 * PART + 1 }
        await expect(blobs.put(inChunks(big), { expected: larger })).rejects.toMatchObject({ kind: 'too-large' })
        expect(s3.requests).toEqual([])
      },
      { maxParts: 2, maxPartBytes: 3 * PART },
    ))

  it('ends the request to the bucket when a reader leaves', () =>
    withStore(s3, async (blobs) => {
      await blobs.put(inChunks(big), { expected })
      s3.fault = first(1, 'GetObject', { cutAfter: 10, end: 'silent' })
      const body = (await blobs.open(hash))!
      const closed = new Promise((resolve) => body.once('close', resolve))
      body.destroy()
      await closed
      expect((await read(await blobs.open(hash))).equals(big)).toBe(true)
    }))

  it('refuses another secret with Unavailable', () =>
    withStore(
      s3,
      async (blobs) => {
        await expect(blobs.put([Buffer.from('x')])).rejects.toEqual(away)
        await expect(blobs.size(hash)).rejects.toEqual(away)
      },
      { keys: { id: s3.keys.id, secret: 'wrong' } },
    ))
})
