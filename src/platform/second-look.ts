import { setTimeout as wait } from 'node:timers/promises'

interface Seen {
  /** The same as long as nothing of it changes. */
  readonly value: string
}

/** What is wrong in one place, by its description. */
export type Look<Found extends Seen> = ReadonlyMap<string, Found>

/** On a running server files change some milliseconds before the rows that describe them. */
const PAUSE_MS = 1000

/**
 * Of what a first look found, what is still the same a second later: the rest was about to be recorded. Waits once for
 * all places. `begin` runs after that wait, and gives what looks at one place.
 */
export async function* lookAgain<Place, Found extends Seen>(
  suspects: ReadonlyMap<Place, Look<Found>>,
  begin: () => Promise<(place: Place) => Promise<Look<Found>>>,
): AsyncGenerator<Found & { readonly what: string }, void, undefined> {
  if (suspects.size === 0) return
  await wait(PAUSE_MS)
  const look = await begin()
  for (const [place, before] of suspects)
    for (const [what, found] of await look(place)) if (before.get(what)?.value === found.value) yield { ...found, what }
}
