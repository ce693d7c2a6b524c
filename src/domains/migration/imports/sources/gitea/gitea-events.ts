import { members, type Members, parseJson } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceChange, SourceDependency, SourceEvent, SourceItem } from '../../source.ts'
import { bodyOf, issueNumberOf, isTrue, lineOf, linesOf, parseTime, present, userOf } from '../read.ts'
import { milestoneOf } from '../read-objects.ts'
import { authorOf, type Gitea, LACKING } from './gitea-issues.ts'

/** Events of an issue or a pull request; comments and reviews are read by other lists. */
export async function* readEvents(
  { api, repo, clock }: Gitea,
  { number }: SourceItem,
  signal: AbortSignal,
): Pages<SourceEvent> {
  for await (const page of api.pages(`${repo}/issues/${number}/timeline`, signal, LACKING))
    yield present(
      page.map(members).map((entry): SourceEvent | undefined => {
        const change = readChange(entry, repo)
        const createdAt = parseTime(entry['created_at']) ?? clock.now()
        return change && { ...change, issue: number, actor: authorOf(entry), createdAt }
      }),
    )
}

type Kind = SourceChange['kind']
/** `repo` is the path of the repository in the API. */
type ReadChange<K extends Kind> = (entry: Members, kind: K, repo: string) => SourceChange | undefined

const refs = (entry: Members) => ({ old: lineOf(entry['old_ref']), new: lineOf(entry['new_ref']) })

const simple: ReadChange<'pin' | 'unlock' | 'unpin'> = (_, kind) => ({ kind })

const ofState: ReadChange<'close' | 'reopen'> = (entry, kind) => ({ kind, oid: lineOf(entry['commit_id']) })

const withText: ReadChange<
  'added_deadline' | 'change_time_estimate' | 'lock' | 'modified_deadline' | 'removed_deadline'
> = (entry, kind) => ({ kind, text: lineOf(entry['body']) })

/** References from other repositories are omitted. */
const ofText: ReadChange<'comment_ref' | 'issue_ref' | 'pull_ref'> = (entry, kind, repo) => {
  const from = members(entry['ref_issue'])
  const number = issueNumberOf(from['number'])
  if (number === 0 || !isOfRepo(from, repo)) return undefined
  const reference = { from: number, action: lineOf(entry['ref_action']) }
  const { created_at: at, body } = members(entry['ref_comment'])
  return kind === 'comment_ref'
    ? { kind, ...reference, writtenAt: parseTime(at) ?? 0, text: bodyOf(body) }
    : { kind, ...reference }
}

function isOfRepo(issue: Members, repo: string): boolean {
  const of = lineOf(members(issue['repository'])['full_name']).toLowerCase()
  return of === '' || of === decodeURIComponent(repo.replace('/repos/', '')).toLowerCase()
}

function readPush(entry: Members): SourceChange {
  const push = members(parseJson(bodyOf(entry['body']))?.value)
  return { kind: 'pull_push', oids: linesOf(push['commit_ids']), isForced: isTrue(push['is_force_push']) }
}

const changedRef: ReadChange<'change_target_branch' | 'change_issue_ref'> = (entry, kind) => ({ kind, ...refs(entry) })

const dependency: ReadChange<'add_dependency' | 'remove_dependency'> = (entry, kind) => {
  const other = issueNumberOf(members(entry['dependent_issue'])['number'])
  return other === 0 ? undefined : { kind, other }
}

const CHANGES: { readonly [K in Kind]: ReadChange<K> } = {
  close: ofState,
  reopen: ofState,
  lock: withText,
  unlock: simple,
  pin: simple,
  unpin: simple,
  added_deadline: withText,
  modified_deadline: withText,
  removed_deadline: withText,
  change_time_estimate: withText,
  pull_push: readPush,
  issue_ref: ofText,
  pull_ref: ofText,
  comment_ref: ofText,
  commit_ref: (entry, kind) => ({ kind, oid: lineOf(entry['ref_commit_sha']) }),
  label(entry, kind) {
    const label = lineOf(members(entry['label'])['name'])
    return label === '' ? undefined : { kind, label, isAdded: entry['body'] === '1' }
  },
  milestone: (entry, kind) => ({
    kind,
    old: milestoneOf(entry['old_milestone'], 'id'),
    new: milestoneOf(entry['milestone'], 'id'),
  }),
  assignees: (entry, kind) => ({
    kind,
    assignee: userOf(entry['assignee']),
    isRemoved: isTrue(entry['removed_assignee']),
  }),
  change_title: (entry, kind) => ({ kind, old: lineOf(entry['old_title']), new: lineOf(entry['new_title']) }),
  change_target_branch: changedRef,
  change_issue_ref: changedRef,
  delete_branch: (entry, kind) => ({ kind, branch: refs(entry).old }),
  add_dependency: dependency,
  remove_dependency: dependency,
  merge_pull: (entry, kind) => ({ kind, oid: lineOf(entry['commit_id']) }),
}

function readChange(entry: Members, repo: string): SourceChange | undefined {
  const kind = lineOf(entry['type'])
  if (!Object.hasOwn(CHANGES, kind)) return undefined
  return (CHANGES[kind as Kind] as ReadChange<Kind>)(entry, kind as Kind, repo)
}

/**
 * If only some issues are read, also the dependencies of others of the repository on them: a new copy of an issue has
 * lost them.
 */
export async function* readDependencies(
  { api, repo, only }: Gitea,
  { number }: SourceItem,
  signal: AbortSignal,
): Pages<SourceDependency> {
  for await (const page of api.pages(`${repo}/issues/${number}/dependencies`, signal, LACKING))
    yield issuesIn(page).map((issue) => ({ issue: number, dependsOn: dependsOn(issue, repo) }))
  if (only === undefined) return
  for await (const page of api.pages(`${repo}/issues/${number}/blocks`, signal, LACKING))
    yield issuesIn(page)
      .filter((issue) => isOfRepo(issue, repo))
      .map((issue) => ({ issue: issueNumberOf(issue['number']), dependsOn: number }))
}

/** Omits issues that the account may not read, which have no number. */
const issuesIn = (page: readonly unknown[]): Members[] =>
  page.map(members).filter((issue) => issueNumberOf(issue['number']) > 0)

function dependsOn(issue: Members, repo: string): number | string {
  const number = issueNumberOf(issue['number'])
  return isOfRepo(issue, repo) ? number : `${lineOf(members(issue['repository'])['full_name'])}#${number}`
}
