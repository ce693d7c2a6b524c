import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A moment in the work on a repository: before or after the nth git process that is asked for since `arm`. */
export interface GitStop {
  /** Counts from 1. */
  readonly nth: number
  /** Git commands that are counted, such as `update-ref`; all but `cat-file` where absent. */
  readonly only?: string
  readonly when: 'before' | 'after'
}

/** A directory for `PATH` whose `git` runs the real one, and stops at a chosen moment until its server is killed. */
export interface GitStops {
  /** Comes first in `PATH`. */
  readonly bin: string
  /** From now on the work on each repository stops at this moment, each for itself. */
  arm(stop: GitStop): void
  /** The directory names of the repositories whose work has stopped, with the git command at which it did. */
  stopped(): ReadonlyMap<string, string>
  /** Lets the work that stopped go on; no other stops. */
  resume(): void
  /** Ends the processes that stopped. What they had not begun does not happen. Call after the server was killed. */
  disarm(): void
}

/**
 * Every step of work on a repository lies between two git processes: a server that is killed there was killed between
 * them.
 */
export function createGitStops(dir: string): GitStops {
  const bin = join(dir, 'bin')
  const state = join(dir, 'stops')
  for (const path of [bin, state]) mkdirSync(path, { recursive: true })
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh
[ -e '${state}/armed' ] || exec '${real}' "$@"
read -r nth when only < '${state}/armed' || exec '${real}' "$@"
[ "$1" != cat-file ] || exec '${real}' "$@"
[ -z "$only" ] || [ "$1" = "$only" ] || exec '${real}' "$@"
name="\${GIT_DIR##*/}"
count=0
[ ! -e "${state}/count-$name" ] || read -r count < "${state}/count-$name"
count=$((count + 1))
echo "$count" > "${state}/count-$name"
[ "$count" -eq "$nth" ] || exec '${real}' "$@"
[ "$when" = before ] || '${real}' "$@"
echo "$$ $1" > "${state}/.stopped-$name"
mv "${state}/.stopped-$name" "${state}/stopped-$name"
while [ ! -e '${state}/resumed' ]; do sleep 0.2; done
[ "$when" = after ] || exec '${real}' "$@"
`
  writeFileSync(join(bin, 'git'), script)
  chmodSync(join(bin, 'git'), 0o755)
  const read = (): (readonly [name: string, pid: number, command: string])[] =>
    readdirSync(state)
      .filter((file) => file.startsWith('stopped-'))
      .map((file) => {
        const [pid, command = ''] = readFileSync(join(state, file), 'utf8').trim().split(' ')
        return [file.slice('stopped-'.length), Number(pid), command]
      })
  return {
    bin,
    arm({ nth, only = '', when }) {
      rmSync(join(state, 'resumed'), { force: true })
      writeFileSync(join(state, 'armed'), `${nth} ${when} ${only}\n`)
    },
    stopped: () => new Map(read().map(([name, , command]) => [name, command])),
    resume() {
      for (const file of readdirSync(state)) rmSync(join(state, file))
      writeFileSync(join(state, 'resumed'), '')
    },
    disarm() {
      rmSync(join(state, 'armed'), { force: true })
      for (const [, pid] of read()) kill(pid)
      for (const file of readdirSync(state)) rmSync(join(state, file))
    },
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended with its server.
  }
}
