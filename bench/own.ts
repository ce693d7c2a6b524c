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
  for (const script of ['./data/fill-lists.ts', './data/fill-issues.ts'])
    await tempDir.run(
      process.execPath,
      [fileURLToPath(new URL(script, import.meta.url)), dataDir, String(options.scale)],
      { env: { INGOT_DATABASE_URL: databaseUrl } },
    )
  return { dataDir, account }
}

/** A run on a server of this bench that has just started on filled data. */
export async function ownRun(
  bench: Bench,
  { dataDir, account }: FilledData,
  { server, pids }: { server: OwnServer; pids: readonly number[] },
): Promise<Run> {
  await waitForIdle(server.child.pid!)
  const target = { ...account, url: server.url, takePushTime: server.takePushTime }
  const stocked = await seed(target, 'run')
  const own = { server, dataDir, lists: listSize(bench.options.scale), memoryIdle: undefined, pids }
  return { ...bench, target, seed: stocked, own }
}

/** The run on SQLite, the database that a server has without settings. */
export async function openSqliteRun(bench: Bench): Promise<Run> {
  const { tempDir } = bench
  const data = await fillData(bench, 'sqlite', '')
  const memoryIdle = await measureIdle(tempDir, data.dataDir)
  const server = await startOwn(tempDir, { dataDir: data.dataDir })
  const run = await ownRun(bench, data, { server, pids: [server.child.pid!] })
  return { ...run, own: { ...run.own!, memoryIdle } }
}

/** On existing data: the first start of a new version compiles it, which later ones find done. */
async function measureIdle(tempDir: TempDir, dataDir: string): Promise<number> {
  const { child } = await startOwn(tempDir, { dataDir })
  await settle()
  const { now } = memoryOf(child.pid!)
  await tempDir.stop(child)
  return now
}
