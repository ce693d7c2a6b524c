import pg from 'pg'
import {
  CompiledQuery,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  sql,
  type Dialect,
  type Driver,
  type PostgresPool,
  type QueryResult,
  type SqlBool,
  type DatabaseConnection,
  type TransactionSettings,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  TupleNode,
  ValueNode,
  type BinaryOperationNode,
  type LimitNode,
  type OffsetNode,
} from 'kysely'
import { BatchingSocket } from './batching-socket.ts'
import type { Cascade, DatabaseDialect, JsonColumns } from './dialect.ts'
import { KnownColumns, PostgresRead } from './postgres-read.ts'
import { codeOf, explain, isChangedResult, isLost, PostgresReads, type ReadClient } from './postgres-reads.ts'
import { isNumeric } from '../prepared-statement.ts'
import { boundedCache } from '../../platform/lru.ts'

const LIST_OPERATORS: Readonly<Record<string, { readonly one: string; readonly all: string }>> = {
  in: { one: '=', all: '= any' },
  'not in': { one: '<>', all: '<> all' },
}

/** NOTE: in a filter without an index PostgreSQL hashes only lists that it can see. */
const MAX_HIDDEN_LIST = 50

const isHidden = (values: readonly unknown[]): boolean =>
  values.length > 0 && values.length <= MAX_HIDDEN_LIST && values.every(isNumeric)

/**
 * Generates SQL that does not depend on the number of values, so that few statements are prepared: a list is one
 * parameter. For a list parameter the planner expects ten values, and plans shorter lists again at each execution:
 * lists of one value have their own SQL, and numbers are hidden from the planner in a query. Limits are written out:
 * the planner needs them, and there are few. For an offset parameter the planner expects to skip a tenth of all rows,
 * and plans first pages again at each execution.
 */
class PostgresCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node
    const list = OperatorNode.is(operator) ? LIST_OPERATORS[operator.operator] : undefined
    if (list === undefined || !PrimitiveValueListNode.is(rightOperand) || TupleNode.is(leftOperand))
      return super.visitBinaryOperation(node)
    this.visitNode(leftOperand)
    const { values } = rightOperand
    if (values.length === 1) {
      this.append(` ${list.one} `)
      this.appendValue(values[0])
      return
    }
    const [begin, end] = isHidden(values) ? ['((select ', '::bigint[])::bigint[])'] : ['(', ')']
    this.append(` ${list.all}${begin}`)
    this.appendValue([...values])
    this.append(end)
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) return super.visitLimit(node)
    this.append(`limit ${Number(limit.value)}`)
  }

  protected override visitOffset(node: OffsetNode): void {
    const { offset } = node
    if (ValueNode.is(offset) && offset.value === 0) this.append('offset 0')
    else super.visitOffset(node)
  }
}

const MAX_NAMES = 500
const MAX_SEEN = 2_000
/** An insert of many rows has different SQL for each number of rows. */
const MAX_PARAMETERS = 64

/**
 * Names of prepared statements, the same for every connection. SQL is named when it is sent for the second time. If
 * another process changes a table, PostgreSQL rejects stale statements, and `forget` renames all of them.
 */
class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #seen = boundedCache<string, true>(MAX_SEEN)
  #given = 0

  /** Undefined for SQL that is not worth preparing: the server keeps a statement until the connection ends. */
  nameOf(text: string, parameters: number): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (parameters === 0 && !text.startsWith('select')) return undefined
    if (parameters > MAX_PARAMETERS || this.#names.size === MAX_NAMES) return undefined
    if (this.#seen.get(text) === undefined) {
      this.#seen.set(text, true)
      return undefined
    }
    const name = `ingot_${++this.#given}`
    this.#names.set(text, name)
    return name
  }

  forget(): void {
    this.#names.clear()
  }
}

/** The connection of one transaction, which refuses statements once the transaction ends. */
class TransactionConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection
  /** The answer to `begin`. */
  begun: Promise<unknown> | undefined
  #hasEnded = false

  constructor(connection: DatabaseConnection) {
    this.connection = connection
  }

  end(): DatabaseConnection {
    this.#hasEnded = true
    return this.connection
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#hasEnded) throw new Error('the transaction has ended')
    return this.connection.executeQuery(query)
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('rows are read in pages, not streamed')
  }
}

/**
 * Transactions, on connections in pipeline mode: the first statement is sent without waiting for the answer to `begin`,
 * which saves a round trip. NOTE: `begin` fails only if its connection does, and then everything after it fails too.
 */
