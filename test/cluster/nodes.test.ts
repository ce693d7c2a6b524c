import { randomBytes } from 'node:crypto'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { createGitStops, type GitStops } from '../faults/git-stops.ts'
import { git } from '../faults/pull-scenarios.ts'
import { copyTemplate } from '../harness/postgres.ts'
import { type Folder, type IngotProcess, startIngot, temporaryFolder } from '../harness/process.ts'
import { MEASURED } from '../harness/measured.ts'

interface Pushed {
  readonly code: number | null
  readonly output: string
}

const LEASE_SECONDS = 2

describe.skipIf(inject('postgresUrl') === '')('two nodes with one data directory', () => {
  let folder: Folder
  let database: Awaited<ReturnType<typeof copyTemplate>>
  let admin: pg.Client
  let stops: GitStops
  let servers: readonly IngotProcess[] = []
  let password = ''

  const work = (name: string): string => join(folder.path, name)
  const authorization = (): string => `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  const call = (n: number, method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${servers[n]!.url}/api/v1${path}`, {
      method,
      headers: { authorization: authorization(), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const remote = (n: number): string =>
    `${servers[n]!.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/r.git`
  const tipOf = async (n: number, branch: string): Promise<string> =>
    ((await (await call(n, 'GET', `/repos/admin/r/branches/${branch}`)).json()) as { commit: { id: string } }).commit.id
  const push = (n: number, from: string, to: string): Promise<Pushed> =>
    new Promise((resolve) => {
      const child = spawn('git', ['push', remote(n), `${from}:${to}`], { cwd: work('clone') })
      let output = ''
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.on('close', (code) => resolve({ code, output }))
    })
  const commit = (text: string): string => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    const made = execFileSync('git', [...author, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', text], {
      cwd: work('clone'),
      encoding: 'utf8',
    })
    return made.trim()
  }

  beforeAll(async () => {
    folder = temporaryFolder()
    stops = createGitStops(work('stops'))
    database = await copyTemplate(inject('postgresUrl'), `nodes_${randomBytes(6).toString('hex')}`)
    admin = new pg.Client(database.url)
    await admin.connect()
    const start = (node: string, env = {}): Promise<IngotProcess> => {
      const settings = [
        `database.url=${database.url}`,
        'database.max_connections=6',
        'cluster.enabled=true',
        `cluster.node=${node}`,
        `cluster.lease=${LEASE_SECONDS}`,
        'rate_limit.passwords_per_minute=1',
        'rate_limit.passwords_burst=15',
      ].flatMap((setting) => ['--set', setting])
      return startIngot(work('data'), settings, { env })
    }
    const first = await start('one', { PATH: `${stops.bin}:${process.env['PATH']}` })
    password = first.password
    servers = [first, await start('two')]
    await call(0, 'POST', '/user/repos', { name: 'r', auto_init: true })
    expect(await git(folder.path, 'clone', '-q', remote(1), 'clone')).toBe('')
  }, 120_000)
  afterAll(async () => {
    stops.disarm()
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await admin.end()
    await database.drop()
    folder.remove()
  })

  it('see each other’s pushes at once, and have directories of their own', async () => {
    for (const n of [0, 1, 0, 1]) {
      const made = commit(`by ${n} ${Math.random()}`)
      expect(await push(n, made, `refs/heads/b${made}`)).toMatchObject({ code: 0 })
      expect(await tipOf(1 - n, `b${made}`)).toBe(made)
    }
    for (const node of ['one', 'two']) expect(existsSync(work(`data/nodes/${node}/server.lock`))).toBe(true)
  })

  it(
    'refuse what a node wants to push after it did not respond for longer than its lease',
    { ...MEASURED, timeout: 60_000 },
    async () => {
      const [late, taken] = [commit('late'), commit('taken')]
      const before = await tipOf(0, 'main')
      stops.arm({ nth: 1, only: 'update-ref', when: 'before' })
      const refused = push(0, late, 'refs/heads/main')
      const hasLocked = async (): Promise<unknown> =>
        (await admin.query(`select 1 from cluster_lock where name like 'refs %'`)).rowCount
      await vi.waitFor(async () => expect([stops.stopped().size, await hasLocked()]).toEqual([1, 1]), 10_000)
      servers[0]!.child.kill('SIGSTOP')
      try {
        const since = performance.now()
        expect(await push(1, taken, 'refs/heads/main')).toMatchObject({ code: 0 })
        // The branch is where the first node expects it, so that git alone would take its push.
        expect(await push(1, `+${before}`, 'refs/heads/main')).toMatchObject({ code: 0 })
        expect(performance.now() - since).toBeLessThan(LEASE_SECONDS * 1000 + 3_000)
      } finally {
        servers[0]!.child.kill('SIGCONT')
      }
      stops.resume()
      const { code, output } = await refused
      expect(code).toBe(1)
      expect(output).toMatch(/did not respond for too long and lost a lock to another one, try again/)
      expect(await Promise.all([0, 1].map((n) => tipOf(n, 'main')))).toEqual([before, before])
      const disk = await git(work('clone'), 'ls-remote', remote(0), 'refs/heads/main')
      expect(disk).toBe(`${before}\trefs/heads/main`)
      const { rows } = await admin.query(`select oid from branch where name = 'main'`)
      expect(rows).toEqual([{ oid: before }])
      // The node is a member again.
      await git(work('clone'), 'fetch', '-q', remote(1), 'main')
      expect(await push(0, commit('again'), 'refs/heads/again')).toMatchObject({ code: 0 })
    },
  )

  it('limit requests together', async () => {
    const guess = async (n: number): Promise<number> => {
      const headers = { authorization: `Basic ${Buffer.from(`nobody:${Math.random()}`).toString('base64')}` }
      return (await fetch(`${servers[n]!.url}/api/v1/user`, { headers })).status
    }
    await vi.waitFor(async () => expect(await guess(0)).toBe(429), { timeout: 20_000, interval: 1 })
    await vi.waitFor(async () => expect(await guess(1)).toBe(429), { timeout: 1_000, interval: 50 })
  }, 30_000)

  it('go on at once when a node is killed that has locked a repository', { ...MEASURED, timeout: 30_000 }, async () => {
    stops.arm({ nth: 1, only: 'update-ref', when: 'before' })
    const lost = push(0, commit('lost'), 'refs/heads/killed')
    await vi.waitFor(() => expect(stops.stopped().size).toBe(1), 10_000)
    await vi.waitFor(
      async () => expect((await admin.query(`select 1 from cluster_lock where name like 'refs %'`)).rowCount).toBe(1),
      10_000,
    )
    await servers[0]!.stop('SIGKILL')
    const since = performance.now()
    const made = commit('after the kill')
    expect(await push(1, made, 'refs/heads/killed')).toMatchObject({ code: 0 })
    expect(performance.now() - since).toBeLessThan(5_000)
    expect((await lost).code).not.toBe(0)
    expect(await tipOf(1, 'killed')).toBe(made)
    const { rows } = await admin.query('select distinct node from cluster_session')
    expect(rows).toEqual([{ node: 'two' }])
  })
})
