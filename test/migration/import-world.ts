import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** A server to import to, and another git server with the repository `src` and its wiki. */
interface ImportWorld {
  readonly server: TestServer
  readonly upstream: Upstream
  readonly ann: Person
  readonly bob: Person
  /** A site administrator. */
  readonly root: Person
  /** HTTP address of `src`, which has two branches and a tag. */
  readonly address: string
}

/** The members exist while the tests of the describe block run. */
export function importWorld(): ImportWorld {
  const world = {} as ImportWorld
  beforeAll(async () => {
    const server = await startServer()
    const upstream = await startUpstream()
    Object.assign(world, {
      server,
      upstream,
      ann: await server.world.user('ann'),
      bob: await server.world.user('bob'),
      root: await server.world.admin(),
      address: `${upstream.url}/src.git`,
    } satisfies ImportWorld)
    await upstream.create('src')
    await upstream.run('src', 'tag', '-am', 'first', 'v1')
    await upstream.run('src', 'branch', 'side')
    await upstream.push('src')
    await upstream.create('src.wiki')
  })
  afterAll(async () => {
    await world.server.close()
    await world.upstream.close()
  })
  afterEach(() => {
    world.upstream.login = undefined
    world.upstream.redirects.clear()
    world.upstream.before = () => {}
  })
  return world
}

export const migrate = (person: Person, body: object) => person.client.post('/repos/migrate', body)

/** Bare repositories on the disk of a server. */
export const storedRepos = ({ dataDir }: TestServer): string[] =>
  readdirSync(join(dataDir, 'git', 'repos'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.git'))

/** Repositories that are being fetched. */
export const stagedRepos = ({ dataDir }: TestServer): string[] => readdirSync(join(dataDir, 'git', 'staging'))

/** Bytes of attachments, and large files, on the disk of a server. */
export const storedFiles = ({ dataDir }: TestServer): string[] =>
  ['attachments', 'lfs']
    .map((name) => join(dataDir, 'blobs', name))
    .filter((dir) => existsSync(dir))
    .flatMap((dir) => readdirSync(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
