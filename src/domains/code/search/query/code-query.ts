import { invalid } from '../../../../core/platform/errors.ts'
import { compileSafeFinder } from '../../../../core/platform/patterns/safe-regexp.ts'
import { requiredLiterals } from './required-literals.ts'

type SearchMode = 'substring' | 'word' | 'regexp'

/** A pattern that every matching text contains. */
export interface TextPattern {
  readonly mode: SearchMode
  readonly isCaseSensitive: boolean
  /** All of them must occur. One expression in the mode `regexp`. */
  readonly terms: readonly string[]
}

export interface CodeQuery {
  readonly pattern: TextPattern
  /** Texts that occur in every match, in either case; for the index. */
  readonly literals: readonly string[]
  /** All of them must occur in the path; one that begins with a slash, at its begin. */
  readonly paths: readonly string[]
  /** Names; one of them, unless there are none. */
  readonly languages: readonly string[]
  /** Full names; one of them, unless there are none. */
  readonly repos: readonly string[]
}

/** The query as the client sent it. */
export interface SentQuery {
  readonly q: string
  readonly mode: string
  readonly isCaseSensitive: boolean
  readonly path: string
  readonly lang: string
  readonly repo: string
}

const MAX_PARTS = 10
const FILTER = /(?<=^|\s)(path|lang|repo|branch):("[^"]*"|\S+)/g
const TERM = /"([^"]+)"|(\S+)/g
const MODES: readonly string[] = ['substring', 'word', 'regexp'] satisfies SearchMode[]

/** Throws Invalid, which names the member. */
export async function readCodeQuery(sent: SentQuery): Promise<CodeQuery> {
  const { mode, isCaseSensitive } = sent
  if (!isMode(mode)) throw invalid('mode: must be substring, word or regexp')
  const filters = [...sent.q.matchAll(FILTER)].map(([, name, value]) => ({ name, value: value!.replaceAll('"', '') }))
  if (filters.some(({ name }) => name === 'branch'))
    throw invalid('q: branch: is not supported, because only default branches are indexed')
  const valuesOf = (name: string, parameter: string): string[] =>
    atMost(name, [...filters.filter((filter) => filter.name === name).map(({ value }) => value), parameter])
  const text = sent.q.replaceAll(FILTER, '').trim()
  const terms = atMost('q', mode === 'regexp' ? [text] : termsOf(text))
  if (terms.length === 0) throw invalid('q: must have a text to search for')
  if (mode === 'regexp' && (await compileSafeFinder(text, !isCaseSensitive)) === undefined)
    throw invalid('q: is not an expression in the syntax of RE2, or too large')
  return {
    pattern: { mode, isCaseSensitive, terms },
    literals: mode === 'regexp' ? requiredLiterals(text) : terms,
    paths: valuesOf('path', sent.path),
    languages: valuesOf('lang', sent.lang),
    repos: valuesOf('repo', sent.repo),
  }
}

const isMode = (mode: string): mode is SearchMode => MODES.includes(mode)

const termsOf = (text: string): string[] => [...text.matchAll(TERM)].map(([, quoted, word]) => quoted ?? word!)

function atMost(name: string, values: readonly string[]): string[] {
  const given = values.filter((value) => value !== '')
  if (given.length > MAX_PARTS) throw invalid(`${name}: has more than ${MAX_PARTS} parts`)
  return given
}
