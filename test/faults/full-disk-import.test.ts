import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { type IngotProcess, startIngot } from '../harness/process.ts'
import { describeOnSmallDisk } from '../harness/small-disk.ts'
import { answers } from '../migration/forge-world.ts'
import { startUpstream, type Upstream } from '../migration/upstream.ts'

const FULL = 'the server has no room left on its disk; nothing was changed'
/** More than the disk has room for. */
const LARGE = 64 << 20

describeOnSmallDisk('an import on a full disk', ({ data }) => {
  let server: IngotProcess
  let upstream: Upstream

  beforeAll(async () => {
    upstream = await startUpstream()
    await upstream.create('o/app')
    await upstream.create('o/large')
    await upstream.run('o/large', 'config', 'core.compression', '0')
    writeFileSync(join(upstream.root, '..', 'work', 'o', 'large', 'large.bin'), randomBytes(LARGE))
    await upstream.commit('o/large', 'second.txt')
    upstream.routes.set('GET /api/v1/repos/o/app', answers({}))
    const assets = [{ name: 'large.bin', browser_download_url: `${upstream.url}/large.bin` }]
    upstream.routes.set(
      'GET /api/v1/repos/o/app/releases?page=1&limit=50',
      answers([{ tag_name: 'v1', name: 'One', draft: true, assets }]),
    )
    upstream.routes.set('GET /large.bin', (_, response) => void response.end(Buffer.alloc(LARGE, 'x')))
    server = await startIngot(data, ['--set', 'migrations.allowed_hosts=*'])
  }, 180_000)
  afterAll(async () => {
    await server.stop('SIGKILL')
    await upstream.close()
  })

  const api = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${server.password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const migrate = (repo: string, more: object = {}): Promise<Response> =>
    api('POST', '/repos/migrate', { clone_addr: `${upstream.url}/o/${repo}.git`, repo_name: 'copy', ...more })
  const filesIn = (folder: string): string[] =>
    readdirSync(join(data, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)

  it.each([
    ['commits', 'large', {}],
    ['a file of a release', 'app', { service: 'gitea', releases: true }],
  ])(
    'says so for %s, leaves nothing, and frees the name',
    async (_, repo, more) => {
      const failed = await migrate(repo, more)
      expect([failed.status, ((await failed.json()) as Any).message]).toEqual([507, FULL])
      expect((await api('GET', '/repos/admin/copy')).status).toBe(404)
      expect([...filesIn('git/repos'), ...filesIn('git/staging')]).toEqual([])
      const [begun] = (await (await api('GET', '/repos/migrations')).json()) as Any[]
      expect(begun).toMatchObject({ state: 'failed', error: FULL })
      expect((await migrate('app')).status).toBe(201)
      expect((await api('DELETE', '/repos/admin/copy')).status).toBe(204)
    },
    120_000,
  )
})
