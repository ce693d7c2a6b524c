import { type Members, members, numberOf } from '../../../../core/platform/json-members.ts'
import { isTrue, lineOf } from '../../imports/sources/read.ts'
import type { JournalEntry } from '../journal.store.ts'
import { compareDetails } from '../repo-details.ts'
import {
  compareObjects,
  countItems,
  type Difference,
  fingerprintOf,
  hasChangedAfter,
  type RepoAt,
  sharedLabels,
} from '../repo-objects.ts'
import { pick, send, type ServerContext } from '../server-context.ts'
import { finished, REPO, repoPath, type SourceRepo, splitName, startImport, writtenNow } from './repo-imports.ts'

interface Imported {
  readonly repo: SourceRepo
  /** The journal entry of the copy, which is complete. */
  readonly entry: JournalEntry
  readonly value: Members
  /** An import of changes that an earlier run has started. */
  readonly running: number | undefined
}

type Differences = readonly Difference[]

/** The clocks of the servers may differ by less. */
const OVERLAP = 24 * 3_600_000
const MAX_CHANGES = 1_000

/** Imports changes of a repository since the last run, unless the copy was changed on this server. */
export async function importChanges(
  context: ServerContext,
  { repo: found, entry, value, running }: Imported,
): Promise<void> {
  if (isTrue(value['mirror'])) return
  const { journal, report, signal, source, target, core } = context
  const repo = await renamed(context, found, entry)
  if (running !== undefined) await finished(context, repo.fullName, running)
  const [at, copy] = [
    { api: source, path: repoPath(repo.fullName), signal, accounts: context.names.accounts },
    { api: target.forge, path: repoPath(repo.target), signal },
  ]
  const read_at = core.clock.now()
  const differences = [
    ...(await findChanges(at, copy, entry.read_at)),
    ...(context.isThorough ? (await compareDetails(at, copy)).differences : []),
  ]
  if (differences.length === 0) {
    const written = entry.target_fingerprint === '' && (await writtenNow(context, repo.target))
    return journal.put({ ...entry, target: repo.target, read_at, ...written })
  }
  if (entry.target_fingerprint !== '' && entry.written_at !== 0 && (await isChanged(copy, entry))) {
    report.omit(`repository ${repo.fullName}: it changed at both servers; the copy on this server was left as it is`)
    return
  }
  const begun = { ...entry, target: repo.target, target_fingerprint: '' }
  await journal.put(begun)
  if (!(await writeChanges(context, repo, { differences, openPulls: await openPullsOf(at) }))) return
  await journal.put({ ...begun, read_at, ...(await writtenNow(context, repo.target)) })
  report.written(REPO)
}

/** Renames the copy like its repository. */
async function renamed(context: ServerContext, repo: SourceRepo, entry: JournalEntry): Promise<SourceRepo> {
  if (repo.target === entry.target) return repo
  const [[owner, name], [oldOwner]] = [splitName(repo.target), splitName(entry.target)]
  const what = `renaming ${entry.target} to ${repo.target}`
  if (owner !== oldOwner) context.report.omit(`${what}: the copy stays with its owner`)
  else if (await send(context, { method: 'PATCH', path: `/repos/${repoPath(entry.target)}`, body: { name }, what })) {
    await context.journal.put({ ...entry, target: repo.target })
    return repo
  }
  return { ...repo, target: entry.target }
}

const isChanged = async (copy: RepoAt, { target_fingerprint, written_at }: JournalEntry): Promise<boolean> =>
  (await fingerprintOf(copy)) !== target_fingerprint || (await hasChangedAfter(copy, written_at))

/**
 * Reads changes since a time, and all of both repositories if these cannot be complete: something was deleted or has
 * another name.
 */
async function findChanges(source: RepoAt, copy: RepoAt, readAt: number): Promise<Differences> {
  const shared = await sharedLabels(source)
  const since = new Date(Math.max(0, readAt - OVERLAP)).toISOString()
  const { differences } = await compareObjects({ source, copy, shared, since })
  const isComplete = differences.every(({ kind, how }) => how !== 'extra' || OFTEN_DELETED.has(kind))
  if (isComplete && (await hasCounts(source, copy, differences))) return differences
  return (await compareObjects({ source, copy, shared })).differences
}

/** Other objects do not refer to deleted ones. */
const OFTEN_DELETED: ReadonlySet<string> = new Set(['branch', 'open pull request', 'release', 'tag'])

