import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSmall } from '../../harness/run-small.ts'
import { oracle } from './fixture.ts'

/** A work tree of real git on a repository's objects, for what cannot be done in a bare one. */
export interface WorkTree {
  git(...args: readonly string[]): string
  /** The exit code. */
  try(...args: readonly string[]): number
  end(): void
}

export function workTree(repo: string, tip: string): WorkTree {
  const path = mkdtempSync(join(tmpdir(), 'ingot-work-'))
  oracle(repo, ['clone', '-q', '--shared', '--no-checkout', repo, path])
  const settings = ['-c', 'user.name=Mo', '-c', 'user.email=mo@example.com', '-c', 'diff.renameLimit=1000']
  const git = (...args: readonly string[]): string => oracle(path, [...settings, ...args])
  git('checkout', '-q', '--detach', tip)
  return {
    git,
    try: (...args) =>
      runSmall('git', [...settings, ...args], {
        cwd: path,
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          LC_ALL: 'C',
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_EDITOR: 'true',
          HOME: '/nonexistent',
        },
      }).status ?? -1,
    end: () => rmSync(path, { recursive: true, force: true }),
  }
}

type Files = Map<string, string>

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const NAMES = ['top', 'a/x', 'a/y', 'a/deep/z', 'b/x', 'b/y', 'c/only']

/**
 * A stream for fast-import of two branches, `base` and `head`, that change, add, delete, move and copy back files and
 * directories, with merges of one into the other (criss-cross) and changes made on both.
 */
export function twoBranches(seed: number, commits: number): string {
  const random = fc.sample(fc.nat(), { seed, numRuns: commits * 4 + 1 })
  const first: Files = new Map(NAMES.map((name) => [name, textOf(name, [])]))
  const tips = { base: { mark: 1, files: first }, head: { mark: 1, files: first } }
  const parts = [commitOf({ branch: 'base', mark: 1, parents: [] }, first), 'reset refs/heads/head\nfrom :1\n\n']
  for (let index = 0; index < commits; index++) {
    const [side, what, where, value] = random.slice(index * 4, index * 4 + 4) as [number, number, number, number]
    const branch = side % 2 === 0 ? 'base' : 'head'
    const other = tips[branch === 'base' ? 'head' : 'base']
    const own = tips[branch]
    const mark = index + 2
    const isMerge = what % 12 === 0 && other.mark !== own.mark
    const files = isMerge ? new Map([...other.files, ...own.files]) : changed(own.files, what, where, value)
    const parents = isMerge ? [own.mark, other.mark] : [own.mark]
    parts.push(commitOf({ branch, mark, parents }, files))
    tips[branch] = { mark, files }
  }
  return parts.join('')
}

function changed(before: Files, what: number, where: number, value: number): Files {
  const files: Files = new Map(before)
  const names = [...files.keys()].sort()
  const name = names[where % names.length]
  if (name === undefined || what % 12 === 1) return files.set(`a/new${value % 4}`, textOf('new', [value % 5]))
  const text = files.get(name)!
  const kind = what % 12
  if (kind <= 5) return files.set(name, edited(text, value))
  if (kind === 6) files.delete(name)
  else if (kind === 7) move(files, name, `${['a', 'b', 'd'][value % 3]}/moved${value % 3}`)
  else if (kind === 8) moveFolder(files, name.split('/')[0]!, ['a', 'b', 'e', 'e/f'][value % 4]!)
  else if (kind === 9) files.set(`${name.split('/')[0]}/fresh${value % 3}`, textOf('fresh', [value % 2]))
  else if (kind === 10) return files
  else {
    move(files, name, `${name}.${value % 2}`)
    files.set(`${name}.${value % 2}`, edited(text, value))
  }
  return clear(files)
}

const textOf = (name: string, lines: readonly number[]): string =>
  `${[name, ...LINES, ...lines.map(String)].join('\n')}\n`

function edited(text: string, value: number): string {
  const lines = text.split('\n')
  lines[value % lines.length] = `changed ${value % 3}`
  return lines.join('\n')
}

function move(files: Files, from: string, to: string): void {
  const text = files.get(from)!
  files.delete(from)
  files.set(to, text)
}

function moveFolder(files: Files, from: string, to: string): void {
  const inside = [...files.keys()].filter((name) => name.startsWith(`${from}/`))
  for (const name of inside) move(files, name, `${to}/${name.slice(from.length + 1)}`)
}

/** Omits files at whose path there is a directory. */
function clear(files: Files): Files {
  const names = [...files.keys()]
  for (const name of names) if (names.some((other) => other.startsWith(`${name}/`))) files.delete(name)
  return files
}

interface Made {
  readonly branch: string
  readonly mark: number
  readonly parents: readonly number[]
}

function commitOf({ branch, mark, parents }: Made, files: Files): string {
  const time = 1_700_000_000 + mark * 60
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const [from, ...merges] = parents
  return [
    `commit refs/heads/${branch}\nmark :${mark}\n`,
    `author Ann <ann@example.com> ${time} +0200\ncommitter Cy <cy@example.com> ${time} -0330\n`,
    data(`commit ${mark}\n`),
    from === undefined ? '' : `from :${from}\n`,
    ...merges.map((merge) => `merge :${merge}\n`),
    'deleteall\n',
    ...[...files].map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`),
    '\n',
  ].join('')
}
