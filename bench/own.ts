import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seed, signUp } from './data/fill.ts'
import { issueSize } from './data/issue-size.ts'
import { listSize } from './data/list-size.ts'
import { say, type Bench, type Run } from './run.ts'
import { settle, waitForIdle } from './system/maintenance.ts'
import { memoryOf } from './system/process-tree.ts'
import type { TempDir } from './system/processes.ts'
import { startOwn, type OwnServer, type Target } from './system/target.ts'

/** A data directory with users and lists, whose server is not running. */
export interface FilledData {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly workers: number
  readonly account: Omit<Target, 'url' | 'takePushTime'>
}

/** Makes the data directory `name`; `databaseUrl` is empty for SQLite. */
export async function fillData(
  { tempDir, options }: Pick<Bench, 'tempDir' | 'options'>,
  name: string,
  databaseUrl: string,
): Promise<FilledData> {
  const dataDir = join(tempDir.dir, name)
  const lists = listSize(options.scale)
  say(
    `filling ${name}: ${lists.users} users, ${lists.repos} repositories, ${lists.ties} follows and stars, ${issueSize(options.scale).issues} issues`,
  )
  const fresh = await startOwn(tempDir, { dataDir, databaseUrl })
  const account = await signUp(fresh)
  await tempDir.stop(fresh.child)
  const fillBy = (script: string, ...more: readonly string[]): Promise<number> =>
    tempDir.run(
      process.execPath,
      [fileURLToPath(new URL(script, import.meta.url)), dataDir, String(options.scale), ...more],
      { env: { INGOT_DATABASE_URL: databaseUrl }, isEchoed: true },
    )
  await fillBy('./data/fill-lists.ts')
  if (options.throughApi) {
    const server = await startOwn(tempDir, { dataDir, databaseUrl, workers: options.workers })
    await fillBy('./data/post-issues.ts', server.url)
    await tempDir.stop(server.child)
  } else await fillBy('./data/fill-issues.ts')
  return { dataDir, databaseUrl, workers: options.workers, account }
}

/** A run on a server of this bench that has just started on filled data. */
export async function ownRun(
  bench: Bench,
  { dataDir, databaseUrl, account }: FilledData,
  { server, pids }: { server: OwnServer; pids: readonly number[] },
): Promise<Run> {
  await waitForIdle(server.child.pid!)
  const target = { ...account, url: server.url, takePushTime: server.takePushTime }
  const stocked = await seed(target, 'run')
  const lists = listSize(bench.options.scale)
  const own = { server, dataDir, databaseUrl, lists, memoryIdle: undefined, pids }
  return { ...bench, target, seed: stocked, own }
}

/** What the servers of a run store rows in. */
export interface OwnDatabase {
  /** Empty for SQLite, the database that a server has without settings. */
  readonly url: string
  /** Processes other than the server whose CPU time a request costs. */
  readonly pids: readonly number[]
  /** Called once the rows of lists are there. */
  filled?(): Promise<void>
}

/** The run on a database of its own. */
export async function openOwnRun(bench: Bench, database: OwnDatabase = { url: '', pids: [] }): Promise<Run> {
  const { tempDir } = bench
  const data = await fillData(bench, database.url === '' ? 'sqlite' : 'postgresql', database.url)
  await database.filled?.()
  const memoryIdle = await measureIdle(tempDir, data)
  const server = await startOwn(tempDir, data)
  const run = await ownRun(bench, data, { server, pids: [server.child.pid!, ...database.pids] })
  return { ...run, own: { ...run.own!, memoryIdle } }
}

/** On existing data: the first start of a new version compiles it, which later ones find done. */
async function measureIdle(tempDir: TempDir, data: FilledData): Promise<number> {
  const { child } = await startOwn(tempDir, data)
  await settle()
  const { now } = memoryOf(child.pid!)
  await tempDir.stop(child)
  return now
}
