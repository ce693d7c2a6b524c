import type { Core, Services } from '../../../../core/module.ts'
import { authorizeRepo } from '../../../../core/access/authorize.ts'
import type { Readable } from 'node:stream'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { type BlobLink, type BlobRange, type BlobStore, sweepBlobs } from '../../../../core/blobs/index.ts'
import type { Db } from '../../../../core/db/database.ts'
import { invalid, isDomainError, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { repoQueries, accessQueries } from '../../../repositories/index.ts'
import { createHold, type LfsHold, type ReceiveLfsObject } from './hold.ts'
import { faultOfObject, isLfsOid } from './lfs-object.policy.ts'
import {
  insertLfsLink,
  isLfsObjectLinked,
  type LfsLink,
  type LfsObject,
  listLfsHolders,
  listLfsLinks,
  mapLfsObjects,
} from '../lfs.store.ts'

/** An object of a batch with the action of the client. */
export interface BatchEntry {
  /** The id and size from the client. */
  readonly oid: string
  readonly size: number
  readonly verdict:
    { readonly kind: 'stored' | 'wanted' | 'missing' } | { readonly kind: 'refused'; readonly reason: string }
}

export interface LfsObjectsDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: BlobStore
  readonly quota: Services['quota']
  /** Bytes; 0 for no limit. */
  readonly maxFileSize: number
}

/**
 * The maximum number of rows read to find a readable repository with an object; beyond it the client uploads the object
 * again.
 */
const MAX_HOLDERS = 500
const PAGE = 100

export type LfsObjects = ReturnType<typeof createLfsObjects>

export function createLfsObjects({ database, blobs, clock, quota, maxFileSize }: LfsObjectsDeps) {
  const { read } = database
  const link = (repoId: RepoId, object: LfsObject): Promise<void> =>
    database.transaction((tx) => insertLfsLink(tx, repoId, object, clock.now()))

  const receiveObject = createObjectReceiver(maxFileSize)

  return {
    /**
     * Reports for each object whether the repository has it. An upload links objects that the viewer can read in
     * another repository.
     */
    async batch(
      viewer: Viewer,
      repoId: RepoId,
      operation: 'upload' | 'download',
      objects: readonly LfsObject[],
    ): Promise<BatchEntry[]> {
      const isUpload = operation === 'upload'
      if (isUpload) await quota.requireFor(repoId, 'size:git:lfs')
      const oids = [...new Set(objects.map((object) => object.oid).filter(isLfsOid))]
      const own = await mapLfsObjects(read, repoId, oids)
      const others = isUpload
        ? await mapReadableElsewhere(
            read,
            viewer,
            repoId,
            oids.filter((oid) => !own.has(oid)),
          )
        : new Map<string, number>()
      const entries: BatchEntry[] = []
      for (const { oid, size } of objects) {
        const stored = own.get(oid)
        const reason = faultOfObject({ oid, size }, { stored, ...(isUpload && { maxFileSize }) })
        const isStored =
          stored !== undefined ||
          (reason === undefined &&
            others.get(oid) === size &&
            (await blobs.claim(oid, () => link(repoId, { oid, size }))))
        entries.push({
          oid,
          size,
          verdict:
            reason !== undefined
              ? { kind: 'refused', reason }
              : { kind: isStored ? 'stored' : isUpload ? 'wanted' : 'missing' },
        })
      }
      return entries
    },

    /** Stores the bytes. Throws Invalid, and stores nothing, if they do not match the announced object. */
    async upload(repoId: RepoId, announced: LfsObject, source: AsyncIterable<Uint8Array>): Promise<void> {
      await quota.requireFor(repoId, 'size:git:lfs')
      await receiveObject(announced, source, (bytes, limits) => blobs.put(bytes, limits, () => link(repoId, announced)))
    },

    /** Stores objects for a repository that does not exist yet. */
    hold: (): LfsHold => createHold({ database, blobs, clock, receiveObject }),

    /** The objects that the repository lacks. */
    async lacking(repoId: RepoId, objects: readonly LfsObject[]): Promise<LfsObject[]> {
      const found: LfsObject[] = []
      for (let at = 0; at < objects.length; at += PAGE) {
        const page = objects.slice(at, at + PAGE)
        const own = await mapLfsObjects(
          read,
          repoId,
          page.map(({ oid }) => oid),
        )
        found.push(...page.filter(({ oid }) => !own.has(oid)))
      }
      return found
    },

    /**
     * Yields batches of all objects of the repository in the order in which they were linked, starting after the link
     * with the id `after`.
     */
    async *listAll(repoId: RepoId, after: number = 0): AsyncIterable<readonly LfsLink[]> {
      for (let last: number | undefined = after; last !== undefined;) {
        const page = await listLfsLinks(read, repoId, last, PAGE)
        if (page.length > 0) yield page
        last = page.length < PAGE ? undefined : page.at(-1)!.id
      }
    },

    /** Finds an object of this repository by its id; objects of other repositories are not found. */
    find: async (repoId: RepoId, oid: string): Promise<LfsObject | undefined> =>
      (await mapLfsObjects(read, repoId, [oid])).get(oid),

    /** Reads the bytes of an object that `find` returned. Throws NotFound if they are lost. */
    async open({ oid }: LfsObject, range?: BlobRange): Promise<Readable> {
      const stream = await blobs.open(oid, range)
      if (stream === undefined) throw notFound('the bytes of the object are lost')
      return stream
    },

    /** A URL of the object store for an object that `find` returned; undefined if this server sends the bytes. */
    link: ({ oid }: LfsObject, as: BlobLink): Promise<string | undefined> => blobs.link(oid, as),

    /** Deletes the bytes of objects that belong to no repository. */
    sweep: (signal: AbortSignal): Promise<void> => sweepBlobs(blobs, (hash) => isLfsObjectLinked(read, hash), signal),
  }
}

