import { buffer } from 'node:stream/consumers'
import { isDomainError, unavailable } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { addressIn, type CopyDeps, type UpstreamCopies, type OwnedUpstream } from './upstream-copies.ts'
import type { UpstreamDocuments } from './upstream-documents.ts'
import type { Digest, ExpectedDigest, UpstreamFileSource } from './upstream-format.ts'
import { findUpstreamFile, type UpstreamFile } from './upstream-file.store.ts'

const MAX_DIGEST = 1000
const DIGEST_TIMEOUT_MS = 60_000
const MAX_FILE = 10 * 1024 ** 3
const FILE_TIMEOUT_MS = 60 * 60 * 1000

interface FileSum {
  readonly url: string
  /** Undefined if the first copy that is stored is the right one. */
  readonly expected: ExpectedDigest | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** The stored files of upstreams; a missing one is fetched once, by one of all processes. */
export function createUpstreamFiles(deps: CopyDeps, copies: UpstreamCopies, documentOf: UpstreamDocuments) {
  const { database, log, client, contents, maxFileSize } = deps

  /** The digest that the upstream has next to a file. Throws NotFound without one. */
  async function findSum(place: OwnedUpstream, url: string, digests: readonly Digest[]): Promise<FileSum['expected']> {
    for (const algorithm of digests) {
      const request = { url: `${url}.${algorithm}`, maxBytes: MAX_DIGEST, timeout: DIGEST_TIMEOUT_MS }
      try {
        const sum = await client.fetch(place.upstream, request, ({ body }) => buffer(body))
        return [algorithm, sum.toString('latin1').trim().split(/\s/)[0]!.toLowerCase()]
      } catch (error) {
        if (!isDomainError(error, 'not-found') || algorithm === digests.at(-1)) throw error
      }
    }
    return undefined
  }

  async function locate(place: OwnedUpstream, source: UpstreamFileSource): Promise<FileSum> {
    if (!('listed' in source)) {
      const url = addressIn(place.upstream, source.path)
      if ('expected' in source) return { url, expected: source.expected, headers: { accept: source.accept ?? '*/*' } }
      return { url, expected: await findSum(place, url, source.digests) }
    }
    const { source_sha256: index } = await documentOf(place, source.index)
    const config = source.config && (await copies.bytesOf((await documentOf(place, source.config)).sha256))
    const { file } = await copies.readIndex(place, source.index, {
      source: await copies.bytesOf(index),
      file: source.listed,
      ...(config !== undefined && { config: config.toString('utf8') }),
    })
    if (file === undefined) throw errors.packageNotFound()
    return { url: file.url, expected: [file.algorithm, file.digest] }
  }

  async function fetchFile(place: OwnedUpstream, key: string, source: UpstreamFileSource): Promise<UpstreamFile> {
    if (place.upstream.isOffline) throw errors.packageNotFound()
    await contents.requireQuota(place.owner)
    const { expected, ...address } = await locate(place, source)
    const { url } = address
    const request = { ...address, maxBytes: Math.min(maxFileSize, MAX_FILE), timeout: FILE_TIMEOUT_MS }
    return client.fetch(place.upstream, request, ({ body }) =>
      contents.withHold(async (hold) => {
        const content = await hold.receive(expected === undefined ? withoutPage(body) : body)
        if (expected !== undefined && content[expected[0]] !== expected[1]) {
          log.warn({ upstream: place.upstream.url, url }, 'a file of an upstream does not have its digest')
          throw unavailable('the file of the upstream registry does not have its digest')
        }
        return copies.save(place, content, { key, source_sha256: content.sha256 })
      }),
    )
  }

  /** Throws NotFound if the upstream does not have it, Unavailable if it cannot be fetched or verified. */
  return async (place: OwnedUpstream, source: UpstreamFileSource): Promise<UpstreamFile> => {
    const key = 'listed' in source ? `${source.index.path} file ${source.listed}` : source.path
    const find = () => findUpstreamFile(database.read, place.upstream.id, key)
    return (await find()) ?? copies.alone(place, key, async () => (await find()) ?? fetchFile(place, key, source))
  }
}

/** A file that no digest protects. Throws Unavailable for a page of HTML, which is never such a file. */
async function* withoutPage(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of body) {
    if (isFirst && chunk.subarray(0, MAX_DIGEST).toString('latin1').trimStart().startsWith('<'))
      throw unavailable('the upstream registry answered with a page of HTML')
    isFirst = false
    yield chunk
  }
}
