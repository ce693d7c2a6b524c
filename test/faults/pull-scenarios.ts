import { execFile, type ExecFileException } from 'node:child_process'
import { expect } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import type { Any } from '../harness/client.ts'

const PATIENCE_MS = 30_000

/** Runs git; undefined when it fails. */
export const git = (cwd: string, ...args: string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args],
      { cwd, env: GIT_ENV },
      (error: ExecFileException | null, stdout) => resolve(error ? undefined : stdout.trim()),
    )
  })

/** The administrator's connection to a running server. */
export interface Site {
  /** Rejects when the server is killed meanwhile. */
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly json: Any }>
  /** The address to push to. */
  remote(repo: string): string
  /** A clone of nothing with the branches of `makeHistory`. */
  readonly work: string
}

/** One write that is interrupted, on a branch `t<round>` of a repository of its own. */
export interface Scenario {
  readonly name: string
  /** What must be there before the write. */
  prepare?(on: Turn): Promise<void>
  /** The write. Rejects or returns false when it was not acknowledged. */
  act(on: Turn): Promise<boolean>
  /** Does the write again after it was not acknowledged, as a client would. Done when it was done already. */
  again?(on: Turn): Promise<void>
  /** What an acknowledged write leaves; the same value however often the server was killed. */
  read(on: Turn): Promise<unknown>
  readonly wanted: unknown
}

export interface Turn {
  readonly site: Site
  readonly branch: string
  /** `admin/<name of the scenario>` */
  readonly repo: string
}

/** The commits of all repositories: `main` has two commits, each `t<n>` and `other` begin at the first. */
export async function makeHistory(work: string, rounds: number): Promise<void> {
  const commit = (file: string) => git(work, 'commit', '-q', '-m', `Add ${file}`)
  const write = async (file: string): Promise<void> => {
    await git(work, 'config', 'core.fsync', 'none')
    const blob = await git(work, 'hash-object', '-w', '--', '/dev/null')
    await git(work, 'update-index', '--add', '--cacheinfo', `100644,${blob},${file}`)
    await commit(file)
  }
  await git(work, 'init', '-q', '-b', 'main')
  await write('first')
  for (const name of ['other', ...Array.from({ length: rounds }, (_, n) => [`t${n}`, `f${n}`]).flat()]) {
    await git(work, 'checkout', '-q', '-f', '-b', name, 'main')
    await write(`${name}.txt`)
  }
  for (let n = 0; n < rounds; n++) {
    await git(work, 'checkout', '-q', '-f', '-b', `t${n}-more`, `t${n}`)
    await write(`t${n}-more.txt`)
  }
  await git(work, 'checkout', '-q', '-f', 'main')
  await write('second')
}

const open = async ({ site, repo, branch }: Turn, head = branch): Promise<Any> => {
  const made = await site.call('POST', `/repos/${repo}/pulls`, { head, base: 'main', title: branch })
  expect(made.status, JSON.stringify(made.json)).toBe(201)
  return made.json
}
const opened: Pick<Scenario, 'prepare'> = { prepare: async (on) => void (await open(on)) }

/** Every pull request of a branch, as lists show it. */
const pullsOf = async ({ site, repo }: Turn, title: string): Promise<Any[]> =>
  (await site.call('GET', `/repos/${repo}/pulls?state=all&limit=50`)).json.filter((pull: Any) => pull.title === title)
const pullOf = async (on: Turn): Promise<Any> => (await pullsOf(on, on.branch))[0]

const call = async ({ site, repo }: Turn, method: string, path: string, body?: unknown): Promise<number> =>
  (await site.call(method, `/repos/${repo}${path}`, body)).status
const entries = async ({ site, repo }: Turn, number: number, type: string): Promise<number> =>
  (await site.call('GET', `/repos/${repo}/issues/${number}/timeline?limit=50`)).json.filter(
    (entry: Any) => entry.type === type,
  ).length

/** Refs and their targets, as clients read them. */
async function refs({ site, repo }: Turn): Promise<Map<string, string>> {
  const text = await git(site.work, 'ls-remote', site.remote(repo))
  return new Map(
    (text ?? '').split('\n').map((line) => line.split('\t').toReversed() as unknown as readonly [string, string]),
  )
}

async function headOf(on: Turn, pull: Any): Promise<string> {
  const found = (await refs(on)).get(`refs/pull/${pull.number}/head`)
  return found === pull.head.sha ? 'as shown' : `${found} in place of ${pull.head.sha}`
}

