import type { AccountChange } from './issue-change.ts'

/** Books time that the acting account spent on the issue, unless the repository tracks none. */
type BookTime = (change: AccountChange, seconds: number) => Promise<void>

/** Port for the module that tracks time: commits that close an issue say how long it took. */
export interface TimeBookings {
  /** While the server is composed. */
  register(handler: BookTime): void
  book: BookTime
}

export function createTimeBookings(): TimeBookings {
  const handlers: BookTime[] = []
  return {
    register: (handler) => void handlers.push(handler),
    async book(change, seconds) {
      for (const handle of handlers) await handle(change, seconds)
    },
  }
}
