import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

/** A repository to which a token can be restricted. */
export interface TokenRepo {
  readonly id: RepoId
  /** `owner/name` */
  readonly fullName: string
}

/** The look-ups of repositories that tokens require. */
export interface TokenRepos {
  /** Finds a repository by `owner/name`; undefined when it is missing or hidden from the owner of the token. */
  find(db: Db, owner: SignedIn, fullName: string): Promise<TokenRepo | undefined>
  /** The repositories of these ids that the owner of the tokens can see, by a fixed number of queries. */
  listVisible(db: Db, owner: SignedIn, ids: readonly RepoId[]): Promise<readonly TokenRepo[]>
}
