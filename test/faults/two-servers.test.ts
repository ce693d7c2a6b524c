import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { copyTemplate } from '../harness/postgres.ts'
import { type Folder, type IngotProcess, runCommand, startIngot, temporaryFolder } from '../harness/process.ts'
import { git } from './pull-scenarios.ts'

/** `INGOT_TEST_FAULTS=all` merges more at once. */
const PULLS = process.env['INGOT_TEST_FAULTS'] === 'all' ? 50 : 12
const PUSHERS = 2
const PUSHES = 3
const EDITS = 6
/** Those into `linear` make no merge commits. */
const STYLES = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only']
const LINEAR = ['squash', 'rebase', 'fast-forward-only']
const REPO = '/repos/admin/r'

interface Answer {
  readonly status: number
  readonly json: Any
}

describe.skipIf(inject('postgresUrl') === '')('two servers on one database and one directory of repositories', () => {
  let folder: Folder
  let database: Awaited<ReturnType<typeof copyTemplate>>
  let servers: readonly [IngotProcess, IngotProcess]
  let password = ''
  let settings: readonly string[] = []
  let numbers: readonly number[] = []

  const call = async (n: number, method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${servers[n % 2]!.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, json: /^[[{]/.test(text) ? JSON.parse(text) : undefined }
  }
  const remote = (n: number): string =>
    `${servers[n % 2]!.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/r.git`
  const work = (name: string): string => join(folder.path, name)
  const baseOf = (n: number): string => (n % 2 === 0 ? 'main' : 'linear')

  beforeAll(async () => {
    folder = temporaryFolder()
    database = await copyTemplate(inject('postgresUrl'), `two_${randomBytes(6).toString('hex')}`)
    settings = [`database.url=${database.url}`, 'database.max_connections=8'].flatMap((text) => ['--set', text])
    const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')]
    const first = await startIngot(one, [...settings, '--set', 'cluster.node=one'])
    password = first.password
    // NOTE: a data directory belongs to one server; what two of them may share is below it.
    mkdirSync(two)
    for (const name of readdirSync(one).filter((entry) => !/lock/.test(entry)))
      symlinkSync(join(one, name), join(two, name))
    servers = [first, await startIngot(two, [...settings, '--set', 'cluster.node=two'])]

    await call(0, 'POST', '/user/repos', { name: 'r' })
    mkdirSync(work('history'))
    const run = (...args: string[]) => git(work('history'), ...args)
    await run('init', '-q', '-b', 'main')
    await run('commit', '-q', '--allow-empty', '-m', 'first')
    await run('branch', 'linear')
    const blob = await run('hash-object', '-w', '--', '/dev/null')
    for (let n = 0; n < PULLS; n++) {
      await run('update-index', '--add', '--cacheinfo', `100644,${blob},t${n}`)
      const written = await run('write-tree')
      const commit = await run('commit-tree', written!, '-p', 'main', '-m', `t${n}`)
      await run('branch', `t${n}`, commit!)
      await run('rm', '-q', '--cached', `t${n}`)
    }
    expect(await run('push', '-q', remote(0), 'main', 'linear', 'refs/heads/t*:refs/heads/t*')).toBe('')
    const made = await Promise.all(
      Array.from({ length: PULLS }, (_, n) =>
        call(n, 'POST', `${REPO}/pulls`, { head: `t${n}`, base: baseOf(n), title: `t${n}` }),
      ),
    )
    for (const { status, json } of made) expect(status, JSON.stringify(json)).toBe(201)
    numbers = made.map(({ json }) => json.number)
    for (let n = 0; n < PUSHERS; n++) expect(await git(folder.path, 'clone', '-q', remote(n), `pusher${n}`)).toBe('')
  }, 120_000)
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await database.drop()
    folder.remove()
  })

  /** Commits to `main` until the tries are over and a push was accepted, which the end of the merges allows. */
  async function keepPushing(n: number): Promise<string[]> {
    const accepted: string[] = []
    const run = (...args: string[]) => git(work(`pusher${n}`), ...args)
    for (let i = 0; i < PUSHES || accepted.length === 0; i++) {
      await run('fetch', '-q', 'origin')
      await run('reset', '-q', '--hard', 'origin/main')
      await run('commit', '-q', '--allow-empty', '-m', `pushed ${n} ${i}`)
      if ((await run('push', '-q', 'origin', 'HEAD:main')) === '') accepted.push((await run('rev-parse', 'HEAD'))!)
    }
    return accepted
  }

  async function editProtection(): Promise<void> {
    await call(0, 'POST', `${REPO}/branch_protections`, { rule_name: 'main', enable_push: true, required_approvals: 0 })
    for (let i = 0; i < EDITS; i++) {
      const { status } = await call(i, 'PATCH', `${REPO}/branch_protections/main`, { required_approvals: i % 2 })
      expect(status).toBe(200)
    }
    expect((await call(1, 'DELETE', `${REPO}/branch_protections/main`)).status).toBe(204)
  }

  it('merge each pull request or say why not, while branches are pushed and protections edited', async () => {
    const order = (n: number) => ({ Do: n % 2 === 0 ? STYLES[(n / 2) % 5] : LINEAR[((n - 1) / 2) % 3] })
    const [answers, pushed] = await Promise.all([
      Promise.all(
        Array.from({ length: PULLS }, (_, n) => call(n >> 1, 'POST', `${REPO}/pulls/${numbers[n]}/merge`, order(n))),
      ),
      Promise.all(Array.from({ length: PUSHERS }, (_, n) => keepPushing(n))),
      editProtection(),
    ])
    for (const { status, json } of answers) {
      expect([200, 409, 422], JSON.stringify(json)).toContain(status)
      if (status !== 200) expect(json.message).not.toBe('')
    }
    const said = answers
      .map(({ status, json }, n) => `${baseOf(n)} ${order(n).Do}: ${status} ${json.message}`)
      .join('\n')
    expect(
      answers.map(({ status }) => status),
      said,
    ).toContain(200)
    // What was refused by a protection that is gone, or because others were faster, succeeds when a client asks again.
    for (const [n, { status }] of answers.entries()) {
      if (status === 200) continue
      const again = await call(n, 'POST', `${REPO}/pulls/${numbers[n]}/merge`, { Do: 'squash' })
      expect(again.status, `${said}\n${n}: ${JSON.stringify(again.json)}`).toBe(200)
    }

    expect(await git(work('history'), 'fetch', '-q', remote(1), '+refs/heads/*:refs/now/*')).toBe('')
    const run = async (...args: string[]) => ((await git(work('history'), ...args)) ?? '').split('\n').filter(Boolean)
    const lists = await Promise.all([0, 1].map((at) => call(at, 'GET', `${REPO}/pulls?state=all&limit=50`)))
    const shown = lists.map(({ json }) => json as Any[])
    for (const base of ['main', 'linear']) {
      const history = new Set(await run('rev-list', `refs/now/${base}`))
      const files = await run('ls-tree', '--name-only', `refs/now/${base}`)
      const mergedFiles = []
      for (let n = 0; n < PULLS; n++) {
        if (baseOf(n) !== base) continue
        const [one, other] = shown.map((pulls) => pulls.find(({ number }) => number === numbers[n]))
        expect(one).toMatchObject({ merged: other.merged, state: other.state })
        expect(one.merged).toBe(true)
        mergedFiles.push(`t${n}`)
        expect(history.has(one.merge_commit_sha), `${n}`).toBe(true)
      }
      expect(files.toSorted()).toEqual(mergedFiles.toSorted())
      for (const server of [0, 1]) {
        const [tip] = await run('rev-parse', `refs/now/${base}`)
        expect((await call(server, 'GET', `${REPO}/branches/${base}`)).json.commit.id).toBe(tip)
      }
      if (base === 'linear') expect(await run('rev-list', '--merges', 'refs/now/linear')).toEqual([])
      else for (const oid of pushed.flat()) expect(history.has(oid)).toBe(true)
    }
    const repair = ['doctor', '--fix', '--data-dir', join(folder.path, 'three'), ...settings]
    expect((await runCommand([...repair, '--set', 'cluster.node=three'])).stderr).toMatch(/database: one, two\. Stop/)
    expect((await runCommand(['doctor', '--data-dir', join(folder.path, 'one'), ...settings])).stdout).toMatch(
      /Nothing is wrong\.\n$/,
    )
  }, 120_000)
})
