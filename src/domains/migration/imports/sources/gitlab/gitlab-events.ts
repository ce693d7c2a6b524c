import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceChange, SourceDependency, SourceEvent, SourceItem } from '../../source.ts'
import { issueNumberOf, isTrue, lineOf, parseTime, userOf, countOf } from '../read.ts'
import { type Gitlab, LACKING } from './gitlab.ts'
import { readSystemNote } from './gitlab-notes.ts'
import { labelName } from './gitlab-text.ts'

/** Maximum number of events of one issue and kind. */
const MAX_EVENTS = 10_000

type ReadChange = (event: Members, oid: () => Promise<string>) => Promise<SourceChange | undefined>

/** Events of one issue are in three lists, which are read together, because they are handed out in the order of time. */
export async function* readEvents(
  gitlab: Gitlab,
  { number, isPull }: SourceItem,
  signal: AbortSignal,
): Pages<SourceEvent> {
  const { api, project, offset, clock } = gitlab
  const object = `${project}/${isPull ? `merge_requests/${number - offset}` : `issues/${number}`}`
  const mergedOid = async (): Promise<string> => {
    const pull = members(await api.find(object, signal))
    return lineOf(pull['merge_commit_sha']) || lineOf(pull['squash_commit_sha']) || lineOf(pull['sha'])
  }
  const events: SourceEvent[] = []
  for (const [list, read] of LISTS) {
    let count = 0
    for await (const page of api.pages(`${object}/resource_${list}_events`, signal, LACKING)) {
      for (const event of page.map(members)) {
        const change = await read(event, mergedOid)
        const createdAt = parseTime(event['created_at']) ?? clock.now()
        if (change !== undefined)
          events.push({ ...change, issue: number, actor: userOf(event['user'], 'username'), createdAt })
      }
      count += page.length
      if (count >= MAX_EVENTS) break
    }
  }
  for await (const page of api.pages(`${object}/notes?${ACTIVITY}`, signal, LACKING)) {
    for (const note of page.map(members).filter(({ system }) => isTrue(system))) {
      const createdAt = parseTime(note['created_at']) ?? clock.now()
      const actor = userOf(note['author'], 'username')
      for (const change of readSystemNote(lineOf(note['body']), offset))
        events.push({ ...change, issue: number, actor, createdAt })
    }
    if (events.length >= MAX_EVENTS) break
  }
  events.sort((one, other) => one.createdAt - other.createdAt)
  for (let start = 0; start < events.length; start += 100) yield events.slice(start, start + 100)
}

/** Comments are read for the import of comments. */
const ACTIVITY = 'sort=asc&order_by=created_at&activity_filter=only_activity'

const LISTS: readonly (readonly [string, ReadChange])[] = [
  [
    'state',
    async ({ state }, mergedOid) => {
      if (state === 'closed') return { kind: 'close' }
      if (state === 'reopened') return { kind: 'reopen' }
      return state === 'merged' ? { kind: 'merge_pull', oid: await mergedOid() } : undefined
    },
  ],
  [
    'label',
    async ({ label, action }) => {
      const name = labelName(lineOf(members(label)['name']))
      return name === '' ? undefined : { kind: 'label', label: name, isAdded: action === 'add' }
    },
  ],
  [
    'milestone',
    async ({ milestone, action }) => {
      const id = countOf(members(milestone)['id'])
      const key = id === 0 ? undefined : String(id)
      return action === 'add'
        ? { kind: 'milestone', old: undefined, new: key }
        : { kind: 'milestone', old: key, new: undefined }
    },
  ],
]

/** Merge requests have none. */
export async function* readDependencies(
  { api, project, id }: Gitlab,
  { number, isPull }: SourceItem,
  signal: AbortSignal,
): Pages<SourceDependency> {
  if (isPull) return
  for await (const page of api.pages(`${project}/issues/${number}/links`, signal, LACKING))
    yield page.map(members).flatMap((issue) => {
      const other = issueNumberOf(issue['iid'])
      if (issue['link_type'] !== 'is_blocked_by' || other === 0) return []
      const isOwn = countOf(issue['project_id']) === id
      const elsewhere = lineOf(members(issue['references'])['full']) || lineOf(issue['web_url']) || `issue ${other}`
      return [{ issue: number, dependsOn: isOwn ? other : elsewhere }]
    })
}
