import type { Compilable, CompiledQuery, Kysely, KyselyPlugin } from 'kysely'
import type { Schema } from './schema.ts'

/** NOTE: equals `Db` of database.ts, which imports this file. */
type Db = Kysely<Schema>

/**
 * The compiled statements of one database: a plugin, so that transactions have it too. Their number depends on the
 * program, not on its data.
 */
export class PreparedStatements implements KyselyPlugin {
  readonly byBuild = new Map<unknown, Map<string, CompiledQuery>>()

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node
  transformResult: KyselyPlugin['transformResult'] = ({ result }) => Promise.resolve(result)
}

/**
 * Defines a statement that is built and compiled once per database, which otherwise takes half of its time. Returns a
 * function that runs it and returns its rows. Must be called at module level: `build` captures no values.
 *
 * The values are placeholders when `build` runs: it may pass them on but not inspect them. Everything else that
 * determines the SQL is in `shape`. The caller must exclude empty lists; all rows of a list of rows have the same
 * members.
 */
export const defineQuery =
  <Values extends object, Row, Shape extends readonly string[]>(
    build: (db: Db, values: Values, ...shape: Shape) => Compilable<Row>,
  ) =>
  async (db: Db, values: Values, ...shape: Shape): Promise<Row[]> => {
    const compile = (given: object) => build(db, given as Values, ...shape).compile()
    const executor = db.getExecutor()
    const cache = executor.plugins.find((plugin) => plugin instanceof PreparedStatements)
    const key = keyOf(values, shape)
    if (cache === undefined || key === undefined) return (await db.executeQuery(compile(values))).rows
    const statement = cache.byBuild
      .getOrInsertComputed(build, () => new Map())
      .getOrInsertComputed(key, () => compile(placeholdersFor(values))) as CompiledQuery<Row>
    const parameters = statement.parameters.map((parameter) => fill(parameter, values))
    return (await executor.executeQuery<Row>({ ...statement, parameters, [defined]: true } as CompiledQuery<Row>)).rows
  }

type Members = Readonly<Record<string, unknown>>

/** Represents a value while a statement is built. */
class Placeholder {
  readonly name: string
  readonly type: string
  readonly valueIn: (values: Members) => unknown

  constructor(name: string, type: string, valueIn: (values: Members) => unknown) {
    this.name = name
    this.type = type
    this.valueIn = valueIn
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a prepared statement inspects its value ${this.name}`)
  }
}

/** True for a number and for a placeholder of one. */
export const isNumeric = (value: unknown): boolean =>
  value instanceof Placeholder ? value.type === 'number' : typeof value === 'number'

const defined = Symbol('defined statement')

/** True for a statement of `defineQuery`. Others, such as lists with filters, can be slow. */
export const isDefined = (query: CompiledQuery): boolean => defined in query

const isRow = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** A page of a list. Longer lists are rare, and each length has its own SQL. */
const MAX_LIST = 50

/** The shape, the names of the members, the lengths of lists and the members of their rows; undefined for long lists. */
function keyOf(values: object, shape: readonly string[]): string | undefined {
  let key = shape.join()
  for (const name in values) {
    const value = (values as Members)[name]
    if (value === undefined) continue
    key += ` ${name}`
    if (!Array.isArray(value)) continue
    if (value.length > MAX_LIST) return undefined
    key += value.length
    if (isRow(value[0])) key += ` (${Object.keys(value[0]).join()})`
  }
  return key
}

const mapMembers = (members: object, change: (value: unknown, name: string) => unknown): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]))

const placeholdersFor = (values: object): Members =>
  mapMembers(values, (value, name) => (value === undefined ? undefined : placeholderFor(value, name, (of) => of[name])))

function placeholderFor(value: unknown, name: string, valueIn: Placeholder['valueIn']): unknown {
  const within = (each: unknown, at: number | string) =>
    placeholderFor(each, name, (of) => (valueIn(of) as Members)[at])
  if (Array.isArray(value)) return value.map(within)
  return isRow(value) ? mapMembers(value, within) : new Placeholder(name, typeof value, valueIn)
}

function fill(parameter: unknown, values: object): unknown {
  // NOTE: on PostgreSQL a list is one parameter.
  if (Array.isArray(parameter)) return parameter.map((each) => fill(each, values))
  return parameter instanceof Placeholder ? parameter.valueIn(values as Members) : parameter
}
