import { setTimeout as wait } from 'node:timers/promises'

interface Finding {
  readonly state: 'note' | 'problem'
  /** Equal as long as the finding does not change. */
  readonly value: string
}

/** The findings about one subject, by description. */
export type FindingsByName<Found extends Finding> = ReadonlyMap<string, Found>

interface Recheck<Subject, Found extends Finding> {
  check(subject: Subject): Promise<FindingsByName<Found>>
  /**
   * Returns whether background work is about to change a finding. NOTE: called before the second check: work that ends
   * in between leaves nothing to find.
   */
  loadPending(): Promise<(found: Found) => boolean>
  /** Milliseconds between the checks. */
  readonly pauseMs?: number | undefined
}

/** On a running server files change some milliseconds before the rows that describe them. */
const PAUSE_MS = 1000

/**
 * Checks again and yields the findings that are unchanged a second later: the others were about to be recorded. Waits
 * once for all subjects. A problem that background work is about to change is reported as a note.
 */
export async function* recheck<Subject, Found extends Finding>(
  suspects: ReadonlyMap<Subject, FindingsByName<Found>>,
  { check, loadPending, pauseMs = PAUSE_MS }: Recheck<Subject, Found>,
): AsyncGenerator<Pick<Finding, 'state'> & { readonly what: string }, void, undefined> {
  if (suspects.size === 0) return
  await wait(pauseMs)
  const isPending = await loadPending()
  for (const [subject, before] of suspects)
    for (const [what, found] of await check(subject)) {
      if (before.get(what)?.value !== found.value) continue
      yield found.state === 'problem' && isPending(found)
        ? { what: `${what}; a background job is about to change that`, state: 'note' }
        : { what, state: found.state }
    }
}