class PostgresWrites implements Driver {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  async acquireConnection(): Promise<TransactionConnection> {
    return new TransactionConnection(await this.#driver.acquireConnection())
  }

  async beginTransaction(connection: TransactionConnection, settings: TransactionSettings): Promise<void> {
    if (settings.isolationLevel !== undefined || settings.accessMode !== undefined)
      return this.#driver.beginTransaction(connection.connection, settings)
    connection.begun = connection.executeQuery(CompiledQuery.raw('begin'))
    connection.begun.catch(() => {})
  }

  async commitTransaction(connection: TransactionConnection): Promise<void> {
    await connection.begun
    await this.#driver.commitTransaction(connection.end())
  }

  rollbackTransaction(connection: TransactionConnection): Promise<void> {
    return this.#driver.rollbackTransaction(connection.end())
  }

  releaseConnection(connection: TransactionConnection): Promise<void> {
    return this.#driver.releaseConnection(connection.end())
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

const INT8 = 20
const NUMERIC = 1700
const UNIQUE_VIOLATION = '23505'
const MISSING_REFERENCE = '23503'
/** serialization_failure and deadlock_detected: nothing of the transaction remains. */
const RETRYABLE_CODES = new Set(['40001', '40P01'])

/** In milliseconds; 0 for no limit. */
export interface PostgresSettings {
  readonly maxConnections: number
  readonly statementTimeoutMs: number
}

const CONNECT_MS = 10_000
/** Longer than the server's own limit, in case the server died silently. */
const SILENCE_MS = 5_000

/**
 * NOTE: JIT compilation takes seconds where the estimated cost of a short query is high, and it is on by default. The
 * default cost of a random page is that of a disk with moving heads: it made short lists scan tables.
 */
const START_OPTIONS = '-c jit=off -c random_page_cost=1.1'

/**
 * A PostgreSQL server: a third of the connections for reads, the others for transactions. A lost connection is replaced
 * at the next query.
 */
export function postgresDialect(
  url: string,
  { maxConnections, statementTimeoutMs }: PostgresSettings,
): DatabaseDialect {
  const statements = new StatementNames()
  const base = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
    types: plainNumbers(),
    options: START_OPTIONS,
    stream: () => new BatchingSocket(),
    statements,
    Client: PreparingClient,
  }
  const limits =
    statementTimeoutMs === 0
      ? {}
      : { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + SILENCE_MS }
  const maxReads = Math.ceil(maxConnections / 3)
  return {
    name: 'postgres',
    hasOneWriter: false,
    chunkSize: 5000,
    connect<T>() {
      const pooled = (config: pg.PoolConfig): Driver =>
        new PostgresDriver({ pool: handleIdleErrors(new pg.Pool(config)) })
      const openReader = (): ReadClient => new PreparingClient({ ...base, ...limits, pipeline: true })
      const read = new Kysely<T>({ dialect: kyselyDialect(() => new PostgresReads(openReader, maxReads)) })
      const writes = { ...base, ...limits, pipeline: true, max: maxConnections - maxReads }
      const write = new Kysely<T>({ dialect: kyselyDialect(() => new PostgresWrites(pooled(writes))) })
      const slow = { ...base, max: 2, idleTimeoutMillis: 1 }
      const noTimeout = new Kysely<T>({ dialect: kyselyDialect(() => pooled(slow)) })
      return {
        read,
        write,
        noTimeout,
        version: undefined,
        log: undefined,
        close: async () => void (await Promise.all([read, write, noTimeout].map((each) => each.destroy()))),
      }
    },
    isRetryable: (error) => RETRYABLE_CODES.has(codeOf(error)) || isChangedResult(error),
    isUniqueViolation: (error) => codeOf(error) === UNIQUE_VIOLATION,
    isMissingReference: (error) => codeOf(error) === MISSING_REFERENCE,
    // NOTE: rows that refer to a locked row may still be added.
    lockRows: (query) => query.forNoKeyUpdate(),
    lockToDelete: (query) => query.forUpdate(),
    lockFreeRows: (query) => query.forUpdate().skipLocked(),
    jsonRows<Row>(json: string, columns: JsonColumns<Row>) {
      const types = Object.entries(columns).map(([name, type]) => sql`${sql.id(name)} ${sql.raw(String(type))}`)
      return sql<Row>`json_to_recordset(${json}::json)`.as<'rows'>(sql`rows(${sql.join(types)})`)
    },
    // NOTE: "offset 0" prevents that the planner merges the query into the outer one.
    checkEach: ({ tables, condition }) => ({
      tables: sql`lateral (select 1 from ${tables} where ${condition} offset 0) as checked`,
      condition: sql<SqlBool>`1 = 1`,
    }),
    rowAddress: 'ctid',
    async listCascades(db) {
      const { rows } =
        await sql<Cascade>`select child.relname as "table", attribute.attname as "column", parent.relname as parent
        from pg_constraint as c
        join pg_class as child on child.oid = c.conrelid
        join pg_class as parent on parent.oid = c.confrelid
        join pg_attribute as attribute on attribute.attrelid = c.conrelid and attribute.attnum = c.conkey[1]
        where c.contype = 'f' and c.confdeltype = 'c' and cardinality(c.conkey) = 1
          and child.relnamespace = current_schema()::regnamespace order by 1, 2`.execute(db)
      return rows
    },
    async openSide({ read, write, noTimeout }, { postgres }) {
      for (const statement of postgres) await sql.raw(statement).execute(noTimeout)
      return { read, write, close: async () => {} }
    },
    now: ({ read }) => timeOf(read),
    snapshot: ({ read }) => snapshotOf(read),
    async openTransactions({ read }) {
      const { rows } = await sql<{ oldest: string; next: string }>`
        select pg_snapshot_xmin(now)::text as oldest, pg_snapshot_xmax(now)::text as next
        from pg_current_snapshot() as now`.execute(read)
      const { oldest, next } = rows[0]!
      return { oldest: BigInt(oldest), next: BigInt(next) }
    },
    async checkIntegrity({ read }) {
      await sql`select 1`.execute(read)
    },
    copyTo: async () => false,
  }
}

async function timeOf<T>(read: Kysely<T>): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(read)
  return rows[0]!.ms
}

/**
 * NOTE: a snapshot names the transactions that have ended; read-only transactions have no id and do not change it. The
 * start time is included because a server restored from a backup may assign ids again.
 */
async function snapshotOf<T>(read: Kysely<T>): Promise<string> {
  const { rows } = await read.executeQuery(SNAPSHOT)
  return rows[0]!.snapshot
}

const SNAPSHOT = CompiledQuery.raw(
  "select concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time()) as snapshot",
) as CompiledQuery<{ snapshot: string }>

const kyselyDialect = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresCompiler(),
})

