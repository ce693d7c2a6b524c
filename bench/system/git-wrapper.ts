import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TempDir } from './processes.ts'

/** A `git` that counts its starts. */
export interface GitWrapper {
  /** Value of PATH for the server whose git processes are counted. */
  readonly path: string
  /** Starts so far. */
  count(): number
  /** Waits until no process starts: work of earlier requests that continues in the background is not counted. */
  untilQuiet(): Promise<void>
}

const QUIET_MS = 1000
const PATIENCE_MS = 60_000

export async function makeGitWrapper(tempDir: TempDir, name: string): Promise<GitWrapper> {
  const dir = join(tempDir.dir, name)
  const log = join(tempDir.dir, `${name}.log`)
  const git = (await tempDir.read('sh', ['-c', 'command -v git'])).trim()
  mkdirSync(dir)
  writeFileSync(log, '')
  writeFileSync(join(dir, 'git'), `#!/bin/sh\necho "$*" >>'${log}'\nexec '${git}' "$@"\n`)
  chmodSync(join(dir, 'git'), 0o755)
  const count = (): number => readFileSync(log, 'utf8').split('\n').length
  return {
    path: `${dir}:${process.env['PATH']}`,
    count,
    async untilQuiet() {
      const end = performance.now() + PATIENCE_MS
      for (let before = -1; before !== count() && performance.now() < end;) {
        before = count()
        await sleep(QUIET_MS)
      }
    },
  }
}