/** Whether the new issues and comments are all that the copy lacks. */
async function hasCounts(source: RepoAt, copy: RepoAt, differences: Differences): Promise<boolean> {
  const [theirs, ours] = [await countItems(source), await countItems(copy)]
  return ['issue', 'comment'].every((kind, index) => {
    const missing = differences.filter((each) => each.kind === kind && each.how === 'missing').length
    return (theirs[index] ?? 0) === (ours[index] ?? 0) + missing
  })
}

async function openPullsOf({ api, path, signal }: RepoAt): Promise<number[]> {
  const numbers: number[] = []
  for await (const page of api.pages(`/repos/${path}/pulls?state=open`, signal, [403, 404, 409]))
    for (const pull of page) numbers.push(numberOf(members(pull)['number']))
  return numbers
}

interface Changes {
  readonly differences: Differences
  readonly openPulls: readonly number[]
}

/** False if an import fails, which the report says. */
async function writeChanges(
  context: ServerContext,
  repo: SourceRepo,
  { differences, openPulls }: Changes,
): Promise<boolean> {
  const { target, report } = context
  const path = `/repos/${repoPath(repo.target)}`
  if ((await target.find(path))?.['archived'] === true) await target.send('PATCH', path, { archived: false })
  for (const list of LISTS) await writeList(context, repo, { list, differences })
  const numbers = new Set(
    differences.filter(({ kind }) => WITH_NUMBERS.has(kind)).map(({ key }) => Number(key.split(' ', 1)[0])),
  )
  // A push to their base changes whether they can be merged.
  if (differences.some(({ kind }) => kind === 'branch')) for (const number of openPulls) numbers.add(number)
  const all = [...numbers].toSorted((a, b) => a - b)
  for (let from = 0; from === 0 || from < all.length; from += MAX_CHANGES) {
    const changes = { numbers: all.slice(from, from + MAX_CHANGES) }
    const id = await startImport(context, repo, { changes })
    if (id === undefined || !(await finished(context, repo.fullName, id))) return false
  }
  for (const { kind, key, how } of differences)
    if (how === 'extra' && kind !== 'open pull request') report.deleted(`${kind} ${key} of ${repo.fullName}`)
  return true
}

const WITH_NUMBERS: ReadonlySet<string> = new Set(['comment', 'issue', 'open pull request', 'reactions', 'reviews'])

/** A list that is written by the API; the import of changes brings releases that are missing. */
interface WrittenList {
  readonly kind: string
  readonly path: string
  readonly key: string
  readonly members: readonly string[]
}

const LISTS: readonly WrittenList[] = [
  {
    kind: 'label',
    path: 'labels',
    key: 'name',
    members: ['name', 'color', 'description', 'exclusive', 'is_archived'],
  },
  {
    kind: 'milestone',
    path: 'milestones?state=all',
    key: 'title',
    members: ['title', 'description', 'state', 'due_on'],
  },
  { kind: 'release', path: 'releases', key: 'tag_name', members: [] },
]

async function writeList(
  context: ServerContext,
  { fullName, target }: SourceRepo,
  { list, differences }: { readonly list: WrittenList; readonly differences: Differences },
): Promise<void> {
  const changed = differences.filter(({ kind }) => kind === list.kind)
  if (changed.length === 0) return
  const { source, signal } = context
  const theirs = new Map<string, Members>()
  for await (const page of source.pages(`/repos/${repoPath(fullName)}/${list.path}`, signal))
    for (const item of page) theirs.set(lineOf(members(item)[list.key]), members(item))
  const at = `/repos/${repoPath(target)}/${list.path}`
  const [path] = at.split('?', 1)
  const ours = new Map((await context.target.list(at)).map((item) => [lineOf(item[list.key]), numberOf(item['id'])]))
  for (const { key } of changed) {
    const [value, id] = [theirs.get(key), ours.get(key)]
    const isWritten = value !== undefined && list.members.length > 0
    if (id !== undefined && !isWritten) await context.target.send('DELETE', `${path}/${id}`)
    if (!isWritten) continue
    const what = `${list.kind} ${key} of ${fullName}`
    const body = pick(value, list.members)
    if (id === undefined) await send(context, { method: 'POST', path: path!, body, what })
    else await send(context, { method: 'PATCH', path: `${path}/${id}`, body, what })
  }
}
