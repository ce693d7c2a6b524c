import type { Database } from '../../db/database.ts'
import { type Git, isGitError } from '../../git/index.ts'
import type { Pushes } from '../pushes/index.ts'
import { countRepos, findRepoById, listUsedStorages, type Repo, walkRepoIds } from '../repos/index.ts'
import type { Wikis } from '../wiki/index.ts'
import type { CheckOptions, Finding } from '../subject.ts'

export interface CheckReposDeps {
  readonly database: Database
  readonly git: Git
  readonly pushes: Pick<Pushes, 'inspect' | 'reconcile'>
  readonly wikis: Pick<Wikis, 'inspect' | 'reconcile'>
}

const WIKI = /\.wiki$/

type Findings = AsyncGenerator<Finding, void, undefined>
type Describe = (what: string, state: Finding['state']) => Finding

/** Every repository of the database against its directory, then every directory against the database. */
export async function* checkStoredRepos(deps: CheckReposDeps, options: CheckOptions): Findings {
  const total = await countRepos(deps.database.read)
  let done = 0
  for await (const id of walkRepoIds(deps.database.read)) {
    const repo = await findRepoById(deps.database.read, id)
    if (repo !== undefined) yield* checkRepo(deps, repo, options)
    options.progress?.(++done, total)
  }
  yield* findStrayDirectories(deps)
}

const describer =
  (subject: string): Describe =>
  (what, state) => ({ what: `${subject}: ${what}`, state })

async function* checkRepo({ git, pushes, wikis }: CheckReposDeps, repo: Repo, { fix, quick }: CheckOptions): Findings {
  const finding = describer(repo.fullName)
  if (!(await git.repoExists(repo.storage))) {
    yield finding(
      `its directory ${repo.storage}.git is missing. Restore it from a backup, or delete the repository.`,
      'problem',
    )
    return
  }
  try {
    const depth = quick ? 'reachable' : 'everything'
    for (const line of await git.check(repo, depth)) yield finding(line, 'problem')
    const wiki = await checkWiki({ git, wikis }, repo, { depth, fix })
    const drift = fix ? undefined : await pushes.inspect(repo.id)
    const isReconciled = fix && (await pushes.reconcile(repo.id))
    yield* wiki
    if (isReconciled) yield finding('rows and HEAD follow the refs on disk again', 'fixed')
    for (const { ref } of drift?.changes ?? []) yield finding(`${ref} moved without a record`, 'problem')
    if (drift?.head !== undefined) yield finding(`HEAD is not the default branch ${drift.head}`, 'problem')
  } catch (error) {
    if (!isGitError(error)) throw error
    yield finding(error.message, 'problem')
  }
}

interface WikiCheck {
  readonly depth: 'reachable' | 'everything'
  readonly fix: boolean
}

/** A wiki exists from its first page on. */
async function checkWiki(
  { git, wikis }: Pick<CheckReposDeps, 'git' | 'wikis'>,
  { id, storage, objectFormat, fullName, wikiBranch }: Repo,
  { depth, fix }: WikiCheck,
): Promise<Finding[]> {
  const finding = describer(`${fullName} wiki`)
  const wiki = { storage: `${storage}.wiki`, objectFormat }
  if (!(await git.repoExists(wiki.storage))) return []
  const findings = (await git.check(wiki, depth)).map((what) => finding(what, 'problem'))
  if (fix)
    return (await wikis.reconcile(id))
      ? [...findings, finding('row and HEAD follow the refs on disk again', 'fixed')]
      : findings
  const drift = await wikis.inspect(id)
  if (drift === undefined) return findings
  if (drift.isHeadWrong || drift.branch !== wikiBranch)
    return [...findings, finding(`HEAD and the row do not name the branch of the pages, ${drift.branch}`, 'problem')]
  return [
    ...findings,
    finding(`${drift.branch} moved without a record; the server takes it in at its next start`, 'note'),
  ]
}

/** Directories without a repository are kept: an administrator may adopt or delete them. */
async function* findStrayDirectories({ database, git }: CheckReposDeps): Findings {
  for await (const folder of git.listStored()) {
    const used = await listUsedStorages(
      database.read,
      folder.map(({ storage }) => storage.replace(WIKI, '')),
    )
    for (const { storage } of folder)
      if (!used.has(storage.replace(WIKI, ''))) yield describer(`${storage}.git`)('belongs to no repository', 'note')
  }
}
