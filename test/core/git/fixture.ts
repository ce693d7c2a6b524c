import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGit, type Git, type GitLimits, type GitRepo, type ObjectFormat } from '../../../src/core/git/index.ts'
import { systemClock } from '../../../src/core/platform/clock.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { runSmall } from '../../harness/run-small.ts'

export const FORMATS: readonly ObjectFormat[] = ['sha1', 'sha256']

const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  HOME: '/nonexistent',
}
const WHO = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Cy',
  GIT_COMMITTER_EMAIL: 'cy@example.com',
}

/** Real git as the oracle; throws with its error text. */
export function oracle(
  path: string,
  args: readonly string[],
  input?: string | Buffer,
  env: Record<string, string> = {},
): string {
  return oracleBytes(path, args, input, env).toString('utf8').trimEnd()
}

export function oracleBytes(
  path: string,
  args: readonly string[],
  input?: string | Buffer,
  env: Record<string, string> = {},
): Buffer {
  const result = runSmall('git', args, { cwd: path, env: { ...ENV, ...WHO, ...env }, input })
  if (result.status !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr.toString('utf8')}`)
  return result.stdout
}

export function oracleStatus(path: string, args: readonly string[], input?: string): number {
  return runSmall('git', args, { cwd: path, env: { ...ENV, ...WHO }, input }).status ?? -1
}

export interface World {
  readonly git: Git
  readonly root: string
  repo(format: ObjectFormat, script?: string): Promise<GitRepo>
  end(): void
}

let serial = 0
export const newStorage = (): string =>
  `${(serial++ % 256).toString(16).padStart(2, '0')}/${process.pid.toString(16).padStart(8, '0')}${serial}`

/** A git layer on a temporary directory that `end` removes. */
export async function startWorld(limits: Partial<GitLimits> = {}): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), 'ingot-git-'))
  const git = await createGit({ root, log: createLogger('silent'), clock: systemClock, limits })
  return {
    git,
    root,
    async repo(format, script) {
      const storage = newStorage()
      await git.createRepo(storage, { objectFormat: format, defaultBranch: 'main' })
      const repo = git.open({ storage, objectFormat: format })
      if (script !== undefined) oracle(repo.path, ['fast-import', '--quiet', '--date-format=raw-permissive'], script)
      return repo
    },
    end() {
      git.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export interface ScriptCommit {
  readonly branch: string
  readonly files?: Readonly<Record<string, string | null>>
  readonly merge?: readonly string[]
  readonly from?: string
  readonly message?: string
  readonly time?: number
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

/** A git fast-import stream; commits get marks :1, :2, … in order. */
export function script(commits: readonly ScriptCommit[], tail = ''): string {
  const parts = commits.map((commit, index) => {
    const time = commit.time ?? 1_700_000_000 + index * 60
    const lines = [`commit refs/heads/${commit.branch}\nmark :${index + 1}\n`]
    lines.push(`author Ann <ann@example.com> ${time} +0200\ncommitter Cy <cy@example.com> ${time} -0330\n`)
    lines.push(data(commit.message ?? `commit ${index + 1}\n`))
    if (commit.from) lines.push(`from ${commit.from}\n`)
    for (const merge of commit.merge ?? []) lines.push(`merge ${merge}\n`)
    for (const [path, text] of Object.entries(commit.files ?? {})) {
      lines.push(text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`)
    }
    return `${lines.join('')}\n`
  })
  return parts.join('') + tail
}

/** A small history with a merge, directories, a symlink-free tree and two tags. */
export const SMALL = script(
  [
    { branch: 'main', files: { 'README.md': 'hello\n', 'src/a.ts': 'a\n', 'src/deep/b.ts': 'b\n' } },
    { branch: 'main', files: { 'src/a.ts': 'a2\n' } },
    { branch: 'topic', from: ':1', files: { 'docs/x.md': 'x\n' }, time: 1_700_000_070 },
    { branch: 'main', merge: [':3'], files: { 'docs/x.md': 'x\n' } },
    { branch: 'main', files: { 'README.md': null, 'src/deep/b.ts': 'b2\n' } },
  ],
  `tag v1\nfrom :2\ntagger Ann <ann@example.com> 1700000500 +0000\n${data('first\n')}reset refs/tags/light\nfrom :1\n\n`,
)
