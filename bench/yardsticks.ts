import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { GitCommand } from './endpoints.ts'
import type { LargeRepo } from './large-repo.ts'
import { applyLoad, median } from './load.ts'
import type { Options } from './options.ts'
import type { TempDir } from './processes.ts'

const REPEATS = 11

/** A bare Fastify that answers a constant, in a process of its own that ends with the run; gives its URL. */
export async function startBare(tempDir: TempDir): Promise<string> {
  const child = tempDir.start(process.execPath, [fileURLToPath(new URL('./bare-server.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return url
}

/** What it answers under the load of the run, requests/s. */
export async function measureBare(
  url: string,
  { seconds, connections }: Pick<Options, 'seconds' | 'connections'>,
): Promise<number> {
  return (await applyLoad({ seconds, connections, next: () => ({ method: 'GET', url, headers: {} }) })).perSecond
}

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
