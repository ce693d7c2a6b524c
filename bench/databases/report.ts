import type { CostedLoad } from '../load/yardsticks.ts'
import type { EndpointResult } from '../measure-endpoint.ts'
import type { RequestCounts } from './postgres-run.ts'
import { drawTable, shortNumber, yesNo } from '../table.ts'

/** Minimum share of the rate on SQLite. */
const LEAST_SHARE = 0.5

const HEAD = [
  'endpoint',
  'SQLite/s',
  'PostgreSQL/s',
  'ratio',
  'SQLite CPU us',
  'PostgreSQL CPU us',
  'failed',
  'queries',
  'parsed',
  'round trips',
  'after a commit',
  'target',
  'reached',
]

/** Both databases side by side, or undefined where none of the rows was measured on both. */
export function drawDatabases(rows: readonly EndpointResult[]): string | undefined {
  const both = rows.filter(({ load, postgres }) => load !== undefined && postgres !== undefined)
  return both.length === 0 ? undefined : drawTable(HEAD, both.map(cells))
}

function cells({ endpoint, load, postgres }: EndpointResult): string[] {
  const { load: other, counts } = postgres!
  return [
    endpoint.name,
    ...rateCells(load!, other),
    other.failures === 0 ? '' : `${other.failures}/${other.requests}`,
    ...(counts ? countCells(counts) : ['', '', '', '']),
    `>= ${LEAST_SHARE}${endpoint.roundTrips === undefined ? '' : `, <= ${endpoint.roundTrips} trips`}`,
    yesNo(isReached(load!, postgres!, endpoint.roundTrips)),
  ]
}

const countCells = ({ again, afterCommit }: RequestCounts): string[] =>
  [again.queries, again.parsed, again.roundTrips, afterCommit.roundTrips].map(String)

const isLimited = (...loads: CostedLoad[]): boolean => loads.some(({ isGeneratorLimited }) => isGeneratorLimited)

const rateCells = (sqlite: CostedLoad, other: CostedLoad): string[] => [
  shortNumber(sqlite.perSecond),
  shortNumber(other.perSecond),
  isLimited(sqlite, other) ? 'generator' : shortNumber(other.perSecond / sqlite.perSecond),
  shortNumber(sqlite.cpu),
  shortNumber(other.cpu),
]

function isReached(
  sqlite: CostedLoad,
  { load, counts }: NonNullable<EndpointResult['postgres']>,
  trips = Infinity,
): boolean | undefined {
  if (isLimited(sqlite, load)) return undefined
  return (
    load.perSecond >= LEAST_SHARE * sqlite.perSecond && (counts?.again.roundTrips ?? 0) <= trips && load.failures === 0
  )
}
