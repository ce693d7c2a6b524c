import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceChange, SourceEvent, SourceItem } from '../../source.ts'
import { issueNumberOf, lineOf, parseTime, present, userOf } from '../read.ts'
import { readMilestone } from '../read-objects.ts'
import type { Github } from './github-issues.ts'

const MAX_MILESTONES = 10_000

type MilestoneKeys = (signal: AbortSignal) => Promise<ReadonlyMap<string, string>>

/** Events name milestones by their titles alone. The keys of the titles are read once, when an event needs them. */
export function createMilestoneKeys({ api, repo, absent }: Github): MilestoneKeys {
  let keys: Promise<ReadonlyMap<string, string>> | undefined
  async function read(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for await (const page of api.pages(`${repo}/milestones?state=all`, signal, absent)) {
      for (const { title, key } of page.map((value) => readMilestone(value, 'number'))) found.set(title, key)
      if (found.size >= MAX_MILESTONES) break
    }
    return found
  }
  return (signal) => (keys ??= read(signal))
}

export async function* readEvents(
  { api, repo, clock }: Github,
  { of, milestoneKeys }: { readonly of: SourceItem; readonly milestoneKeys: MilestoneKeys },
  signal: AbortSignal,
): Pages<SourceEvent> {
  const path = decodeURIComponent(repo.replace('/repos/', '')).toLowerCase()
  let mergedAt: unknown
  for await (const page of api.pages(`${repo}/issues/${of.number}/timeline`, signal, [404, 410])) {
    const entries = page.map(members)
    const keys = entries.some(({ milestone }) => milestone !== undefined) ? await milestoneKeys(signal) : new Map()
    const events = entries.map((entry): SourceEvent | undefined => {
      if (entry['event'] === 'merged') mergedAt = entry['created_at']
      // A merge closes the pull request by an event of its own.
      if (entry['event'] === 'closed' && mergedAt !== undefined && mergedAt === entry['created_at']) return undefined
      const change = readChange(entry, keys, path)
      const createdAt = parseTime(entry['created_at']) ?? clock.now()
      return change && { ...change, issue: of.number, actor: userOf(entry['actor']), createdAt }
    })
    yield present(events)
  }
}

/** `path` is the `owner/name` of the repository in lower case. */
type ReadChange = (entry: Members, keys: ReadonlyMap<string, string>, path: string) => SourceChange | undefined

const readLabel =
  (isAdded: boolean): ReadChange =>
  (entry) => {
    const label = lineOf(members(entry['label'])['name'])
    return label === '' ? undefined : { kind: 'label', label, isAdded }
  }

const keyOf = (entry: Members, keys: ReadonlyMap<string, string>): string | undefined =>
  keys.get(lineOf(members(entry['milestone'])['title']))

/** The entry does not say whether the issue or a comment on it contains the reference. */
const readReference: ReadChange = (entry, _, path) => {
  const issue = members(members(entry['source'])['issue'])
  const from = issueNumberOf(issue['number'])
  const of = lineOf(members(issue['repository'])['full_name']) || lineOf(issue['repository_url'])
  if (from === 0 || (of !== '' && !`/${of}`.toLowerCase().endsWith(`/${path}`))) return undefined
  return { kind: issue['pull_request'] === undefined ? 'issue_ref' : 'pull_ref', from }
}

const CHANGES: ReadonlyMap<unknown, ReadChange> = new Map<string, ReadChange>([
  ['closed', (entry) => ({ kind: 'close', oid: lineOf(entry['commit_id']) })],
  ['reopened', (entry) => ({ kind: 'reopen', oid: lineOf(entry['commit_id']) })],
  ['locked', (entry) => ({ kind: 'lock', text: lineOf(entry['lock_reason']) })],
  ['unlocked', () => ({ kind: 'unlock' })],
  ['pinned', () => ({ kind: 'pin' })],
  ['unpinned', () => ({ kind: 'unpin' })],
  ['labeled', readLabel(true)],
  ['unlabeled', readLabel(false)],
  ['milestoned', (entry, keys) => ({ kind: 'milestone', old: undefined, new: keyOf(entry, keys) })],
  ['demilestoned', (entry, keys) => ({ kind: 'milestone', old: keyOf(entry, keys), new: undefined })],
  ['assigned', (entry) => ({ kind: 'assignees', assignee: userOf(entry['assignee']), isRemoved: false })],
  ['unassigned', (entry) => ({ kind: 'assignees', assignee: userOf(entry['assignee']), isRemoved: true })],
  [
    'renamed',
    ({ rename }) => ({
      kind: 'change_title',
      old: lineOf(members(rename)['from']),
      new: lineOf(members(rename)['to']),
    }),
  ],
  ['cross-referenced', readReference],
  ['referenced', (entry) => ({ kind: 'commit_ref', oid: lineOf(entry['commit_id']) })],
  ['merged', (entry) => ({ kind: 'merge_pull', oid: lineOf(entry['commit_id']) })],
])

const readChange: ReadChange = (entry, keys, path) => CHANGES.get(entry['event'])?.(entry, keys, path)