/**
 * Prepares repeated statements. NOTE: a connection that the server closes emits an error, idle or in use; without a
 * listener the process would end.
 */
class PreparingClient extends pg.Client {
  readonly #statements: StatementNames | undefined
  readonly #columns: KnownColumns
  isLost = false

  constructor(config?: pg.ClientConfig & { readonly statements?: StatementNames }) {
    super(config)
    this.#columns = new KnownColumns(config?.types ?? pg.types)
    this.#statements = config?.statements
    this.on('error', () => {})
  }

  override query(...args: unknown[]): never {
    const answer: unknown = Reflect.apply(super.query, this, this.#prepared(args))
    return (answer instanceof Promise ? answer.catch((error: unknown) => this.#explain(error)) : answer) as never
  }

  /** The rows of a read. */
  read(text: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly unknown[]>()
    const statement = { name: this.#statements?.nameOf(text, values.length), text, values }
    super.query(new PostgresRead(this.#columns, statement, (error, rows) => (error ? reject(error) : resolve(rows))))
    return promise.catch((error: unknown) => this.#explain(error))
  }

  #prepared(args: unknown[]): unknown[] {
    const [text, values] = args
    if (typeof text !== 'string' || !Array.isArray(values)) return args
    const name = this.#statements?.nameOf(text, values.length)
    return name === undefined ? args : [{ name, text, values }]
  }

  #explain(error: unknown): never {
    this.isLost ||= isLost(error)
    if (isChangedResult(error)) this.#statements?.forget()
    return explain(error)
  }
}

function handleIdleErrors(pool: pg.Pool): PostgresPool {
  pool.on('error', () => {})
  return {
    connect: () => pool.connect().catch(explain),
    end: () => pool.end(),
    options: pool.options,
    Client: PreparingClient,
  } as unknown as PostgresPool
}

/** Every integer of the schema fits a double, so bigint columns and counts are parsed as numbers. */
function plainNumbers(): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
  } as pg.CustomTypesConfig
}
