import type { Core } from '../../../core/module.ts'
import type { Readable } from 'node:stream'
import { type BlobStore, isBlobHash } from '../../../core/blobs/index.ts'
import type { Tx } from '../../../core/db/database.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { setRepoAvatar } from '../repos/changes/changes.store.ts'
import { userQueries } from '../../accounts/index.ts'
import { deleteUnusedAvatars, findAvatar, insertAvatar, isAvatarBlobUsed } from './avatar.store.ts'
import { type AvatarRules, readImage } from './read-image.ts'

interface AvatarFile {
  readonly mediaType: string
  /** Bytes. */
  readonly size: number
  open(): Promise<Readable | undefined>
}

interface AvatarDeps extends Pick<Core, 'database' | 'clock' | 'jobs' | 'taskPool'> {
  readonly blobs: BlobStore
  readonly rules: AvatarRules
}

/** Younger blobs may belong to an upload in progress, whose row does not exist yet. */
const MIN_UNUSED_AGE_MS = 60 * 60 * 1000

export type Avatars = ReturnType<typeof createAvatars>

/** Images of users, organizations and repositories. */
export function createAvatars({ database, clock, jobs, blobs, rules, taskPool }: AvatarDeps) {
  async function put(
    prefix: string,
    { image, rateLimitKey }: { readonly image: string; readonly rateLimitKey: string },
    assign: (tx: Tx, hash: string) => Promise<void>,
  ): Promise<void> {
    const { data, mediaType } = await readImage({ rules, taskPool }, image, rateLimitKey)
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

  const ofAccount = (id: UserId) => (tx: Tx, avatar: string) => userQueries.setAvatar(tx, id, avatar, clock.now())
  const ofRepo = (id: RepoId) => (tx: Tx, avatar: string) => setRepoAvatar(tx, id, avatar)

  return {
    /**
     * `image` is base64 without a prefix; `rateLimitKey` is the result of `rateLimitKeyOf`. Throws BadRequest with the
     * reason.
     */
    setOfAccount: (id: UserId, image: string, rateLimitKey: string): Promise<void> =>
      put(String(id), { image, rateLimitKey }, ofAccount(id)),
    clearOfAccount: (id: UserId): Promise<void> => clear(ofAccount(id)),
    setOfRepo: (id: RepoId, image: string, rateLimitKey: string): Promise<void> =>
      put(`repo-${id}`, { image, rateLimitKey }, ofRepo(id)),
    clearOfRepo: (id: RepoId): Promise<void> => clear(ofRepo(id)),

    /** An uploaded image by the hash in its URL. */
    async find(hash: string): Promise<AvatarFile | undefined> {
      const avatar = isBlobHash(hash) ? await findAvatar(database.read, hash) : undefined
      const size = avatar && (await blobs.size(avatar.blob))
      if (avatar === undefined || size === undefined) return undefined
      return { mediaType: avatar.mediaType, size, open: () => blobs.open(avatar.blob) }
    },

    /** Deletes images that no account or repository refers to, and blobs without a row. */
    async sweep(signal?: AbortSignal): Promise<void> {
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
