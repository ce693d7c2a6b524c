import { Type, type Static, type TObject } from '@sinclair/typebox'

const Nothing = Type.Object({})
const OfRepo = Type.Object({ repo_id: Type.Integer() })

/** Every kind of background work, with what it needs to know. Each has exactly one handler, or the server does not start. */
export const jobs = {
  /** Forgets events that every subscriber has taken. */
  'events.prune': Nothing,
  /** Removes what transfers that were cut short left on disk. */
  'git.clean': Nothing,
  /** Packs and indexes a repository after pushes and measures it. */
  'repo.maintain': OfRepo,
  /** Removes the git data of a deleted repository. */
  'repo.remove': Type.Object({ storage: Type.String() }),
  /** Compares the refs of every repository with its rows and mends the rows. */
  'repos.reconcile': Nothing,
  /** Removes git data that belongs to no repository. */
  'repos.sweep': Nothing,
} as const satisfies Record<string, TObject>

export type JobKind = keyof typeof jobs
export type JobPayload<Kind extends JobKind> = Static<(typeof jobs)[Kind]>
