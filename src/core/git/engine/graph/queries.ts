import { countSides, difference, mergeBases, type SideCounts, within } from './ancestors.ts'
import { type LastChanges, lastChanges } from './directory-walk.ts'
import { firstOf, logOf, type LogRange } from './path-log.ts'
import type { RepoView } from './repo-view.ts'
import type { Walk } from './walk.ts'

interface Window {
  readonly skip: number
  readonly limit: number
}

interface Page {
  /** Of all commits, on the page or not. */
  readonly total: number
  readonly commits: readonly string[]
}

/** What is asked of the history of one repository, and what the answer is. Ids are full and hexadecimal. */
export interface GraphQueries {
  /** The last change of every entry of a directory; its path has no slashes at its ends. */
  readonly lastChanges: {
    readonly query: { readonly commit: string; readonly directory: string }
    readonly answer: LastChanges
  }
  /** The newest commit of the range; empty: none. */
  readonly first: { readonly query: LogRange; readonly answer: string }
  readonly log: { readonly query: LogRange & Window; readonly answer: Page }
  /** What `tip` has and all of `not` lack. */
  readonly difference: {
    readonly query: Window & { readonly tip: string; readonly not: readonly string[] }
    readonly answer: Page
  }
  /** Those of the tips that the history of `base` contains. */
  readonly within: {
    readonly query: { readonly base: string; readonly tips: readonly string[] }
    readonly answer: readonly string[]
  }
  /** The newest first; none: the histories are unrelated. */
  readonly mergeBases: {
    readonly query: { readonly left: string; readonly right: string }
    readonly answer: readonly string[]
  }
  readonly sides: { readonly query: { readonly left: string; readonly right: string }; readonly answer: SideCounts }
}

type GraphQueryKind = keyof GraphQueries
type Answering<K extends GraphQueryKind> = (
  view: RepoView,
  query: GraphQueries[K]['query'],
) => Walk<GraphQueries[K]['answer']>

const ANSWERS: { readonly [K in GraphQueryKind]: Answering<K> } = {
  lastChanges: (view, { commit, directory }) => lastChanges(view, commit, directory),
  *first(view, range) {
    return (yield* firstOf(view, range)) ?? ''
  },
  *log(view, { skip, limit, ...range }) {
    return page(view, yield* logOf(view, range), { skip, limit })
  },
  *difference(view, { skip, limit, tip, not }) {
    return page(view, yield* difference(view, tip, not), { skip, limit })
  },
  within: (view, { base, tips }) => within(view, base, tips),
  mergeBases: (view, { left, right }) => mergeBases(view, left, right),
  sides: (view, { left, right }) => countSides(view, left, right),
}

function page({ commits }: RepoView, all: Int32Array, { skip, limit }: Window): Page {
  const shown = all.subarray(skip, skip + limit)
  return { total: all.length, commits: Array.from(shown, (position) => commits.id(position)) }
}

/** Answers in steps, so that several walks can take turns. */
export function answer<K extends GraphQueryKind>(
  view: RepoView,
  kind: K,
  query: GraphQueries[K]['query'],
): Walk<GraphQueries[K]['answer']> {
  return ANSWERS[kind](view, query)
}
