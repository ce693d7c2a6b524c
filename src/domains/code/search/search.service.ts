import type { Core } from '../../../core/module.ts'
import type { SideDatabase } from '../../../core/db/side-database.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { type TaskKind, TaskError } from '../../../core/platform/isolation/index.ts'
import { type Page, pageOf, type Paging } from '../../../core/platform/paging.ts'
import { errors } from '../../errors.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import { type Candidate, listCandidates, loadTexts, type SearchScope } from './query/candidates.store.ts'
import { readCodeQuery, type SentQuery, type TextPattern } from './query/code-query.ts'
import type { Fragment, MatchAnswer, MatchQuestion } from './query/find-matches.ts'

/** A matching file. */
export interface CodeMatch extends Pick<Candidate, 'path' | 'oid' | 'branch' | 'language'> {
  readonly repo: Repo
  readonly fragments: readonly Fragment[]
}

export interface CodeMatchPage extends Page<CodeMatch> {
  /** A limit ended the search: there may be more matches than the total. */
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

export const SEARCH_LIMITS: CodeSearchLimits = { maxCandidates: 500, maxBytes: 8 * 1024 * 1024, budget: 1_000 }

const MATCHES: TaskKind<MatchQuestion, MatchAnswer> = {
  url: new URL('query/matches.task.ts', import.meta.url).href,
  deadline: 5_000,
}

interface CodeSearchDeps extends Pick<Core, 'database' | 'taskPool'> {
  /** Undefined where code search is off. */
  readonly index: SideDatabase | undefined
  readonly limits: CodeSearchLimits
}

export type CodeSearch = ReturnType<typeof createCodeSearch>

/** Search in the files of default branches (guide/code-search.md). */
export function createCodeSearch({ database, taskPool, index, limits }: CodeSearchDeps) {
  async function match(pattern: TextPattern, texts: readonly (string | Uint8Array)[], caller: string) {
    if (texts.length === 0) return { found: [], isIncomplete: false }
    try {
      return await taskPool.run(MATCHES, { pattern, texts, budget: limits.budget }, caller)
    } catch (error) {
      if (error instanceof TaskError && (error.reason === 'time' || error.reason === 'memory'))
        throw invalid('q: takes too long to search for')
      throw error
    }
  }

  /** Orders by repository and path, and leaves out what exceeds the limits. */
  async function choose(found: readonly Candidate[]): Promise<{ files: InRepo[]; isCut: boolean }> {
    const repos = await repoQueries.inOrder(database.read, [...new Set(found.map(({ repoId }) => repoId))])
    const byId = new Map(repos.map((repo) => [repo.id, repo]))
    const ordered = found
      .slice(0, limits.maxCandidates)
      .flatMap((candidate): InRepo[] => {
        const repo = byId.get(candidate.repoId)
        return repo === undefined ? [] : [{ ...candidate, repo }]
      })
      .toSorted((a, b) => compare(a.repo.fullName, b.repo.fullName) || compare(a.path, b.path))
    const texts = new Set<number>()
    let bytes = 0
    const files = ordered.filter(({ textId, size }) => {
      if (texts.has(textId)) return true
      if (bytes + size > limits.maxBytes) return false
      bytes += size
      texts.add(textId)
      return true
    })
    return { files, isCut: found.length > limits.maxCandidates || files.length < ordered.length }
  }

  return {
    /**
     * The matching files, by the full name of the repository and the path. `caller` is whose work it is. Throws Invalid
     * for a query that cannot be read, NotFound where code search is off.
     */
    async search(scope: SearchScope, sent: SentQuery, paging: Paging, caller: string): Promise<CodeMatchPage> {
      if (index === undefined) throw errors.codeSearchOff()
      const query = await readCodeQuery(sent)
      const { name: dialect } = database.dialect
      const found = await listCandidates(index.read, { query, scope, dialect, limit: limits.maxCandidates + 1 })
      const { files, isCut } = await choose(found)
      const texts = [...(await loadTexts(index.read, [...new Set(files.map(({ textId }) => textId))]))]
      const matched = await match(
        query.pattern,
        texts.map(([, text]) => text),
        caller,
      )
      const fragmentsOf = new Map(matched.found.map((fragments, at) => [texts[at]![0], fragments]))
      const matches = files.flatMap((file): CodeMatch[] => {
        const fragments = fragmentsOf.get(file.textId) ?? []
        return fragments.length === 0 ? [] : [{ ...file, fragments }]
      })
      return { ...pageOf(matches, paging), isIncomplete: isCut || matched.isIncomplete }
    },
  }
}

interface InRepo extends Candidate {
  readonly repo: Repo
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
