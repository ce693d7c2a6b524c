import { callApi } from './api.ts'
import { listEndpoints, repoCreation, type Endpoint, type Place } from './endpoints.ts'
import { applyLoad, type Load } from './load.ts'
import type { Options } from './options.ts'
import type { Workshop } from './processes.ts'
import { measureTransfers, pushAll, type Transfers } from './transfers.ts'

/** What became of one endpoint: its load, or why there is none. */
export interface EndpointResult {
  readonly endpoint: Pick<Endpoint, 'name' | 'shareOfH' | 'against'>
  readonly load: Load | undefined
  readonly absent: string | undefined
}

export interface TargetResult {
  readonly name: string
  readonly endpoints: readonly EndpointResult[]
  /** p50 of creating a repository with auto_init, one at a time, in ms. */
  readonly createAlone: number | undefined
  readonly pushAll: number
  readonly transfers: Transfers
}

export async function measureTarget(workshop: Workshop, place: Place, options: Options): Promise<TargetResult> {
  const pushed = await pushAll(workshop, place)
  const endpoints: EndpointResult[] = []
  for (const endpoint of listEndpoints(place)) endpoints.push(await measureEndpoint(endpoint, place, options))
  const canCreate = endpoints.at(-1)?.load !== undefined
  const alone = canCreate ? await applyLoad({ seconds: options.seconds, connections: 1, next: repoCreation(place.target, place.stock) }) : undefined
  return { name: place.target.name, endpoints, createAlone: alone?.p50, pushAll: pushed, transfers: await measureTransfers(workshop, place) }
}

/** An endpoint that the server does not have is no failure: it is asked once, then loaded. */
async function measureEndpoint({ next, ...endpoint }: Endpoint, { target }: Place, { seconds, connections }: Options): Promise<EndpointResult> {
  if (next === undefined) return { endpoint, load: undefined, absent: 'no password known' }
  const { method, url, headers, body } = next()
  const path = url.slice(`${target.url}/api/v1`.length)
  const { status } = await callApi(target.url, { method, path, headers, ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }) })
  if (status === 404 || status === 405 || status === 501) return { endpoint, load: undefined, absent: `absent (${status})` }
  return { endpoint, load: await applyLoad({ seconds, connections, next }), absent: undefined }
}
