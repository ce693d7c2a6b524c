import { setTimeout as wait } from 'node:timers/promises'

interface Seen {
  readonly state: 'note' | 'problem'
  /** The same as long as nothing of it changes. */
  readonly value: string
}

/** What was found in one place, by its description. */
export type Look<Found extends Seen> = ReadonlyMap<string, Found>

interface SecondLook<Place, Found extends Seen> {
  look(place: Place): Promise<Look<Found>>
  /**
   * Tells what background work is about to change. NOTE: called before the second look: work that ends in between has
   * left nothing to find.
   */
  loadPending(): Promise<(found: Found) => boolean>
}

/** On a running server files change some milliseconds before the rows that describe them. */
const PAUSE_MS = 1000

/**
 * Of what a first look found, what is still the same a second later: the rest was about to be recorded. Waits once for
 * all places. A problem that background work is about to change is a note.
 */
export async function* lookAgain<Place, Found extends Seen>(
  suspects: ReadonlyMap<Place, Look<Found>>,
  { look, loadPending }: SecondLook<Place, Found>,
): AsyncGenerator<Pick<Seen, 'state'> & { readonly what: string }, void, undefined> {
  if (suspects.size === 0) return
  await wait(PAUSE_MS)
  const isPending = await loadPending()
  for (const [place, before] of suspects)
    for (const [what, found] of await look(place)) {
      if (before.get(what)?.value !== found.value) continue
      yield found.state === 'problem' && isPending(found)
        ? { what: `${what}; a background job is about to change that`, state: 'note' }
        : { what, state: found.state }
    }
}
