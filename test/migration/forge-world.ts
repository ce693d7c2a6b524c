import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** A server to import to, which takes release files of at most 1 MiB. */
interface ForgeWorld {
  readonly target: TestServer
  readonly tom: Person
}

/** The members exist while the tests of the describe block run. */
export function forgeWorld(settings: Record<string, string> = {}): ForgeWorld {
  const world = {} as ForgeWorld
  beforeAll(async () => {
    const target = await startServer({
      settings: { 'release.file_max_size': '1', ...settings },
      tuning: { importSleep: async () => {} },
    })
    Object.assign(world, { target, tom: await target.world.user('tom') } satisfies ForgeWorld)
  })
  afterAll(() => world.target.close())
  return world
}

/** A world with another git server, whose API answers as the documentation of a forge says. */
export function documentedForge(): ForgeWorld & { readonly upstream: Upstream } {
  const world = forgeWorld() as ForgeWorld & { readonly upstream: Upstream }
  beforeAll(async () => {
    const upstream = await startUpstream()
    Object.assign(world, { upstream })
    for (const name of ['group/sub/app', 'octo/app']) {
      await upstream.create(name)
      await upstream.run(name, 'tag', 'v1')
      await upstream.push(name)
    }
  })
  afterAll(() => world.upstream.close())
  afterEach(() => {
    world.upstream.routes.clear()
    world.upstream.credentials.clear()
  })
  return world
}

/** A route that answers with JSON. */
export const answers =
  (value: unknown, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

export const basicAuth = ({ name }: Person): string => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`

export const releasesOf = async (owner: Person, repo: string) =>
  (await owner.client.get(`/repos/${owner.name}/${repo}/releases`)).json

/** The text at an address, or the status if it is not 200. */
export async function bytesOf(reader: Person, url: string): Promise<string> {
  const answer = await fetch(url, { headers: { authorization: basicAuth(reader) } })
  return answer.status === 200 ? answer.text() : String(answer.status)
}
