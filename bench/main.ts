import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanup, signIn, signUp, seed } from './fill.ts'
import { makeLargeRepo, planLargeRepo, type LargeRepo } from './large-repo.ts'
import { listSize } from './list-size.ts'
import { waitForIdle } from './maintenance.ts'
import { measureTarget, type TargetResult } from './measure.ts'
import { HELP, readOptions, UsageError, type Options } from './options.ts'
import { say } from './run.ts'
import { memoryOf } from './process-tree.ts'
import { settle } from './maintenance.ts'
import { openTempDir, type TempDir } from './processes.ts'
import { drawEndpoints, drawFigures, type Yardsticks } from './report.ts'
import { shortNumber } from './table.ts'
import { startOwn } from './target.ts'
import { measureBare, measureGit, startBare } from './yardsticks.ts'

interface Bench {
  readonly tempDir: TempDir
  readonly options: Options
  readonly bareUrl: string
  readonly large: LargeRepo
  /** Makes the large repository unless it is there. */
  makeLarge(): Promise<void>
}

async function main(options: Options): Promise<void> {
  const tempDir = openTempDir()
  const interrupt = (): void => void tempDir.close().then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await bench(tempDir, options)
  } finally {
    await tempDir.close()
  }
}

async function bench(tempDir: TempDir, options: Options): Promise<void> {
  const large = planLargeRepo(tempDir, options.scale)
  let git: Yardsticks['git']
  const makeLarge = async (): Promise<void> => {
    if (git !== undefined) return
    say('making the large repository')
    await makeLargeRepo(tempDir, large)
    git = await measureGit(tempDir, large)
  }
  say('measuring the bare server')
  const bareUrl = await startBare(tempDir)
  const bareBefore = await measureBare(bareUrl, options)
  const own = await measureOwn({ tempDir, options, bareUrl, large, makeLarge })
  const other = options.compare && (await measureOther({ tempDir, options, bareUrl, large, makeLarge }))
  const bareAfter = await measureBare(bareUrl, options)
  // The better of the two: what else runs on the machine only ever slows H down.
  const yardsticks: Yardsticks = { h: Math.max(bareBefore, bareAfter), git }
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}; large repository: ${large.commits} commits, ${large.files} files, ${large.branches} branches, ${large.tags} tags`,
  )
  const times = Object.entries(git ?? {}).map(([command, ms]) => `; ${command}: ${shortNumber(ms)} ms`)
  console.log(
    `H = ${shortNumber(yardsticks.h)}/s (before ${shortNumber(bareBefore)}, after ${shortNumber(bareAfter)})${times.join('')}; ${options.connections} connections`,
  )
  for (const result of [own, ...(other ? [other] : [])])
    console.log(`\n${result.name}\n\n${drawEndpoints(result, yardsticks)}\n\n${drawFigures(result)}`)
  const reported = { ...options, only: options.only?.source, compare: options.compare?.url }
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      `${JSON.stringify({ options: reported, large, yardsticks, own, other }, undefined, 2)}\n`,
    )
}

async function measureOwn({ tempDir, options, bareUrl, large, makeLarge }: Bench): Promise<TargetResult> {
  const dataDir = join(tempDir.dir, 'data')
  const lists = listSize(options.scale)
  say(`filling the server: ${lists.users} users, ${lists.repos} repositories, ${lists.ties} follows and stars`)
  const fresh = await startOwn(tempDir, dataDir)
  const account = await signUp(fresh)
  await tempDir.stop(fresh.child)
  const memoryIdle = await measureIdle(tempDir, dataDir)
  await tempDir.run(process.execPath, [
    fileURLToPath(new URL('./fill-lists.ts', import.meta.url)),
    dataDir,
    String(options.scale),
  ])
  const server = await startOwn(tempDir, dataDir)
  await waitForIdle(server.child.pid!)
  const target = { ...account, url: server.url, takePushTime: server.takePushTime }
  const stocked = await seed(target, 'run')
  return measureTarget(
    { tempDir, options, bareUrl, target, seed: stocked, large, own: { server, dataDir, lists, memoryIdle } },
    makeLarge,
  )
}

/** On existing data: the first start of a new version compiles it, which later ones find done. */
async function measureIdle(tempDir: TempDir, dataDir: string): Promise<number> {
  const { child } = await startOwn(tempDir, dataDir)
  await settle()
  const { now } = memoryOf(child.pid!)
  await tempDir.stop(child)
  return now
}

async function measureOther({ tempDir, options, bareUrl, large, makeLarge }: Bench): Promise<TargetResult> {
  say(`measuring ${options.compare!.url}`)
  const target = await signIn(options.compare!)
  const stocked = await seed(target, process.pid.toString(36))
  try {
    return await measureTarget({ tempDir, options, bareUrl, target, seed: stocked, large, own: undefined }, makeLarge)
  } finally {
    await cleanup(target, stocked)
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) console.log(HELP)
  else await main(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}; --help shows the options`)
  process.exitCode = 2
}
