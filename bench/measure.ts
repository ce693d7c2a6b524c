import { callApi, gitLogin } from './api.ts'
import { creationEndpoint, listEndpoints, type Endpoint } from './endpoints.ts'
import type { Figure, Trial } from './figure.ts'
import { applyLoad, type Load } from './load.ts'
import { waitForMaintenance } from './maintenance.ts'
import { isChosen } from './options.ts'
import { gitUrl, say, type Run } from './run.ts'
import { measureBare } from './yardsticks.ts'
import { FIRST_TRIALS, LAST_TRIALS, TRIALS } from './trials/index.ts'

/** What became of one endpoint: its load, or why there is none. */
export interface EndpointResult {
  readonly endpoint: Omit<Endpoint, 'next'>
  readonly load: Load | undefined
  /** The bare server just before and after, the better of both, requests/s: what a busy machine left to either. */
  readonly bare?: number
  readonly absent: string | undefined
}

export interface TargetResult {
  readonly name: string
  readonly endpoints: readonly EndpointResult[]
  readonly figures: readonly Figure[]
}

/** Measures what `--only` leaves in; `makeLarge` is called before when anything of that needs the large repository. */
export async function measureTarget(run: Run, makeLarge: () => Promise<void>): Promise<TargetResult> {
  const { options, target } = run
  const endpoints: EndpointResult[] = []
  const figures: Figure[] = []
  const chosen = (trials: readonly Trial[]): Trial[] =>
    trials.filter(({ names }) => names.some((name) => isChosen(options, name)))
  const read = listEndpoints(run).filter(({ name }) => isChosen(options, name))
  const write = [creationEndpoint(run)].filter(({ name }) => isChosen(options, name))
  const runTrials = async (trials: readonly Trial[]): Promise<void> => {
    for (const trial of chosen(trials)) {
      say(trial.names[0]!)
      figures.push(...(await trial.run(run)).filter(({ name }) => isChosen(options, name)))
    }
  }
  const load = async (list: readonly Endpoint[]): Promise<void> => {
    if (list.length > 0) say(`endpoints from ${list[0]!.name} to ${list.at(-1)!.name}`)
    for (const endpoint of list) endpoints.push(await measureEndpoint(endpoint, run))
  }
  if ([...read, ...chosen([...FIRST_TRIALS, ...TRIALS, ...LAST_TRIALS])].some(({ needs }) => needs === 'large')) {
    await makeLarge()
    say('pushing the large repository')
    figures.push({ name: 'push of everything', measured: await pushAll(run), unit: 'ms' })
    await waitForMaintenance(run)
  }
  await runTrials(FIRST_TRIALS)
  await load(read)
  await runTrials(TRIALS)
  await load(write)
  await runTrials(LAST_TRIALS)
  return { name: target.name, endpoints, figures }
}

/** Pushes everything; gives the wall time in ms. */
function pushAll(run: Run): Promise<number> {
  const { tempDir, target, seed, large } = run
  return tempDir.run(
    'git',
    ['push', '--quiet', gitUrl(run, seed.large), 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'],
    { cwd: large.path, env: gitLogin(target) },
  )
}

const BARE_SHARE = 0.2

/** An endpoint that the server does not have is no failure: it is asked once, then loaded. */
async function measureEndpoint(
  { next, ...endpoint }: Endpoint,
  { target, options, bareUrl }: Run,
): Promise<EndpointResult> {
  if (next === undefined) return { endpoint, load: undefined, absent: 'not on this server' }
  const { method, url, headers, body } = next()
  const path = url.slice(`${target.url}/api/v1`.length)
  const { status } = await callApi(target.url, {
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }),
  })
  if (status === 404 || status === 405 || status === 501)
    return { endpoint, load: undefined, absent: `absent (${status})` }
  const connections = endpoint.alone ? 1 : options.connections
  const brief = { seconds: options.seconds * BARE_SHARE, connections }
  const before = await measureBare(bareUrl, brief)
  const load = await applyLoad({ seconds: options.seconds, connections, next })
  return { endpoint, load, bare: Math.max(before, await measureBare(bareUrl, brief)), absent: undefined }
}