/** How often the base has merged the branch. */
async function merges(on: Turn): Promise<number> {
  const { json } = await on.site.call('GET', `/repos/${on.repo}/commits?sha=main&limit=50&stat=false&files=false`)
  return json.filter(({ commit }: Any) => String(commit.message).startsWith(`Merge pull request '${on.branch}'`)).length
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const created = async (on: Turn): Promise<unknown> => {
  const pulls = await pullsOf(on, on.branch)
  return [pulls.length, pulls[0] && (await headOf(on, pulls[0])), pulls[0]?.mergeable]
}
const MERGED = { is: true, entries: 1, merges: 1, head: 'as shown' }
const readMerge = async (on: Turn): Promise<unknown> => {
  const pull = await pullOf(on)
  return {
    is: pull.merged,
    entries: await entries(on, pull.number, 'merge_pull'),
    merges: await merges(on),
    head: await headOf(on, pull),
  }
}
const updateOf = (style: 'merge' | 'rebase'): Scenario => {
  const update = async (on: Turn): Promise<number> =>
    call(on, 'POST', `/pulls/${(await pullOf(on)).number}/update?style=${style}`)
  return {
    name: `update-${style}`,
    ...opened,
    act: async (on) => (await update(on)) === 200,
    async again(on) {
      expect([200, 422]).toContain(await update(on))
    },
    async read(on) {
      const pull = await pullOf(on)
      const branch = (await refs(on)).get(`refs/heads/${on.branch}`)
      const commits = (await on.site.call('GET', `/repos/${on.repo}/pulls/${pull.number}/commits`)).json
      return [branch === pull.head.sha, await headOf(on, pull), commits.length, pull.mergeable]
    },
    wanted: [true, 'as shown', style === 'merge' ? 2 : 1, true],
  }
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'create',
    act: async (on) => open(on).then(() => true),
    async again(on) {
      const body = { head: on.branch, base: 'main', title: on.branch }
      expect([201, 409]).toContain(await call(on, 'POST', '/pulls', body))
    },
    read: created,
    wanted: [1, 'as shown', true],
  },
  {
    name: 'create-from-fork',
    async prepare({ site, repo, branch }) {
      if (branch === 't0')
        expect((await site.call('POST', `/repos/${repo}/forks`, { organization: 'acme' })).status).toBe(202)
      const from = branch.replace('t', 'f')
      expect(await git(site.work, 'push', '-q', site.remote('acme/create-from-fork'), `${from}:${from}`)).toBe('')
    },
    act: async (on) => open(on, `acme:${on.branch.replace('t', 'f')}`).then(() => true),
    async again(on) {
      const body = { head: `acme:${on.branch.replace('t', 'f')}`, base: 'main', title: on.branch }
      expect([201, 409]).toContain(await call(on, 'POST', '/pulls', body))
    },
    read: created,
    wanted: [1, 'as shown', true],
  },
  {
    name: 'retarget',
    ...opened,
    act: async (on) => (await call(on, 'PATCH', `/pulls/${(await pullOf(on)).number}`, { base: 'other' })) === 201,
    async again(on) {
      await this.act(on)
    },
    async read(on) {
      const pull = await pullOf(on)
      const changes = await entries(on, pull.number, 'change_target_branch')
      return [pull.base.ref, changes, pull.mergeable, await headOf(on, pull)]
    },
    wanted: ['other', 1, true, 'as shown'],
  },
  updateOf('merge'),
  updateOf('rebase'),
  {
    name: 'auto-merge',
    ...opened,
    async act(on) {
      const { number } = await pullOf(on)
      const order = { Do: 'merge', merge_when_checks_succeed: true }
      if ((await call(on, 'POST', `/pulls/${number}/merge`, order)) !== 201) return false
      await until('the scheduled merge', async () => (await call(on, 'GET', `/pulls/${number}/merge`)) === 204)
      return true
    },
    async again(on) {
      const order = { Do: 'merge', merge_when_checks_succeed: true }
      expect([201, 409, 422]).toContain(await call(on, 'POST', `/pulls/${(await pullOf(on)).number}/merge`, order))
    },
    read: readMerge,
    wanted: MERGED,
  },
  {
    name: 'merge-and-delete',
    ...opened,
    async act(on) {
      const order = { Do: 'merge', delete_branch_after_merge: true }
      return (await call(on, 'POST', `/pulls/${(await pullOf(on)).number}/merge`, order)) === 200
    },
    async again(on) {
      const order = { Do: 'merge', delete_branch_after_merge: true }
      expect([200, 409, 422]).toContain(await call(on, 'POST', `/pulls/${(await pullOf(on)).number}/merge`, order))
    },
    async read(on) {
      const { number } = await pullOf(on)
      const deletions = await entries(on, number, 'delete_branch')
      // NOTE: the entry is written with the row, so a crash after the ref was deleted leaves none; never two.
      return [await readMerge(on), (await refs(on)).has(`refs/heads/${on.branch}`), deletions <= 1]
    },
    wanted: [MERGED, false, true],
  },
  {
    name: 'delete-branch',
    ...opened,
    act: async (on) => (await call(on, 'DELETE', `/branches/${on.branch}`)) === 204,
    async again(on) {
      expect([204, 404]).toContain(await call(on, 'DELETE', `/branches/${on.branch}`))
    },
    async read(on) {
      const pull = await pullOf(on)
      return [(await refs(on)).has(`refs/heads/${on.branch}`), pull.state, pull.merged, await headOf(on, pull)]
    },
    wanted: [false, 'closed', false, 'as shown'],
  },
  {
    name: 'agit',
    act: ({ site, repo, branch }) =>
      git(
        site.work,
        'push',
        '-q',
        '-o',
        `topic=${branch}`,
        '-o',
        `title=${branch}`,
        site.remote(repo),
        `${branch}:refs/for/main`,
      ).then((text) => text !== undefined),
    async again(on) {
      await this.act(on)
    },
    read: created,
    wanted: [1, 'as shown', true],
  },
  {
    name: 'push-to-head',
    ...opened,
    act: async ({ site, repo, branch }) =>
      (await git(site.work, 'push', '-q', site.remote(repo), `${branch}-more:${branch}`)) !== undefined,
    async again(on) {
      await this.act(on)
    },
    async read(on) {
      const pull = await pullOf(on)
      const branch = (await refs(on)).get(`refs/heads/${on.branch}`)
      const tip = await git(on.site.work, 'rev-parse', `${on.branch}-more`)
      return [
        branch === tip,
        pull.head.sha === tip,
        await headOf(on, pull),
        await entries(on, pull.number, 'pull_push'),
      ]
    },
    wanted: [true, true, 'as shown', 2],
  },
]
