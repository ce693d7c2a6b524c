import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { gitLogin } from '../api.ts'
import { commitOn } from '../data/commits.ts'
import type { Trial } from '../figure.ts'
import { smallRepo } from '../data/fill.ts'
import { gitUrl, type Run } from '../run.ts'

const CLIENTS = 10
const NAMES = {
  many: '10 pushes at once to 10 repositories',
  manyLost: '10 pushes to 10, commits lost',
  one: '10 pushes at once to one repository',
  oneLost: '10 pushes to one, commits lost',
} as const
const TOLD_TO_FETCH = /fetch first|non-fast-forward|stale info|cannot lock ref|failed to update ref|failed to lock/
const MAX_ROUNDS = 50

interface Client {
  readonly path: string
  readonly url: string
  readonly file: string
}

/**
 * Clients that push at the same moment; who is reported to fetch first does that and pushes again. Nothing may be lost.
 */
export const pushesAtOnce: Trial = {
  names: Object.values(NAMES),
  needs: 'site',
  async run(run) {
    const urls = Array.from({ length: CLIENTS }, (_, i) => gitUrl(run, smallRepo(run.seed.prefix, i)))
    const many = await pushAtOnce(run, 'many', urls)
    const one = await pushAtOnce(
      run,
      'one',
      urls.map(() => urls[0]!),
    )
    return [
      { name: NAMES.many, measured: many.ms, unit: 'ms' },
      { name: NAMES.manyLost, measured: many.lost, unit: 'commits', max: 0 },
      { name: NAMES.one, measured: one.ms, unit: 'ms' },
      { name: NAMES.oneLost, measured: one.lost, unit: 'commits', max: 0 },
    ]
  },
}

async function pushAtOnce(run: Run, name: string, urls: readonly string[]): Promise<{ ms: number; lost: number }> {
  const { tempDir, target } = run
  const env = gitLogin(target)
  const clients = urls.map((url, i): Client => ({
    url,
    path: join(tempDir.dir, `${name}-${i}.git`),
    file: `${name}-${i}.txt`,
  }))
  for (const { url, path, file } of clients) {
    await tempDir.run('git', ['clone', '--quiet', '--bare', url, path], { env })
    await commitOn(tempDir, path, { file, text: name })
  }
  const begin = performance.now()
  await Promise.all(clients.map((client) => pushUntilTaken(run, client)))
  const ms = performance.now() - begin
  let lost = 0
  for (const { url, path, file } of clients) {
    await tempDir.run('git', ['fetch', '--quiet', url, 'main'], { cwd: path, env })
    const found = await tempDir.read('git', ['ls-tree', '--name-only', 'FETCH_HEAD', file], { cwd: path })
    if (found.trim() !== file) lost++
  }
  for (const { path } of clients) rmSync(path, { recursive: true, force: true })
  return { ms, lost }
}

/** Throws when a push fails for another reason than somebody else's. */
async function pushUntilTaken({ tempDir, target }: Run, { path, url, file }: Client): Promise<void> {
  const options = { cwd: path, env: gitLogin(target) }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    try {
      await tempDir.run('git', ['push', '--quiet', url, 'main:main'], options)
      return
    } catch (error) {
      if (!TOLD_TO_FETCH.test((error as Error).message)) throw error
    }
    await tempDir.run('git', ['fetch', '--quiet', url, 'main'], options)
    const parent = (await tempDir.read('git', ['rev-parse', 'FETCH_HEAD'], options)).trim()
    await commitOn(tempDir, path, { file, text: `round ${round}`, parent })
  }
  throw new Error(`no push to ${url} was taken in ${MAX_ROUNDS} rounds`)
}
