import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

export interface CommentPlace {
  readonly commentId: number
  /** Of the activity. */
  readonly repoId: RepoId
}

/**
 * The wire models of comments by id, with a fixed number of queries; those that are gone, or are in another repository
 * now, are left out.
 */
type LoadComments = (places: readonly CommentPlace[]) => Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>>>

/** Port for the module that presents comments in feeds. */
export interface ActivityComments {
  /** While the server is composed. */
  register(load: LoadComments): void
  load: LoadComments
}

export function createActivityComments(): ActivityComments {
  let loader: LoadComments = async () => new Map()
  return {
    register: (load) => {
      loader = load
    },
    load: async (places) => (places.length === 0 ? new Map() : loader(places)),
  }
}
