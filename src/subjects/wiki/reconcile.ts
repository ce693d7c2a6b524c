import type { Database } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import { branchRef, type Git } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { findRepoById, type Repo, updateRepo } from '../repos/index.ts'
import { findWiki } from './wiki-repo.ts'

/** How the row of a wiki differs from its refs after a crash between the two; the refs are right. */
export interface WikiDrift {
  /** The branch of the pages: that of the row if it exists, else that of HEAD, else any. */
  readonly branch: string
  /** Its tip; undefined when there is no page yet. */
  readonly oid: string | undefined
  /** HEAD names another branch. */
  readonly isHeadAstray: boolean
}

interface Deps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly events: Events
  readonly log: Logger
}

const BRANCH = 'refs/heads/'

/** Undefined when row and refs agree, and where there is no wiki. */
export async function findWikiDrift(git: Git, repo: Repo): Promise<WikiDrift | undefined> {
  const wiki = await findWiki(git, repo)
  if (wiki === undefined) return undefined
  const snapshot = await wiki.refs.snapshot()
  const names = snapshot.list(BRANCH).map(({ name }) => name.slice(BRANCH.length))
  const wanted = [repo.wikiBranch, snapshot.head?.slice(BRANCH.length), 'main', 'master']
  const branch = wanted.find((name) => name !== undefined && names.includes(name)) ?? names[0] ?? repo.wikiBranch
  const oid = snapshot.get(branchRef(branch))?.oid
  const isHeadAstray = snapshot.head !== branchRef(branch)
  return branch === repo.wikiBranch && oid === repo.wikiOid && !isHeadAstray ? undefined : { branch, oid, isHeadAstray }
}

export async function inspectWiki(
  { database, git }: Pick<Deps, 'database' | 'git'>,
  repoId: Repo['id'],
): Promise<WikiDrift | undefined> {
  const repo = await findRepoById(database.read, repoId)
  return repo && findWikiDrift(git, repo)
}

/** Makes HEAD and row agree with the refs and appends an event for unannounced pages. True when something was wrong. */
export async function reconcileWiki({ database, git, clock, events, log }: Deps, repoId: Repo['id']): Promise<boolean> {
  const repo = await findRepoById(database.read, repoId)
  const drift = repo && (await findWikiDrift(git, repo))
  const wiki = repo && (await findWiki(git, repo))
  if (repo === undefined || drift === undefined || wiki === undefined) return false
  const { branch, oid, isHeadAstray } = drift
  log.warn(
    { repo: repoId, branch, head: isHeadAstray, moved: oid !== repo.wikiOid },
    'a wiki and its row differ; making them agree',
  )
  if (isHeadAstray) await wiki.refs.setHead(branch)
  const at = clock.now()
  await database.transaction(async (tx) => {
    await updateRepo(tx, repoId, {
      wiki_branch: branch,
      wiki_oid: oid ?? '',
      ...(oid !== repo.wikiOid && { updated_at: at }),
    })
    if (oid !== repo.wikiOid) await events.append(tx, 'wiki.pushed', { actorId: 0, repoId, at }, { repo_id: repoId })
  })
  return true
}
