import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** NOTE: equals `Db` of database.ts, which imports this file. */
type Db = Kysely<Schema>

/**
 * Builds a statement. When it is built for reuse, the values are placeholders: it may pass them on but not inspect
 * them. Everything else that determines the SQL is in `shape`.
 */
export type BuildStatement<Values, Row, Shape extends string> = (
  db: Db,
  values: Values,
  shape: Shape,
) => Compilable<Row>

type AnyBuild = BuildStatement<never, unknown, never>
type Key = string

/**
 * Represents a value while a statement is built: a member of the values, an element of a list, or a member of one of a
 * list of rows.
 */
class Placeholder {
  readonly name: string
  readonly index: number | undefined
  readonly member: string | undefined

  constructor(name: string, index?: number, member?: string) {
    this.name = name
    this.index = index
    this.member = member
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a prepared statement inspects its value ${this.name}`)
  }
}

/** A page of a list. Longer lists are rare, and each length has its own SQL. */
const MAX_LIST = 50

/** The compiled statements of one database. Their number depends on the program, not on its data. */
export class PreparedStatements {
  readonly #byBuild = new Map<AnyBuild, Map<Key, CompiledQuery>>()

  /** The statement with these values; undefined if a list is too long. */
  compile<Values extends object, Row, Shape extends string>(
    db: Db,
    build: BuildStatement<Values, Row, Shape>,
    { values, shape }: { readonly values: Values; readonly shape: Shape },
  ): CompiledQuery<Row> | undefined {
    const key = keyOf(values, shape)
    if (key === undefined) return undefined
    let ofBuild = this.#byBuild.get(build)
    if (ofBuild === undefined) this.#byBuild.set(build, (ofBuild = new Map<Key, CompiledQuery>()))
    let kept = ofBuild.get(key)
    if (kept === undefined) ofBuild.set(key, (kept = build(db, placeholdersFor(values), shape).compile()))
    const { query, queryId, sql, parameters } = kept
    return { query, queryId, sql, parameters: parameters.map((parameter) => fill(parameter, values)) }
  }
}

type Members = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The names of the members, the lengths of lists and the members of their rows. */
function keyOf(values: object, shape: string): Key | undefined {
  let key = shape
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

const placeholdersFor = <Values extends object>(values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => {
      if (value === undefined) return [name, undefined]
      if (Array.isArray(value)) return [name, value.map((each, index) => placeholderInList(name, index, each))]
      return [name, new Placeholder(name)]
    }),
  ) as Values

function placeholderInList(name: string, index: number, value: unknown): unknown {
  if (!isRow(value)) return new Placeholder(name, index)
  return Object.fromEntries(Object.keys(value).map((member) => [member, new Placeholder(name, index, member)]))
}

function fill(parameter: unknown, values: object): unknown {
  // NOTE: on PostgreSQL a list is one parameter.
  if (Array.isArray(parameter)) return parameter.map((each) => fill(each, values))
  if (!(parameter instanceof Placeholder)) return parameter
  const { name, index, member } = parameter
  const value = (values as Members)[name]
  if (index === undefined) return value
  const each = (value as readonly unknown[])[index]
  return member === undefined ? each : (each as Members)[member]
}

const statementsOf = Symbol('prepared statements')

/** The same Db, for which `executePrepared` caches compiled statements. */
export const withPreparedStatements = <AnyDb extends object>(db: AnyDb, statements: PreparedStatements): AnyDb =>
  Object.assign(db, { [statementsOf]: statements })

/**
 * Runs a statement that is built and compiled once per database, which otherwise takes half of its time; returns its
 * rows. `build` must be a module-level function, not a closure created for the call. The caller must exclude empty
 * lists; all rows of a list of rows have the same members.
 */
export async function executePrepared<Values extends object, Row, Shape extends string = ''>(
  db: Db,
  build: BuildStatement<Values, Row, Shape>,
  values: Values,
  shape = '' as Shape,
): Promise<Row[]> {
  const statements = (db as { readonly [statementsOf]?: PreparedStatements })[statementsOf]
  const kept = statements?.compile(db, build, { values, shape })
  const { rows } = await db.executeQuery<Row>(kept ?? build(db, values, shape).compile())
  return rows
}