const READ_CODE = { unit: 'repo.code', level: 'read' } as const

/** Objects that the viewer may read in another repository, with their sizes: the client need not upload them. */
async function mapReadableElsewhere(
  db: Db,
  viewer: Viewer,
  repoId: RepoId,
  oids: readonly string[],
): Promise<Map<string, number>> {
  const holders = await listLfsHolders(db, repoId, oids, MAX_HOLDERS)
  if (holders.length === 0) return new Map()
  const repos = await repoQueries.listByIds(
    db,
    holders.map((holder) => holder.repoId),
  )
  const accesses = await accessQueries.loadAll(db, viewer, repos)
  const readable = new Set(
    repos
      .filter(
        (repo) =>
          authorizeRepo(viewer, { kind: 'found', repo, access: accesses.get(repo.id)! }, READ_CODE).kind === 'allowed',
      )
      .map((repo) => repo.id),
  )
  return new Map(holders.filter((holder) => readable.has(holder.repoId)).map((holder) => [holder.oid, holder.size]))
}

const createObjectReceiver =
  (maxFileSize: number): ReceiveLfsObject =>
  async (announced, source, put) => {
    const reason = faultOfObject(announced, { maxFileSize })
    if (reason !== undefined) throw invalid(reason)
    try {
      await put(ofSize(source, announced.size), { expected: { hash: announced.oid, size: announced.size } })
    } catch (error) {
      throw isDomainError(error, 'invalid') && error.code !== errors.lfsSizeMismatch.code
        ? invalid('content hash does not match OID')
        : error
    }
  }

/** Passes the bytes through. Fails as soon as there are too many, or at the end if there are too few. */
async function* ofSize(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of source) {
    seen += chunk.length
    if (seen > size) throw errors.lfsSizeMismatch()
    yield chunk
  }
  if (seen !== size) throw errors.lfsSizeMismatch()
}
