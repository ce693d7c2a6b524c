import type { Core } from '../../../../core/module.ts'
import { systemActor } from '../../../../core/access/viewer.ts'
import { deleteRepoRows } from './delete-repo.ts'
import { listUsedStorages } from './deletion.store.ts'
import { walkRepoIds } from '../records/records.store.ts'
import { findRepoById, type Repo } from '../repo.store.ts'

type RepoFilesDeps = Pick<Core, 'database' | 'git' | 'clock' | 'log' | 'events' | 'jobs'>

const WIKI = '.wiki'
const GRACE_MS = 3_600_000
/**
 * If more directories than this, and more than half of all, belong to no repository, another database probably uses
 * them.
 */
const MAX_ORPHANS = 50

export type RepoFiles = ReturnType<typeof createRepoFiles>

export function createRepoFiles({ database, git, clock, log, events, jobs }: RepoFilesDeps) {
  return {
    /** Deletes the git data of a deleted repository and its wiki, if it still exists. */
    async delete(storage: string): Promise<void> {
      await git.removeRepo(storage)
      await git.removeRepo(`${storage}${WIKI}`)
    },
    /**
     * Deletes git data that has belonged to no repository for an hour, such as after a crash between writing the files
     * and the rows.
     */
    async sweep(signal: AbortSignal): Promise<void> {
      const before = clock.now() - GRACE_MS
      const orphans: string[] = []
      let seen = 0
      for await (const folder of git.listStored()) {
        signal.throwIfAborted()
        seen += folder.length
        const used = await listUsedStorages(
          database.read,
          folder.map(({ storage }) => ownerStorage(storage)),
        )
        orphans.push(
          ...folder
            .filter(({ storage, changedAt }) => changedAt < before && !used.has(ownerStorage(storage)))
            .map(({ storage }) => storage),
        )
      }
      if (orphans.length > MAX_ORPHANS && orphans.length * 2 > seen) {
        log.error(
          { orphans: orphans.length, of: seen },
          'most git directories belong to no repository; nothing was deleted',
        )
        return
      }
      for (const storage of orphans) {
        signal.throwIfAborted()
        log.warn({ storage }, 'deleting a git directory that belongs to no repository')
        await git.removeRepo(storage)
      }
    },
    /**
     * Deletes the repositories whose git data is missing, unless that affects most of them, as with an unmounted disk.
     */
    async deleteMissing(signal: AbortSignal): Promise<void> {
      const missing: Repo[] = []
      let seen = 0
      for await (const id of walkRepoIds(database.read)) {
        signal.throwIfAborted()
        const repo = await findRepoById(database.read, id)
        if (repo === undefined) continue
        seen++
        if (!(await git.repoExists(repo.storage))) missing.push(repo)
      }
      if (missing.length * 2 > seen) {
        log.error({ missing: missing.length, of: seen }, 'most repositories have no git data; nothing was deleted')
        return
      }
      for (const { id, fullName } of missing) {
        signal.throwIfAborted()
        log.warn({ repo: id, name: fullName }, 'deleting a repository whose git data is missing')
        await database.transaction((tx) => deleteRepoRows(tx, { clock, events, jobs }, systemActor, id))
      }
    },
  }
}

/** The storage key of the repository that owns git data: the same key, or without `.wiki`. */
const ownerStorage = (storage: string): string => (storage.endsWith(WIKI) ? storage.slice(0, -WIKI.length) : storage)
