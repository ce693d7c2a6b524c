import type { Database } from '../../../core/db/database.ts'
import { branchRef, type Git, type GitRepo } from '../../../core/git/index.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { type Repo, findRepoById, updateRepo } from '../../repositories/index.ts'
import { countLanguages } from './count-languages.ts'
import { createLicenseDetector, type DetectLicense } from './detect-license.ts'
import { LanguageProcess } from './language-process.ts'
import { findRepoLanguages, putRepoLanguages } from './language.store.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'

const NAMES = /^(?:un)?licen[cs]e(?:[.-][\w.-]*)?$|^copying(?:[.-][\w.-]*)?$/i
const MAX_FILE = 128 * 1024
const MAX_FILES = 10

/** SPDX ids of the licences in the root directory of a commit, sorted. */
async function findLicenses(git: GitRepo, commit: string, detect: DetectLicense): Promise<string[]> {
  const root = await git.objects.tree((await git.objects.commit(commit)).tree)
  const files = root.filter(({ name, mode }) => mode.startsWith('100') && NAMES.test(name)).slice(0, MAX_FILES)
  const found = new Set<string>()
  const pause = createPauses()
  for (const { oid } of files) {
    await pause()
    const text = (await git.objects.info(oid)).size > MAX_FILE ? '' : (await git.objects.blob(oid)).toString('utf8')
    const id = detect(text)
    if (id !== undefined) found.add(id)
  }
  return [...found].toSorted()
}

export type Languages = ReturnType<typeof createLanguages>

/** The programming languages and licences of repositories (behaviour/repositories#topics-languages-licences). */
export function createLanguages({ database, git, log }: { database: Database; git: Git; log: Logger }) {
  const languageProcess = new LanguageProcess()
  const detectLicense = createLicenseDetector()
  return {
    /** The last stored result: bytes by language, largest first. Empty before the first count. */
    of: async (repo: Repo): Promise<Readonly<Record<string, number>>> =>
      (await findRepoLanguages(database.read, repo.id))?.bytes ?? {},
    /** Counts the default branch, unless its tip has been counted. Call in a job: this is slow. */
    async refresh(repoId: RepoId, signal: AbortSignal): Promise<void> {
      const repo = await findRepoById(database.read, repoId)
      if (repo === undefined) return
      const opened = git.open(repo)
      const oid = (await opened.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid ?? ''
      const counted = await findRepoLanguages(database.read, repoId)
      if (counted?.oid === oid) return
      const bytes =
        oid === ''
          ? {}
          : await countLanguages(languageProcess, opened, oid, signal).catch((error: unknown) => {
              if (signal.aborted) throw error
              // NOTE: a retry would exceed the limits again, so the next attempt is at the next commit.
              log.warn({ err: error, repo: repoId }, 'languages not counted')
              return counted?.bytes ?? {}
            })
      // COMPAT: an empty repository keeps the licence that was chosen for it (test/code/languages.test.ts).
      const licenses = oid === '' ? undefined : await findLicenses(opened, oid, detectLicense)
      await database.transaction(async (tx) => {
        if ((await findRepoById(tx, repoId)) === undefined) return
        await putRepoLanguages(tx, repoId, { oid, bytes })
        if (licenses !== undefined) await updateRepo(tx, repoId, { licenses: JSON.stringify(licenses) })
      })
    },
    /** Detects the licences of the default branch again, even when it has not moved. */
    async refreshLicenses(repoId: RepoId): Promise<void> {
      const repo = await findRepoById(database.read, repoId)
      if (repo === undefined) return
      const opened = git.open(repo)
      const head = (await opened.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
      if (head === undefined) return
      const licenses = JSON.stringify(await findLicenses(opened, head, detectLicense))
      await database.transaction((tx) => updateRepo(tx, repoId, { licenses }))
    },
    close: (): void => languageProcess.close(),
  }
}
