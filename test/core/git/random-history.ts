import fc from 'fast-check'
import { script, type ScriptCommit } from './fixture.ts'

const PATHS = ['a/x', 'a/y', 'a/deep/z', 'b/x', 'root', 'ä/ö', 'deleted']

export interface HistoryOptions {
  readonly seed: number
  readonly commits: number
  /** Commits whose time is not the order they were made in, as on machines with wrong clocks. */
  readonly isSkewed?: boolean
}

/**
 * A stream for fast-import with merges, merges of more than two, equal changes on both sides, deletions and returns.
 * Each commit is on a branch `b<number>` of its own; the first is on `main`.
 */
export function randomHistory({ seed, commits, isSkewed = false }: HistoryOptions): string {
  const random = fc.sample(fc.nat(), { seed, numRuns: commits * 4 })
  const first = Object.fromEntries(PATHS.map((path) => [path, '0']))
  const list: ScriptCommit[] = [{ branch: 'main', files: first }]
  for (let index = 1; index < commits; index++) {
    const [what, where, value, other] = random.slice(index * 4, index * 4 + 4) as [number, number, number, number]
    const path = [...PATHS, `a/new${value % 5}`, `top${value % 5}`][where % (PATHS.length + 2)]!
    const isDeleted = what % 7 === 0 && !['a/x', 'b/x'].includes(path) && index > 5
    const base = {
      branch: `b${index}`,
      from: `:${Math.max(1, index - (other % 3))}`,
      files: what % 11 === 0 ? {} : { [path]: isDeleted ? null : String(value % 3) },
      time: 1_700_000_000 + (isSkewed ? (value % commits) * 60 : Math.floor(index / 3) * 60),
    }
    const merged = [1 + (other % index), 1 + (value % index)].slice(0, what % 3).map((number) => `:${number}`)
    const merge = [...new Set(merged)].filter((mark) => mark !== base.from)
    list.push(index > 2 && what % 2 === 1 ? { ...base, merge } : base)
  }
  return script(list)
}
