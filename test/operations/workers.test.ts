import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IngotProcess, startIngot, temporaryFolder } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { MEASURED } from '../harness/measured.ts'

interface Answer {
  readonly status: number
  readonly text: string
}

const SETTINGS = [
  'server.workers=2',
  'server.shutdown_delay=1',
  'log.level=info',
  'metrics.enabled=true',
  'webhook.allowed_hosts=*',
  'rate_limit.passwords_per_minute=12',
]

/** Compares a time, and waits for the start of workers. */
const KILLED = { ...MEASURED, timeout: 120_000 }

describe('a server of two workers', () => {
  const folder = temporaryFolder()
  let server: IngotProcess
  let receiver: Receiver
  let token = ''
  let statusesOfRestart: number[]

  /** NOTE: a connection of its own for each request: the workers take turns with connections. */
  const call = (method: string, path: string, body?: unknown, authorization = `token ${token}`): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const sent = request(`${server.url}${path}`, { method, headers, agent: false }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (part: string) => (text += part))
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const basic = (password: string): string => `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  const all = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)))
  /** The processes that accept connections. */
  const serving = (): number[] => said().filter(isAlive)
  /** The processes that have said that they accept connections. */
  const said = (): number[] =>
    [...server.output().stderr.matchAll(/"pid":(\d+),"msg":"worker ready"/g)].map(([, pid]) => Number(pid))
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
    })

  beforeAll(async () => {
    receiver = await startReceiver()
    const args = SETTINGS.flatMap((setting) => ['--set', setting])
    server = await startIngot(join(folder.path, 'data'), args)
    // NOTE: only the first worker serves yet: the signal waits until the other one does too.
    server.child.kill('SIGHUP')
    const statuses = new Set<number>()
    while (said().length < 4 || serving().length !== 2) statuses.add((await call('GET', '/api/readyz')).status)
    statusesOfRestart = [...statuses]
    const path = '/api/v1/users/admin/tokens'
    const made = await call('POST', path, { name: 'all', scopes: ['all'] }, basic(server.password))
    token = JSON.parse(made.text).sha1
    expect((await call('POST', '/api/v1/user/repos', { name: 'desk', auto_init: true })).status).toBe(201)
  }, 120_000)
  afterAll(async () => {
    await server.stop('SIGKILL')
    await receiver.close()
    folder.remove()
  })

  it('has replaced all workers on SIGHUP without refusing a connection', () => {
    expect(statusesOfRestart).toEqual([200])
  })

  it('sums the measurements of the workers', async () => {
    const series = /^ingot_http_requests_total\{operation="getVersion",method="GET",status="200"\} (\d+)$/m
    await all(12, () => call('GET', '/api/v1/version'))
    expect(Number(series.exec((await call('GET', '/metrics')).text)?.[1])).toBe(12)
  })

  it('writes to one branch, and numbers issues, one after the other', async () => {
    const file = { content: Buffer.from('text').toString('base64'), branch: 'main' }
    const written = await all(10, (n) => call('POST', `/api/v1/repos/admin/desk/contents/file-${n}`, file))
    expect(written.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
    const commits = JSON.parse((await call('GET', '/api/v1/repos/admin/desk/commits?limit=50')).text)
    expect(commits).toHaveLength(11)
    const issues = await all(64, (n) => call('POST', '/api/v1/repos/admin/desk/issues', { title: `Issue ${n}` }))
    const numbers = issues.map(({ text }) => Number(JSON.parse(text).number)).toSorted((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 64 }, (_, index) => index + 1))
  })

  it('shows in every worker what one of them has acknowledged', async () => {
    const description = async (): Promise<string> =>
      JSON.parse((await call('GET', '/api/v1/repos/admin/desk')).text).description
    for (let n = 0; n < 25; n++) {
      expect((await call('PATCH', '/api/v1/repos/admin/desk', { description: `version ${n}` })).status).toBe(200)
      expect(await all(6, description)).toEqual(Array.from({ length: 6 }, () => `version ${n}`))
    }
  })

  it('accepts concurrent pushes to one repository', async () => {
    const remote = `${server.url.replace('://', `://admin:${token}@`)}/admin/desk.git`
    const dir = mkdtempSync(join(tmpdir(), 'ingot-workers-'))
    try {
      git(dir, 'clone', '-q', remote, 'work')
      const work = join(dir, 'work')
      const pushes = await all(6, async (n) => {
        const name = `side-${n}`
        git(work, 'branch', name)
        return name
      })
      const codes = await Promise.all(
        pushes.map(
          (name) =>
            new Promise((resolve) => {
              spawn('git', ['push', '-q', remote, name], { cwd: work, stdio: 'ignore' }).on('close', resolve)
            }),
        ),
      )
      expect(codes).toEqual([0, 0, 0, 0, 0, 0])
      const branches = JSON.parse((await call('GET', '/api/v1/repos/admin/desk/branches')).text)
      expect(branches.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(pushes))
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('runs jobs at once that requests to the other worker enqueue', MEASURED, async () => {
    const hook = {
      type: 'gitea',
      active: true,
      events: ['issues'],
      config: { url: receiver.url, content_type: 'json' },
    }
    expect((await call('POST', '/api/v1/repos/admin/desk/hooks', hook)).status).toBe(201)
    const before = receiver.got.length
    const begin = performance.now()
    for (let n = 0; n < 4; n++) await call('POST', '/api/v1/repos/admin/desk/issues', { title: `Sent ${n}` })
    await receiver.waitFor(before + 4)
    // NOTE: without a signal the leader looks every five seconds.
    expect(performance.now() - begin).toBeLessThan(4_000)
  })

  it('counts password checks in all workers', async () => {
    const statuses: number[] = []
    const begin = performance.now()
    for (let n = 0; n < 24; n++)
      statuses.push((await call('GET', '/api/v1/user', undefined, basic(`wrong-${n}`))).status)
    const checked = statuses.filter((status) => status === 401).length
    expect(checked).toBeGreaterThan(8)
    const refilled = Math.ceil(((performance.now() - begin) / 60_000) * 12)
    expect(checked).toBeLessThanOrEqual(14 + refilled)
    expect(statuses.filter((status) => status === 429)).toHaveLength(24 - checked)
  }, 120_000)

  it('are one node', async () => {
    const list = async (): Promise<unknown> => JSON.parse((await call('GET', '/api/v1/admin/nodes')).text)
    const one = [expect.objectContaining({ pid: server.child.pid, workers: 2, state: 'running' })]
    await expect.poll(list, { timeout: 10_000 }).toEqual(one)
  })

  it('releases the locks of a killed worker at once, and loses nothing', KILLED, async () => {
    await until(() => serving().length === 2, 60_000)
    const name = `many-${performance.now().toFixed()}`
    expect((await call('POST', '/api/v1/user/repos', { name })).status).toBe(201)
    const path = `/api/v1/repos/admin/${name}/issues`
    const kept: number[] = []
    const stopped = new AbortController()
    const write = async (): Promise<void> => {
      while (!stopped.signal.aborted) {
        const made = await call('POST', path, { title: 'Kept' }).catch(() => undefined)
        if (made !== undefined) kept.push(made.status === 201 ? Number(JSON.parse(made.text).number) : NaN)
      }
    }
    const since = server.output().stderr.length
    // The ids of requests begin with a text of the process.
    const written = (): number[] => {
      const log = server.output().stderr.slice(since)
      const made = log.matchAll(/"request":"(\w+)-.*\/many-\d+\/issues","status":201/g)
      return [...Map.groupBy(made, ([, process]) => process).values()].map(({ length }) => length)
    }
    const [first] = serving()
    const writers = all(24, write)
    try {
      await until(() => written().filter((count) => count > 10).length === 2, 20_000)
      // A process that is paused in its turn stops the other one: then it is killed in the middle of a transaction.
      for (let before = NaN; before !== kept.length;) {
        process.kill(first!, 'SIGCONT')
        await sleep(5)
        process.kill(first!, 'SIGSTOP')
        await sleep(50)
        before = kept.length
        await sleep(300)
      }
      const before = kept.length
      const killed = performance.now()
      process.kill(first!, 'SIGKILL')
      await until(() => kept.length > before, 10_000)
      expect(performance.now() - killed).toBeLessThan(1000)
    } finally {
      if (isAlive(first!)) process.kill(first!, 'SIGKILL')
      stopped.abort()
      await writers
    }
    // Each number was given once, and those that were answered are there.
    const numbers = JSON.parse((await call('GET', `${path}?state=all&limit=1`)).text)
    const repo = JSON.parse((await call('GET', `/api/v1/repos/admin/${name}`)).text)
    expect(numbers).toMatchObject([{ number: repo.open_issues_count }])
    expect(new Set(kept).size).toBe(kept.length)
    expect(Math.max(...kept)).toBeLessThanOrEqual(repo.open_issues_count)
    await until(() => serving().length === 2, 60_000)
    // The survivor leads: webhooks are still delivered.
    const got = receiver.got.length
    await call('POST', '/api/v1/repos/admin/desk/issues', { title: 'After' })
    await until(() => receiver.got.length > got, 20_000)
  })

  it('ends with all workers', async () => {
    const pids = serving()
    expect((await call('GET', '/api/readyz')).status).toBe(200)
    const ended = server.stop('SIGTERM')
    // Each worker says so, while requests are served.
    await expect.poll(async () => (await call('GET', '/api/readyz')).status).toBe(503)
    const answers = await all(10, () => call('GET', '/api/readyz'))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 503))
    expect((await call('GET', '/api/v1/version')).status).toBe(200)
    expect(await ended).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
    const database = new Sqlite(join(folder.path, 'data', 'ingot.db'), { readonly: true })
    expect(database.prepare('select name from node').all()).toEqual([])
    database.close()
  }, 60_000)
})

async function until(isTrue: () => boolean, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`not true in ${deadlineMs} ms: ${isTrue.toString()}`)
    await sleep(10)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
