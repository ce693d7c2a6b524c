import { type GitRepo, RemoteError, smallBlobs } from '../../../../core/git/index.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { LfsClient, LfsExchange } from '../client/client.ts'
import type { LfsHold } from './hold.ts'
import type { LfsObjects } from './lfs-objects.service.ts'
import type { LfsObject } from '../lfs.store.ts'
import { MAX_POINTER_SIZE, parseLfsPointer } from './pointer.ts'
import type { LfsServer } from '../client/client-requests.ts'

interface FetchNew {
  readonly repoId: RepoId
  /** Commits whose large files are stored already. */
  readonly without: readonly string[]
  /** The limit for everything that is fetched. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface LfsTransferDeps {
  readonly clock: Clock
  readonly client: LfsClient
  readonly objects: LfsObjects
  /** The timeout of one call with all its transfers, in milliseconds. */
  readonly timeout: number
}

export type LfsTransfers = ReturnType<typeof createLfsTransfers>

/** Transfers the large files of repositories from and to other servers. Throws RemoteError and OutgoingError. */
export function createLfsTransfers({ client, objects, clock, timeout }: LfsTransferDeps) {
  const inTime = async <T>(given: AbortSignal, task: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const late = AbortSignal.timeout(timeout)
    try {
      return await task(AbortSignal.any([given, late]))
    } catch (error) {
      throw late.aborted && !given.aborted
        ? new RemoteError('timeout', 'the large files (LFS) took too long', { cause: error })
        : error
    }
  }
  return {
    /** Fetches all objects that the history refers to. Stops at the first unavailable object. */
    fetchAll: (
      server: LfsServer,
      repo: GitRepo,
      {
        hold,
        maxBytes,
        ...options
      }: { readonly hold: LfsHold; readonly maxBytes: number; readonly signal: AbortSignal },
    ): Promise<void> =>
      inTime(options.signal, async (signal) => {
        const failed: LfsExchange['failed'] = (object, problem) => {
          throw new RemoteError('failed', sentence([`${object.oid}: ${problem}`]))
        }
        const found = await listPointers(repo, { signal })
        requireRoom(found, maxBytes)
        await client.download(server, found, { signal, failed, take: (object, bytes) => hold.put(object, bytes) })
      }),

    /**
     * Fetches the missing objects of the history, except that of `without`. Continues after unavailable objects and
     * throws at the end.
     */
    fetchNew: (server: LfsServer, repo: GitRepo, { repoId, without, maxBytes, ...options }: FetchNew): Promise<void> =>
      inTime(options.signal, async (signal) => {
        const problems = new Problems()
        const wanted = await objects.lacking(repoId, await listPointers(repo, { signal, without }))
        requireRoom(wanted, maxBytes)
        await client.download(server, wanted, {
          signal,
          failed: problems.add,
          take: (object, bytes) => objects.upload(repoId, object, bytes),
        })
        problems.throwIfAny()
      }),

    /** Whether the repository has links with ids after `after`. */
    async hasMore(repoId: RepoId, after: number): Promise<boolean> {
      for await (const page of objects.listAll(repoId, after)) return page.length > 0
      return false
    },

    /**
     * Sends the objects of a repository whose links have ids after `after`. Returns the id up to which no link needs to
     * be sent again; the newest objects are offered again next time. Throws if any transfer failed.
     */
    send: (
      server: LfsServer,
      repoId: RepoId,
      { after, ...options }: { readonly after: number; readonly signal: AbortSignal },
    ): Promise<number> =>
      inTime(options.signal, async (signal) => {
        const problems = new Problems()
        const settled = clock.now() - SETTLING_MS
        let last = after
        for await (const page of objects.listAll(repoId, after)) {
          await client.upload(server, page, { signal, failed: problems.add, open: (object) => objects.open(object) })
          last = page.findLast(({ linkedAt }) => linkedAt < settled)?.id ?? last
        }
        problems.throwIfAny()
        return last
      }),
  }
}

/**
 * NOTE: rows do not become visible in the order of their ids. Once a row is this old, all rows with smaller ids are
 * visible.
 */
const SETTLING_MS = 10 * 60_000

/** The maximum number of pointers in memory; real repositories have far fewer. */
const MAX_POINTERS = 1_000_000

/**
 * Lists the large files that the history of a repository refers to. NOTE: the list is complete before any transfer
 * starts, so that no git process waits for a slow transfer.
 */
async function listPointers(
  repo: GitRepo,
  { signal, without }: { readonly signal: AbortSignal; readonly without?: readonly string[] },
): Promise<LfsObject[]> {
  const found = new Map<string, LfsObject>()
  for await (const contents of smallBlobs(repo, { maxBytes: MAX_POINTER_SIZE, signal, ...(without && { without }) })) {
    for (const content of contents) {
      const pointer = parseLfsPointer(content)
      if (pointer !== undefined) found.set(pointer.oid, pointer)
    }
    if (found.size > MAX_POINTERS)
      throw new RemoteError('failed', 'the repository points to too many large files (LFS)')
  }
  return [...found.values()]
}

function requireRoom(objects: readonly LfsObject[], maxBytes: number): void {
  if (objects.reduce((sum, { size }) => sum + size, 0) > maxBytes)
    throw new RemoteError('failed', 'the repository with its large files (LFS) is larger than this server takes')
}

const MAX_SHOWN = 3
/** After this many problems, a server gets no further requests. */
const MAX_PROBLEMS = 1000

class Problems {
  #count = 0
  readonly #first: string[] = []

  readonly add = (object: LfsObject, problem: string): void => {
    if (this.#first.length < MAX_SHOWN) this.#first.push(`${object.oid}: ${problem}`)
    if (++this.#count >= MAX_PROBLEMS) this.throwIfAny()
  }

  throwIfAny(): void {
    if (this.#count > 0) throw new RemoteError('failed', sentence(this.#first, this.#count - this.#first.length))
  }
}

const sentence = (lines: readonly string[], more = 0): string =>
  `large files (LFS) that did not go through: ${lines.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
