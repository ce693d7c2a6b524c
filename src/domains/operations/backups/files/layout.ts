import { fileTime, readFileTime } from '../file-time.ts'

/**
 * The copy of files: `files/objects/<path>` for what never changes, and `files/states/<unit>/state/<time>-<kind>.json`
 * for the versions of the other files of a unit.
 */
export const OBJECTS = 'files/objects/'
export const STATES = 'files/states/'
export const COVERED = 'files/covered.json'

export type StateKind = 'full' | 'changes'

export interface StateHeader {
  readonly format: 1
  /** Epoch milliseconds: no change after it is in this version. */
  readonly until: number
}

/** The body of a version: path → content as latin1, null for a file that is gone. */
export type StateChanges = Readonly<Record<string, string | null>>

/** A version in the copy. */
export interface StoredState {
  readonly name: string
  /** Path of the unit. */
  readonly unit: string
  readonly kind: StateKind
  /** Epoch milliseconds. */
  readonly time: number
}

export const stateFolder = (unit: string): string => `${STATES}${unit}${unit === '' ? '' : '/'}state/`

export const stateName = (unit: string, until: number, kind: StateKind): string =>
  `${stateFolder(unit)}${fileTime(until)}-${kind}.json`

const NAME = /^files\/states\/(?:(?<unit>.*)\/)?state\/(?<time>[^/]+Z)-(?<kind>full|changes)\.json$/

export function readStateName(name: string): StoredState | undefined {
  const { unit = '', time = '', kind } = NAME.exec(name)?.groups ?? {}
  if (kind === undefined) return undefined
  return { name, unit, kind: kind as StateKind, time: readFileTime(time) }
}
