import { callApi } from './api.ts'
import type { PostgresRun, RequestCounts } from './databases/postgres-run.ts'
import { listEndpoints, type Endpoint } from './endpoints.ts'
import { applyLoad, type Call } from './load/load.ts'
import { measureBare, sendCosted, type CostedLoad } from './load/yardsticks.ts'
import { say, type Run } from './run.ts'
import { shortNumber } from './table.ts'

/** What became of one endpoint: its load, or why there is none. */
export interface EndpointResult {
  readonly endpoint: Omit<Endpoint, 'next'>
  readonly load: CostedLoad | undefined
  /** The bare server just before: what a busy machine left to either. */
  readonly bare?: CostedLoad
  readonly absent: string | undefined
  /** The same request on PostgreSQL. */
  readonly postgres?: { readonly load: CostedLoad; readonly counts: RequestCounts | undefined }
}

const BRIEF_SECONDS = 1

/** An endpoint that the server does not have is no failure: it is asked once, then loaded. */
export async function measureEndpoint(
  { next, ...endpoint }: Endpoint,
  run: Run,
  postgres: PostgresRun | undefined,
): Promise<EndpointResult> {
  const result = await measure({ next, ...endpoint }, run, postgres)
  say(progress(result))
  return result
}

async function measure(
  { next, ...endpoint }: Endpoint,
  run: Run,
  postgres: PostgresRun | undefined,
): Promise<EndpointResult> {
  if (next === undefined) return { endpoint, load: undefined, absent: 'not on this server' }
  const absent = await whyAbsent(run, next())
  if (absent !== undefined) return { endpoint, load: undefined, absent }
  if (endpoint.varies) return { endpoint, load: await loadVarying(run, next), absent }
  const connections = endpoint.alone ? 1 : run.options.connections
  const bare = await measureBare(run.generator, run.bare, { seconds: BRIEF_SECONDS, connections })
  const load = await warmLoad(run, next(), connections)
  const twin = postgres && listEndpoints(postgres.run).find(({ name }) => name === endpoint.name)?.next
  if (postgres === undefined || twin === undefined) return { endpoint, load, bare, absent }
  const counts = postgres.counts.get(endpoint.name)
  return { endpoint, load, bare, absent, postgres: { load: await warmLoad(postgres.run, twin(), connections), counts } }
}

async function whyAbsent({ target }: Run, { method, url, headers, body }: Call): Promise<string | undefined> {
  const path = url.slice(`${target.url}/api/v1`.length)
  const { status } = await callApi(target.url, {
    method,
    path,
    headers,
    ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }),
  })
  return status === 404 || status === 405 || status === 501 ? `absent (${status})` : undefined
}

/** The load after one of a second, which fills caches and lets V8 compile. */
async function warmLoad({ generator, options, own }: Run, call: Call, connections: number): Promise<CostedLoad> {
  await generator.send({ seconds: BRIEF_SECONDS, connections, call })
  return sendCosted(generator, { seconds: options.seconds, connections, call }, own?.pids)
}

async function loadVarying({ options, own }: Run, next: () => Call): Promise<CostedLoad> {
  const { seconds, connections } = options
  const send = async () => ({
    ...(await applyLoad({ seconds, connections, next })),
    generatorShare: undefined,
    isGeneratorLimited: false,
  })
  return sendCosted({ name: 'Node client', send }, { seconds, connections, call: next() }, own?.pids)
}

function progress({ endpoint, load, bare, absent, postgres }: EndpointResult): string {
  if (load === undefined) return `${endpoint.name}: ${absent}`
  const beside = bare && !load.isGeneratorLimited ? `, ${shortNumber(load.perSecond / bare.perSecond)} H` : ''
  const other = postgres ? `; PostgreSQL ${shortNumber(postgres.load.perSecond)}/s` : ''
  return `${endpoint.name}: ${shortNumber(load.perSecond)}/s${beside}, p99 ${shortNumber(load.p99)} ms${other}`
}
