import { execFile, execFileSync, type ExecFileException } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { runCommand, serveHere, startIngot, temporaryFolder, type Folder, type ServerHere } from '../harness/process.ts'

/**
 * Writers of rows, of refs and of files of their own, and movers of whole repositories: each is killed at random
 * moments, and what was acknowledged must be there.
 */

const ROUNDS = 6
/** Concurrent writers of different kinds: in all rounds together each kind is killed three times at least. */
const WRITERS = 6
const LONGEST_LIFE_MS = 1_500
const HEAL_DEADLINE_MS = 30_000
const LOOPBACK = ['--set', 'migrations.allowed_hosts=*', '--set', 'mirror.enabled=true']
interface Promise_ {
  readonly what: string
  /** True when what was acknowledged is there. */
  holds(server: ServerHere): Promise<boolean>
}

type Writer = (server: ServerHere, id: string) => Promise<readonly Promise_[]>

let folder: Folder
let data: string
let password = ''
let key = ''
const promised: Promise_[] = []
let made = 0

const authorization = () => `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
const call = (server: ServerHere, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: authorization(), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const send = (server: ServerHere, method: string, path: string, body: Uint8Array<ArrayBuffer>): Promise<Response> =>
  fetch(server.url + path, {
    method,
    headers: { authorization: authorization(), 'content-type': 'application/octet-stream' },
    body,
  })

/** Ends the writer that this server ran for: it was killed before it answered. */
class Gone extends Error {}

async function done(answer: Promise<Response>): Promise<Any> {
  const response = await answer
  if (response.status >= 500) throw new Gone()
  expect(response.status, `${response.url} ${response.ok ? '' : await response.clone().text()}`).toBeLessThan(300)
  const text = await response.text()
  return text.startsWith('{') ? JSON.parse(text) : undefined
}
// eslint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
type Any = any

const isThere = async (server: ServerHere, path: string): Promise<boolean> =>
  (await call(server, 'GET', path)).status === 200
const git = (cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args],
      { cwd, env: { ...GIT_ENV, ...env } },
      (error: ExecFileException | null, stdout) => resolve(error ? undefined : stdout.trim()),
    )
  })

const newRepo = async (server: ServerHere, name: string): Promise<void> => {
  await done(call(server, 'POST', '/user/repos', { name, auto_init: true, default_branch: 'main' }))
}

const remote = (server: ServerHere, repo: string): string =>
  `${server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/admin/${repo}.git`

/** The commits of `main`. */
async function commitsOf(server: ServerHere, repo: string): Promise<string[]> {
  const query = 'sha=main&limit=50&stat=false&files=false&verification=false'
  const found = await call(server, 'GET', `/repos/admin/${repo}/commits?${query}`)
  return found.status === 200 ? ((await found.json()) as { sha: string }[]).map(({ sha }) => sha) : []
}

const writers: Readonly<Record<string, Writer>> = {
  async push(server, id) {
    const repo = `pushed-${id}`
    await done(call(server, 'POST', '/user/repos', { name: repo }))
    promised.push({ what: repo, holds: (now) => isThere(now, `/repos/admin/${repo}`) })
    const work = join(folder.path, `work-${id}`)
    mkdirSync(work)
    await git(work, ['init', '-q', '-b', 'main'])
    let tip: string | undefined
    for (const commit of ['first', 'second']) {
      writeFileSync(join(work, commit), id.repeat(2_000))
      await git(work, ['add', '.'])
      await git(work, ['commit', '-qm', commit])
      const next = await git(work, ['rev-parse', 'HEAD'])
      if ((await git(work, ['push', '-q', remote(server, repo), 'main'])) === undefined) break
      tip = next
    }
    // A push that was killed before its answer may have moved the branch further: then the acknowledged tip is below
    // it.
    if (tip === undefined) return []
    return [{ what: `${repo} ${tip}`, holds: async (now) => (await commitsOf(now, repo)).includes(tip) }]
  },
  async 'commit and token'(server, id) {
    await newRepo(server, `written-${id}`)
    const path = `/repos/admin/written-${id}/contents/dir/${id}.txt`
    const { commit } = await done(call(server, 'POST', path, { content: Buffer.from(id).toString('base64') }))
    const file: Promise_ = {
      what: `file of ${id}`,
      holds: async (now) =>
        (await isThere(now, path)) && (await commitsOf(now, `written-${id}`)).includes(commit.sha as string),
    }
    promised.push(file)
    const { sha1 } = await done(
      call(server, 'POST', '/users/admin/tokens', { name: `token-${id}`, scopes: ['read:user'] }),
    )
    return [
      {
        what: `token ${id}`,
        holds: async (now) =>
          (await fetch(`${now.url}/api/v1/user`, { headers: { authorization: `token ${sha1}` } })).status === 200,
      },
    ]
  },
  async 'release asset'(server, id) {
    await newRepo(server, `asset-${id}`)
    const release = await done(call(server, 'POST', `/repos/admin/asset-${id}/releases`, { tag_name: 'v1' }))
    const bytes = randomBytes(200_000)
    const path = `/repos/admin/asset-${id}/releases/${release.id}/assets`
    const asset = await done(send(server, 'POST', `/api/v1${path}?name=a.bin`, bytes))
    return [
      {
        what: `asset of ${id}`,
        holds: async (now) => {
          const url = new URL(
            ((await (await call(now, 'GET', `${path}/${asset.id}`)).json()) as { browser_download_url: string })
              .browser_download_url,
          )
          return Buffer.from(await (await fetch(now.url + url.pathname)).arrayBuffer()).equals(bytes)
        },
      },
    ]
  },
  async 'large file'(server, id) {
    await newRepo(server, `lfs-${id}`)
    const bytes = randomBytes(200_000)
    const oid = createHash('sha256').update(bytes).digest('hex')
    await done(send(server, 'PUT', `/admin/lfs-${id}.git/info/lfs/objects/${oid}/${bytes.length}`, bytes))
    return [
      {
        what: `large file of ${id}`,
        holds: async (now) => (await fetch(`${now.url}/admin/lfs-${id}.git/info/lfs/objects/${oid}`)).status === 200,
      },
    ]
  },
  async 'wiki page'(server, id) {
    await newRepo(server, `wiki-${id}`)
    const page = `/repos/admin/wiki-${id}/wiki`
    await done(call(server, 'POST', `${page}/new`, { title: 'Home', content_base64: 'YQ==' }))
    await done(
      call(server, 'PATCH', `${page}/page/Home`, { title: 'Home', content_base64: Buffer.from(id).toString('base64') }),
    )
    return [
      {
        what: `wiki of ${id}`,
        holds: async (now) =>
          ((await (await call(now, 'GET', `${page}/page/Home`)).json()) as { content_base64?: string })
            .content_base64 === Buffer.from(id).toString('base64'),
      },
    ]
  },
  async fork(server, id) {
    await newRepo(server, `source-${id}`)
    await done(call(server, 'POST', `/repos/admin/source-${id}/forks`, { organization: 'acme', name: `fork-${id}` }))
    return [{ what: `fork ${id}`, holds: (now) => isThere(now, `/repos/acme/fork-${id}/contents/README.md`) }]
  },
  async transfer(server, id) {
    await newRepo(server, `moved-${id}`)
    await done(call(server, 'POST', `/repos/admin/moved-${id}/transfer`, { new_owner: 'acme' }))
    return [{ what: `transfer ${id}`, holds: (now) => isThere(now, `/repos/acme/moved-${id}/contents/README.md`) }]
  },
  async delete(server, id) {
    await newRepo(server, `gone-${id}`)
    await done(call(server, 'DELETE', `/repos/admin/gone-${id}`))
    return [
      {
        what: `deletion of ${id}`,
        holds: async (now) => (await call(now, 'GET', `/repos/admin/gone-${id}`)).status === 404,
      },
    ]
  },
  async 'branch rename'(server, id) {
    await newRepo(server, `branch-${id}`)
    await done(call(server, 'PATCH', `/repos/admin/branch-${id}/branches/main`, { name: 'trunk' }))
    return [
      {
        what: `branch of ${id}`,
        holds: async (now) =>
          (await isThere(now, `/repos/admin/branch-${id}/branches/trunk`)) &&
          ((await (await call(now, 'GET', `/repos/admin/branch-${id}`)).json()) as { default_branch: string })
            .default_branch === 'trunk',
      },
    ]
  },
  async mirror(server, id) {
    await done(
      call(server, 'POST', '/repos/migrate', {
        clone_addr: `${server.url}/admin/origin.git`,
        repo_name: `mirror-${id}`,
        mirror: true,
      }),
    )
    await done(call(server, 'POST', `/repos/admin/mirror-${id}/mirror-sync`))
    return [{ what: `mirror ${id}`, holds: (now) => isThere(now, `/repos/admin/mirror-${id}/contents/README.md`) }]
  },
  async 'SSH push'(server, id) {
    await newRepo(server, `ssh-${id}`)
    const { ssh_url: url } = (await (await call(server, 'GET', `/repos/admin/ssh-${id}`)).json()) as { ssh_url: string }
    const work = join(folder.path, `work-${id}`)
    mkdirSync(work)
    await git(work, ['init', '-q', '-b', 'other'])
    writeFileSync(join(work, 'file'), randomBytes(300_000))
    await git(work, ['add', '.'])
    await git(work, ['commit', '-qm', id])
    const tip = await git(work, ['rev-parse', 'HEAD'])
    const command = `ssh -F /dev/null -i ${key} -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes`
    if ((await git(work, ['push', '-q', url, 'other'], { GIT_SSH_COMMAND: command })) === undefined) throw new Gone()
    return [{ what: `SSH push of ${id}`, holds: (now) => isThere(now, `/repos/admin/ssh-${id}/git/commits/${tip}`) }]
  },
}

async function keepWriting(server: ServerHere, writer: Writer): Promise<void> {
  try {
    for (;;) promised.push(...(await writer(server, String(made++))))
  } catch (error) {
    // A connection that broke or a push that failed: the server is gone, and promised nothing of this.
    if (!(error instanceof Gone || error instanceof TypeError || error instanceof SyntaxError)) throw error
  }
}

beforeAll(async () => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  key = join(folder.path, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key])
  const first = await serveHere(data, LOOPBACK)
  password = first.password
  await done(call(first, 'POST', '/user/keys', { title: 'key', key: readFileSync(`${key}.pub`, 'utf8').trim() }))
  await done(call(first, 'POST', '/orgs', { username: 'acme' }))
  await newRepo(first, 'origin')
  await first.stop()
}, 60_000)
afterAll(() => folder.remove())

/** What a killed server may leave while it runs, and must not keep. */
function leftovers(): string[] {
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) =>
        (/^tmp_objdir-|^tmp_pack|\.(?:lock|new|part)$/.test(name) && name !== 'server.lock') ||
        /\/(?:staging|trash|tmp)$/.test(parentPath),
    )
    .map(({ name, parentPath }) => join(parentPath, name).slice(data.length))
}

/** Jobs that kills left delete further repositories, whose files the task deletes. */
async function doctorAgrees(server: ServerHere): Promise<string> {
  const end = performance.now() + HEAL_DEADLINE_MS
  for (;;) {
    expect((await call(server, 'POST', '/admin/cron/clean_git_leftovers')).status).toBe(204)
    const { stdout, stderr } = await runCommand(['doctor', '--data-dir', data])
    const left = leftovers()
    if ((stdout.endsWith('Nothing is wrong.\n') && left.length === 0) || performance.now() > end)
      return `${stdout}${stderr}${left.join('\n')}`
  }
}

async function untilPromised(count: number): Promise<void> {
  const end = performance.now() + 20_000
  while (promised.length < count && performance.now() < end) await wait(20)
}

describe('kill -9', () => {
  it(`at ${ROUNDS} random moments among writers and movers of repositories loses nothing and leaves nothing`, async () => {
    const kinds = Object.values(writers)
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startIngot(data, LOOPBACK)
      const running = Array.from({ length: WRITERS }, (_, offset) =>
        keepWriting(server, kinds[(round * WRITERS + offset) % kinds.length]!),
      )
      // NOTE: on a busy machine nothing may be answered in a short life; every other one lasts until something was.
      if (round % 2 === 1) await untilPromised(promised.length + 3)
      await wait(100 + Math.random() * LONGEST_LIFE_MS)
      await server.stop('SIGKILL')
      await Promise.all(running)
    }
    // NOTE: what is younger than a second at a start may be of the start itself, and stays.
    await wait(1_100)
    const server = await serveHere(data, LOOPBACK)
    try {
      expect(promised.length).toBeGreaterThan(ROUNDS)
      const lost: string[] = []
      for (const { what, holds } of promised) if (!(await holds(server))) lost.push(what)
      expect(lost).toEqual([])
      for (const task of ['delete_lost_attachments', 'gc_lfs'])
        expect((await call(server, 'POST', `/admin/cron/${task}`)).status).toBe(204)
      expect(await doctorAgrees(server)).toMatch(
        /^database: ok\ncounters: ok\nrepositories:(?: ok\n|\n(?: {2}note {2}.* belongs to no repository\n)+)files: ok\npull requests: ok\nnodes: ok\npermissions: ok\njobs: ok\nNothing is wrong\.\n$/,
      )
      expect(existsSync(join(data, 'ingot.db'))).toBe(true)
    } finally {
      await server.stop()
    }
  }, 240_000)
})
