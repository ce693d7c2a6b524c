import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../test/harness/postgres.ts'
import { callApi } from '../api.ts'
import { listEndpoints, type Endpoint } from '../endpoints.ts'
import { UsageError } from '../options.ts'
import { fillData, openOwnRun, type OwnDatabase, ownRun } from '../own.ts'
import { pushLarge } from '../push-large.ts'
import { say, type Bench, type Run } from '../run.ts'
import type { TempDir } from '../system/processes.ts'
import { waitForIdle } from '../system/maintenance.ts'
import { startOwn } from '../system/target.ts'
import { openCountingProxy, type CountingProxy, type QueryCounts } from './counting-proxy.ts'

/** What one request asks PostgreSQL. */
export interface RequestCounts {
  /** Queries of a server that has answered the request before. */
  readonly again: QueryCounts
  /** Queries right after a commit, when nothing is cached. */
  readonly afterCommit: QueryCounts
}

/** The same data on PostgreSQL, and what requests ask it. */
export interface PostgresRun {
  readonly run: Run
  /** Counts by the name of the endpoint. */
  readonly counts: ReadonlyMap<string, RequestCounts>
}

const DATABASE = 'ingot'

/**
 * A PostgreSQL server and an Ingot server on it, filled as the one on SQLite is; undefined where the machine has no
 * PostgreSQL. The requests for `chosen` are counted by a proxy, without which the server starts again for the load.
 */
export async function openPostgresRun(bench: Bench, chosen: readonly string[]): Promise<PostgresRun | undefined> {
  const { tempDir } = bench
  const database = await startDatabase(tempDir)
  if (database === undefined) return undefined
  const { url: databaseUrl, pids } = database
  const data = await fillData(bench, 'postgresql', databaseUrl)
  await analyse(databaseUrl)
  const proxy = await openCountingProxy(databaseUrl)
  const counted = await startOwn(tempDir, { dataDir: data.dataDir, databaseUrl: proxy.url })
  const filled = await ownRun(bench, data, { server: counted, pids: [] })
  const endpoints = listEndpoints(filled).filter(({ name }) => chosen.includes(name))
  if (endpoints.some(({ needs }) => needs === 'large')) await pushLarge(filled)
  await waitForIdle(counted.child.pid!)
  say('counting the queries of a request on PostgreSQL')
  const counts = await countRequests(endpoints, filled.target.url, { proxy, databaseUrl })
  await tempDir.stop(counted.child)
  await proxy.close()

  const server = await startOwn(tempDir, data)
  const target = { ...filled.target, url: server.url, takePushTime: server.takePushTime }
  const own = { ...filled.own!, server, pids: [server.child.pid!, ...pids] }
  return { run: { ...filled, target, own }, counts }
}

/** The run of everything on PostgreSQL, where the options ask for it. */
export async function openMainRun(bench: Bench): Promise<Run> {
  const { database } = bench.options
  if (database === 'sqlite') return openOwnRun(bench)
  const chosen = database === 'postgres' ? await startDatabase(bench.tempDir) : { url: database.href, pids: [] }
  if (chosen === undefined) throw new UsageError('--database postgres: this machine has no PostgreSQL')
  return openOwnRun(bench, { ...chosen, filled: () => analyse(chosen.url) })
}

/** A new database on a PostgreSQL server that ends with the run; undefined where the machine has no PostgreSQL. */
export async function startDatabase(tempDir: TempDir): Promise<OwnDatabase | undefined> {
  const dir = join(tempDir.dir, 'postgres', 'data')
  // Another account than that of the run serves PostgreSQL.
  chmodSync(tempDir.dir, 0o711)
  const postgres = await startPostgres(dir)
  if (postgres === undefined) return undefined
  tempDir.beforeClose(() => postgres.stop())
  await postgres.createDatabase(DATABASE)
  const postmaster = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0])
  return { url: `${postgres.url}/${DATABASE}`, pids: [postmaster] }
}

/** What autovacuum would do some minutes later. */
async function analyse(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

const REPEATS = 6
const QUIET_MS = 30

async function countRequests(
  endpoints: readonly Endpoint[],
  url: string,
  { proxy, databaseUrl }: { readonly proxy: CountingProxy; readonly databaseUrl: string },
): Promise<Map<string, RequestCounts>> {
  const counts = new Map<string, RequestCounts>()
  const other = new pg.Client(databaseUrl)
  await other.connect()
  const commit = async (): Promise<void> => void (await other.query('select pg_current_xact_id()'))
  for (const { name, next } of endpoints) {
    if (next === undefined) continue
    const call = next()
    const ask = (): Promise<unknown> =>
      callApi(url, { path: call.url.slice(`${url}/api/v1`.length), headers: call.headers })
    counts.set(name, {
      again: await countQueries(proxy, async () => {}, ask),
      afterCommit: await countQueries(proxy, commit, ask),
    })
  }
  await other.end()
  return counts
}

/** The fewest of some requests: the work of the server's own, such as looking for jobs, adds to others. */
async function countQueries(
  proxy: CountingProxy,
  before: () => Promise<void>,
  ask: () => Promise<unknown>,
): Promise<QueryCounts> {
  const seen: QueryCounts[] = []
  for (let i = 0; i < REPEATS; i++) {
    await before()
    await sleep(QUIET_MS)
    proxy.take()
    await ask()
    seen.push(proxy.take())
  }
  return seen.reduce((fewest, one) => (one.queries < fewest.queries ? one : fewest))
}
