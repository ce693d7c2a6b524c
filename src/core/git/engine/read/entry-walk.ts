import { once } from 'node:events'
import type { Child } from '../../../platform/process/process.ts'
import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'

/** Where the entries of one directory were last changed, by one walk over its history. */
export interface EntryWalk {
  readonly commit: string
  readonly directory: string
  /** Entry names still to be explained; those that are found are taken out. */
  readonly names: Set<string>
  readonly found: Map<string, string>
  /** Answers of an earlier walk for a commit: from there on nothing needs to be walked. */
  known(commit: string): ReadonlyMap<string, string> | undefined
}

interface Pair {
  readonly commit: string
  readonly parent: string | undefined
  /** The commit's last pair: what no parent shares was changed here. */
  readonly last: boolean
}

const DEADLINE = 60_000

/**
 * `git rev-list --parents` names the commits, one `git diff-tree --stdin` compares each with each parent; an entry is
 * handed from commit to the first parent that has it unchanged, as `git log -1 -- entry` simplifies history. Both
 * processes end as soon as every entry is explained. What clock skew hid is still in `names` afterwards.
 */
export async function walkEntries(command: GitCommand, walk: EntryWalk): Promise<void> {
  const stop = new AbortController()
  const within = walk.directory === '' ? [] : ['--', walk.directory]
  const args = ['diff-tree', '--stdin', '-z', '--raw', '--no-renames', '--no-abbrev', '--always', '--root']
  const child = command.start(walk.directory === '' ? args : [...args, '-r', ...within])
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('close', () => resolve())
  })
  child.stderr.resume()
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE)
  const pairs: Pair[] = []
  const commits = command.stream(['rev-list', '--parents', '--full-history', walk.commit, ...within], {
    signal: stop.signal,
    deadline: DEADLINE,
  })
  const feeding = feed(commits, { child, ended }, pairs).catch((error: unknown) => {
    child.kill('SIGKILL')
    if (!stop.signal.aborted) throw error
  })
  try {
    await follow(child, walk, pairs)
  } finally {
    stop.abort()
    clearTimeout(timer)
    child.kill('SIGKILL')
    await Promise.all([feeding, ended])
  }
}

/** Turns `commit parent parent` lines into one line for every pair. */
async function feed(
  commits: AsyncIterable<Buffer>,
  { child, ended }: { child: Child; ended: Promise<void> },
  pairs: Pair[],
): Promise<void> {
  let rest = ''
  for await (const chunk of commits) {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    let text = ''
    for (const line of lines) {
      const [commit, ...parents] = line.split(' ')
      const targets: (string | undefined)[] = parents.length === 0 ? [undefined] : parents
      targets.forEach((parent, index) => {
        pairs.push({ commit: commit!, parent, last: index === targets.length - 1 })
        text += parent === undefined ? `${commit}\n` : `${commit} ${parent}\n`
      })
    }
    if (!child.stdin.write(text)) await Promise.race([once(child.stdin, 'drain'), ended])
  }
  child.stdin.end()
}

async function follow(child: Child, walk: EntryWalk, pairs: readonly Pair[]): Promise<void> {
  const tracker = new Tracker(walk)
  let next = -1 // the pair whose changes are being read
  let path = false // the next token is the path of a raw entry
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (let nul = data.indexOf(0); nul !== -1; nul = data.indexOf(0, at)) {
      if (path) tracker.touch(data.toString('utf8', at, nul))
      else if (data[at] !== 0x3a) {
        if (next >= 0) tracker.close(pairs[next])
        if (walk.names.size === 0) return
        next++
      }
      path = !path && data[at] === 0x3a
      at = nul + 1
    }
    rest = Buffer.from(data.subarray(at))
  }
  if (next >= 0) tracker.close(pairs[next])
  if (next < pairs.length - 1 && walk.names.size > 0) throw new GitError('failed', 'git diff-tree ended early')
}

/** Follows the entries from commit to commit. */
class Tracker {
  readonly #walk: EntryWalk
  readonly #prefix: number
  readonly #open = new Map<string, Set<string>>()
  #touched = new Set<string>()
  #begun = false

  constructor(walk: EntryWalk) {
    this.#walk = walk
    this.#prefix = walk.directory === '' ? 0 : walk.directory.length + 1
  }

  touch(path: string): void {
    const slash = path.indexOf('/', this.#prefix)
    this.#touched.add(path.slice(this.#prefix, slash === -1 ? undefined : slash))
  }

  /** All changes of a commit against one parent are in. */
  close(pair: Pair | undefined): void {
    const touched = this.#touched
    if (touched.size > 0) this.#touched = new Set()
    if (!pair) return
    if (!this.#begun) {
      // The walk leaves out commits that do not touch the directory, so its first commit stands for the start.
      this.#begun = true
      this.#open.set(pair.commit, new Set(this.#walk.names))
    }
    const mine = this.#open.get(pair.commit)
    if (!mine || mine.size === 0) return
    if (this.#useKnown(pair.commit, mine)) return
    if (pair.parent !== undefined) this.#hand(mine, touched, pair.parent)
    if (!pair.last) return
    this.#open.delete(pair.commit)
    for (const name of mine) this.#find(name, pair.commit)
  }

  #hand(mine: Set<string>, touched: ReadonlySet<string>, parent: string): void {
    let theirs = this.#open.get(parent)
    for (const name of mine) {
      if (touched.has(name)) continue
      if (!theirs) this.#open.set(parent, (theirs = new Set()))
      theirs.add(name)
      mine.delete(name)
    }
  }

  #useKnown(commit: string, mine: Set<string>): boolean {
    const known = this.#walk.known(commit)
    if (!known) return false
    for (const name of mine) {
      const oid = known.get(name)
      if (oid !== undefined) this.#find(name, oid)
    }
    mine.clear()
    return true
  }

  #find(name: string, commit: string): void {
    this.#walk.names.delete(name)
    this.#walk.found.set(name, commit)
  }
}
