import type { Database } from '../../db/database.ts'
import { type Git, isGitError } from '../../git/index.ts'
import type { Pushes } from '../pushes/accept-push.ts'
import { listUsedStorages } from '../repos/repo-removal.store.ts'
import { countRepos, walkRepoIds } from '../repos/repo-walk.store.ts'
import { findRepoById, type Repo } from '../repos/repo.store.ts'
import type { Wikis } from '../wiki/wikis.service.ts'

export interface RepoFinding {
  /** `owner/name`, or the directory where there is no such repository. */
  readonly repo: string
  readonly what: string
  readonly state: 'fixed' | 'note' | 'problem'
}

export interface RepoCheckOptions {
  readonly fix: boolean
  /** Look whether all objects are there without reading each. */
  readonly quick: boolean
  /** Called as repositories are done. */
  progress?(done: number, total: number): void
}

interface Deps {
  readonly database: Database
  readonly git: Git
  readonly pushes: Pushes
  readonly wikis: Pick<Wikis, 'inspect' | 'reconcile'>
}

const WIKI = /\.wiki$/

/** Every repository of the database against its directory, then every directory against the database. */
export async function checkStoredRepos(deps: Deps, options: RepoCheckOptions): Promise<RepoFinding[]> {
  const findings: RepoFinding[] = []
  const total = await countRepos(deps.database.read)
  let done = 0
  for await (const id of walkRepoIds(deps.database.read)) {
    const repo = await findRepoById(deps.database.read, id)
    if (repo !== undefined) findings.push(...(await checkRepo(deps, repo, options)))
    options.progress?.(++done, total)
  }
  return [...findings, ...(await findStrayDirectories(deps))]
}

async function checkRepo(
  { git, pushes, wikis }: Deps,
  repo: Repo,
  { fix, quick }: RepoCheckOptions,
): Promise<RepoFinding[]> {
  const finding = (what: string, state: RepoFinding['state']): RepoFinding => ({ repo: repo.fullName, what, state })
  if (!(await git.repoExists(repo.storage)))
    return [
      finding(
        `its directory ${repo.storage}.git is missing. Restore it from a backup, or delete the repository.`,
        'problem',
      ),
    ]
  try {
    const depth = quick ? 'reachable' : 'everything'
    const findings = (await git.check(repo, depth)).map((line) => finding(line, 'problem'))
    findings.push(...(await checkWiki({ git, wikis }, repo, { depth, fix })))
    const drift = fix ? undefined : await pushes.inspect(repo.id)
    const healed = fix && (await pushes.reconcile(repo.id))
    if (healed) findings.push(finding('rows and HEAD follow the refs on disk again', 'fixed'))
    for (const { ref } of drift?.changes ?? []) findings.push(finding(`${ref} moved without a record`, 'problem'))
    if (drift?.head !== undefined) findings.push(finding(`HEAD is not the default branch ${drift.head}`, 'problem'))
    return findings
  } catch (error) {
    if (!isGitError(error)) throw error
    return [finding(error.message, 'problem')]
  }
}

interface WikiCheck {
  readonly depth: 'reachable' | 'everything'
  readonly fix: boolean
}

/** A wiki is there from its first page on. */
async function checkWiki(
  { git, wikis }: Pick<Deps, 'git' | 'wikis'>,
  { id, storage, objectFormat, fullName, wikiBranch }: Repo,
  { depth, fix }: WikiCheck,
): Promise<RepoFinding[]> {
  const finding = (what: string, state: RepoFinding['state']): RepoFinding => ({
    repo: `${fullName} wiki`,
    what,
    state,
  })
  const wiki = { storage: `${storage}.wiki`, objectFormat }
  if (!(await git.repoExists(wiki.storage))) return []
  const findings = (await git.check(wiki, depth)).map((what) => finding(what, 'problem'))
  if (fix)
    return (await wikis.reconcile(id))
      ? [...findings, finding('row and HEAD follow the refs on disk again', 'fixed')]
      : findings
  const drift = await wikis.inspect(id)
  if (drift === undefined) return findings
  if (drift.isHeadAstray || drift.branch !== wikiBranch)
    return [...findings, finding(`HEAD and the row do not name the branch of the pages, ${drift.branch}`, 'problem')]
  return [
    ...findings,
    finding(`${drift.branch} moved without a record; the server takes it in at its next start`, 'note'),
  ]
}

/** Directories without a repository are kept: an administrator may adopt or delete them. */
async function findStrayDirectories({ database, git }: Deps): Promise<RepoFinding[]> {
  const findings: RepoFinding[] = []
  for await (const folder of git.listStored()) {
    const used = await listUsedStorages(
      database.read,
      folder.map(({ storage }) => storage.replace(WIKI, '')),
    )
    for (const { storage } of folder) {
      if (!used.has(storage.replace(WIKI, '')))
        findings.push({ repo: `${storage}.git`, what: 'belongs to no repository', state: 'note' })
    }
  }
  return findings
}
