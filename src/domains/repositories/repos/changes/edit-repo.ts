import { isSiteAdmin, type SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx, Database } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { EventOrigin, Events } from '../../../../core/events/index.ts'
import { isNewRefName, branchRef, type Git, isValidBranchName, RefConflictError } from '../../../../core/git/index.ts'
import { formatDuration, parseDuration } from '../../../../core/platform/duration.ts'
import { engineErrors, invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { requireRepoName } from '../creation/create-repo.ts'
import { editUnits } from './edit-units.ts'
import { editCredentials } from '../mirror-credentials.ts'
import { findMirror, updateMirror } from '../records/records.store.ts'
import { setRepoName, setForkVisibility } from './changes.store.ts'
import { formatRepoSettings, parseRepoSettings } from '../repo-settings.ts'
import { findRepoById, findRepoByName, type Repo, updateRepo } from '../repo.store.ts'
import type { EditRepoOption } from '../repos.model.ts'
import type { Core } from '../../../../core/module.ts'
import type { UnitSet } from '../../../../core/access/repo-access.ts'

interface ChangeRules {
  /** Whether only site administrators may make repositories public. */
  readonly forcePrivate: boolean
  /** Units that cannot be enabled. */
  readonly disabledUnits: UnitSet
  /** The minimum interval between two syncs of a mirror, in milliseconds. */
  readonly minMirrorInterval: number
}

export interface ChangeRepoDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'jobs' | 'secrets'> {
  readonly rules: ChangeRules
  rootUrl(): string
}

/**
 * Sets git's HEAD to the default branch of the row. Concurrent requests each read the row again after writing HEAD, so
 * that row and HEAD agree in the end.
 */
export async function syncHead(
  { database, git }: { readonly database: Database; readonly git: Git },
  id: Repo['id'],
): Promise<void> {
  let repo = await findRepoById(database.read, id)
  for (
    let written: string | undefined;
    repo !== undefined && repo.defaultBranch !== written;
    repo = await findRepoById(database.read, id)
  ) {
    written = repo.defaultBranch
    await git.open(repo).refs.setHead(written)
  }
}

/**
 * Applies the members of the edit atomically (behaviour/repositories#editing). `updated_at` is not changed: it is the
 * time of the last change of content. Throws Invalid with the message for the member, NotFound if the repository was
 * deleted.
 */
export async function editRepo(
  deps: ChangeRepoDeps,
  actor: SignedIn,
  target: Repo,
  edit: EditRepoOption,
): Promise<void> {
  if (edit.name !== undefined && edit.name !== target.name) requireRepoName(edit.name)
  const mirror = readMirrorSettings(deps, target, edit)
  const defaultBranch = await chooseDefaultBranch(deps, target, edit.default_branch)
  const origin = { actor, repoId: target.id, at: deps.clock.now() }
  if (edit.wiki_branch) await renameWikiBranch(deps.git, target, edit.wiki_branch)
  try {
    await deps.database.transaction(async (tx) => {
      const repo = await findRepoById(tx, target.id)
      if (repo === undefined) throw errors.repoNotFound()
      const isPrivate = await chooseVisibility(tx, { deps, actor, repo, edit })
      const columns = {
        ...basicColumns(edit),
        ...unitColumns(deps, repo, edit),
        ...archiveColumns(repo, edit, origin.at),
        ...(defaultBranch === undefined ? {} : { default_branch: defaultBranch }),
      }
      if (Object.keys(columns).length > 0) await updateRepo(tx, repo.id, columns)
      const affected = isPrivate === repo.isPrivate ? [] : await setForkVisibility(tx, repo.id, isPrivate)
      if (repo.isMirror) await changeMirror(tx, deps, repo, { edit, columns: mirror })
      if (edit.name !== undefined && edit.name !== repo.name)
        await rename(tx, { events: deps.events, origin }, repo, edit.name)
      const changed = [...Object.keys(columns), ...(isPrivate === repo.isPrivate ? [] : ['is_private'])]
      const madePrivate = isPrivate && affected.length > 0 ? { made_private: affected } : {}
      if (changed.length > 0)
        await deps.events.append(tx, 'repo.edited', origin, { repo_id: repo.id, changed, ...madePrivate })
    })
  } catch (error) {
    if (deps.database.dialect.isUniqueViolation(error)) throw repoNameTaken(target, edit.name ?? target.name)
    throw error
  }
  if (defaultBranch !== undefined) await syncHead(deps, target.id)
}

export const repoNameTaken = (repo: Pick<Repo, 'owner'>, name: string): Error =>
  invalid(`repository already exists [uname: ${repo.owner.name}, name: ${name}]`)

interface EventTarget {
  readonly events: Events
  readonly origin: EventOrigin
}

async function rename(tx: Tx, { events, origin }: EventTarget, repo: Repo, name: string): Promise<void> {
  const other = await findRepoByName(tx, repo.owner, name)
  if (other !== undefined && other.id !== repo.id) throw repoNameTaken(repo, name)
  await setRepoName(tx, repo.id, { ownerId: repo.ownerId, from: repo.name, to: name })
  await events.append(tx, 'repo.renamed', origin, { repo_id: repo.id, name, old_name: repo.name })
}

function basicColumns(edit: EditRepoOption): Parameters<typeof updateRepo>[2] {
  const template = edit.template ?? edit.is_template
  return {
    ...(edit.description === undefined ? {} : { description: edit.description }),
    ...(edit.website === undefined ? {} : { website: edit.website }),
    ...(template === undefined ? {} : { is_template: flag(template) }),
    ...(edit.wiki_branch ? { wiki_branch: edit.wiki_branch } : {}),
  }
}

function unitColumns(deps: ChangeRepoDeps, repo: Repo, edit: EditRepoOption): Parameters<typeof updateRepo>[2] {
  const { set, settings } = editUnits({ set: repo.units, settings: parseRepoSettings(repo.settings) }, edit, {
    rootUrl: deps.rootUrl(),
    disabled: deps.rules.disabledUnits,
  })
  const json = formatRepoSettings(settings)
  return { ...(set === repo.units ? {} : { units: set }), ...(json === repo.settings ? {} : { settings: json }) }
}

function archiveColumns(repo: Repo, { archived }: EditRepoOption, at: number): Parameters<typeof updateRepo>[2] {
  if (archived === undefined) return {}
  if (repo.isMirror) throw invalid('repo is a mirror, cannot archive/un-archive')
  return archived === repo.isArchived ? {} : { is_archived: flag(archived), archived_at: archived ? at : 0 }
}

/** A missing branch is ignored, unless the repository has none. */
async function chooseDefaultBranch(
  { git }: ChangeRepoDeps,
  repo: Repo,
  branch: string | undefined,
): Promise<string | undefined> {
  if (!branch || branch === repo.defaultBranch) return undefined
  return (repo.isEmpty && isNewRefName(branch)) ||
    (await git.open(repo).refs.snapshot()).get(`refs/heads/${branch}`) !== undefined
    ? branch
    : undefined
}

interface VisibilityChoice {
  readonly deps: ChangeRepoDeps
  readonly actor: SignedIn
  readonly repo: Repo
  readonly edit: EditRepoOption
}

/** A fork has the visibility of the repository that it was forked from. */
async function chooseVisibility(tx: Tx, { deps, actor, repo, edit }: VisibilityChoice): Promise<boolean> {
  if (edit.private === undefined) return repo.isPrivate
  const base = repo.forkId === undefined ? undefined : await findRepoById(tx, repo.forkId)
  const wanted = base?.isPrivate ?? edit.private
  if (repo.isPrivate && !wanted && deps.rules.forcePrivate && !isSiteAdmin(actor))
    throw invalid('cannot change private repository to public')
  return wanted
}

interface MirrorChange {
  readonly edit: EditRepoOption
  readonly columns: Parameters<typeof updateMirror>[2]
}

async function changeMirror(
  tx: Tx,
  { secrets }: ChangeRepoDeps,
  { id }: Repo,
  { edit, columns }: MirrorChange,
): Promise<void> {
  const credentials = editCredentials(secrets, (await findMirror(tx, id))?.credentials ?? '', edit)
  const values = { ...columns, ...(credentials !== undefined && { credentials }) }
  if (Object.keys(values).length > 0) await updateMirror(tx, id, values)
}

/** Only for pull mirrors; other repositories ignore the members, valid or not. */
function readMirrorSettings(
  { clock, rules }: ChangeRepoDeps,
  repo: Repo,
  edit: EditRepoOption,
): Parameters<typeof updateMirror>[2] {
  if (!repo.isMirror) return {}
  const pruning = edit.enable_prune === undefined ? {} : { is_pruning: flag(edit.enable_prune) }
  if (edit.mirror_interval === undefined) return pruning
  const interval = parseDuration(edit.mirror_interval)
  if (interval === undefined) throw invalid(`time: invalid duration "${edit.mirror_interval}"`)
  const minInterval = rules.minMirrorInterval
  if (interval !== 0 && interval < minInterval)
    throw invalid(
      `invalid mirror interval: ${formatDuration(interval)} is below minimum interval: ${formatDuration(minInterval)}`,
    )
  return {
    ...pruning,
    interval: Math.round(interval),
    next_sync_at: interval === 0 ? 0 : clock.now() + Math.round(interval),
  }
}

/**
 * Renames the branch of an existing wiki. Throws Invalid for a name that git does not allow. The row is changed
 * afterwards; until then, and after a crash, HEAD names the branch.
 */
async function renameWikiBranch(git: Git, repo: Repo, to: string): Promise<void> {
  if (!isValidBranchName(to)) throw engineErrors.fieldNotRefName('WikiBranch')
  const storage = `${repo.storage}.wiki`
  if (to === repo.wikiBranch || !(await git.repoExists(storage))) return
  const wiki = git.open({ storage, objectFormat: repo.objectFormat })
  await wiki.writing(async () => {
    const snapshot = await wiki.refs.snapshot()
    const from = snapshot.get(branchRef(repo.wikiBranch))
    if (from !== undefined && snapshot.get(branchRef(to)) === undefined) {
      try {
        await wiki.refs.update([
          { ref: from.name, old: from.oid, new: wiki.zeroOid },
          { ref: branchRef(to), old: wiki.zeroOid, new: from.oid },
        ])
      } catch (error) {
        throw error instanceof RefConflictError ? invalid(`the wiki cannot have a branch ${to}`) : error
      }
    }
    await wiki.refs.setHead(to)
  })
}
