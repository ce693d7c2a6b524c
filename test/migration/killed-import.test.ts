import { readdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../core/git/wire/client.ts'
import { startIngot, temporaryFolder, type Folder } from '../harness/process.ts'
import { pointerOf, randomFile } from '../code/lfs/large-file.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let upstream: Upstream
let folder: Folder

beforeAll(async () => {
  upstream = await startUpstream()
  folder = temporaryFolder()
})
afterAll(async () => {
  await upstream.close()
  folder.remove()
})

type Route = (request: IncomingMessage, response: ServerResponse) => void
const answers =
  (value: unknown): Route =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

it('leaves neither rows, git data nor files when the server is killed between large files', async () => {
  await upstream.create('o/app')
  const files = [randomFile(), randomFile()]
  for (const [index, file] of files.entries())
    writeFileSync(join(upstream.root, '..', 'work', 'o', 'app', `large${index}.bin`), pointerOf(file))
  await upstream.run('o/app', 'tag', 'v1')
  await upstream.commit('o/app', 'second.txt')
  await upstream.create('o/app.wiki')

  const reached = Promise.withResolvers<void>()
  let isCut = true
  const { routes, url } = upstream
  routes.set('GET /api/v1/repos/o/app', answers({ description: 'd', topics: ['t'] }))
  routes.set(
    'GET /api/v1/repos/o/app/releases?page=1&limit=50',
    answers([{ tag_name: 'v1', assets: [{ name: 'a.txt', browser_download_url: `${url}/a.txt` }] }]),
  )
  routes.set('GET /api/v1/repos/o/app/releases?page=2&limit=50', answers([]))
  routes.set('GET /a.txt', (_, response) => void response.end('of a release'))
  routes.set(
    'POST /o/app.git/info/lfs/objects/batch',
    answers({
      objects: files.map(({ oid, bytes }, index) => ({
        oid,
        size: bytes.length,
        actions: { download: { href: `${url}/large/${index}` } },
      })),
    }),
  )
  routes.set('GET /large/0', (_, response) => void response.end(files[0]!.bytes))
  routes.set('GET /large/1', (_, response) => {
    if (!isCut) return response.end(files[1]!.bytes)
    response.writeHead(200).write(files[1]!.bytes.subarray(0, 10))
    return reached.resolve()
  })

  const data = join(folder.path, 'data')
  const start = () => startIngot(data, ['--set', 'migrations.allowed_hosts=*'])
  const filesIn = (...path: string[]): string[] => {
    try {
      return readdirSync(join(data, ...path), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    } catch (error) {
      // A folder that goes while it is read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return ['changing']
    }
  }
  const first = await start()
  const headers = {
    authorization: `Basic ${Buffer.from(`admin:${first.password}`).toString('base64')}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({
    clone_addr: `${url}/o/app.git`,
    repo_name: 'cut',
    service: 'gitea',
    releases: true,
    wiki: true,
    lfs: true,
  })
  const answer = fetch(`${first.url}/api/v1/repos/migrate`, { method: 'POST', headers, body }).catch(() => undefined)
  await reached.promise
  await until('the first large file to be stored', () => filesIn('blobs', 'lfs').includes(files[0]!.oid), 30_000)
  await first.stop('SIGKILL')
  expect(await answer).toBeUndefined()
  expect([filesIn('git', 'repos').includes('HEAD'), filesIn('blobs', 'attachments').length]).toEqual([true, 1])

  const second = await start()
  try {
    await until(
      'the leftovers to go',
      () =>
        [
          filesIn('git', 'repos'),
          filesIn('git', 'staging'),
          filesIn('blobs', 'lfs'),
          filesIn('blobs', 'attachments'),
        ].every((found) => found.length === 0),
      30_000,
    )
    expect((await fetch(`${second.url}/api/v1/repos/admin/cut`, { headers })).status).toBe(404)
    isCut = false
    const again = await fetch(`${second.url}/api/v1/repos/migrate`, { method: 'POST', headers, body })
    expect([again.status, await again.json()]).toMatchObject([
      201,
      { description: 'd', topics: ['t'], release_counter: 1 },
    ])
    expect(filesIn('blobs', 'lfs').toSorted()).toEqual(files.map(({ oid }) => oid).toSorted())
  } finally {
    await second.stop()
  }
}, 90_000)

it('resumes an asynchronous import where the server was killed, without doubles', async () => {
  await upstream.create('o/resumed')
  const { routes, url } = upstream
  const reached = Promise.withResolvers<void>()
  let isCut = true
  const labels = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `label${from + index}`, color: 'ff0000' }))
  routes.set('GET /api/v1/repos/o/resumed', answers({ description: 'd', topics: ['t'] }))
  routes.set('GET /api/v1/repos/o/resumed/labels?page=1&limit=50', answers(labels(0, 50)))
  routes.set('GET /api/v1/repos/o/resumed/labels?page=2&limit=50', (request, response) => {
    if (!isCut) return answers(labels(50, 7))(request, response)
    return reached.resolve()
  })
  routes.set('GET /api/v1/repos/o/resumed/labels?page=3&limit=50', answers([]))
  const own = temporaryFolder()
  const start = () => startIngot(join(own.path, 'data'), ['--set', 'migrations.allowed_hosts=*'])
  try {
    const first = await start()
    const headers = {
      authorization: `Basic ${Buffer.from(`admin:${first.password}`).toString('base64')}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({
      clone_addr: `${url}/o/resumed.git`,
      repo_name: 'resumed',
      service: 'gitea',
      auth_token: 'secret-token',
      labels: true,
    })
    const begun = await fetch(`${first.url}/api/v1/repos/migrate?async=true`, { method: 'POST', headers, body })
    expect(begun.status).toBe(202)
    const { id } = (await begun.json()) as { readonly id: number }
    await reached.promise
    await first.stop('SIGKILL')

    isCut = false
    const second = await start()
    try {
      const json = async (path: string) => (await fetch(`${second.url}/api/v1${path}`, { headers })).json()
      await until('the import to end', async () => (await json(`/repos/migrations/${id}`)).state !== 'running', 60_000)
      expect(await json(`/repos/migrations/${id}`)).toMatchObject({
        state: 'done',
        error: '',
        done: { facts: 1, labels: 57 },
      })
      expect(await json('/repos/admin/resumed')).toMatchObject({ description: 'd', topics: ['t'], empty: false })
      const names = [
        ...(await json('/repos/admin/resumed/labels?limit=50&page=1')),
        ...(await json('/repos/admin/resumed/labels?limit=50&page=2')),
      ].map(({ name }: { readonly name: string }) => name)
      expect(names.toSorted()).toEqual(
        labels(0, 57)
          .map(({ name }) => name)
          .toSorted(),
      )
      // By the first phase before the server was killed, and at the end.
      expect(upstream.requests.filter((path) => path === 'GET /api/v1/repos/o/resumed')).toHaveLength(2)
    } finally {
      await second.stop()
    }
  } finally {
    own.remove()
  }
}, 120_000)
