import { openPostgresRun, type PostgresRun } from './databases/postgres-run.ts'
import { issueWriteEndpoints } from './issue-endpoints.ts'
import { creationEndpoint, listEndpoints, type Endpoint } from './endpoints.ts'
import type { Figure, Trial } from './figure.ts'
import { measureEndpoint, type EndpointResult } from './measure-endpoint.ts'
import { isChosen } from './options.ts'
import { pushLarge } from './push-large.ts'
import { say, type Run } from './run.ts'
import { FIRST_TRIALS, LAST_TRIALS, TRIALS } from './trials/index.ts'

export interface TargetResult {
  readonly name: string
  readonly endpoints: readonly EndpointResult[]
  readonly figures: readonly Figure[]
}

/** Measures what `--only` leaves in; the large repository is made and pushed when anything of that needs it. */
export async function measureTarget(run: Run): Promise<TargetResult> {
  const { options, target } = run
  const figures: Figure[] = []
  const chosen = (trials: readonly Trial[]): Trial[] =>
    trials.filter(({ names }) => names.some((name) => isChosen(options, name)))
  const read = listEndpoints(run).filter(({ name }) => isChosen(options, name))
  const write = [...issueWriteEndpoints(run), creationEndpoint(run)].filter(({ name }) => isChosen(options, name))
  const runTrials = async (trials: readonly Trial[]): Promise<void> => {
    for (const trial of chosen(trials)) {
      say(trial.names[0]!)
      figures.push(...(await trial.run(run)).filter(({ name }) => isChosen(options, name)))
    }
  }
  if ([...read, ...chosen([...FIRST_TRIALS, ...TRIALS, ...LAST_TRIALS])].some(({ needs }) => needs === 'large'))
    figures.push({ name: 'push of everything', measured: await pushLarge(run), unit: 'ms' })
  await runTrials(FIRST_TRIALS)
  const postgres = await besides(run, read)
  const endpoints: EndpointResult[] = []
  for (const endpoint of read) endpoints.push(await measureEndpoint(endpoint, run, postgres))
  await postgres?.run.tempDir.stop(postgres.run.own!.server.child)
  await runTrials(TRIALS)
  for (const endpoint of write) endpoints.push(await measureEndpoint(endpoint, run, undefined))
  await runTrials(LAST_TRIALS)
  return { name: target.name, endpoints, figures }
}

/** The run on PostgreSQL compared with that on SQLite, for the rows that both of them have. */
async function besides(run: Run, read: readonly Endpoint[]): Promise<PostgresRun | undefined> {
  if (run.own === undefined || !run.options.postgres || read.length === 0) return undefined
  const postgres = await openPostgresRun(
    run,
    read.map(({ name }) => name),
  )
  if (postgres === undefined) say('this machine has no PostgreSQL (Debian: apt install postgresql): SQLite alone')
  return postgres
}
