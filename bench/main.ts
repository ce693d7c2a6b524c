import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { putAway, signIn, signUp, stock } from './fill.ts'
import { makeLargeRepo, planLargeRepo, type LargeRepo } from './large-repo.ts'
import { listSize } from './list-size.ts'
import { waitForIdle } from './maintenance.ts'
import { measureTarget, type TargetResult } from './measure.ts'
import { HELP, readOptions, UsageError, type Options } from './options.ts'
import { say } from './place.ts'
import { memoryOf } from './process-tree.ts'
import { rest } from './maintenance.ts'
import { openWorkshop, type Workshop } from './processes.ts'
import { drawEndpoints, drawFigures, type Yardsticks } from './report.ts'
import { shortNumber } from './table.ts'
import { startOwn } from './target.ts'
import { measureBare, measureGit, startBare } from './yardsticks.ts'

interface Bench {
  readonly workshop: Workshop
  readonly options: Options
  readonly bareUrl: string
  readonly large: LargeRepo
  /** Makes the large repository unless it is there. */
  makeLarge(): Promise<void>
}

async function main(options: Options): Promise<void> {
  const workshop = openWorkshop()
  const interrupt = (): void => void workshop.close().then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    await bench(workshop, options)
  } finally {
    await workshop.close()
  }
}

async function bench(workshop: Workshop, options: Options): Promise<void> {
  const large = planLargeRepo(workshop, options.scale)
  let git: Yardsticks['git']
  const makeLarge = async (): Promise<void> => {
    if (git !== undefined) return
    say('making the large repository')
    await makeLargeRepo(workshop, large)
    git = await measureGit(workshop, large)
  }
  say('measuring the bare server')
  const bareUrl = await startBare(workshop)
  const bareBefore = await measureBare(bareUrl, options)
  const own = await measureOwn({ workshop, options, bareUrl, large, makeLarge })
  const other = options.compare && (await measureOther({ workshop, options, bareUrl, large, makeLarge }))
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
  const told = { ...options, only: options.only?.source, compare: options.compare?.url }
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ options: told, large, yardsticks, own, other }, undefined, 2)}\n`)
}

async function measureOwn({ workshop, options, bareUrl, large, makeLarge }: Bench): Promise<TargetResult> {
  const dataDir = join(workshop.dir, 'data')
  const lists = listSize(options.scale)
  say(`filling the server: ${lists.users} users, ${lists.repos} repositories, ${lists.ties} follows and stars`)
  const fresh = await startOwn(workshop, dataDir)
  const account = await signUp(fresh)
  await workshop.stop(fresh.child)
  const memoryIdle = await measureIdle(workshop, dataDir)
  await workshop.run(process.execPath, [
    fileURLToPath(new URL('./fill-lists.ts', import.meta.url)),
    dataDir,
    String(options.scale),
  ])
  const server = await startOwn(workshop, dataDir)
  await waitForIdle(server.child.pid!)
  const target = { ...account, url: server.url, takePushTime: server.takePushTime }
  const stocked = await stock(target, 'run')
  return measureTarget(
    { workshop, options, bareUrl, target, stock: stocked, large, own: { server, dataDir, lists, memoryIdle } },
    makeLarge,
  )
}

/** On existing data: the first start of a new version compiles it, which later ones find done. */
async function measureIdle(workshop: Workshop, dataDir: string): Promise<number> {
  const { child } = await startOwn(workshop, dataDir)
  await rest()
  const { now } = memoryOf(child.pid!)
  await workshop.stop(child)
  return now
}

async function measureOther({ workshop, options, bareUrl, large, makeLarge }: Bench): Promise<TargetResult> {
  say(`measuring ${options.compare!.url}`)
  const target = await signIn(options.compare!)
  const stocked = await stock(target, process.pid.toString(36))
  try {
    return await measureTarget({ workshop, options, bareUrl, target, stock: stocked, large, own: undefined }, makeLarge)
  } finally {
    await putAway(target, stocked)
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
