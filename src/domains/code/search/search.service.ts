import type { Core } from '../../../core/module.ts'
import type { SideDatabase } from '../../../core/db/side-database.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { type TaskKind, TaskError } from '../../../core/platform/isolation/index.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { errors } from '../../errors.ts'
import { isIndexComplete } from './index/code-index.store.ts'
import { type Candidate, listCandidates, loadTexts, type SearchScope } from './query/candidates.store.ts'
import { batchesOf, chooseFiles } from './query/choose-files.ts'
import { type CodeQuery, readCodeQuery, type SentQuery } from './query/code-query.ts'
import type { Fragment, MatchAnswer, MatchQuestion } from './query/find-matches.ts'

/** A matching file. */
export interface CodeMatch extends Pick<Candidate, 'repo' | 'path' | 'oid' | 'branch' | 'language'> {
  readonly fragments: readonly Fragment[]
}

export interface CodeMatchPage extends Page<CodeMatch> {
  /** A limit ended the search, or files are being indexed: there may be more matches than the total. */
  readonly isIncomplete: boolean
}

export interface CodeSearchLimits {
  /** Files whose text is read for one search. */
  readonly maxCandidates: number
  /** Bytes of all texts that are read for one search. */
  readonly maxBytes: number
  /** Milliseconds. */
  readonly budget: number
}

const MIB = 1024 * 1024
export const SEARCH_LIMITS: CodeSearchLimits = { maxCandidates: 500, maxBytes: 8 * MIB, budget: 1_000 }
/** Factor by which the limits of files and bytes grow for a second pass if no file has matched. */
const SECOND_PASS_FACTOR = 10

/** Maximum size of a batch that is read, and of one if the first matches suffice. */
const BATCH = { texts: 500, bytes: 8 * MIB }
const FIRST_BATCH = { texts: 64, bytes: MIB }

const MATCHES: TaskKind<MatchQuestion, MatchAnswer> = {
  url: new URL('query/matches.task.ts', import.meta.url).href,
  deadline: 5_000,
}

interface CodeSearchDeps extends Pick<Core, 'database' | 'taskPool'> {
  /** Undefined where code search is off. */
  readonly index: SideDatabase | undefined
  readonly limits: CodeSearchLimits
}

interface Search {
  readonly index: SideDatabase
  readonly query: CodeQuery
  readonly scope: SearchScope
  readonly paging: Paging
  readonly rateLimitKey: string
}

export type CodeSearch = ReturnType<typeof createCodeSearch>

/** Search in the files of default branches (guide/code-search.md). */
export function createCodeSearch({ database, taskPool, index, limits }: CodeSearchDeps) {
  async function match(question: MatchQuestion, rateLimitKey: string): Promise<MatchAnswer> {
    if (question.texts.length === 0) return { found: [], spent: 0, isIncomplete: false }
    try {
      return await taskPool.run(MATCHES, question, rateLimitKey)
    } catch (error) {
      if (error instanceof TaskError && (error.reason === 'time' || error.reason === 'memory'))
        throw invalid('q: takes too long to search for')
      throw error
    }
  }

  /** `isCut`: there are more candidates than the limits allow. */
  async function readMatches(
    { index, query: { pattern, ...query }, scope, paging, rateLimitKey }: Search,
    limits: CodeSearchLimits,
  ): Promise<CodeMatchPage & { readonly isCut: boolean }> {
    const { name: dialect } = database.dialect
    const found = await listCandidates(index.read, { query, scope, dialect, limit: limits.maxCandidates + 1 })
    const { files, isCut } = chooseFiles(found, limits)
    const isIndexed = (await isIndexComplete(index.read)) && found.every(({ isChanging }) => !isChanging)
    const pageEnd = paging.offset + paging.limit
    const lines = new Map<number, readonly Fragment[]>()
    const items: CodeMatch[] = []
    let { budget } = limits
    let total = 0
    for (const batch of batchesOf(files, isCut ? FIRST_BATCH : BATCH)) {
      // NOTE: the total would not be that of all files anyway.
      if (isCut && total > pageEnd) break
      const texts = await loadTexts(index.read, batch.textIds)
      const answer = await match({ pattern, texts, shown: Math.max(0, pageEnd - total), budget }, rateLimitKey)
      for (const { id, fragments } of answer.found) lines.set(id, fragments)
      for (const file of batch.files) {
        const fragments = lines.get(file.textId)
        if (fragments === undefined) continue
        if (total >= paging.offset && total < pageEnd) items.push({ ...file, fragments })
        total++
      }
      if (answer.isIncomplete) return { items, total, isIncomplete: true, isCut: false }
      budget -= answer.spent
    }
    return { items, total, isIncomplete: isCut || !isIndexed, isCut }
  }

  return {
    /**
     * The matching files, by the full name of the repository and the path. `rateLimitKey` names whose share of the task
     * processes is used. Throws Invalid for a query that cannot be read, NotFound where code search is off.
     */
    async search(scope: SearchScope, sent: SentQuery, paging: Paging, rateLimitKey: string): Promise<CodeMatchPage> {
      if (index === undefined) throw errors.codeSearchOff()
      const search = { index, query: await readCodeQuery(sent), scope, paging, rateLimitKey }
      const { isCut, ...page } = await readMatches(search, limits)
      if (!isCut || page.total > 0) return page
      const { maxCandidates, maxBytes, budget } = limits
      const more = {
        maxCandidates: maxCandidates * SECOND_PASS_FACTOR,
        maxBytes: maxBytes * SECOND_PASS_FACTOR,
        budget,
      }
      return readMatches(search, more)
    },
  }
}
