import type { Database } from '../../../core/db/database.ts'
import { branchRef, type Git, type GitRepo } from '../../../core/git/index.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { type Repo, repoQueries, builtInTemplates } from '../../repositories/index.ts'
import { countLanguages, type LanguageProcess } from './count-languages.ts'
import { findRepoLanguages, putRepoLanguages } from './language.store.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'

interface Words {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

/** The minimum share of common words for two texts to be the same licence. */
const MIN_SIMILARITY = 0.93
/** The maximum difference in length, as a share, for two texts to be compared. */
const MAX_DIFFERENCE = 0.15

/**
 * Returns the SPDX id of the licence with this text, by the share of common words; undefined if none is similar enough.
 * Names, years and layout are ignored.
 */
type DetectLicense = (text: string) => string | undefined

/** Reads the templates on the first call. */
export function createLicenseDetector(): DetectLicense {
  let templates: ReadonlyMap<string, Words> | undefined
  return (text) => {
    templates ??= new Map([...builtInTemplates.licenses()].map(([id, template]) => [id, wordsOf(template)]))
    return closest(wordsOf(text), templates)
  }
}

function closest(words: Words, templates: ReadonlyMap<string, Words>): string | undefined {
  let best: { id: string; score: number } | undefined
  for (const [id, template] of templates) {
    if (Math.abs(template.total - words.total) > MAX_DIFFERENCE * template.total) continue
    const score = (2 * inCommon(words, template)) / (words.total + template.total)
    if (score >= MIN_SIMILARITY && score > (best?.score ?? 0)) best = { id, score }
  }
  return best?.id
}

/** Skips copyright lines and text in brackets. */
function wordsOf(text: string): Words {
  const plain = text
    .replaceAll(/^.*\bcopyright (?:\(c\)|©|\d|<|\[).*$/gim, ' ')
    .replaceAll(/[<[][^<>[\]\n]{1,60}[>\]]/g, ' ')
  const words = plain.toLowerCase().match(/[a-z\d]+/g) ?? []
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, total: words.length }
}

function inCommon(a: Words, b: Words): number {
  let sum = 0
  for (const [word, count] of a.counts) sum += Math.min(count, b.counts.get(word) ?? 0)
  return sum
}

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

interface LanguagesDeps {
  readonly database: Database
  readonly git: Git
  readonly log: Logger
  readonly languageProcess: LanguageProcess
}

export type Languages = ReturnType<typeof createLanguages>

/** The programming languages and licences of repositories (behaviour/repositories#topics-languages-licences). */
export function createLanguages({ database, git, log, languageProcess }: LanguagesDeps) {
  const detectLicense = createLicenseDetector()
  return {
    /** The last stored result: bytes by language, largest first. Empty before the first count. */
    of: async (repo: Repo): Promise<Readonly<Record<string, number>>> =>
      (await findRepoLanguages(database.read, repo.id))?.bytes ?? {},
    /** Counts the default branch, unless its tip has been counted. Slow: call it in a job. */
    async refresh(repoId: RepoId, signal: AbortSignal): Promise<void> {
      const repo = await repoQueries.findById(database.read, repoId)
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
              log.warn({ err: error, repo: repoId }, 'failed to count languages')
              return counted?.bytes ?? {}
            })
      // COMPAT: an empty repository has the licence that was chosen at its creation (test/code/languages.test.ts).
      const licenses = oid === '' ? undefined : await findLicenses(opened, oid, detectLicense)
      await database.transaction(async (tx) => {
        if ((await repoQueries.findById(tx, repoId)) === undefined) return
        await putRepoLanguages(tx, repoId, { oid, bytes })
        if (licenses !== undefined) await repoQueries.setLicenses(tx, repoId, licenses)
      })
    },
    /** Detects the licences of the default branch again, even if its tip has not changed. */
    async refreshLicenses(repoId: RepoId): Promise<void> {
      const repo = await repoQueries.findById(database.read, repoId)
      if (repo === undefined) return
      const opened = git.open(repo)
      const head = (await opened.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
      if (head === undefined) return
      const licenses = await findLicenses(opened, head, detectLicense)
      await database.transaction((tx) => repoQueries.setLicenses(tx, repoId, licenses))
    },
  }
}
