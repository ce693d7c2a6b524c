import type { Selectable } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../../src/core/db/database.ts'
import type { Schema } from '../../src/core/db/schema.ts'
import type { EventKind, EventPayload } from '../../src/core/events/index.ts'

/** A test server, an app or a test database: whatever has the database of the test. */
export type WithDatabase =
  { readonly app: { readonly database: { readonly read: Db } } } | { readonly database: { readonly read: Db } }

type Row<Table extends keyof Schema> = Selectable<Schema[Table]>

const readOf = (from: WithDatabase): Db => ('app' in from ? from.app.database.read : from.database.read)

/** The rows of a table whose columns have these values, in the order of insertion where the table has an id. */
export async function rows<Table extends keyof Schema>(
  from: WithDatabase,
  table: Table,
  where: Partial<Row<Table>> = {},
): Promise<Row<Table>[]> {
  const all = (await readOf(from).selectFrom(table).selectAll().execute()) as unknown as Row<Table>[]
  const wanted = Object.entries(where) as [keyof Row<Table>, unknown][]
  const id = (row: Row<Table>): number => Number((row as { readonly id?: number }).id ?? 0)
  return all.filter((row) => wanted.every(([column, value]) => row[column] === value)).toSorted((a, b) => id(a) - id(b))
}

/** The only such row; fails the test when there are none or several. */
export async function row<Table extends keyof Schema>(
  from: WithDatabase,
  table: Table,
  where: Partial<Row<Table>> = {},
): Promise<Row<Table>> {
  const found = await rows(from, table, where)
  expect(found, `${table} with ${JSON.stringify(where)}`).toHaveLength(1)
  return found[0]!
}

/** An event as a test names it: its kind and the members of the payload that matter. */
export type ExpectedEvent = {
  readonly [Kind in EventKind]: readonly [kind: Kind, payload?: Partial<EventPayload<Kind>>]
}[EventKind]

/** Events written since the test's mark: of a repository, of an actor, or with an id above `after`. */
export interface EventFilter {
  readonly repoId?: number
  readonly actorId?: number
  readonly after?: number
}

/** Events that a timer writes at any time: they count only where a test expects them. */
const TIMED: ReadonlySet<string> = new Set<EventKind>(['user.signed_in'])

/** Expects exactly these events, in this order, among those that the filter selects. */
export async function expectEvents(
  from: WithDatabase,
  filter: EventFilter,
  expected: readonly ExpectedEvent[],
): Promise<void> {
  const { repoId, actorId, after = 0 } = filter
  const where = {
    ...(repoId !== undefined && { repo_id: repoId }),
    ...(actorId !== undefined && { actor_id: actorId }),
  }
  const isExpected = (kind: string): boolean => !TIMED.has(kind) || expected.some(([wanted]) => wanted === kind)
  const found = (await rows(from, 'event', where)).filter(({ id, kind }) => id > after && isExpected(kind))
  expect(found.map(({ kind }) => kind)).toEqual(expected.map(([kind]) => kind))
  for (const [index, [, payload = {}]] of expected.entries()) {
    expect(JSON.parse(found[index]!.payload)).toMatchObject(payload)
  }
}

/** The id of the newest event: a mark for `EventFilter.after`. */
export async function lastEventId(from: WithDatabase): Promise<number> {
  return (await rows(from, 'event')).at(-1)?.id ?? 0
}
