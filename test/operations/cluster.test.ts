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
import { type Receiver, startReceiver } from '../harness/receiver.ts'

interface Pushed {
  readonly code: number | null
  readonly output: string
}

const LEASE_SECONDS = 2
/** The leases of jobs and webhooks are longer. */
const RECOVERY_MS = 5_000
const JOB_LEASE_MS = 60_000
const LANE_LEASE_MS = 9_500

describe.skipIf(inject('postgresUrl') === '')('two nodes with one data directory', () => {
  let folder: Folder
  let database: Awaited<ReturnType<typeof copyTemplate>>
  let admin: pg.Client
  let stops: GitStops
  let receiver: Receiver
  let servers: readonly IngotProcess[] = []
  let password = ''
  const startedAt = Date.now()

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
  const membersOf = async (node: string): Promise<string[]> =>
    (await admin.query('select member from cluster_session where node = $1', [node])).rows.map(({ member }) => member)
  /** The process that runs the background work of a node. */
  const leaderOf = async (node: string): Promise<number> =>
    (await admin.query('select sender_pid from node where name = $1', [node])).rows[0].sender_pid
  /** A job that a process runs, to the outside. */
  const plantJob = async (holder: string): Promise<string> => {
    const until = Date.now() + JOB_LEASE_MS
    const { rows } = await admin.query(
      `insert into job (kind, key, payload, run_at, created_at, state, lease_until, attempts, holder)
        values ('repos.reconcile', $1, '{}', 1, 1, 'running', $2, 1, $1) returning id`,
      [holder, until],
    )
    return rows[0].id
  }
  const isThere = async (job: string): Promise<boolean> =>
    (await admin.query('select 1 from job where id = $1', [job])).rowCount === 1
  const commit = (text: string): string => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    const made = execFileSync('git', [...author, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', text], {
      cwd: work('clone'),
      encoding: 'utf8',
    })
    return made.trim()
  }

  const settingsOf = (node: string, workers: number): string[] =>
    [
      `database.url=${database.url}`,
      'database.max_connections=6',
      'cluster.enabled=true',
      `cluster.node=${node}`,
      `cluster.lease=${LEASE_SECONDS}`,
      `server.workers=${workers}`,
      'webhook.allowed_hosts=*',
      'rate_limit.passwords_per_minute=15',
    ].flatMap((setting) => ['--set', setting])
  const start = (node: 'one' | 'two'): Promise<IngotProcess> => {
    const settings = settingsOf(node, node === 'one' ? 1 : 2)
    return startIngot(work('data'), settings, node === 'one' ? { env: stops.env } : {})
  }

  beforeAll(async () => {
    folder = temporaryFolder()
    stops = createGitStops(work('stops'))
    database = await copyTemplate(inject('postgresUrl'), `nodes_${randomBytes(6).toString('hex')}`)
    admin = new pg.Client(database.url)
    await admin.connect()
    receiver = await startReceiver()
    const first = await start('one')
    password = first.password
    servers = [first, await start('two')]
    await call(0, 'POST', '/user/repos', { name: 'r', auto_init: true })
    const config = { url: receiver.url, content_type: 'json' }
    await call(0, 'POST', '/repos/admin/r/hooks', { type: 'gitea', active: true, events: ['issues'], config })
    expect(await git(folder.path, 'clone', '-q', remote(1), 'clone')).toBe('')
  }, 120_000)
  afterAll(async () => {
    stops.disarm()
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await receiver.close()
    await admin.end()
    await database.drop()
    folder.remove()
  })

  it('see each other’s pushes at once, and have separate directories', async () => {
    for (const n of [0, 1, 0, 1]) {
      const made = commit(`by ${n} ${Math.random()}`)
      expect(await push(n, made, `refs/heads/b${made}`)).toMatchObject({ code: 0 })
      expect(await tipOf(1 - n, `b${made}`)).toBe(made)
    }
    for (const node of ['one', 'two']) expect(existsSync(work(`data/nodes/${node}/server.lock`))).toBe(true)
  })

  it(
    'refuse a push of a node that did not respond for longer than its lease',
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

  it('are two nodes with three processes', async () => {
    const list = async (): Promise<unknown> => (await call(1, 'GET', '/admin/nodes')).json()
    const node = (n: number, name: string) =>
      expect.objectContaining({ name, pid: servers[n]!.child.pid, workers: n + 1, state: 'running' })
    await expect.poll(list, { timeout: 20_000 }).toEqual([node(0, 'one'), node(1, 'two')])
    for (const { started_at: at } of (await list()) as { started_at: string }[])
      expect(Date.parse(at)).toBeGreaterThan(startedAt - 60_000)
    const sessions = async (): Promise<unknown> =>
      (await admin.query('select node from cluster_session order by 1')).rows.map((row) => row.node)
    await expect.poll(sessions, { timeout: 20_000 }).toEqual(['one', 'two', 'two'])
  })

  it('limit requests together', async () => {
    const guess = async (n: number): Promise<number> => {
      const headers = { authorization: `Basic ${Buffer.from(`nobody:${Math.random()}`).toString('base64')}` }
      return (await fetch(`${servers[n]!.url}/api/v1/user`, { headers })).status
    }
    await vi.waitFor(async () => expect(await guess(0)).toBe(429), { timeout: 20_000, interval: 1 })
    await vi.waitFor(async () => expect(await guess(1)).toBe(429), { timeout: 1_000, interval: 50 })
  }, 30_000)

  it('continue at once when a node is killed', { ...MEASURED, timeout: 60_000 }, async () => {
    // Another attempt after one that took too long.
    stops.disarm()
    if (servers[0]!.child.signalCode !== null) servers = [await start('one'), servers[1]!]
    const branch = `killed-${Math.random()}`
    const before = receiver.got.length
    await call(1, 'POST', '/repos/admin/r/issues', { title: 'delivered' })
    await receiver.waitFor(before + 1)
    await expect.poll(() => membersOf('one'), { timeout: 20_000 }).toHaveLength(1)
    const [member] = await membersOf('one')
    // What the node has in hand: a push that has moved the ref and is not recorded, a job, the queue of a webhook.
    stops.arm({ nth: 1, only: 'update-ref', when: 'after' })
    const lost = commit('lost')
    const cut = push(0, lost, `refs/heads/${branch}`)
    await vi.waitFor(() => expect(stops.stopped().size).toBe(1), 10_000)
    const job = await plantJob(member!)
    const until = Date.now() + LANE_LEASE_MS
    await admin.query('update hook_lane set holder = $1, lease_until = $2', [member, until])
    await call(1, 'POST', '/repos/admin/r/issues', { title: 'waits' })
    expect([await isThere(job), receiver.got.length]).toEqual([true, before + 1])

    await servers[0]!.stop('SIGKILL')
    const since = performance.now()
    const after = async (what: () => Promise<unknown>): Promise<number> => (await what(), performance.now() - since)
    const recovered = await Promise.all([
      after(async () => expect(await push(1, commit('b'), `refs/heads/other-${branch}`)).toMatchObject({ code: 0 })),
      after(() => expect.poll(() => isThere(job), { timeout: 20_000 }).toBe(false)),
      after(() => receiver.waitFor(before + 2)),
      after(() =>
        expect
          .poll(async () => (await admin.query('select oid from branch where name = $1', [branch])).rows, {
            timeout: 20_000,
          })
          .toEqual([{ oid: lost }]),
      ),
    ])
    expect(Math.max(...recovered), String(recovered)).toBeLessThan(RECOVERY_MS)
    expect((await cut).code).not.toBe(0)
    expect(await tipOf(1, branch)).toBe(lost)
    const { rows } = await admin.query('select distinct node from cluster_session')
    expect(rows).toEqual([{ node: 'two' }])
  })

  it('continue when the worker that runs the background work is killed', MEASURED, async () => {
    const pid = await leaderOf('two')
    await expect.poll(() => membersOf('two'), { timeout: 20_000 }).toHaveLength(2)
    const members = await membersOf('two')
    const jobs = await Promise.all(members.map(plantJob))
    process.kill(pid, 'SIGKILL')
    const since = performance.now()
    // The other worker leads, and does at once what the killed one had; its own job it keeps.
    const left = async (): Promise<number> => (await Promise.all(jobs.map(isThere))).filter(Boolean).length
    await expect.poll(left, { timeout: 30_000 }).toBe(1)
    expect(performance.now() - since).toBeLessThan(RECOVERY_MS)
    const there = new Set(await membersOf('two'))
    for (const [n, member] of members.entries()) expect(await isThere(jobs[n]!)).toBe(there.has(member))
    await expect.poll(() => leaderOf('two'), { timeout: 20_000 }).not.toBe(pid)
    const { rows } = await admin.query('select name from node')
    expect(rows).toContainEqual({ name: 'two' })
  })
})
