import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Folder,
  type IngotProcess,
  runCommand,
  serveHere,
  startIngot,
  temporaryFolder,
} from '../harness/process.ts'
import { MEASURED } from '../harness/measured.ts'

/** Everything in the data directory and in backups is for its owner alone. */

let folder: Folder
let data: string
beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
})
afterEach(() => folder.remove())

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Paths below `root`, and itself, on which group or others have any right. */
const openPaths = (root: string): string[] =>
  [root, ...readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name))].filter(
    (path) => (statSync(path).mode & 0o077) !== 0,
  )

/** A repository with a commit made by the server, one pushed by git, a large file and a wiki. */
async function useEverything({ url, password }: IngotProcess): Promise<void> {
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.status, await answer.text()).toBe(201)
  }
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  await post('/user/repos', { name: 'one', auto_init: true })
  const files = [
    { operation: 'create', path: '.gitattributes', content: base64('*.bin filter=lfs\n') },
    { operation: 'create', path: 'large.bin', content: base64('large') },
  ]
  await post('/repos/admin/one/contents', { files })
  await post('/repos/admin/one/wiki/new', { title: 'Home', content_base64: base64('page') })
  const clone = join(folder.path, 'clone')
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args], {
      env: { PATH: process.env['PATH'], HOME: folder.path, GIT_LFS_SKIP_SMUDGE: '1', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'pipe',
    })
  git('clone', '-q', `${url.replace('//', `//admin:${password}@`)}/admin/one.git`, clone)
  git('-C', clone, 'commit', '-q', '--allow-empty', '-m', 'pushed')
  git('-C', clone, 'push', '-q', 'origin', 'HEAD:refs/heads/pushed')
}

describe('the data directory', () => {
  it('is accessible only to its owner, with all files of the server and git, and so is a backup', async () => {
    const server = await startIngot(data, [], { isFirstStart: true })
    await useEverything(server)
    expect(['ingot.db', 'ingot.db-wal', 'ingot.db-shm'].map((name) => modeOf(join(data, name)))).toEqual([
      '600',
      '600',
      '600',
    ])
    expect(openPaths(data)).toEqual([])
    expect(readdirSync(join(data, 'git', 'repos'), { recursive: true }).length).toBeGreaterThan(30)
    const copy = join(folder.path, 'backups', 'copy')
    expect(await runCommand(['backup', '--data-dir', data, '--to', copy])).toMatchObject({ code: 0 })
    expect(openPaths(join(folder.path, 'backups'))).toEqual([])
    expect(await server.stop()).toBe(0)
    expect(openPaths(data)).toEqual([])
  })

  it('made open by an earlier version is closed by a start, with the database', async () => {
    mkdirSync(data, { mode: 0o755 })
    expect(await runCommand(['migrate', '--data-dir', data])).toMatchObject({ code: 0 })
    chmodSync(data, 0o755)
    chmodSync(join(data, 'ingot.db'), 0o644)
    const server = await serveHere(data)
    expect([data, join(data, 'ingot.db'), join(data, 'ingot.db-wal')].map(modeOf)).toEqual(['700', '600', '600'])
    expect(await server.stop()).toBe(0)
  })

  it.each([
    ['that others may write to', 0o1777, []],
    ['with directories of other programs', 0o755, ['share']],
  ])('%s stays open', async (_, mode, directories) => {
    mkdirSync(data)
    for (const name of directories) mkdirSync(join(data, name))
    chmodSync(data, mode)
    const server = await serveHere(data)
    expect(statSync(data).mode & 0o7777).toBe(mode)
    expect(modeOf(join(data, 'ingot.db'))).toBe('600')
    expect(await server.stop()).toBe(0)
  })
})

describe('doctor', () => {
  /** An open data directory: 20 directories and 20 files. */
  async function openedData(): Promise<string> {
    expect(await runCommand(['migrate', '--data-dir', data])).toMatchObject({ code: 0 })
    const blobs = join(data, 'blobs', 'lfs')
    for (let at = 0; at < 20; at++) {
      mkdirSync(join(blobs, `d${at}`), { recursive: true })
      chmodSync(join(blobs, `d${at}`), 0o755)
      writeFileSync(join(blobs, `d${at}`, 'file'), 'x')
      chmodSync(join(blobs, `d${at}`, 'file'), 0o644)
    }
    for (const path of [data, join(data, 'blobs'), blobs]) chmodSync(path, 0o700)
    return blobs
  }
  const doctor = (...args: string[]) => runCommand(['doctor', '--data-dir', data, ...args])

  it('names the first paths that others can open, directories first, and repairs all', async () => {
    const blobs = await openedData()
    chmodSync(data, 0o750)
    const found = await doctor()
    expect(found.code).toBe(1)
    const line = /^ {2}PROBLEM {2}21 directories and 20 files are accessible to others: (.*) and 31 more$/m.exec(
      found.stdout,
    )
    const named = line![1]!.split(', ')
    expect(named).toHaveLength(10)
    expect(named[0]).toBe(data)
    expect(named.slice(1).every((path) => /\/d\d+$/.test(path))).toBe(true)
    const fixed = await doctor('--fix')
    expect(fixed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'fixed  21 directories and 20 files are now accessible to their owner only',
      ) as string,
    })
    expect(openPaths(data)).toEqual([])
    expect(readFileSync(join(blobs, 'd0', 'file'), 'utf8')).toBe('x')
    expect((await doctor()).stdout).toContain('permissions: ok')
  })

  it('only notes what a closed data directory protects', async () => {
    await openedData()
    const { code, stdout } = await doctor()
    expect(code).toBe(0)
    expect(stdout).toMatch(/note {2}20 directories and 20 files would be accessible to others in a copy/)
  })

  it('ignores files that do not belong to Ingot', async () => {
    await openedData()
    mkdirSync(join(data, 'share'))
    chmodSync(join(data, 'share'), 0o755)
    chmodSync(data, 0o755)
    expect((await doctor('--fix')).code).toBe(0)
    expect([data, join(data, 'share')].map(modeOf)).toEqual(['755', '755'])
  })

  it('reports files of another user that it may not close', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can give a file to another user')
    await openedData()
    chmodSync(data, 0o755)
    chownSync(data, 1234, 1234)
    expect((await doctor()).stdout).toContain('21 directories and 20 files are accessible to others')
    const server = await serveHere(data)
    expect(modeOf(data)).toBe('755')
    expect(await server.stop()).toBe(0)
  })
})

describe('a directory that cannot be made', () => {
  it.each([
    [['serve', '--port', '0', '--data-dir', '/proc/ingot/data'], '/proc/ingot cannot be made'],
    [['serve', '--port', '0', '--data-dir', '/dev/null/data'], '/dev/null/data cannot be used'],
    [['migrate', '--set', 'database.url=sqlite:/proc/ingot.d/x.db'], '/proc/ingot.d cannot be made'],
    [['backup', '--to', '/proc/ingot'], '/proc/ingot cannot be made'],
  ])('ends %j at once', MEASURED, async (args, message) => {
    const directory = args.includes('--data-dir') ? [] : ['--data-dir', data]
    const began = process.hrtime.bigint()
    const { code, stdout, stderr } = await runCommand([...args, ...directory])
    const seconds = Number(process.hrtime.bigint() - began) / 1e9
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(seconds).toBeLessThan(10)
  })
})
