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
 * Events of the timelines. The cursor is the position in the list of issues and pull requests. Leaves out, without a
 * warning, what the timeline does not show of deleted objects: labels that are not imported, and accounts without one
 * here.
 */
export const eventsPhase = (deps: ItemDeps & { readonly clock: Clock }): ImportPhase => ({
  name: 'events',
  isWanted: ({ parts }) => parts.has('issues') || parts.has('pull_requests'),
  async *steps(context, cursor) {
    const { source, signal } = context
    for await (const step of readOfItems(deps, context, cursor, (item) => source.events(item, signal)))
      yield {
        cursor: step.cursor,
        count: step.found.length,
        write: (tx) => writeEvents(tx, context, step.found, deps.clock.now()),
      }
  },
})

interface Found {
  readonly item: ImportedItem
  readonly value: SourceEvent
}

async function writeEvents(tx: Tx, context: PhaseContext, found: readonly Found[], now: number): Promise<void> {
  const facts = await loadFacts(
    tx,
    context,
    found.map(({ value }) => value),
  )
  await issueImports.insertEntries(
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
}

async function loadFacts(tx: Tx, context: PhaseContext, events: readonly SourceEvent[]): Promise<EventFacts> {
  const names = events.flatMap((event) => (event.kind === 'label' ? labelName(event.label) : []))
  const keys = events.flatMap((event) => (event.kind === 'milestone' ? [event.old ?? [], event.new ?? []].flat() : []))
  const numbers = events.flatMap((event) => ('other' in event && Number.isSafeInteger(event.other) ? event.other : []))
  return {
    mapped: (user) => context.mapped(user),
    labels: await labelQueries.listIdsByName(tx, context.repoId, [...new Set(names)]),
    milestones: await context.keys.get(tx, 'milestone', [...new Set(keys.map(cleanText))]),
    issues: await issueImports.listIds(tx, context.repoId, numbers),
  }
}
