import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A moment in the work on a repository: before or after its nth step since `arm`. */
export interface GitStop {
  /** Counts from 1. */
  readonly nth: number
  /** Git commands that are counted, such as `update-ref`; all but `cat-file` where absent. */
  readonly only?: string
  readonly when: 'before' | 'after'
}

/** A `git` that runs the real one, and stops at a chosen moment until its server is killed. */
export interface GitStops {
  /** The environment of servers that stop. */
  readonly env: Readonly<Record<'PATH' | 'NODE_OPTIONS', string>>
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
 * Every step of work on a repository is a git process, or a move of one ref by the server itself, which counts as an
 * `update-ref`: a server that is killed was killed between two of them.
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
  writeFileSync(join(dir, 'stop-refs.mjs'), `const STATE = ${JSON.stringify(state)}\n${STOP_REFS}`)
  const read = (): (readonly [name: string, pid: number, command: string])[] =>
    readdirSync(state)
      .filter((file) => file.startsWith('stopped-'))
      .map((file) => {
        const [pid, command = ''] = readFileSync(join(state, file), 'utf8').trim().split(' ')
        return [file.slice('stopped-'.length), Number(pid), command]
      })
  return {
    env: { PATH: `${bin}:${process.env['PATH']}`, NODE_OPTIONS: `--import=${join(dir, 'stop-refs.mjs')}` },
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

/** Stops a server before it creates the lock file of a ref, and after it has renamed it. */
const STOP_REFS = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'

const { open, rename } = fs.promises
const LOCK = /([^/]+\\.git)\\/refs\\/.+\\.lock$/
const steps = new Map()
const textOf = (file) => fs.existsSync(STATE + '/' + file) ? fs.readFileSync(STATE + '/' + file, 'utf8').trim() : ''

function count(name) {
  const next = Number(textOf('count-' + name)) + 1
  fs.writeFileSync(STATE + '/count-' + name, String(next) + '\\n')
  return next
}

async function pass(lock, moment) {
  const name = LOCK.exec(lock)?.[1]
  const [nth, when, only = 'update-ref'] = textOf('armed').split(' ')
  if (name === undefined || nth === '' || only !== 'update-ref') return
  // A lock in a new directory is opened twice.
  if (!steps.has(lock)) steps.set(lock, count(name))
  if (when !== moment || steps.get(lock) !== Number(nth)) return
  fs.writeFileSync(STATE + '/.stopped-' + name, 'none update-ref\\n')
  fs.renameSync(STATE + '/.stopped-' + name, STATE + '/stopped-' + name)
  while (!fs.existsSync(STATE + '/resumed')) await wait(50)
}

fs.promises.open = async (path, ...rest) => {
  await pass(String(path), 'before')
  return open(path, ...rest)
}
fs.promises.rename = async (from, to) => {
  await rename(from, to)
  await pass(String(from), 'after')
  steps.delete(String(from))
}
syncBuiltinESMExports()
`

function kill(pid: number): void {
  if (Number.isNaN(pid)) return // the server itself
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended with its server.
  }
}
