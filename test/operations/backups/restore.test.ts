import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GIT_ENV } from '../../harness/git-env.ts'
import { openBackupBucket } from '../../../src/app/storage.ts'
import { loadConfig } from '../../../src/core/config/index.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { bucketDestination } from '../../../src/domains/operations/backups/destinations/destination-claim.ts'
import { directoryDestination } from '../../../src/domains/operations/backups/destinations/directory-destination.ts'
import { listSeries } from '../../../src/domains/operations/index.ts'
import { restore } from '../../../src/domains/operations/index.ts'
import {
  runCommand,
  serveHere,
  startIngot,
  temporaryFolder,
  type Folder,
  type IngotProcess,
} from '../../harness/process.ts'
import { type S3Request, startS3 } from '../../harness/s3-server.ts'
import { asFlags, bucketSettings } from '../../core/blobs/fixture.ts'

const run = promisify(execFile)
const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (
    await run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args], { cwd, env: GIT_ENV })
  ).stdout.trim()

let folder: Folder
let copy: string
let server: IngotProcess
let authorization: string
beforeAll(async () => {
  folder = temporaryFolder()
  copy = join(folder.path, 'copy')
  mkdirSync(copy)
  server = await startIngot(join(folder.path, 'data'), settings())
  authorization = `Basic ${Buffer.from(`admin:${server.password}`).toString('base64')}`
})
afterAll(async () => {
  await server.stop('SIGKILL')
  folder.remove()
})

const settings = (): string[] =>
  ['server.workers=2', 'backup.kind=local', `backup.directory=${copy}`, 'backup.files_interval=1'].flatMap(
    (setting) => ['--set', setting],
  )

async function call(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization, 'content-type': type },
    ...(body === undefined ? {} : { body }),
  })
  expect(answer.status, `${method} ${path}`).toBeLessThan(300)
  return answer
}
const api = (method: string, path: string, body?: object): Promise<Response> =>
  call(method, `/api/v1${path}`, body && JSON.stringify(body))

/** Resolves when database and files are copied up to now. */
async function copied(): Promise<number> {
  await api('POST', '/repos/admin/r/issues', { title: 'last' })
  const now = Date.now()
  // A commit, whose segment says that everything before it is there.
  await api('PATCH', '/repos/admin/r', { description: `at ${now}` })
  const isCopied = async (): Promise<boolean> => {
    const files = /"until":(\d+)/.exec(readFileSync(join(copy, 'files/covered.json'), 'latin1'))?.[1]
    return Number(files) > now && ((await listSeries(directoryDestination(copy))).at(-1)?.to ?? 0) > now
  }
  await expect.poll(() => isCopied().catch(() => false), { timeout: 20_000, interval: 50 }).toBe(true)
  return Date.now()
}

const push = async (work: string, text: string): Promise<string> => {
  await git(work, 'commit', '--allow-empty', '-m', text)
  await git(
    work,
    '-c',
    `http.extraHeader=Authorization: ${authorization}`,
    'push',
    '-q',
    `${server.url}/admin/r.git`,
    'HEAD:main',
  )
  return git(work, 'rev-parse', 'HEAD')
}
const column = (data: string, query: string): string[] => {
  const database = new Sqlite(join(data, 'ingot.db'), { readonly: true })
  try {
    return database.prepare<[], string>(query).pluck().all()
  } finally {
    database.close()
  }
}
const titles = (data: string): string[] => column(data, 'select title from issue order by id')
const repoPath = (data: string): string =>
  join(data, 'git/repos', `${column(data, "select storage from repo where name = 'r'")[0]}.git`)

