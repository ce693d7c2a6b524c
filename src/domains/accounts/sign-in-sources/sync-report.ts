/** The result of a synchronization. */
export interface SyncReport {
  /** The directory gave all entries. */
  isComplete: boolean
  entries: number
  created: number
  updated: number
  deactivated: number
  /** People without an account, and accounts that could not be changed. */
  skipped: number
  /** The first reasons. */
  readonly problems: string[]
}

export const emptyReport = (): SyncReport => ({
  isComplete: false,
  entries: 0,
  created: 0,
  updated: 0,
  deactivated: 0,
  skipped: 0,
  problems: [],
})

/** Undefined before the first one. */
export const readReport = (text: string): SyncReport | undefined =>
  text === '' ? undefined : (JSON.parse(text) as SyncReport)
