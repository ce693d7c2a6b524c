import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LargeRepo } from '../data/large-repo.ts'
import type { GitCommand } from '../endpoints.ts'
import { cpuOf } from '../system/process-tree.ts'
import type { TempDir } from '../system/processes.ts'
import type { GeneratedLoad, Generator } from './generator.ts'
import { median } from './load.ts'

const REPEATS = 11

/** A server of a few lines in a process of its own that ends with the run. */
export interface BareServer {
  readonly url: string
  readonly pid: number
}

/**
 * `bare-server.ts`: a Fastify that answers a constant. `ceiling-server.ts`: a socket that answers a constant.
 * `copy-server.ts FILE [HASH]`: stores and sends one file; hashes and syncs it too.
 */
export async function startBare(
  tempDir: TempDir,
  script: 'bare-server.ts' | 'ceiling-server.ts' | 'copy-server.ts',
  args: readonly string[] = [],
): Promise<BareServer> {
  const child = tempDir.start(process.execPath, [fileURLToPath(new URL(`./${script}`, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return { url, pid: child.pid! }
}

/** A load and what it cost the server. */
export interface CostedLoad extends GeneratedLoad {
  /** CPU time of the server's process tree for one request, microseconds; undefined for a server of others. */
  readonly cpu: number | undefined
}

/** Sends the load and reads the CPU time of the tree under each of `pids` before and after. */
export async function sendCosted(
  generator: Generator,
  plan: Parameters<Generator['send']>[0],
  pids: readonly number[] | undefined,
): Promise<CostedLoad> {
  if (pids === undefined) return { ...(await generator.send(plan)), cpu: undefined }
  const spent = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const before = spent()
  const load = await generator.send(plan)
  return { ...load, cpu: ((spent() - before) * 1000) / Math.max(1, load.requests) }
}

/** What a bare server answers under this load. */
export const measureBare = (
  generator: Generator,
  { url, pid }: BareServer,
  { seconds, connections }: { seconds: number; connections: number },
): Promise<CostedLoad> =>
  sendCosted(generator, { seconds, connections, call: { method: 'GET', url, headers: {} } }, [pid])

/** Median wall times in ms of the commands that do what some endpoints do, in a repository with a commit graph. */
export async function measureGit(
  tempDir: TempDir,
  { path, file, compared: { base, head } }: LargeRepo,
): Promise<Record<GitCommand, number>> {
  const git = (...args: string[]): Promise<number> => tempDir.run('git', args, { cwd: path })
  return {
    'git log': await repeat(() => git('log', '-30', 'main')),
    'git log -- FILE': await repeat(() => git('log', '-30', 'main', '--', file)),
    'git rev-list + diff': await repeat(
      async () => (await git('rev-list', `${base}..${head}`)) + (await git('diff', '--numstat', `${base}...${head}`)),
    ),
  }
}

/** Median wall time in ms of `git init --bare`. */
export async function measureGitInit(tempDir: TempDir): Promise<number> {
  return repeat((i) => tempDir.run('git', ['init', '--quiet', '--bare', join(tempDir.dir, `init-${i}.git`)]))
}

async function repeat(measure: (i: number) => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < REPEATS; i++) times.push(await measure(i))
  return median(times)
}
