import { Type, type Static, type TObject } from '@sinclair/typebox'

const Nothing = Type.Object({})

/** Every kind of background work, with what it needs to know. Each has exactly one handler, or the server does not start. */
export const jobs = {
  /** Forgets events that every subscriber has taken. */
  'events.prune': Nothing,
  /** Removes the git data of a deleted repository. */
  'repo.remove': Type.Object({ storage: Type.String() }),
  /** Removes git data that belongs to no repository. */
  'repos.sweep': Nothing,
} as const satisfies Record<string, TObject>

export type JobKind = keyof typeof jobs
export type JobPayload<Kind extends JobKind> = Static<(typeof jobs)[Kind]>
