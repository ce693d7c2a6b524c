import type { Database } from '../../db/database.ts'
import type { Git } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { removeRepoRows } from './delete-repo.ts'
import { listUsedStorages } from './repo-removal.store.ts'
import { walkRepoIds } from './repo-walk.store.ts'
import { findRepoById, type Repo } from './repo.store.ts'

export interface RepoFiles {
  /** Removes the git data of a deleted repository and its wiki; nothing when they are gone already. */
  remove(storage: string): Promise<void>
  /** Removes git data that no repository has had for an hour: what a crash between disk and database leaves behind. */
  sweep(signal: AbortSignal): Promise<void>
  /**
   * Deletes the repositories whose git data is gone; none when that is most of them, as on a disk that is not there.
   */
  deleteMissing(signal: AbortSignal): Promise<void>
}

interface RepoFilesDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
}

const WIKI = '.wiki'
const GRACE_MS = 3_600_000
/** More at once, and most of all there is, means another database than the one that belongs to the directory. */
const SUSPICIOUS = 50

export function createRepoFiles({ database, git, clock, log }: RepoFilesDeps): RepoFiles {
  return {
    async remove(storage) {
      await git.removeRepo(storage)
      await git.removeRepo(`${storage}${WIKI}`)
    },
    async sweep(signal) {
      const before = clock.now() - GRACE_MS
      const orphans: string[] = []
      let seen = 0
      for await (const folder of git.listStored()) {
        signal.throwIfAborted()
        seen += folder.length
        const used = await listUsedStorages(
          database.read,
          folder.map(({ storage }) => owning(storage)),
        )
        orphans.push(
          ...folder
            .filter(({ storage, changedAt }) => changedAt < before && !used.has(owning(storage)))
            .map(({ storage }) => storage),
        )
      }
      if (orphans.length > SUSPICIOUS && orphans.length * 2 > seen) {
        log.error(
          { orphans: orphans.length, of: seen },
          'most git directories belong to no repository: nothing was removed',
        )
        return
      }
      for (const storage of orphans) {
        signal.throwIfAborted()
        log.warn({ storage }, 'removing a git directory that belongs to no repository')
        await git.removeRepo(storage)
      }
    },
    async deleteMissing(signal) {
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
        log.error({ missing: missing.length, of: seen }, 'most repositories have no git data: none was deleted')
        return
      }
      for (const { id, fullName } of missing) {
        signal.throwIfAborted()
        log.warn({ repo: id, name: fullName }, 'deleting a repository whose git data is gone')
        await database.transaction((tx) => removeRepoRows(tx, { actorId: 0, at: clock.now() }, id))
      }
    },
  }
}

/** A wiki belongs to the repository beside it. */
const owning = (storage: string): string => (storage.endsWith(WIKI) ? storage.slice(0, -WIKI.length) : storage)
