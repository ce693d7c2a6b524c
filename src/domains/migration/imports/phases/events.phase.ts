import { restrictionOf } from '../../../../core/access/authorize.ts'
import { isOid } from '../../../../core/git/index.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { type ImportedEntry, type ImportedItem, issueImports, labelQueries } from '../../../issues/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceEvent } from '../source.ts'
import { authorOf, cleanText, pastTime } from './clean-values.ts'
import { changeOf, type EventFacts } from './event-changes.ts'
import { type ItemDeps, readOfItems } from './imported-items.ts'
import { labelName } from './label-name.ts'

/**
 * Events of the timelines. The cursor is the position in the list of issues and pull requests. Omits, without a
 * warning, events that the timeline does not show for deleted objects: of labels that are not imported, and of accounts
 * without an account here.
 */
export const eventsPhase = (deps: ItemDeps & { readonly clock: Clock }): ImportPhase => ({
  name: 'events',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps(context, cursor) {
    const { source, signal } = context
    for await (const { cursor: next, found } of readOfItems(deps, context, cursor, (item) =>
      source.events(item, signal),
    )) {
      const commits = await readCommits(context, found)
      const now = deps.clock.now()
      yield { cursor: next, count: found.length, write: (tx) => writeEvents(tx, context, { found, commits, now }) }
    }
  },
})

interface Found {
  readonly item: ImportedItem
  readonly value: SourceEvent
}

/** Bodies of the entries of commits that the repository has. */
async function readCommits(
  { repo, fullName }: PhaseContext,
  found: readonly Found[],
): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>()
  for (const { value } of found) {
    if (value.kind !== 'commit_ref' || bodies.has(value.oid) || !isOid(value.oid, repo.objectFormat)) continue
    if ((await repo.objects.findInfo(value.oid))?.type !== 'commit') continue
    const { message } = await repo.objects.commit(value.oid)
    bodies.set(value.oid, cleanText(issueImports.commitLink({ fullName }, { oid: value.oid, message })))
  }
  return bodies
}

interface Written {
  readonly found: readonly Found[]
  readonly commits: EventFacts['commits']
  readonly now: number
}

async function writeEvents(tx: Tx, context: PhaseContext, { found, commits, now }: Written): Promise<void> {
  const events = found.map(({ value }) => value)
  const facts = { ...(await loadFacts(tx, context, events)), commits }
  const entries = await issueImports.insertEntries(
    tx,
    found.flatMap(({ item, value }): ImportedEntry[] => {
      const change = changeOf(value, facts)
      if (change === undefined) return []
      const { userId: actorId, author } = authorOf(context, value.actor)
      const createdAt = pastTime(value.createdAt, now)
      const origin = { issueId: item.id, repoId: context.repoId, actorId, author, createdAt, updatedAt: createdAt }
      return [{ ...change, ...origin }]
    }),
  )
  await issueImports.insertReferences(tx, entries, restrictionOf(context.actor))
}

async function loadFacts(
  tx: Tx,
  context: PhaseContext,
  events: readonly SourceEvent[],
): Promise<Omit<EventFacts, 'commits'>> {
  const { repoId, keys: known } = context
  const names = events.flatMap((event) => (event.kind === 'label' ? labelName(event.label) : []))
  const keys = events.flatMap((event) => (event.kind === 'milestone' ? [event.old ?? [], event.new ?? []].flat() : []))
  const issues = await issueImports.listIds(tx, repoId, events.flatMap(numberIn).filter(Number.isSafeInteger))
  const texts = events.flatMap((event) => {
    const issueId = event.kind === 'comment_ref' ? issues.get(event.from) : undefined
    return event.kind === 'comment_ref' && issueId !== undefined ? { issueId, at: event.writtenAt } : []
  })
  return {
    mapped: (user) => context.mapped(user),
    repoId,
    labels: await labelQueries.listIdsByName(tx, repoId, [...new Set(names)]),
    milestones: await known.get(tx, 'milestone', [...new Set(keys.map(cleanText))]),
    issues,
    texts: await issueImports.listTexts(tx, texts),
  }
}

/** The other issue or pull request. */
function numberIn(event: SourceEvent): number | [] {
  if ('other' in event) return event.other
  return 'from' in event ? event.from : []
}
