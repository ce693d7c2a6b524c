import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceChange, SourceEvent, SourceItem } from '../../source.ts'
import { lineOf, momentOf, present, userOf } from '../read.ts'
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
  let mergedAt: unknown
  for await (const page of api.pages(`${repo}/issues/${of.number}/timeline`, signal, [404, 410])) {
    const entries = page.map(members)
    const keys = entries.some(({ milestone }) => milestone !== undefined) ? await milestoneKeys(signal) : new Map()
    const events = entries.map((entry): SourceEvent | undefined => {
      if (entry['event'] === 'merged') mergedAt = entry['created_at']
      // A merge closes the pull request by an event of its own.
      if (entry['event'] === 'closed' && mergedAt !== undefined && mergedAt === entry['created_at']) return undefined
      const change = readChange(entry, keys)
      const createdAt = momentOf(entry['created_at']) ?? clock.now()
      return change && { ...change, issue: of.number, actor: userOf(entry['actor']), createdAt }
    })
    yield present(events)
  }
}

type ReadChange = (entry: Members, keys: ReadonlyMap<string, string>) => SourceChange | undefined

const readLabel =
  (isAdded: boolean): ReadChange =>
  (entry) => {
    const label = lineOf(members(entry['label'])['name'])
    return label === '' ? undefined : { kind: 'label', label, isAdded }
  }

const keyOf = (entry: Members, keys: ReadonlyMap<string, string>): string | undefined =>
  keys.get(lineOf(members(entry['milestone'])['title']))

const CHANGES: ReadonlyMap<unknown, ReadChange> = new Map<string, ReadChange>([
  ['closed', () => ({ kind: 'close' })],
  ['reopened', () => ({ kind: 'reopen' })],
  ['locked', () => ({ kind: 'lock' })],
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
  ['merged', (entry) => ({ kind: 'merge_pull', oid: lineOf(entry['commit_id']) })],
])

const readChange: ReadChange = (entry, keys) => CHANGES.get(entry['event'])?.(entry, keys)
