import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'

/** A repository to which a token can be restricted. */
export interface TokenRepo {
  readonly id: RepoId
  /** `owner/name` */
  readonly fullName: string
}

/** What tokens need of repositories. */
export interface TokenRepos {
  /** By `owner/name`; undefined when it is missing or hidden from the owner of the token. */
  find(db: Db, owner: SignedIn, fullName: string): Promise<TokenRepo | undefined>
  /** Those of these ids that the owner of the tokens sees, by a fixed number of queries. */
  listVisible(db: Db, owner: SignedIn, ids: readonly RepoId[]): Promise<readonly TokenRepo[]>
}
