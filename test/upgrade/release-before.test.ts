import { randomBytes } from 'node:crypto'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { copyTemplate } from '../harness/postgres.ts'
import {
  makeDataDir,
  runCommand,
  serveHere,
  type ServerHere,
  startIngot,
  temporaryFolder,
  type Folder,
} from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { previousRelease } from '../harness/schema-breaks.ts'

const root = resolve(import.meta.dirname, '../..')
const { commit } = previousRelease()
const execute = promisify(execFile)
const run = (cwd: string, command: string, ...args: string[]): Promise<unknown> =>
  execute(command, args, { cwd, env: GIT_ENV })
/**
 * False in a shallow clone and in a copy without history: upgrade.test.ts has the recorded statements of the release.
 */
const hasHistory = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0

describe.skipIf(!hasHistory)(`the server of ${commit.slice(0, 8)}, where git has that commit`, () => {
  let folder: Folder
  let receiver: Receiver
  let data: string
  let settings: readonly string[]
  let password = ''
  /** Requests to the webhook before. */
  let delivered = 0
  const cleanUps: (() => unknown)[] = []

  beforeAll(async () => {
    folder = temporaryFolder()
    const source = join(folder.path, 'before')
    const archive = join(folder.path, 'before.tar')
    mkdirSync(source)
    await run(root, 'git', 'archive', '-o', archive, commit, 'src', 'migrations', 'package.json')
    await run(source, 'tar', '-xf', archive)
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
    receiver = await startReceiver()
  })
  afterAll(async () => {
    for (const clean of cleanUps.toReversed()) await clean()
    await receiver.close()
    folder.remove()
  })

  const flags = (...more: string[]): string[] =>
    ['webhook.allowed_hosts=*', ...settings, ...more].flatMap((setting) => ['--set', setting])
  const startNow = async (...more: string[]): Promise<ServerHere> => {
    const server = await serveHere(data, flags(...more))
    password ||= server.password
    return server
  }
  const startBefore = async (...more: string[]): Promise<ServerHere> => {
    const server = await startIngot(data, flags(...more), { program: join(folder.path, 'before/src/ingot.js') })
    cleanUps.push(() => server.stop('SIGKILL'))
    return server
  }
  const call = async <T>({ url }: ServerHere, method: string, path: string, body?: object): Promise<T> => {
    const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  const prepare = async (server: ServerHere): Promise<void> => {
    await call(server, 'POST', '/user/repos', { name: 'r', auto_init: true, default_branch: 'main' })
    const config = { url: receiver.url, content_type: 'json' }
    await call(server, 'POST', '/repos/admin/r/hooks', { type: 'gitea', active: true, events: ['issues'], config })
  }
  /** Writes of many kinds, which name who made them. */
  const use = async (server: ServerHere, name: string): Promise<void> => {
    const repo = '/repos/admin/r'
    const { id } = await call<{ id: number }>(server, 'POST', `${repo}/labels`, { name, color: '#aabbcc' })
    const issue = { title: `Issue of ${name}`, body: `a${name}`, labels: [id] }
    const { number } = await call<{ number: number }>(server, 'POST', `${repo}/issues`, issue)
    await call(server, 'POST', `${repo}/issues/${number}/comments`, { body: `comment of ${name}` })
    await call(server, 'PATCH', `${repo}/issues/${number}`, { body: `x${name}` })
    const file = { content: 'eA==', message: name, new_branch: name }
    await call(server, 'POST', `${repo}/contents/${name}`, file)
    const pull = { title: `Pull of ${name}`, head: name, base: 'main' }
    const opened = await call<{ number: number }>(server, 'POST', `${repo}/pulls`, pull)
    await call(server, 'POST', `${repo}/pulls/${opened.number}/merge`, { Do: 'squash' })
    await call(server, 'POST', `${repo}/releases`, { tag_name: `v-${name}` })
    const clone = join(data, `clone-${name}`)
    const remote = `${server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/r.git`
    await run(folder.path, 'git', 'clone', '-q', remote, clone)
    await run(clone, 'git', 'push', '-q', 'origin', `HEAD:refs/heads/pushed-${name}`)
  }
  /** What both servers have written is there, found by its text, merged, and delivered to the webhook. */
  const check = async (server: ServerHere, names: readonly string[]): Promise<void> => {
    const repo = '/repos/admin/r'
    for (const name of names) {
      const found = () => call<{ title: string }[]>(server, 'GET', `${repo}/issues?q=x${name}&type=issues`)
      await expect
        .poll(async () => (await found()).map(({ title }) => title), { timeout: 20_000 })
        .toEqual([`Issue of ${name}`])
      await call(server, 'GET', `${repo}/contents/${name}`)
      await call(server, 'GET', `${repo}/releases/tags/v-${name}`)
      await call(server, 'GET', `${repo}/branches/pushed-${name}`)
    }
    const pulls = await call<{ merged: boolean }[]>(server, 'GET', `${repo}/pulls?state=closed`)
    expect(pulls.map(({ merged }) => merged)).toEqual(names.map(() => true))
    const opened = (): string[] =>
      receiver.got
        .slice(delivered)
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ action }) => action === 'opened')
        .map(({ issue }) => issue.title)
    const titles = expect.poll(() => [...new Set(opened())].toSorted(), { timeout: 20_000 })
    await titles.toEqual(names.map((name) => `Issue of ${name}`).toSorted())
  }
  const examine = async (): Promise<void> => {
    const { code, stdout } = await runCommand(['doctor', '--data-dir', data, ...flags('cluster.enabled=false')])
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing is wrong.')])
  }

  it('reads and writes what the newest release has migrated and written on SQLite, and the newest one continues after it', async () => {
    data = join(folder.path, 'sqlite')
    settings = []
    password = ''
    delivered = receiver.got.length
    makeDataDir(data)
    const first = await startNow()
    await prepare(first)
    await use(first, 'new')
    await first.stop()
    const before = await startBefore()
    await check(before, ['new'])
    await use(before, 'old')
    await check(before, ['new', 'old'])
    await before.stop()
    const last = await startNow()
    await check(last, ['new', 'old'])
    await last.stop()
    await examine()
  }, 120_000)

  it.skipIf(inject('postgresUrl') === '')(
    'is a node together with the newest release on PostgreSQL',
    async () => {
      const database = await copyTemplate(inject('postgresUrl'), `before_${randomBytes(6).toString('hex')}`)
      cleanUps.push(() => database.drop())
      data = join(folder.path, 'shared')
      settings = [`database.url=${database.url}`, 'database.max_connections=6', 'cluster.enabled=true']
      password = ''
      delivered = receiver.got.length
      const now = await startNow('cluster.node=new')
      await prepare(now)
      const before = await startBefore('cluster.node=old')
      await Promise.all([use(now, 'new'), use(before, 'old')])
      await Promise.all([check(now, ['new', 'old']), check(before, ['new', 'old'])])
      expect((await call<{ name: string }[]>(now, 'GET', '/admin/nodes')).map(({ name }) => name).toSorted()).toEqual([
        'new',
        'old',
      ])
      await now.stop()
      await use(before, 'last')
      await before.stop()
      await examine()
    },
    120_000,
  )
})
