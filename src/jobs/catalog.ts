import { Type, type Static, type TObject } from '@sinclair/typebox'

const Nothing = Type.Object({})
const OfRepo = Type.Object({ repo_id: Type.Integer() })

/**
 * Every kind of background work, with what it needs to know. Each has exactly one handler, or the server does not
 * start.
 */
export const jobs = {
  /** Names the commits of a push in what feeds tell of it. */
  'activity.describe': Type.Object({
    ...OfRepo.properties,
    event_id: Type.Integer(),
    updates: Type.Array(Type.Object({ ref: Type.String(), old_oid: Type.String(), new_oid: Type.String() })),
  }),
  /** Forgets what happened so long ago that no heatmap shows it. */
  'activities.prune': Nothing,
  /** Forgets the archives that are kept for those who ask again. */
  'archives.clear': Nothing,
  /** The same for those that are older than a day. */
  'archives.trim': Nothing,
  /** Deletes the bytes of a deleted attachment, unless another one has the same. */
  'attachment.release': Type.Object({ hash: Type.String() }),
  /** Deletes the bytes that no attachment names. */
  'attachments.sweep': Nothing,
  /** Counts again what counters say, where they are wrong. */
  'counters.recount': Nothing,
  /** Deletes images of users and repositories that nobody shows any more. */
  'avatars.sweep': Nothing,
  /** Forgets events that every subscriber has taken. */
  'events.prune': Nothing,
  /** Removes what transfers that were cut short left on disk. */
  'git.clean': Nothing,
  /** Removes what imports left on disk that were killed before this time (epoch milliseconds). */
  'imports.clear': Type.Object({ started_before: Type.Integer() }),
  /** Fetches what the remote of a mirror has. */
  'mirror.sync': OfRepo,
  /** Pushes a repository to one of its mirrors. */
  'push_mirror.sync': Type.Object({ push_mirror_id: Type.Integer() }),
  /** Starts the syncs of all mirrors whose time has come. */
  'mirrors.start_due': Nothing,
  /** Counts the languages of a repository's default branch. */
  'repo.languages': OfRepo,
  /** Removes large files that no repository has any more. */
  'lfs.sweep': Nothing,
  /** Packs and indexes a repository after pushes and measures it. */
  'repo.maintain': OfRepo,
  /** Finds out what a repository takes on disk with its wiki. */
  'repo.measure': OfRepo,
  /** Removes the git data of a deleted repository. */
  'repo.remove': Type.Object({ storage: Type.String() }),
  /** Looks for damage in every repository; what it finds goes to the log. */
  'repos.check': Nothing,
  /** Packs every repository anew and expires what nothing reaches any more. */
  'repos.collect': Nothing,
  /** The same for repositories whose deleted branches and tags have been kept long enough. */
  'repos.expire_deleted': Nothing,
  /** Deletes repositories whose git data is gone. */
  'repos.delete_missing': Nothing,
  /** Deletes the programs that lie in hooks directories. */
  'repos.remove_hooks': Nothing,
  /** Makes the git data of repositories that have none, empty. */
  'repos.reinit': Nothing,
  /** Finds the licences of every repository again. */
  'repos.relicense': Nothing,
  /** Compares the refs of every repository with its rows and mends the rows. */
  'repos.reconcile': Nothing,
  /** Removes git data that belongs to no repository. */
  'repos.sweep': Nothing,
} as const satisfies Record<string, TObject>

/**
 * Kinds that wait for other servers, in lanes of their own: slow ones there keep nothing else waiting. All other kinds
 * share the lane `main`.
 */
export const lanes: Readonly<Record<string, readonly (keyof typeof jobs)[]>> = {
  mirrors: ['mirror.sync', 'push_mirror.sync'],
}

export type JobKind = keyof typeof jobs
export type JobPayload<Kind extends JobKind> = Static<(typeof jobs)[Kind]>