it('a killed server is restored with everything that was copied, or to a point in time', async () => {
  const work = join(folder.path, 'work')
  await api('POST', '/user/repos', { name: 'r', default_branch: 'main' })
  await git(folder.path, 'init', '-q', '-b', 'main', work)
  await api('POST', '/repos/admin/r/issues', { title: 'first' })
  const bytes = randomBytes(50_000)
  const oid = createHash('sha256').update(bytes).digest('hex')
  const first = await push(work, 'first')
  await call('PUT', `/admin/r.git/info/lfs/objects/${oid}/${bytes.length}`, bytes)
  const early = await copied()

  await api('POST', '/repos/admin/r/issues', { title: 'second' })
  await api('POST', '/repos/admin/r/forks', { name: 'f' })
  const second = await push(work, 'second')
  await copied()
  await server.stop('SIGKILL')

  const newest = join(folder.path, 'newest')
  const restored = await runCommand(['restore', '--from', copy, '--to', newest])
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(`ingot serve --data-dir ${newest}`) })
  expect(titles(newest)).toEqual(['first', 'last', 'second', 'last'])
  expect(await runCommand(['doctor', '--data-dir', newest])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing is wrong.'),
  })
  const again = restore({ destination: directoryDestination(copy), at: early, to: newest, progress: () => {} })
  await expect(again).rejects.toThrow(`${newest} is not empty`)

  const moment = join(folder.path, 'moment')
  await restore({ destination: directoryDestination(copy), at: early, to: moment, progress: () => {} })
  expect(titles(moment)).toEqual(['first', 'last'])
  const listed = await runCommand(['restore', '--from', copy, '--list'])
  expect(listed.stdout).toMatch(
    /^\S+Z {2}\S+Z {2}1 snapshots, 0 merged files, \d+ segments\nRepositories and files: until \S+Z\n$/,
  )

  expect(await git(repoPath(newest), 'rev-parse', 'main')).toBe(second)
  const here = await serveHere(moment)
  server = { ...server, url: here.url }
  const clone = join(folder.path, 'clone')
  const credentials = `http.extraHeader=Authorization: ${authorization}`
  await git(folder.path, '-c', credentials, 'clone', '-q', `${server.url}/admin/r.git`, clone)
  expect(await git(clone, 'rev-parse', 'HEAD')).toBe(first)
  expect((await (await api('GET', '/repos/admin/r/branches/main')).json()).commit.id).toBe(first)
  const large = await call('GET', `/admin/r.git/info/lfs/objects/${oid}`)
  expect(Buffer.from(await large.arrayBuffer()).equals(bytes)).toBe(true)
  await here.stop()
}, 150_000)

it('a server killed while it copies its database and a repository is restored to the copied state', async () => {
  const s3 = await startS3()
  const more = { 'backup.kind': 's3', 'backup.files_interval': '1', 'storage.kind': 'local' }
  const given = { ...bucketSettings(s3), ...more }
  const { objects, prefix, label } = openBackupBucket(loadConfig({ flags: given }), createLogger('silent'))!
  const destination = bucketDestination(objects, prefix, label)
  /** The next requests of this kind get no answer; returns how often one came. */
  const stall = (isChosen: (request: S3Request) => boolean): (() => number) => {
    let count = 0
    s3.fault = (request) => (isChosen(request) ? (count++, 'silent') : undefined)
    return () => count
  }
  const killed = join(folder.path, 'killed')
  const restored = join(folder.path, 'restored')
  let child: IngotProcess | undefined
  const use = (next: { url: string; password: string }): void => {
    server = { ...server, url: next.url }
    if (next.password !== '') authorization = `Basic ${Buffer.from(`admin:${next.password}`).toString('base64')}`
  }
  const tip = async (): Promise<string> => (await (await api('GET', '/repos/admin/r/branches/main')).json()).commit.id
  const isCovered = async (time: number): Promise<boolean> => ((await listSeries(destination)).at(-1)?.to ?? 0) > time
  const before = server
  try {
    const snapshots = stall(({ operation, key }) => operation === 'UploadPart' && key.includes('database/'))
    child = await startIngot(killed, asFlags(given))
    use(child)
    await expect.poll(snapshots).toBeGreaterThan(0)
    await child.stop('SIGKILL')
    expect(await listSeries(destination)).toEqual([])
    s3.fault = () => undefined

    child = await startIngot(killed, asFlags(given))
    use(child)
    await api('POST', '/user/repos', { name: 'r', auto_init: true, default_branch: 'main' })
    const first = await tip()
    const isCopied = (): boolean => [...s3.objects.keys()].some((key) => key.includes('files/states/git/repos/'))
    await expect.poll(isCopied).toBe(true)
    const objectsSent = stall(
      ({ operation, key }) => operation === 'PutObject' && key.includes('files/objects/git/repos/'),
    )
    await api('POST', '/repos/admin/r/contents/f', { content: 'eA==', message: 'not copied' })
    await expect.poll(objectsSent).toBeGreaterThan(0)
    await api('POST', '/repos/admin/r/issues', { title: 'copied' })
    const written = Date.now()
    await api('POST', '/repos/admin/r/issues', { title: 'last' })
    await expect.poll(() => isCovered(written)).toBe(true)
    expect(await tip()).not.toBe(first)
    await child.stop('SIGKILL')
    s3.fault = () => undefined

    await restore({ destination, at: Infinity, to: restored, progress: () => {} })
    expect(titles(restored)).toEqual(['copied', 'last'])
    expect(await git(repoPath(restored), 'rev-parse', 'main')).toBe(first)
    const here = await serveHere(restored)
    use(here)
    await expect.poll(tip).toBe(first)
    await here.stop()
    expect(await runCommand(['doctor', '--data-dir', restored])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing is wrong.'),
    })
  } finally {
    server = before
    await child?.stop('SIGKILL')
    objects.close()
    await s3.close()
  }
}, 150_000)
