import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { applyLoad, median, type Load } from './load.ts'
import type { Options } from './options.ts'
import type { Workshop } from './processes.ts'

const REPEATS = 11

/** Load on a bare Fastify that answers a constant, in a process of its own. */
export async function measureBare(workshop: Workshop, { seconds, connections }: Options): Promise<Load> {
  const child = workshop.start(process.execPath, [fileURLToPath(new URL('./bare-server.ts', import.meta.url))], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const load = await applyLoad({ seconds, connections, next: () => ({ method: 'GET', url, headers: {} }) })
  await workshop.stop(child)
  return load
}

/** Median wall time in ms of `git log -30` in a repository. */
export async function measureGitLog(workshop: Workshop, path: string): Promise<number> {
  return repeat(() => workshop.run('git', ['log', '-30', 'main'], { cwd: path }))
}

/** Median wall time in ms of `git init --bare`. */
export async function measureGitInit(workshop: Workshop): Promise<number> {
  return repeat((i) => workshop.run('git', ['init', '--quiet', '--bare', join(workshop.dir, `init-${i}.git`)]))
}

async function repeat(measure: (i: number) => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < REPEATS; i++) times.push(await measure(i))
  return median(times)
}
