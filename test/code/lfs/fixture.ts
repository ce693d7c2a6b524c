import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

export const TYPE = 'application/vnd.git-lfs+json'

interface LfsWorld {
  server: TestServer
  alice: Person
  bob: Person
  /** A private repository of alice. */
  secret: Repo
  /** A counter for names of repositories. */
  count: number
}

export const basic = (person: Person | undefined): Record<string, string> =>
  person ? { authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}` } : {}

export function sample(size = 50): { bytes: Buffer; oid: string; size: number } {
  const bytes = randomBytes(size)
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size }
}

/** A server for the tests of one `describe`, and requests to its LFS endpoints. */
export function useLfsServer() {
  const world = { count: 0 } as LfsWorld
  beforeAll(async () => {
    world.server = await startServer({
      settings: { 'lfs.max_file_size': '1000000' },
      tuning: { lfs: { maxBatchSize: 5, locksPerPage: 3 } },
    })
    world.alice = await world.server.world.user('alice')
    world.bob = await world.server.world.user('bob')
    world.secret = await world.server.world.repo({ owner: world.alice, name: 'secret', isPrivate: true })
  })
  afterAll(() => world.server.close())

  async function call(
    person: Person | undefined,
    method: string,
    path: string,
    ...[body, headers = {}]: [body?: unknown, headers?: Record<string, string>]
  ) {
    const response = await fetch(`${world.server.url}/${path}`, {
      method,
      headers: { accept: TYPE, ...(body !== undefined && { 'content-type': TYPE }), ...basic(person), ...headers },
      body:
        body === undefined
          ? null
          : typeof body === 'string' || body instanceof Uint8Array
            ? (body as string)
            : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (response.headers.get('content-type') ?? '').includes('json') ? JSON.parse(text) : undefined,
    }
  }

  const batch = (person: Person | undefined, repo: string, operation: string, objects: unknown) =>
    call(person, 'POST', `${repo}/info/lfs/objects/batch`, { operation, objects })
  const put = (
    person: Person | undefined,
    repo: string,
    { oid, size, bytes }: { oid: string; size: number; bytes: Uint8Array },
  ) => call(person, 'PUT', `${repo}/info/lfs/objects/${oid}/${size}`, bytes)
  const leftovers = () =>
    existsSync(join(world.server.dataDir, 'blobs', 'lfs', 'tmp'))
      ? readdirSync(join(world.server.dataDir, 'blobs', 'lfs', 'tmp'))
      : []

  return { world, call, batch, put, leftovers }
}
