import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { gitLogin } from '../api.ts'
import { commitOn } from '../data/commits.ts'
import type { Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import { gitUrl } from '../run.ts'
import type { TempDir } from '../system/processes.ts'
import { startOwn } from '../system/target.ts'

const NAME = 'push of one commit, git processes'
const PUSHES = 5
const MOST = 3

/**
 * git processes that the server starts while a client pushes: reported by a script in git's run, so on a server of its
 * own.
 */
export const pushProcesses: Trial = {
  names: [NAME],
  needs: 'large',
  async run(run) {
    const { tempDir, seed, large, own } = run
    if (own === undefined) return [{ name: NAME, measured: undefined, unit: 'processes', most: MOST }]
    await tempDir.stop(own.server.child)
    const log = await makeWrapper(tempDir)
    const server = await startOwn(tempDir, {
      dataDir: own.dataDir,
      databaseUrl: own.databaseUrl,
      path: `${join(tempDir.dir, 'wrapper')}:${process.env['PATH']}`,
    })
    const target = { ...run.target, url: server.url }
    const counts: number[] = []
    for (let i = 0; i < PUSHES; i++) {
      await commitOn(tempDir, large.path, { file: large.file, text: `counted ${i}` })
      await untilQuiet(log)
      const before = started(log)
      await tempDir.run('git', ['push', '--quiet', gitUrl({ target }, seed.large), 'main:main'], {
        cwd: large.path,
        env: gitLogin(target),
      })
      counts.push(started(log) - before)
    }
    await tempDir.stop(server.child)
    return [{ name: NAME, measured: median(counts), unit: 'processes', most: MOST }]
  },
}

/** A `git` that writes a line for each start; gives the file of the lines. */
async function makeWrapper(tempDir: TempDir): Promise<string> {
  const dir = join(tempDir.dir, 'wrapper')
  const log = join(tempDir.dir, 'wrapper.log')
  const git = (await tempDir.read('sh', ['-c', 'command -v git'])).trim()
  mkdirSync(dir)
  writeFileSync(log, '')
  writeFileSync(join(dir, 'git'), `#!/bin/sh\necho "$*" >>'${log}'\nexec '${git}' "$@"\n`)
  chmodSync(join(dir, 'git'), 0o755)
  return log
}

const QUIET_MS = 1000
const PATIENCE_MS = 60_000

/** Work of earlier requests that goes on in the background is not counted. */
async function untilQuiet(log: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  for (let before = -1; before !== started(log) && performance.now() < end;) {
    before = started(log)
    await sleep(QUIET_MS)
  }
}

const started = (log: string): number => readFileSync(log, 'utf8').split('\n').length
