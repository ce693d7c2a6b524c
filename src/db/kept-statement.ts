import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** NOTE: `Db` of database.ts, which imports this file. */
type Db = Kysely<Schema>

/**
 * Builds a statement. Values are placeholders when it is built to be kept: it passes them on and looks at none of them.
 * What the text depends on beside its values is in `shape`.
 */
export type BuildStatement<Values, Row, Shape extends string> = (
  db: Db,
  values: Values,
  shape: Shape,
) => Compilable<Row>

type AnyBuild = BuildStatement<never, unknown, never>
type Key = string

/** Stands for a value while a statement is built: a member of the values, or one of a list of values. */
class Placeholder {
  readonly name: string
  readonly index: number | undefined

  constructor(name: string, index?: number) {
    this.name = name
    this.index = index
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`a kept statement looks at its value ${this.name}`)
  }
}

/** A page of a list. Longer lists are rare, and each length is a text of its own. */
const MAX_LIST = 50

/** The compiled statements of one database. It grows with the program, not with its data. */
export class KeptStatements {
  readonly #byBuild = new Map<AnyBuild, Map<Key, CompiledQuery>>()

  /** The statement with these values; undefined where a list of them is long. */
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

/** Which members there are, and how long the lists are. */
function keyOf(values: object, shape: string): Key | undefined {
  let key = shape
  for (const name in values) {
    const value = (values as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) continue
    key += ` ${name}`
    if (!Array.isArray(value)) continue
    if (value.length > MAX_LIST) return undefined
    key += value.length
  }
  return key
}

const placeholdersFor = <Values extends object>(values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => {
      if (value === undefined) return [name, undefined]
      if (Array.isArray(value)) return [name, value.map((_, index) => new Placeholder(name, index))]
      return [name, new Placeholder(name)]
    }),
  ) as Values

function fill(parameter: unknown, values: object): unknown {
  // NOTE: on PostgreSQL a list is one parameter.
  if (Array.isArray(parameter)) return parameter.map((each) => fill(each, values))
  if (!(parameter instanceof Placeholder)) return parameter
  const value = (values as Readonly<Record<string, unknown>>)[parameter.name]
  return parameter.index === undefined ? value : (value as readonly unknown[])[parameter.index]
}

const statementsOf = Symbol('kept statements')

/** The same Db, for which `runKept` keeps what it compiles. */
export const keepStatements = <AnyDb extends object>(db: AnyDb, statements: KeptStatements): AnyDb =>
  Object.assign(db, { [statementsOf]: statements })

/**
 * Runs a statement that is built and compiled once for each database, which otherwise takes half of its time; returns
 * its rows. `build` is a function of the module, not one made for the call. Empty lists are for the caller to exclude.
 */
export async function runKept<Values extends object, Row, Shape extends string = ''>(
  db: Db,
  build: BuildStatement<Values, Row, Shape>,
  values: Values,
  shape = '' as Shape,
): Promise<Row[]> {
  const statements = (db as { readonly [statementsOf]?: KeptStatements })[statementsOf]
  const kept = statements?.compile(db, build, { values, shape })
  const { rows } = await db.executeQuery<Row>(kept ?? build(db, values, shape).compile())
  return rows
}
