import type { Readable } from 'node:stream'
import { type BlobStore, isBlobHash } from '../../../core/blobs/index.ts'
import type { Database, Tx } from '../../../core/db/database.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { TaskPool } from '../../../core/platform/isolation/index.ts'
import { updateRepo } from '../repos/repo.store.ts'
import { updateUser } from '../../accounts/index.ts'
import { deleteUnusedAvatars, findAvatar, insertAvatar, isAvatarBlobUsed } from './avatar.store.ts'
import { type AvatarRules, readImage } from './read-image.ts'

interface AvatarFile {
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
  open(): Promise<Readable | undefined>
}

/** Images of users, organizations and repositories. */
export interface Avatars {
  /** `image` is base64 without a prefix; `caller` as of `callerKey`. Throws BadRequest with the reason. */
  setOfAccount(id: UserId, image: string, caller: string): Promise<void>
  clearOfAccount(id: UserId): Promise<void>
  setOfRepo(id: RepoId, image: string, caller: string): Promise<void>
  clearOfRepo(id: RepoId): Promise<void>
  /** An uploaded image by the hash in its address. */
  find(hash: string): Promise<AvatarFile | undefined>
  /** Deletes images that no account or repository refers to, and blobs without a row. */
  sweep(signal?: AbortSignal): Promise<void>
}

interface AvatarDeps {
  readonly database: Database
  readonly clock: Clock
  readonly jobs: Jobs
  readonly blobs: BlobStore
  readonly rules: AvatarRules
  readonly taskPool: TaskPool
}

/** Younger blobs may belong to an upload in progress, which has no row yet. */
const MIN_UNUSED_AGE_MS = 60 * 60 * 1000

export function createAvatars({ database, clock, jobs, blobs, rules, taskPool }: AvatarDeps): Avatars {
  async function put(
    prefix: string,
    { image, caller }: { readonly image: string; readonly caller: string },
    assign: (tx: Tx, hash: string) => Promise<void>,
  ): Promise<void> {
    const { data, mediaType } = await readImage({ rules, taskPool }, image, caller)
    const hash = sha256Hex(Buffer.concat([Buffer.from(`${prefix}-`), data]))
    await blobs.put([data], {}, ({ hash: blob }) =>
      database.transaction(async (tx) => {
        await insertAvatar(tx, { hash, blob, mediaType }, clock.now())
        await assign(tx, hash)
        await requestSweep(tx)
      }),
    )
  }

  const requestSweep = (tx: Tx): Promise<void> => jobs.enqueue(tx, 'avatars.sweep', {}, { key: 'all' })

  const clear = (assign: (tx: Tx, hash: string) => Promise<void>): Promise<void> =>
    database.transaction(async (tx) => {
      await assign(tx, '')
      await requestSweep(tx)
    })

  const ofAccount = (id: UserId) => (tx: Tx, avatar: string) => updateUser(tx, id, { avatar, updated_at: clock.now() })
  const ofRepo = (id: RepoId) => (tx: Tx, avatar: string) => updateRepo(tx, id, { avatar })

  return {
    setOfAccount: (id, image, caller) => put(String(id), { image, caller }, ofAccount(id)),
    clearOfAccount: (id) => clear(ofAccount(id)),
    setOfRepo: (id, image, caller) => put(`repo-${id}`, { image, caller }, ofRepo(id)),
    clearOfRepo: (id) => clear(ofRepo(id)),

    async find(hash) {
      const avatar = isBlobHash(hash) ? await findAvatar(database.read, hash) : undefined
      const size = avatar && (await blobs.size(avatar.blob))
      if (avatar === undefined || size === undefined) return undefined
      return { mediaType: avatar.mediaType, size, open: () => blobs.open(avatar.blob) }
    },

    async sweep(signal) {
      const released = await database.transaction((tx) => deleteUnusedAvatars(tx))
      for (const blob of released) await blobs.delete(blob, () => isAvatarBlobUsed(database.read, blob))
      for await (const { hash, putAt } of blobs.list()) {
        if (signal?.aborted) return
        if (putAt < clock.now() - MIN_UNUSED_AGE_MS)
          await blobs.delete(hash, () => isAvatarBlobUsed(database.read, hash))
      }
    },
  }
}
