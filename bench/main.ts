import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { putAway, signIn, signUp, stock } from './fill.ts'
import { makeLargeRepo, type LargeRepo } from './large-repo.ts'
import { median } from './load.ts'
import { measureTarget, type TargetResult } from './measure.ts'
import { HELP, readOptions, UsageError, type Options } from './options.ts'
import { openWorkshop, type Workshop } from './processes.ts'
import { drawEndpoints, drawFigures, type OwnFigures, type Yardsticks } from './report.ts'
import { memoryOf, startOwn } from './target.ts'
import { measureBare, measureGitInit, measureGitLog } from './yardsticks.ts'
import { shortNumber } from './table.ts'

const STARTS = 5

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
  say('making the large repository')
  const large = await makeLargeRepo(workshop, options.scale)
  console.log(`${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}; large repository: ${large.commits} commits, ${large.files} files, ${large.branches} branches, ${large.tags} tags`)
  say('measuring the yardsticks')
  const bareBefore = await measureBare(workshop, options)
  const git = { gitLog: await measureGitLog(workshop, large.path), gitInit: await measureGitInit(workshop) }
  const own = await measureOwn(workshop, options, large)
  const other = options.compare && (await measureOther(workshop, options, large))
  const bareAfter = await measureBare(workshop, options)
  // The better of the two: what else runs on the machine only ever slows H down.
  const yardsticks: Yardsticks = { h: Math.max(bareBefore.perSecond, bareAfter.perSecond), ...git }
  const { h, gitLog, gitInit } = yardsticks
  console.log(`H = ${shortNumber(h)}/s (before ${shortNumber(bareBefore.perSecond)}, after ${shortNumber(bareAfter.perSecond)}); git log -30: ${shortNumber(gitLog)} ms; git init --bare: ${shortNumber(gitInit)} ms; ${options.connections} connections`)
  print(own.result, yardsticks, own.figures)
  if (other) print(other, yardsticks, undefined)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ options: { ...options, compare: options.compare?.url }, large, yardsticks, own, other }, undefined, 2)}\n`)
}

async function measureOwn(workshop: Workshop, options: Options, large: LargeRepo): Promise<{ result: TargetResult; figures: OwnFigures }> {
  const dataDir = join(workshop.dir, 'data')
  say('filling the server')
  const server = await startOwn(workshop, dataDir)
  const memoryIdle = memoryOf(server.child.pid!).now
  const target = await signUp(server)
  const stocked = await stock(target, 'run')
  say('pushing and measuring')
  const result = await measureTarget(workshop, { target, stock: stocked, large }, options)
  const memory = memoryOf(server.child.pid!)
  await workshop.stop(server.child)
  say('measuring the start')
  const starts: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const again = await startOwn(workshop, dataDir)
    starts.push(again.firstAnswerMs)
    await workshop.stop(again.child)
  }
  return { result, figures: { startUp: median(starts), memoryIdle, memoryAfter: memory.now, memoryPeak: memory.peak } }
}

async function measureOther(workshop: Workshop, options: Options, large: LargeRepo): Promise<TargetResult> {
  say(`measuring ${options.compare!.url}`)
  const target = await signIn(options.compare!)
  const stocked = await stock(target, process.pid.toString(36))
  try {
    return await measureTarget(workshop, { target, stock: stocked, large }, options)
  } finally {
    await putAway(target, stocked.made)
  }
}

function print(result: TargetResult, yardsticks: Yardsticks, own: OwnFigures | undefined): void {
  console.log(`\n${result.name}\n\n${drawEndpoints(result, yardsticks)}\n\n${drawFigures(result, yardsticks, own)}`)
}

/** Progress goes to standard error, so that the table can be kept alone. */
function say(what: string): void {
  console.error(`[${Math.round(performance.now() / 1000)} s] ${what}`)
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
