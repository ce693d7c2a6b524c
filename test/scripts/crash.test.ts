import { execFile, type ExecFileException } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { runCommand, startIngot, temporaryFolder, type Folder, type IngotProcess } from '../harness/process.ts'

/** NOTE: a start takes longer than what is written in a round, and every writer of a round is killed. */
const ROUNDS = 9
const WRITERS = 4
const LONGEST_LIFE_MS = 900
const HEAL_DEADLINE_MS = 20_000

/** What the server said it had done. */
interface Acknowledged {
  readonly repos: Set<string>
  /** Tip of `main` by repository, as the last acknowledged push or commit left it. */
  readonly tips: Map<string, string>
  /** Files that were made over the API, by repository. */
  readonly files: Map<string, string[]>
  readonly tokens: Set<string>
}

let folder: Folder
let data: string
let password = ''
const acknowledged: Acknowledged = { repos: new Set(), tips: new Map(), files: new Map(), tokens: new Set() }
let made = 0

beforeAll(async () => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  const first = await startIngot(data)
  password = first.password
  await first.stop()
})
afterAll(() => folder.remove())

const call = (server: IngotProcess, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

/** Git's standard output, undefined when it failed. */
const git = (cwd: string, ...args: string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args],
      { cwd, env: GIT_ENV },
      (error: ExecFileException | null, stdout) => resolve(error ? undefined : stdout.trim()),
    )
  })

const remote = (server: IngotProcess, repo: string): string =>
  `${server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/${repo}.git`

/**
 * Makes repositories, pushes to them, commits and makes tokens until the server is gone; notes only what was answered.
 */
async function write(server: IngotProcess, worker: number): Promise<void> {
  const work = join(folder.path, `work-${made}-${worker}`)
  mkdirSync(work)
  await git(work, 'init', '-q', '-b', 'main')
  try {
    for (let step = 0; ; step++) {
      const id = `${worker}-${made++}`
      const repo = `pushed-${id}`
      if ((await call(server, 'POST', '/user/repos', { name: repo })).status !== 201) return
      acknowledged.repos.add(repo)
      for (let commit = 0; commit < 2; commit++) {
        writeFileSync(join(work, `file-${step}-${commit}`), id.repeat(2_000))
        await git(work, 'add', '.')
        await git(work, 'commit', '-qm', `${id} ${commit}`)
        const tip = (await git(work, 'rev-parse', 'HEAD'))!
        if ((await git(work, 'push', '-q', remote(server, repo), 'main')) === undefined) return
        acknowledged.tips.set(repo, tip)
      }
      const written = `written-${id}`
      if ((await call(server, 'POST', '/user/repos', { name: written, auto_init: true })).status !== 201) return
      acknowledged.repos.add(written)
      const file = await call(server, 'POST', `/repos/admin/${written}/contents/dir/${id}.txt`, {
        content: Buffer.from(id).toString('base64'),
      })
      if (file.status !== 201) return
      acknowledged.files.set(written, [`dir/${id}.txt`])
      acknowledged.tips.set(written, ((await file.json()) as { commit: { sha: string } }).commit.sha)
      const token = await call(server, 'POST', '/users/admin/tokens', { name: `token-${id}`, scopes: ['read:user'] })
      if (token.status !== 201) return
      acknowledged.tokens.add(((await token.json()) as { sha1: string }).sha1)
    }
  } catch {
    // The server was killed in the middle of an answer: nothing was promised.
  }
}

async function missing(server: IngotProcess): Promise<string[]> {
  const lost: string[] = []
  for (const repo of acknowledged.repos)
    if ((await call(server, 'GET', `/repos/admin/${repo}`)).status !== 200) lost.push(repo)
  for (const [repo, tip] of acknowledged.tips) {
    // A push that was killed before its answer may have moved the branch further: then the acknowledged tip is below it.
    const found = await call(
      server,
      'GET',
      `/repos/admin/${repo}/commits?sha=main&limit=50&stat=false&files=false&verification=false`,
    )
    const commits = found.status === 200 ? ((await found.json()) as { sha: string }[]) : []
    if (!commits.some(({ sha }) => sha === tip)) lost.push(`${repo} ${tip}: ${found.status}`)
  }
  for (const [repo, paths] of acknowledged.files) {
    for (const path of paths)
      if ((await call(server, 'GET', `/repos/admin/${repo}/contents/${path}`)).status !== 200)
        lost.push(`${repo}/${path}`)
  }
  for (const token of acknowledged.tokens)
    if ((await fetch(`${server.url}/api/v1/user`, { headers: { authorization: `token ${token}` } })).status !== 200)
      lost.push('a token')
  return lost
}

/** The server looks through its repositories at every start; the doctor must come to agree. */
async function doctorAgrees(): Promise<string> {
  const end = performance.now() + HEAL_DEADLINE_MS
  for (;;) {
    const { stdout, stderr } = await runCommand(['doctor', '--data-dir', data])
    if (stdout.endsWith('Nothing is wrong.\n') || performance.now() > end) return stdout + stderr
  }
}

describe('kill -9', () => {
  it(`at ${ROUNDS} random moments among ${WRITERS} writers loses nothing that was acknowledged`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startIngot(data)
      const writers = Array.from({ length: WRITERS }, (_, worker) => write(server, worker))
      await wait(50 + Math.random() * LONGEST_LIFE_MS)
      await server.stop('SIGKILL')
      await Promise.all(writers)
    }
    const server = await startIngot(data)
    try {
      expect(await missing(server)).toEqual([])
      expect(acknowledged.repos.size).toBeGreaterThan(ROUNDS)
      const report = await doctorAgrees()
      expect(report).toMatch(
        /^database: ok\ncounters: ok\nrepositories:(?: ok\n|\n(?: {2}note {2}.* belongs to no repository\n)+)files: ok\npull requests: ok\nnodes: ok\npermissions: ok\njobs: ok\nNothing is wrong\.\n$/,
      )
    } finally {
      await server.stop()
    }
  }, 180_000)
})
