import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceChange, SourceDependency, SourceEvent, SourceItem } from '../../source.ts'
import { issueNumberOf, isTrue, lineOf, momentOf, present, userOf } from '../read.ts'
import { milestoneOf } from '../read-objects.ts'
import { type Gitea, LACKING } from './gitea-issues.ts'

/** Events of an issue or a pull request; comments and reviews are read by other lists. */
export async function* readEvents(
  { api, repo, clock }: Gitea,
  { number }: SourceItem,
  signal: AbortSignal,
): Pages<SourceEvent> {
  for await (const page of api.pages(`${repo}/issues/${number}/timeline`, signal, LACKING))
    yield present(
      page.map(members).map((entry): SourceEvent | undefined => {
        const change = readChange(entry)
        const createdAt = momentOf(entry['created_at']) ?? clock.now()
        return change && { ...change, issue: number, actor: userOf(entry['user']), createdAt }
      }),
    )
}

type ReadChange<Kind extends SourceChange['kind']> = (entry: Members, kind: Kind) => SourceChange | undefined

const refs = (entry: Members) => ({ old: lineOf(entry['old_ref']), new: lineOf(entry['new_ref']) })

const simple: ReadChange<'close' | 'reopen' | 'lock' | 'unlock' | 'pin' | 'unpin'> = (_, kind) => ({ kind })

const changedRef: ReadChange<'change_target_branch' | 'change_issue_ref'> = (entry, kind) => ({ kind, ...refs(entry) })

const dependency: ReadChange<'add_dependency' | 'remove_dependency'> = (entry, kind) => {
  const other = issueNumberOf(members(entry['dependent_issue'])['number'])
  return other === 0 ? undefined : { kind, other }
}

const CHANGES: { readonly [Kind in SourceChange['kind']]: ReadChange<Kind> } = {
  close: simple,
  reopen: simple,
  lock: simple,
  unlock: simple,
  pin: simple,
  unpin: simple,
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

function readChange(entry: Members): SourceChange | undefined {
  const kind = lineOf(entry['type'])
  if (!Object.hasOwn(CHANGES, kind)) return undefined
  const read = CHANGES[kind as SourceChange['kind']] as ReadChange<SourceChange['kind']>
  return read(entry, kind as SourceChange['kind'])
}

/** Dependencies on issues of other repositories are left out. */
export async function* readDependencies(
  { api, repo }: Gitea,
  { number }: SourceItem,
  signal: AbortSignal,
): Pages<SourceDependency> {
  const own = decodeURIComponent(repo.replace('/repos/', '')).toLowerCase()
  for await (const page of api.pages(`${repo}/issues/${number}/dependencies`, signal, LACKING))
    yield page.map(members).flatMap((issue) => {
      const dependsOn = issueNumberOf(issue['number'])
      const of = lineOf(members(issue['repository'])['full_name']).toLowerCase()
      return dependsOn === 0 || (of !== '' && of !== own) ? [] : [{ issue: number, dependsOn }]
    })
}
