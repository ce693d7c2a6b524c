import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { cleanup, seed, signIn } from './data/fill.ts'
import { copyGivenRepo } from './data/given-repo.ts'
import { makeLargeRepo, planLargeRepo } from './data/large-repo.ts'
import { openMainRun } from './databases/postgres-run.ts'
import { drawDatabases } from './databases/report.ts'
import { chooseGenerator } from './load/generator.ts'
import { WRK_MISSING } from './load/wrk.ts'
import { measureBare, measureGit, startBare } from './load/yardsticks.ts'
import { measureTarget, type TargetResult } from './measure.ts'
import { modelTables } from './model/report.ts'
import { drawNodes, measureNodes } from './nodes/index.ts'
import { HELP, readOptions, UsageError, type Options } from './options.ts'
import { describeYardsticks, drawEndpoints, drawFigures, type Yardsticks } from './report.ts'
import { say, type Bench } from './run.ts'
import type { Attack } from './stalls/attack.ts'
import { chosenAttacks, drawStalls, measureStalls } from './stalls/measure.ts'
import { openTempDir, type TempDir } from './system/processes.ts'

async function main(options: Options): Promise<void> {
  const tempDir = openTempDir()
  const interrupt = (): void => void tempDir.close().then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const attacks = chosenAttacks(options)
    if (options.only?.source === 'model') model(options)
    else if (options.only?.source === 'nodes') await nodes(tempDir, options)
    else if (attacks.length === 0) await bench(tempDir, options)
    else await stalls(tempDir, options, attacks)
  } finally {
    await tempDir.close()
  }
}

async function bench(tempDir: TempDir, options: Options): Promise<void> {
  const { large: given } = options
  const large = given === undefined ? planLargeRepo(tempDir, options.scale) : await copyGivenRepo(tempDir, given)
  let git: Yardsticks['git']
  const makeLarge = async (): Promise<void> => {
    if (git !== undefined) return
    say('making the large repository')
    if (given === undefined) await makeLargeRepo(tempDir, large, options.scale)
    git = await measureGit(tempDir, large)
  }
  const [busy] = loadavg()
  if (busy! > cpus().length / 2)
    say(`${busy!.toFixed(1)} processes of others want the ${cpus().length} processors: go by the ratios by CPU time`)
  const generator = await chooseGenerator(tempDir)
  if (generator.name !== 'wrk') say(WRK_MISSING)
  say('measuring the bare server and the ceiling of the generator')
  const ceilingServer = await startBare(tempDir, 'ceiling-server.ts')
  const ceiling = await measureBare(generator, ceilingServer, options)
  const bare = await startBare(tempDir, 'bare-server.ts')
  const before = await measureBare(generator, bare, options)
  const common: Bench = { tempDir, options, generator, bare, large, makeLarge }
  const own = await measureTarget(await openMainRun(common))
  const other = options.compare && (await measureOther(common))
  const after = await measureBare(generator, bare, options)
  const yardsticks: Yardsticks = {
    generator: generator.name,
    bare: [before, after],
    ceiling: ceiling.generatorShare === undefined ? undefined : ceiling,
    git,
  }
  print({ options, large, yardsticks, own, other })
}

/** Attacks alone: they leave no server that other figures could be measured on. */
async function stalls(tempDir: TempDir, options: Options, attacks: readonly Attack[]): Promise<void> {
  const measured = await measureStalls(tempDir, attacks)
  printAlone(options, drawStalls(measured), { stalls: measured })
}

async function nodes(tempDir: TempDir, options: Options): Promise<void> {
  const measured = await measureNodes(tempDir, options)
  printAlone(options, drawNodes(measured), { nodes: measured })
}

function model(options: Options): void {
  const { text, figures } = modelTables()
  printAlone(options, text, { model: figures })
}

function printAlone({ json }: Options, table: string, figures: unknown): void {
  console.log(table)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, undefined, 2)}\n`)
}

interface Outcome {
  readonly options: Options
  readonly large: Bench['large']
  readonly yardsticks: Yardsticks
  readonly own: TargetResult
  readonly other: TargetResult | undefined
}

function print({ options, large, yardsticks, own, other }: Outcome): void {
  console.log(
    `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}, ${options.connections} connections; large repository: ${large.commits} commits, ${large.files} files, ${large.branches} branches, ${large.tags} tags`,
  )
  console.log(describeYardsticks(yardsticks))
  for (const result of [own, ...(other ? [other] : [])])
    console.log(`\n${result.name}\n\n${drawEndpoints(result, yardsticks)}\n\n${drawFigures(result)}`)
  const databases = drawDatabases(own.endpoints)
  if (databases !== undefined) console.log(`\nboth databases\n\n${databases}`)
  const database = options.database instanceof URL ? 'postgres://...' : options.database
  const reported = { ...options, database, only: options.only?.source, compare: options.compare?.url }
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      `${JSON.stringify({ options: reported, large, yardsticks, own, other }, undefined, 2)}\n`,
    )
}

async function measureOther(common: Bench): Promise<TargetResult> {
  const { url, token } = common.options.compare!
  say(`measuring ${url}`)
  const target = await signIn({ url, token })
  const stocked = await seed(target, process.pid.toString(36))
  try {
    return await measureTarget({ ...common, target, seed: stocked, own: undefined })
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
