import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../../core/git/wire/client.ts'
import { runCommand, startIngot, temporaryFolder, type Folder, type IngotProcess } from '../../harness/process.ts'

/**
 * A push of data that does not compress, in constant memory of the server and of what it starts. 48 MB in the usual
 * run; INGOT_TEST_PUSH_MB=2048 makes it the two gigabytes that the server is held to.
 */
const MEGABYTES = Number(process.env['INGOT_TEST_PUSH_MB'] ?? 48)
const FILE_MB = 12
const MB = 1024 * 1024
/**
 * What the server may take, and what git may on its side. NOTE: half of the first is buffers that wait for the
 * collector.
 */
const MAX_SERVER_MB = 300
const MAX_CHILD_MB = 160

let folder: Folder
let server: IngotProcess
beforeAll(async () => {
  folder = temporaryFolder()
  server = await startIngot(join(folder.path, 'data'))
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

const status = (pid: number | string, name: string): number => {
  try {
    return (
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) /
      1024
    )
  } catch {
    return 0
  }
}

function childrenOf(pid: number | string): string[] {
  try {
    const direct = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean)
    return direct.flatMap((child) => [child, ...childrenOf(child)])
  } catch {
    return []
  }
}

/** Largest memory of its own that the server and any of its children had while `task` ran, in MB. */
async function measured(pid: number, task: () => Promise<unknown>): Promise<{ server: number; child: number }> {
  const peak = { server: 0, child: 0 }
  const look = (): void => {
    peak.server = Math.max(peak.server, status(pid, 'VmRSS'))
    for (const child of childrenOf(pid)) peak.child = Math.max(peak.child, status(child, 'RssAnon'))
  }
  const timer = setInterval(look, 50)
  try {
    await task()
  } finally {
    clearInterval(timer)
  }
  return peak
}

/** A commit of random files, as git fast-import reads it. */
function* history(): Generator<Buffer> {
  const files = Math.ceil(MEGABYTES / FILE_MB)
  for (let file = 1; file <= files; file++)
    yield Buffer.concat([
      Buffer.from(`blob\nmark :${file}\ndata ${FILE_MB * MB}\n`),
      randomBytes(FILE_MB * MB),
      Buffer.from('\n'),
    ])
  const names = Array.from({ length: files }, (_, index) => `M 100644 :${index + 1} f${index + 1}\n`).join('')
  yield Buffer.from(
    `commit refs/heads/main\ncommitter A <a@example.test> 1700000000 +0000\ndata 5\nlarge\n${names}\ndone\n`,
  )
}

async function makeRepo(work: string): Promise<void> {
  await git(folder.path, ['init', '-q', '-b', 'main', work])
  const child = spawn(
    'git',
    ['-c', 'core.compression=0', '-c', 'core.bigFileThreshold=1m', 'fast-import', '--quiet', '--done'],
    { cwd: work, stdio: ['pipe', 'ignore', 'inherit'] },
  )
  const ended = once(child, 'close')
  await pipeline(Readable.from(history()), child.stdin)
  expect((await ended)[0]).toBe(0)
}

describe.runIf(process.platform === 'linux')(`a push of ${MEGABYTES} MB`, () => {
  it(
    'takes constant memory, and so does the clone of it',
    async () => {
      const authorization = `Basic ${Buffer.from(`admin:${server.password}`).toString('base64')}`
      const made = await fetch(`${server.url}/api/v1/user/repos`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'large' }),
      })
      expect(made.status).toBe(201)
      const work = join(folder.path, 'work')
      await makeRepo(work)
      const pid = server.child.pid!
      const before = status(pid, 'VmRSS')
      const url = `${server.url.replace('//', `//admin:${encodeURIComponent(server.password)}@`)}/admin/large.git`
      const whole = ['-c', 'core.bigFileThreshold=1m', '-c', 'pack.compression=0']
      const push = await measured(pid, () => git(work, [...whole, 'push', '-q', url, 'main']))
      const clone = await measured(pid, () => git(folder.path, [...whole, 'clone', '-q', '--bare', url, 'clone.git']))
      expect(await git(join(folder.path, 'clone.git'), ['rev-parse', 'main'])).toBe(
        await git(work, ['rev-parse', 'main']),
      )
      const figures = { before, push, clone }
      if (process.env['INGOT_TEST_PUSH_MB'] !== undefined) process.stderr.write(`${JSON.stringify(figures)}\n`)
      for (const [what, peak] of Object.entries({ push, clone })) {
        expect(peak.server, `server, ${what} ${JSON.stringify(figures)}`).toBeLessThan(MAX_SERVER_MB)
        expect(peak.child, `git, ${what} ${JSON.stringify(figures)}`).toBeLessThan(MAX_CHILD_MB)
      }
      expect(await server.stop()).toBe(0)
      expect((await runCommand(['doctor', '--quick', '--data-dir', join(folder.path, 'data')])).stdout).toContain(
        'Nothing is wrong.',
      )
    },
    30 * 60_000,
  )
})
