import { buffer } from 'node:stream/consumers'
import { isDomainError, unavailable } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { addressIn, type CopyDeps, type UpstreamCopies, type OwnedUpstream } from './upstream-copies.ts'
import type { UpstreamDocument } from './upstream-format.ts'
import { findUpstreamFormat } from './upstream-formats.ts'
import { findUpstreamFile, setUpstreamFileTimes, type UpstreamFile } from './upstream-file.store.ts'

/** The age at which the upstream is asked for a newer document. */
const FRESH_MS = 5 * 60 * 1000
/** After a failure, the stored document is returned this long before the upstream is asked again. */
const RETRY_MS = 60 * 1000
const MAX_DOCUMENT = 16 * 1024 * 1024
const TIMEOUT_MS = 60_000

interface Fetched extends Pick<UpstreamFile, 'etag' | 'last_modified' | 'fetched_at'> {
  readonly source: Buffer
}

const keyOf = ({ path, variant }: UpstreamDocument): string => (variant === undefined ? path : `${path} ${variant}`)
const basisOf = ({ upstream, base }: OwnedUpstream, { name }: UpstreamDocument): string =>
  name === undefined ? '' : `${upstream.minAgeDays} ${base}`

export type UpstreamDocuments = ReturnType<typeof createUpstreamDocuments>

/** The stored documents of upstreams; one that is missing or old is fetched, by one of all processes. */
export function createUpstreamDocuments({ database, clock, log, client, contents }: CopyDeps, copies: UpstreamCopies) {
  /** Generates the served document from what the upstream sent, and stores both. */
  const store = (place: OwnedUpstream, document: UpstreamDocument, fetched: Fetched): Promise<UpstreamFile> =>
    contents.withHold(async (hold) => {
      const { source, etag, last_modified, fetched_at } = fetched
      if (findUpstreamFormat(place.upstream.type)?.isDocument?.(source, document.path) === false)
        throw unavailable('the document of the upstream registry cannot be read')
      const original = await hold.receive([source])
      const shown =
        document.name === undefined
          ? original
          : await hold.receive([Buffer.from((await copies.readIndex(place, document, { source })).text)])
      const times = { etag, last_modified, fetched_at }
      const basis = basisOf(place, document)
      return copies.save(place, shown, { key: keyOf(document), source_sha256: original.sha256, basis, ...times })
    })

  /** The same document generated again, for other settings. */
  const storeAgain = async (place: OwnedUpstream, document: UpstreamDocument, found: UpstreamFile) =>
    store(place, document, { ...found, source: await copies.bytesOf(found.source_sha256) })

  async function fetchDocument(
    { upstream }: OwnedUpstream,
    { accept, path }: UpstreamDocument,
    found: UpstreamFile | undefined,
  ): Promise<Fetched> {
    const headers = {
      ...(accept !== undefined && { accept }),
      ...(found?.etag && { 'if-none-match': found.etag }),
      ...(found?.last_modified && { 'if-modified-since': found.last_modified }),
    }
    const request = { url: addressIn(upstream, path), headers, maxBytes: MAX_DOCUMENT, timeout: TIMEOUT_MS }
    return client.fetch(upstream, request, async (answer) => ({
      source:
        answer.isUnmodified && found !== undefined
          ? await copies.bytesOf(found.source_sha256)
          : await buffer(answer.body),
      etag: (answer.headers['etag'] ?? (answer.isUnmodified ? found?.etag : '') ?? '').slice(0, 1000),
      last_modified: (answer.headers['last-modified'] ?? (answer.isUnmodified ? found?.last_modified : '') ?? '').slice(
        0,
        100,
      ),
      fetched_at: clock.now(),
    }))
  }

  async function renew(
    place: OwnedUpstream,
    document: UpstreamDocument,
    found: UpstreamFile | undefined,
  ): Promise<UpstreamFile> {
    try {
      return await store(place, document, await fetchDocument(place, document, found))
    } catch (error) {
      if (found === undefined || !isDomainError(error, 'unavailable')) throw error
      log.warn({ upstream: place.upstream.url, path: document.path, err: error }, 'an old index of packages is used')
      const times = { fetched_at: clock.now() - FRESH_MS + RETRY_MS }
      if (found.basis !== basisOf(place, document)) return storeAgain(place, document, { ...found, ...times })
      await database.transaction((tx) => setUpstreamFileTimes(tx, found.id, times))
      return found
    }
  }

  /** Throws NotFound if the upstream does not have it, Unavailable if it cannot be fetched. */
  return async (place: OwnedUpstream, document: UpstreamDocument): Promise<UpstreamFile> => {
    const { id, isOffline } = place.upstream
    const find = () => findUpstreamFile(database.read, id, keyOf(document))
    const isCurrent = (found: UpstreamFile): boolean =>
      found.basis === basisOf(place, document) && (isOffline || clock.now() - found.fetched_at < FRESH_MS)
    const first = await find()
    if (first !== undefined && isCurrent(first)) return first
    return copies.alone(place, keyOf(document), async () => {
      const found = await find()
      if (found !== undefined && isCurrent(found)) return found
      if (!isOffline) return renew(place, document, found)
      if (found === undefined) throw errors.packageNotFound()
      return storeAgain(place, document, found)
    })
  }
}
