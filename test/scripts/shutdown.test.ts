import { execFile, execFileSync, type ExecFileException } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import {
  runCommand,
  serveHere,
  startIngot,
  temporaryFolder,
  type Folder,
  type IngotProcess,
} from '../harness/process.ts'
import { MEASURED } from '../harness/measured.ts'

const MB = 1 << 20
const HOLD_AFTER = MB
/** A way to the server that stops in the middle of what one side sends, until it is let go. */
interface SlowWay {
  readonly port: number
  /** Resolves when bytes are being held back. */
  readonly held: Promise<void>
  release(): void
  close(): void
}

async function slowWay(to: number, holding: 'client' | 'server'): Promise<SlowWay> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const pump = async (from: Socket, into: Socket, holds: boolean): Promise<void> => {
    let passed = 0
    for await (const chunk of from as AsyncIterable<Buffer>) {
      passed += chunk.length
      if (holds && passed > HOLD_AFTER) {
        held.resolve()
        await released.promise
      }
      if (!into.write(chunk)) await Promise.race([once(into, 'drain'), once(into, 'close')])
    }
    into.end()
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true })
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}))
    pump(client, upstream, holding === 'client').catch(() => upstream.destroy())
    pump(upstream, client, holding === 'server').catch(() => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    held: held.promise,
    release: () => released.resolve(),
    close() {
      released.resolve()
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

let folder: Folder
let data: string
let server: Pick<IngotProcess, 'url' | 'password' | 'stop'>
let ways: SlowWay[]

beforeEach(() => {
  folder = temporaryFolder()
  data = join(folder.path, 'data')
  ways = []
})
afterEach(async () => {
  for (const way of ways) way.close()
  await server.stop('SIGKILL')
  folder.remove()
})

const git = (
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ ok: boolean; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args],
      { cwd, env: { ...GIT_ENV, ...env } },
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({ ok: error === null, stdout: stdout.trim(), stderr }),
    )
  })
const authorization = () => `Basic ${Buffer.from(`admin:${server.password}`).toString('base64')}`
const api = async (method: string, path: string, body?: object): Promise<Record<string, string>> => {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: authorization(), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.status).toBeLessThan(300)
  return (await answer.json()) as Record<string, string>
}

interface Transfers {
  /** Each resolves to whether it succeeded. */
  readonly results: Promise<Record<string, boolean>>
}

/** A clone, a push, an upload, and a clone and a push over SSH, all of them stopped in their middle. */
async function holdTransfers(): Promise<Transfers> {
  const http = Number(new URL(server.url).port)
  const key = join(folder.path, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key])
  await api('POST', '/user/keys', { title: 'k', key: readFileSync(`${key}.pub`, 'utf8').trim() })
  for (const name of ['cloned', 'pushed', 'ssh-pushed']) await api('POST', '/user/repos', { name })
  const ssh = Number(new URL((await api('GET', '/repos/admin/cloned'))['ssh_url']!).port)
  const work = join(folder.path, 'work')
  mkdirSync(work)
  writeFileSync(join(work, 'big'), randomBytes(8 * MB))
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-qm', 'big'],
  ])
    expect(await git(work, args)).toMatchObject({ ok: true })
  const httpUrl = (port: number, repo: string): string =>
    `http://admin:${encodeURIComponent(server.password)}@127.0.0.1:${port}/admin/${repo}.git`
  expect(await git(work, ['push', '-q', httpUrl(http, 'cloned'), 'main'])).toMatchObject({ ok: true })

  const open = async (port: number, holding: 'client' | 'server'): Promise<SlowWay> => {
    const way = await slowWay(port, holding)
    ways.push(way)
    return way
  }
  const sshUrl = (port: number, repo: string): string => `ssh://git@127.0.0.1:${port}/admin/${repo}.git`
  const sshEnv = {
    GIT_SSH_COMMAND: `ssh -F /dev/null -i ${key} -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes`,
  }
  const bytes = randomBytes(4 * MB)
  const oid = createHash('sha256').update(bytes).digest('hex')
  const running: Record<string, Promise<boolean>> = {
    clone: git(folder.path, ['clone', '-q', httpUrl((await open(http, 'server')).port, 'cloned'), 'c1']).then(
      ({ ok }) => ok,
    ),
    push: git(work, ['push', '-q', httpUrl((await open(http, 'client')).port, 'pushed'), 'main']).then(({ ok }) => ok),
    upload: fetch(
      `http://127.0.0.1:${(await open(http, 'client')).port}/admin/cloned.git/info/lfs/objects/${oid}/${bytes.length}`,
      { method: 'PUT', headers: { authorization: authorization() }, body: bytes },
    ).then(
      ({ ok }) => ok,
      () => false,
    ),
    'SSH clone': git(
      folder.path,
      ['clone', '-q', sshUrl((await open(ssh, 'server')).port, 'cloned'), 'c2'],
      sshEnv,
    ).then(({ ok }) => ok),
    'SSH push': git(work, ['push', '-q', sshUrl((await open(ssh, 'client')).port, 'ssh-pushed'), 'main'], sshEnv).then(
      ({ ok }) => ok,
    ),
  }
  await Promise.all(ways.map((way) => way.held))
  const results = Promise.all(Object.entries(running).map(async ([name, ok]) => [name, await ok] as const)).then(
    (all) => Object.fromEntries(all),
  )
  return { results }
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), resolve(false))).once('error', () => resolve(true))
  })

describe('a server that is signalled to stop', () => {
  it('lets clones, pushes, uploads and SSH sessions finish, takes nothing new, and ends', async () => {
    server = await serveHere(data, ['--set', 'server.shutdown_timeout=60'])
    const { results } = await holdTransfers()
    const ended = server.stop()
    await expect.poll(() => isRefused(Number(new URL(server.url).port)), { timeout: 10_000 }).toBe(true)
    for (const way of ways) way.release()
    expect(await results).toEqual({ clone: true, push: true, upload: true, 'SSH clone': true, 'SSH push': true })
    expect(await ended).toBe(0)
    expect((await runCommand(['doctor', '--data-dir', data])).stdout).toMatch(/Nothing is wrong\.\n$/)
  }, 120_000)

  it('cuts off what does not finish in time, and leaves nothing of it', { ...MEASURED, timeout: 120_000 }, async () => {
    server = await startIngot(data, ['--set', 'server.shutdown_timeout=1'])
    const { results } = await holdTransfers()
    const start = performance.now()
    expect(await server.stop()).toBe(0)
    expect(performance.now() - start).toBeLessThan(10_000)
    for (const way of ways) way.close()
    expect(Object.values(await results)).toEqual([false, false, false, false, false])
    const again = await serveHere(data)
    expect((await runCommand(['doctor', '--data-dir', data])).stdout).toMatch(/Nothing is wrong\.\n$/)
    expect(await again.stop()).toBe(0)
  })
})
