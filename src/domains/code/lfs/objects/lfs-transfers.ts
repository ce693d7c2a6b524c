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
  /** Commits whose large files are here already. */
  readonly without: readonly string[]
  /** Of all that is fetched. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

export interface LfsTransferDeps {
  readonly clock: Clock
  readonly client: LfsClient
  readonly objects: LfsObjects
  /** For everything that one call transfers, in milliseconds. */
  readonly timeout: number
}

export type LfsTransfers = ReturnType<typeof createLfsTransfers>

/** Large files that follow their repositories from and to other servers. Throws RemoteError and OutgoingError. */
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
    /** Fetches everything that the history points to. The first object that cannot be had ends it. */
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
     * Fetches what the repository lacks of what its history points to, beyond `without`; goes on past objects that cannot
     * be had and throws in the end.
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

    /** Whether the repository has objects that came after the one with the number `after`. */
    async hasMore(repoId: RepoId, after: number): Promise<boolean> {
      for await (const page of objects.listAll(repoId, after)) return page.length > 0
      return false
    },

    /**
     * Sends the objects of a repository that came after the one with the number `after`. Gives the number up to which all
     * are sent for good: of the newest the other side is asked again next time. Throws when any did not go through.
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

/** NOTE: rows do not become visible in the order of their numbers; one that is this old has none before it to come. */
const SETTLING_MS = 10 * 60_000

/** More are not kept in memory: no repository that people work with has as many. */
const MAX_POINTERS = 1_000_000

/**
 * The large files that the history of a repository points to. NOTE: all at once, so that no git process waits for what
 * is slow.
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
/** A server that has none of the requested objects gets no further requests. */
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
